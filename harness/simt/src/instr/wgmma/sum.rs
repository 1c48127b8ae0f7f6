//! The sums of a product by a warpgroup.
//!
//! They are those of `mma`, for many columns at a time: each product's significand is shifted to the exponent of the
//! largest term and truncated there, all in 32 bits, which the compiler vectorizes. Numbers that are not finite, and
//! results that are not normal numbers, take a slower path.

use super::form::{DEPTH_BYTES, Element, ROWS, Sum, WgmmaForm};
use super::scratch::{Deep, Scratch, Some16, TOGETHER};
use super::unpack::{is_finite, is_nan, taken_apart};
use crate::instr::alu::soft::{self, Format, Round};

/// Bits that a sum keeps below the leading bit of its largest term.
const KEPT: u32 = 25;
/// The same for FP8.
const KEPT_OF_FP8: u32 = 13;
/// Mantissa bits of an f32 sum of FP8 products that are always zero.
const CLEARED_OF_FP8: u32 = 23 - KEPT_OF_FP8;
/// The fixed-point format of a sum's terms.
#[derive(Clone, Copy)]
struct Point {
    /// Bits kept below the largest term's leading bit.
    kept: u32,
    /// The left shift that aligns a product of the largest exponent.
    product: u32,
    /// The accumulators' format.
    sum: Format,
    /// A mask of the result's bits that are not always zero.
    mask: u32,
}

impl Point {
    fn from_form(form: &WgmmaForm) -> Point {
        let [a, b] = form.factors.map(|factor| factor.format().mantissa);
        let fp8 = form.factors[0].is_fp8();
        let kept = if fp8 { KEPT_OF_FP8 } else { KEPT };
        let half = form.sum == Sum::F16;
        let mask = if fp8 && !half { u32::MAX << CLEARED_OF_FP8 } else { u32::MAX };
        Point { kept, product: kept - a - b, sum: if half { soft::F16 } else { soft::F32 }, mask }
    }
}

/// Computes the sums of floating-point numbers in place.
#[inline(always)]
pub(super) fn floats(form: &WgmmaForm, scratch: &mut Scratch) {
    let (point, depth) = (Point::from_form(form), form.factors[0].depth());
    let together_each = form.columns().div_ceil(TOGETHER);
    let [format_a, format_b] = form.factors.map(Element::format);
    let Scratch { a, places, b, apart: [significands, tops], sums } = scratch;
    let mut of_a = [[(0, 0); DEPTH_BYTES]; ROWS];
    let mut finite_a = [true; ROWS];
    for row in 0..ROWS {
        of_a[row] = a[row].map(|bits| taken_apart(format_a, bits));
        finite_a[row] = a[row][..depth].iter().all(|&bits| is_finite(format_a, bits));
    }
    for (b, sums) in b.iter().zip(sums).take(together_each) {
        let mut finite_b = true;
        for ((bits, significands), tops) in b[..form.depth_of_b()].iter().zip(&mut *significands).zip(&mut *tops) {
            let mut finite = [true; TOGETHER];
            for j in 0..TOGETHER {
                (significands[j], tops[j]) = taken_apart(format_b, bits[j]);
                finite[j] = is_finite(format_b, bits[j]);
            }
            finite_b &= finite == [true; TOGETHER];
        }
        for (row, c) in sums.iter_mut().enumerate() {
            let plain = finite_b && finite_a[row] && c.iter().all(|&bits| is_finite(point.sum, bits));
            let (a, met) = (&a[row], |k: usize| if form.kept.is_some() { places[row][k] } else { k });
            let pairs = |at: usize| (0..depth).map(move |k| (a[k], b[met(k)][at]));
            let special = (!plain).then(|| special(form, point.sum, c, pairs));
            let of_a = &of_a[row][..depth];
            if form.kept.is_some() {
                let chosen = |from: &Deep<i32>| -> [Some16<i32>; DEPTH_BYTES] {
                    std::array::from_fn(|k| if k < depth { from[met(k)] } else { [0; TOGETHER] })
                };
                let (significands, tops) = (chosen(significands), chosen(tops));
                together(point, of_a, (&significands[..depth], &tops[..depth]), c);
            } else {
                together(point, of_a, (&significands[..depth], &tops[..depth]), c);
            }
            for (to, special) in c.iter_mut().zip(special.into_iter().flatten()) {
                *to = special.unwrap_or(*to);
            }
        }
    }
}

