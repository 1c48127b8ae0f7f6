//! Tests of the sums against the simple model of `mma`'s.

use super::{Point, floats};
use crate::instr::alu::soft::{self, Round};
use crate::instr::matrix::reference;
use crate::instr::wgmma::form::{Element, ROWS, Sum, WgmmaForm};
use crate::instr::wgmma::scratch::{self, Scratch, TOGETHER};

fn form(factors: [Element; 2], sum: Sum) -> WgmmaForm {
    WgmmaForm {
        eights: 3,
        factors,
        sum,
        negative: [false; 2],
        transposed: [false; 2],
        registers: false,
        saturates: false,
        kept: None,
    }
}

/// Calls `act` with scratch memory.
fn with<R>(act: impl FnOnce(&mut Scratch) -> R) -> R {
    let mut scratch = scratch::take();
    let result = act(&mut scratch);
    scratch::put(scratch);
    result
}

/// Returns pseudo-random numbers.
fn random(state: &mut u64) -> u32 {
    *state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
    (*state >> 33) as u32 ^ ((*state >> 20) as u32) << 16
}

/// The inputs of the sums: any bits, or numbers of similar magnitude.
#[derive(Clone, Copy, Debug)]
enum TestInputs {
    Any,
    Tame,
    /// Zeros, and occasionally an infinite number.
    Special,
}

fn bits_of(what: TestInputs, element: Element, state: &mut u64) -> u32 {
    let format = element.format();
    let any = random(state) & ((1 << (1 + format.mantissa + format.exponent)) - 1);
    match what {
        TestInputs::Any => any,
        TestInputs::Special if random(state).is_multiple_of(16) => {
            format.infinity() as u32 | (any & format.sign() as u32)
        }
        TestInputs::Special if !random(state).is_multiple_of(4) => any & format.sign() as u32,
        TestInputs::Special => 1,
        TestInputs::Tame => {
            let bias = (1 << (format.exponent - 1)) - 1;
            let mantissa = any & ((1 << format.mantissa) - 1);
            let sign = any & format.sign() as u32;
            sign | ((bias - 2 + (random(state) & 3)) << format.mantissa) | mantissa
        }
    }
}

#[test]
fn sums_are_those_of_mma_bit_for_bit() {
    let mut state = 7;
    for (element, sum) in
        [(Element::F16, Sum::F32), (Element::F16, Sum::F16), (Element::Bf16, Sum::F32), (Element::Tf32, Sum::F32)]
    {
        let form = form([element; 2], sum);
        let depth = element.depth();
        for (round, what) in
            [TestInputs::Any, TestInputs::Tame, TestInputs::Special].into_iter().cycle().take(36).enumerate()
        {
            with(|s| {
                s.a.as_flattened_mut().fill_with(|| bits_of(what, element, &mut state));
                s.b.as_flattened_mut().as_flattened_mut().fill_with(|| bits_of(what, element, &mut state));
                let c = if sum == Sum::F16 { Element::F16 } else { Element::Tf32 };
                let more = if sum == Sum::F16 { 0 } else { 13 };
                // Some sums start from zero.
                let zero = round % 4 == 3;
                s.sums.as_flattened_mut().as_flattened_mut().fill_with(|| {
                    let bits = (bits_of(what, c, &mut state) << more) | (random(&mut state) & ((1 << more) - 1));
                    if zero { 0 } else { bits }
                });
                let before = s.sums;
                let at = |column: usize| (column / TOGETHER, column % TOGETHER);
                floats(&form, s);
                for row in 0..ROWS {
                    for column in 0..form.columns() {
                        let pairs: Vec<(u32, u32)> =
                            (0..depth).map(|k| (s.a[row][k], s.b[at(column).0][k][at(column).1])).collect();
                        let word = match element {
                            Element::F16 => "f16",
                            Element::Bf16 => "bf16",
                            _ => "tf32",
                        };
                        // The simple model takes a tf32 as it is stored in a register.
                        let up = if element == Element::Tf32 { 13 } else { 0 };
                        let pairs: Vec<_> = pairs.iter().map(|(a, b)| (a << up, b << up)).collect();
                        let to = if sum == Sum::F16 { "f16" } else { "f32" };
                        let wanted = reference(word, &pairs, before[at(column).0][row][at(column).1], to);
                        let found = *s.sum(row, column);
                        assert_eq!(
                            found,
                            wanted,
                            "{element:?} {sum:?} {what:?}: {pairs:x?} + {:x}",
                            before[at(column).0][row][at(column).1]
                        );
                    }
                }
            });
        }
    }
}

#[test]
fn the_largest_sums_have_room_in_32_bits() {
    for factors in [
        [Element::F16; 2],
        [Element::Bf16; 2],
        [Element::Tf32; 2],
        [Element::E4m3; 2],
        [Element::E5m2; 2],
        [Element::E4m3, Element::E5m2],
    ] {
        let point = Point::from_form(&form(factors, Sum::F32));
        let [a, b] = factors.map(|f| (2i64 << f.format().mantissa) - 1);
        let most = factors[0].depth() as i64 * ((a * b) << point.product);
        assert!(most <= i64::from(i32::MAX), "{factors:?}");
    }
}

/// For FP8, terms are truncated 13 bits below the largest, and so is the result.
#[test]
fn sums_of_fp8_keep_fewer_bits() {
    let form = form([Element::E4m3; 2], Sum::F32);
    let number = |value: f64| {
        let bits = value.abs().to_bits();
        let format = Element::E4m3.format();
        let exp = (bits >> 52) as i32 - 1023 - 52;
        format.pack(Round::Nearest, value < 0.0, exp, u128::from(bits & ((1 << 52) - 1) | 1 << 52)) as u32
    };
    let compute = |products: &[(f64, f64)], c: f32| {
        with(|s| {
            s.a.as_flattened_mut().fill(0);
            s.b.as_flattened_mut().as_flattened_mut().fill(0);
            s.sums.as_flattened_mut().as_flattened_mut().fill(c.to_bits());
            for (k, &(a, b)) in products.iter().enumerate() {
                (s.a[3][k], s.b[1][k][5]) = (number(a), number(b));
            }
            floats(&form, s);
            f32::from_bits(*s.sum(3, TOGETHER + 5))
        })
    };
    assert_eq!(compute(&[(1.5, 2.0), (-4.0, 0.25)], 0.5), 2.5);
    // 2^13 and 1: the last bit that is kept. Half of it is lost.
    assert_eq!(compute(&[(128.0, 64.0), (1.0, 1.0)], 0.0), 8193.0);
    assert_eq!(compute(&[(128.0, 64.0), (0.5, 1.0), (0.5, 1.0)], 0.0), 8192.0);
    assert_eq!(compute(&[(1.0, 1.0)], 8192.5), 8193.0);
    // A carry into a higher bit costs a bit at the low end.
    assert_eq!(compute(&[(128.0, 64.0), (128.0, 64.0), (1.0, 1.0)], 0.0), 16384.0);
    assert_eq!(compute(&[(128.0, 64.0), (128.0, 64.0), (2.0, 1.0)], 0.0), 16386.0);
    // An f32 with more bits loses them, even if nothing is added.
    assert_eq!(compute(&[], 1.0 + f32::EPSILON), 1.0);
    assert_eq!(compute(&[], 1.0 + 1.0 / 8192.0), 1.0 + 1.0 / 8192.0);
    assert_eq!(soft::F32.mantissa, 23);
}
