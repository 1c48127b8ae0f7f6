//! Tests of 16-bit floating-point arithmetic against integer arithmetic.

use super::*;

#[test]
fn every_half_goes_to_single_and_back() {
    for bits in 0..=u16::MAX {
        let x = F16(bits);
        let wide = soft::convert(soft::F16, soft::F32, Round::Nearest, u64::from(bits));
        assert_eq!(u64::from(x.to_f32().to_bits()), wide.unwrap_or(0x7fff_ffff), "{bits:#x}");
        let back = if soft::F16.is_nan(u64::from(bits)) { 0x7fff } else { bits };
        assert_eq!(F16::nearest(x.to_f32()).0, back, "{bits:#x}");
    }
}

#[test]
fn the_nearest_half_agrees_with_integer_arithmetic() {
    // All values around every boundary between neighbouring half-precision numbers, and a stride through everything
    // else.
    let near = (0..0x7c00u32).flat_map(|h| {
        let (low, high) = (F16(h as u16), F16(h as u16 + 1));
        let mid = u32::midpoint(low.to_f32().to_bits(), high.to_f32().to_bits());
        [mid - 1, mid, mid + 1, mid | 0x8000_0000]
    });
    for bits in near.chain((0..u32::MAX).step_by(4_099)) {
        let want = soft::convert(soft::F32, soft::F16, Round::Nearest, u64::from(bits)).unwrap_or(0x7fff);
        assert_eq!(u64::from(F16::nearest(f32::from_bits(bits)).0), want, "{bits:#x}");
        let want = soft::convert(soft::F32, soft::BF16, Round::Nearest, u64::from(bits)).unwrap_or(0x7fff);
        assert_eq!(u64::from(Bf16::nearest(f32::from_bits(bits)).0), want, "{bits:#x}");
    }
}

#[test]
fn extremes_order_zeros_and_drop_nan() {
    let f = soft::F16;
    assert_eq!(extreme(f, 0, 0x8000, 0), 0x8000);
    assert_eq!(extreme(f, LARGER, 0x8000, 0), 0);
    assert_eq!(extreme(f, 0, 0x7e00, 0x3c00), 0x3c00);
    assert_eq!(extreme(f, PROPAGATE, 0x7e00, 0x3c00), NAN);
    assert_eq!(extreme(f, 0, 0xbc00, 0xc000), 0xc000);
    assert_eq!(extreme(f, LARGER | XORSIGN, 0xbc00, 0x4000), 0xc000);
}

#[test]
fn tf32_rounds_half_away() {
    use crate::instr::alu::dispatch::Alu;
    for bits in (0..u32::MAX).step_by(4_093).chain([0x7f7f_ffff, 0x7f80_0000, 0xff80_0000, 0x3f80_1000, 1]) {
        let x = f32::from_bits(bits);
        if x.is_nan() {
            continue;
        }
        assert_eq!(Tf32Away::eval(x, (), (), (), 0), Tf32::eval(x, (), (), (), 4), "{bits:#x}");
    }
}

#[test]
fn relu_and_sat() {
    assert_eq!(finish(soft::F16, -2.0, RELU), 0);
    assert_eq!(finish(soft::F16, f64::NAN, RELU), NAN);
    assert_eq!(finish(soft::F16, f64::NAN, SAT), 0);
    assert_eq!(finish(soft::F16, 2.0, SAT), 0x3c00);
    assert_eq!(finish(soft::F16, -0.0, SAT), 0);
    assert_eq!(pack::<F16>(1.0, f32::INFINITY, FINITE), 0x3c00_7bff);
}

/// Numbers at which the behaviour changes: zeros, the ends of the subnormal and of the normal numbers, ones, powers of
/// two and their neighbours, infinity, NaN.
fn special(f: Format) -> Vec<u16> {
    let top = f.infinity() as u16;
    let unit = 1u16 << f.mantissa;
    let mut all = vec![0, 1, 2, 3, unit - 1, unit, unit + 1, top - 1, top, top + 1, 0x7fff, top - unit, top - unit + 1];
    for exponent in 1..(1u16 << f.exponent) - 1 {
        if f.exponent == 5 || exponent % 13 == 1 {
            let power = exponent << f.mantissa;
            all.extend([power, power + 1, power + unit / 2, power + unit - 1, power + 5]);
        }
    }
    all.extend(all.clone().iter().map(|bits| bits | 0x8000));
    all
}

/// Returns the result with a single rounding, computed in integers.
fn exact(f: Format, op: &str, [a, b, c]: [u16; 3]) -> u16 {
    let [a, b, c] = [a, b, c].map(u64::from);
    let result = match op {
        "add" => soft::add(f, Round::Nearest, a, b),
        "sub" => soft::add(f, Round::Nearest, a, b ^ f.sign()),
        "mul" => soft::mul(f, Round::Nearest, a, b),
        _ => soft::fma(f, Round::Nearest, a, b, c),
    };
    result.map_or(NAN, |bits| bits as u16)
}