/// Computes sums whose terms are finite; other terms count as zero. `of_a` are the significands and exponents of a row
/// of A, `of_b` are those of some columns of B.
#[inline(always)]
fn together(
    point: Point,
    of_a: &[(i32, i32)],
    (significands, tops): (&[Some16<i32>], &[Some16<i32>]),
    c: &mut Some16<u32>,
) {
    let (mut sig_c, mut top_c) = ([0; TOGETHER], [0; TOGETHER]);
    for j in 0..TOGETHER {
        (sig_c[j], top_c[j]) = taken_apart(point.sum, c[j]);
    }
    let mut highest = top_c;
    for (&(_, top), tops) in of_a.iter().zip(tops) {
        for j in 0..TOGETHER {
            highest[j] = highest[j].max(top.wrapping_add(tops[j]));
        }
    }
    // The largest sum of products is less than 2^31: see the test. Nothing overflows; overflow checks, where they are
    // compiled in, would prevent the loops from being vectorized.
    let mut sum = [0i32; TOGETHER];
    for ((&(sig, top), significands), tops) in of_a.iter().zip(significands).zip(tops) {
        for j in 0..TOGETHER {
            let product = sig.wrapping_mul(significands[j]);
            let down = highest[j].wrapping_sub(top).wrapping_sub(tops[j]).min(31) as u32;
            let cut = product.unsigned_abs().wrapping_shl(point.product).wrapping_shr(down) as i32;
            // All ones if the product is negative: an exclusive or and a subtraction with it change the sign.
            let sign = product >> 31;
            sum[j] = sum[j].wrapping_add((cut ^ sign).wrapping_sub(sign));
        }
    }
    // Room for the accumulator's bits below those that are kept.
    const ROOM: u32 = 25;
    for j in 0..TOGETHER {
        let down = (highest[j] - top_c[j]) as u32 + ROOM + point.sum.mantissa - point.kept;
        let cut = ((u64::from(sig_c[j].unsigned_abs()) << ROOM) >> down.min(63)) as i64;
        let sum = i64::from(sum[j]) + if sig_c[j] < 0 { -cut } else { cut };
        c[j] = result(point, sum, highest[j] - point.kept as i32);
    }
}

/// Converts `sum * 2^unit` to a result: truncated to f32, or rounded to the nearest f16.
#[inline(always)]
fn result(point: Point, sum: i64, unit: i32) -> u32 {
    if sum == 0 {
        return 0;
    }
    let power = f64::from_bits(((unit + 1023) as u64) << 52);
    // Both factors, and so the product, are exact.
    let bits = (sum as f64 * power).to_bits();
    let (negative, top) = ((bits >> 63) as u32, (bits >> 52 & 0x7ff) as i32 - 1023);
    let mantissa = bits & ((1 << 52) - 1);
    if point.sum == soft::F16 {
        if !(-14..=15).contains(&top) {
            return packed(point, sum, unit);
        }
        let (kept, lost) = ((mantissa >> 42) as u32, mantissa & ((1 << 42) - 1));
        let half = 1 << 41;
        let up = lost > half || (lost == half && kept & 1 != 0);
        // A carry from the mantissa propagates into the exponent.
        return (negative << 15) | (((((top + 15) as u32) << 10) | kept) + u32::from(up));
    }
    if !(-126..=127).contains(&top) {
        return packed(point, sum, unit);
    }
    ((negative << 31) | (((top + 127) as u32) << 23) | (mantissa >> 29) as u32) & point.mask
}

/// The same for results that are too small or too large for a normal number.
#[cold]
fn packed(point: Point, sum: i64, unit: i32) -> u32 {
    let magnitude = sum.unsigned_abs();
    let top = 63 - magnitude.leading_zeros() as i32 + unit;
    let sign = if sum < 0 { point.sum.sign() } else { 0 };
    if point.sum != soft::F16 && top > 127 {
        // Numbers that are too large become infinite, although other results are rounded towards zero.
        return (sign | point.sum.infinity()) as u32;
    }
    let round = if point.sum == soft::F16 { Round::Nearest } else { Round::Zero };
    let bits = point.sum.pack(round, sum < 0, unit, u128::from(magnitude)) as u32 & point.mask;
    // Zero has no sign where all of an f32 is truncated.
    if point.sum != soft::F16 && u64::from(bits) == point.sum.sign() { 0 } else { bits }
}

/// Returns the results of sums with terms that are not finite: NaN or infinity; `None` for other sums.
#[cold]
fn special<I: Iterator<Item = (u32, u32)>>(
    form: &WgmmaForm,
    sum: Format,
    c: &Some16<u32>,
    pairs: impl Fn(usize) -> I,
) -> Some16<Option<u32>> {
    let [format_a, format_b] = form.factors.map(Element::format);
    let negative = |format: Format, bits: u32| u64::from(bits) & format.sign() != 0;
    std::array::from_fn(|at| {
        let nan = (sum.sign() - 1) as u32;
        let mut infinite: Option<bool> = None;
        let infinities = pairs(at).map(|(a, b)| {
            let zero = |format: Format, bits: u32| u64::from(bits) & (format.sign() - 1) == 0;
            if is_nan(format_a, a) || is_nan(format_b, b) {
                return Err(());
            }
            match (is_finite(format_a, a), is_finite(format_b, b)) {
                (true, true) => Ok(None),
                (true, false) if zero(format_a, a) => Err(()),
                (false, true) if zero(format_b, b) => Err(()),
                _ => Ok(Some(negative(format_a, a) != negative(format_b, b))),
            }
        });
        let own = match (is_nan(sum, c[at]), is_finite(sum, c[at])) {
            (true, _) => Err(()),
            (_, true) => Ok(None),
            _ => Ok(Some(negative(sum, c[at]))),
        };
        for term in infinities.chain([own]) {
            match (term, infinite) {
                (Err(()), _) => return Some(nan),
                (Ok(Some(sign)), Some(other)) if sign != other => return Some(nan),
                (Ok(Some(sign)), _) => infinite = Some(sign),
                (Ok(None), _) => {}
            }
        }
        infinite.map(|negative| (sum.infinity() | if negative { sum.sign() } else { 0 }) as u32)
    })
}

/// Computes, in place, the sums of 8-bit integers that have been extended to 32 bits.
#[inline(always)]
pub(super) fn integers(form: &WgmmaForm, scratch: &mut Scratch) {
    let Scratch { a, places, b, sums, .. } = scratch;
    let depth = form.factors[0].depth();
    whole(form, sums, |row, some, sum| {
        for (k, &a) in a[row][..depth].iter().enumerate() {
            let b = &b[some][if form.kept.is_some() { places[row][k] } else { k }];
            for j in 0..TOGETHER {
                sum[j] = sum[j].wrapping_add((a as i32).wrapping_mul(b[j] as i32));
            }
        }
    });
}

/// Counts, in place, the bits that are set in both factors.
#[inline(always)]
pub(super) fn bits(form: &WgmmaForm, scratch: &mut Scratch) {
    let Scratch { a, b, sums, .. } = scratch;
    let depth = form.factors[0].depth();
    whole(form, sums, |row, some, sum| {
        for (&a, b) in a[row][..depth].iter().zip(&b[some]) {
            for j in 0..TOGETHER {
                sum[j] = sum[j].wrapping_add((a & b[j]).count_ones() as i32);
            }
        }
    });
}

/// Adds integers to the accumulators: `add` computes them for a row and a group of columns, given the numbers of both.
#[inline(always)]
fn whole(form: &WgmmaForm, sums: &mut [[Some16<u32>; ROWS]], add: impl Fn(usize, usize, &mut Some16<i32>)) {
    for (some, sums) in sums.iter_mut().enumerate().take(form.columns().div_ceil(TOGETHER)) {
        for (row, c) in sums.iter_mut().enumerate() {
            let mut sum = [0i32; TOGETHER];
            add(row, some, &mut sum);
            for (c, sum) in c.iter_mut().zip(sum) {
                let before = *c as i32;
                *c = if form.saturates { before.saturating_add(sum) } else { before.wrapping_add(sum) } as u32;
            }
        }
    }
}

#[cfg(test)]
mod tests;