/// Checks all four operations on three numbers against integer arithmetic: on one number and, next to other numbers, on
/// pairs.
fn agree<One: Halves, Two: Halves>(x: [u16; 3], one: impl Fn(u16) -> One, two: impl Fn(u16, u16) -> Two) {
    use crate::instr::alu::dispatch::Alu;
    let f = One::FORMAT;
    let [a, b, c] = x.map(&one);
    let [a2, b2, c2] = x.map(|bits| two(bits, 0x3c00));
    for (op, single, (low, high)) in [
        ("add", PlainAdd::eval(a, b, (), (), 0).0.pair().0, PlainAdd::eval(a2, b2, (), (), 0).0.pair()),
        ("sub", PlainSub::eval(a, b, (), (), 0).0.pair().0, PlainSub::eval(a2, b2, (), (), 0).0.pair()),
        ("mul", PlainMul::eval(a, b, (), (), 0).0.pair().0, PlainMul::eval(a2, b2, (), (), 0).0.pair()),
        ("fma", PlainFma::eval(a, b, c, (), 0).0.pair().0, PlainFma::eval(a2, b2, c2, (), 0).0.pair()),
    ] {
        let want = exact(f, op, x);
        assert_eq!((single, low), (want, want), "{op} {x:04x?}");
        assert_eq!(high, exact(f, op, [0x3c00; 3]), "{op} next to {x:04x?}");
    }
}

fn everything_agrees<One: Halves, Two: Halves>(one: impl Fn(u16) -> One, two: impl Fn(u16, u16) -> Two) {
    let special = special(One::FORMAT);
    // Every number with every special one, and a varying third one.
    for (i, a) in (0..=u16::MAX).enumerate() {
        for (k, &b) in special.iter().enumerate().skip(i % 7).step_by(7) {
            agree([a, b, special[(i + k * 31) % special.len()]], &one, &two);
        }
    }
    // Sums close to the midpoint of two numbers: products that a third number pushes across it.
    let mut state = 1u64;
    let mut random = || {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 40) as u16
    };
    for _ in 0..200_000 {
        let x = [random(), random(), random()];
        agree(x, &one, &two);
        agree([x[0], x[1], x[2] & 0x83ff], &one, &two);
        agree([x[0], x[1] & 0xfff0, exact(One::FORMAT, "mul", x) ^ 0x8000], &one, &two);
    }
}

#[test]
fn half_precision_rounds_once() {
    everything_agrees(F16, |low, high| F16x2(u32::from(low) | u32::from(high) << 16));
}

#[test]
fn bfloat16_rounds_once() {
    everything_agrees(Bf16, |low, high| Bf16x2(u32::from(low) | u32::from(high) << 16));
}

#[test]
fn forms_without_modifiers_do_what_the_general_ones_do() {
    let (all, special) = (0..=u16::MAX, special(soft::F16));
    for a in all {
        for &b in special.iter().skip(usize::from(a) % 11).step_by(11) {
            assert_eq!(plain_extreme::<F16, false>(a, b), extreme(soft::F16, 0, a, b), "{a:04x} {b:04x}");
            assert_eq!(plain_extreme::<F16, true>(a, b), extreme(soft::F16, LARGER, a, b), "{a:04x} {b:04x}");
            assert_eq!(plain_extreme::<Bf16, false>(a, b), extreme(soft::BF16, 0, a, b), "{a:04x} {b:04x}");
            assert_eq!(plain_extreme::<Bf16, true>(a, b), extreme(soft::BF16, LARGER, a, b), "{a:04x} {b:04x}");
        }
        let negated = |f| sign_change(f, 0, a, |a| a ^ 0x8000);
        assert_eq!(plain_sign_change::<F16>(a, a ^ 0x8000), negated(soft::F16));
        assert_eq!(plain_sign_change::<Bf16>(a, a ^ 0x8000), negated(soft::BF16));
    }
}

#[test]
fn doubles_go_to_the_nearest_half() {
    // Doubles on both sides of every number and every midpoint, one unit in the last place away.
    for f in [soft::F16, soft::BF16] {
        let nearest = |x: f64| match f {
            soft::F16 => F16::nearest_of_double(x).0,
            _ => Bf16::nearest_of_double(x).0,
        };
        for bits in 0..=f.infinity() {
            let low = to_f64(f, bits as u16);
            let high = to_f64(f, bits as u16 + 1);
            for x in [low, f64::midpoint(low, high)] {
                for near in [x.to_bits().wrapping_sub(1), x.to_bits(), x.to_bits() + 1] {
                    for x in [f64::from_bits(near), -f64::from_bits(near)] {
                        let want = soft::convert(soft::F64, f, Round::Nearest, x.to_bits()).unwrap_or(0x7fff);
                        assert_eq!(u64::from(nearest(x)), want, "{x:e}");
                    }
                }
            }
        }
    }
}
