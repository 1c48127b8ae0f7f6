//! Compares the machine's IEEE arithmetic with an independent implementation, for every operation, format and rounding
//! mode.

use proptest::prelude::*;
use rustc_apfloat::ieee::{BFloat, Double, Half, Single};
use rustc_apfloat::{Float, FloatConvert, Round as Theirs, StatusAnd};
use simt::instr::alu::directed;
use simt::instr::alu::soft::{self, Format, Round};

const MODES: [(Round, Theirs); 5] = [
    (Round::Nearest, Theirs::NearestTiesToEven),
    (Round::Zero, Theirs::TowardZero),
    (Round::Down, Theirs::TowardNegative),
    (Round::Up, Theirs::TowardPositive),
    (Round::NearestAway, Theirs::NearestTiesToAway),
];

/// Returns that implementation's result, `None` for NaN.
fn bits<F: Float>(x: StatusAnd<F>) -> Option<u64> {
    (!x.value.is_nan()).then(|| x.value.to_bits() as u64)
}

fn float<F: Float>(x: u64) -> F {
    F::from_bits(u128::from(x))
}

/// Sums, products, fused multiply-adds and quotients in one format.
fn check<F: Float>(f: Format, a: u64, b: u64, c: u64) -> Result<(), TestCaseError> {
    for (ours, theirs) in MODES {
        let (x, y, z) = (float::<F>(a), float::<F>(b), float::<F>(c));
        prop_assert_eq!(soft::add(f, ours, a, b), bits(x.add_r(y, theirs)), "add {:?} {:#x} {:#x}", ours, a, b);
        prop_assert_eq!(soft::mul(f, ours, a, b), bits(x.mul_r(y, theirs)), "mul {:?} {:#x} {:#x}", ours, a, b);
        prop_assert_eq!(soft::div(f, ours, a, b), bits(x.div_r(y, theirs)), "div {:?} {:#x} {:#x}", ours, a, b);
        prop_assert_eq!(
            soft::fma(f, ours, a, b, c),
            bits(x.mul_add_r(y, z, theirs)),
            "fma {:?} {:#x} {:#x} {:#x}",
            ours,
            a,
            b,
            c
        );
    }
    Ok(())
}

fn check_convert<F: Float + FloatConvert<T>, T: Float>(from: Format, to: Format, a: u64) -> Result<(), TestCaseError> {
    for (ours, theirs) in MODES {
        let x: StatusAnd<T> = float::<F>(a).convert_r(theirs, &mut false);
        prop_assert_eq!(soft::convert(from, to, ours, a), bits(x), "{:?} {:#x}", ours, a);
    }
    Ok(())
}

/// Generates numbers of a format: any bits, and often exponents near each other, near the ends, and sparse mantissas.
fn number(f: Format) -> impl Strategy<Value = u64> {
    let all = f.sign() | (f.sign() - 1);
    let (m, e) = (f.mantissa, f.exponent);
    let middle = (1u64 << (e - 1)) - 1;
    let top = (1u64 << e) - 1;
    let biased = prop_oneof![
        0u64..=top,
        0..=2u64,
        top - 2..=top,
        middle - u64::from(m).min(middle - 1)..=(middle + u64::from(m)).min(top),
    ];
    let mantissa = prop_oneof![
        any::<u64>(),
        0..4u64,
        (0..64u32).prop_map(|n| (1u64 << n).wrapping_sub(1)),
        (0..64u32).prop_map(|n| 1 << n)
    ];
    prop_oneof![
        any::<u64>().prop_map(move |x| x & all),
        (biased, mantissa, any::<bool>()).prop_map(move |(biased, mantissa, neg)| {
            (biased << m) | (mantissa & ((1 << m) - 1)) | if neg { f.sign() } else { 0 }
        }),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2_000))]

    #[test]
    fn half(a in number(soft::F16), b in number(soft::F16), c in number(soft::F16)) {
        check::<Half>(soft::F16, a, b, c)?;
        check_convert::<Half, Single>(soft::F16, soft::F32, a)?;
        check_convert::<Half, BFloat>(soft::F16, soft::BF16, a)?;
    }

    #[test]
    fn bfloat(a in number(soft::BF16), b in number(soft::BF16), c in number(soft::BF16)) {
        check::<BFloat>(soft::BF16, a, b, c)?;
        check_convert::<BFloat, Half>(soft::BF16, soft::F16, a)?;
    }

    #[test]
    fn single(a in number(soft::F32), b in number(soft::F32), c in number(soft::F32)) {
        check::<Single>(soft::F32, a, b, c)?;
        check_convert::<Single, Half>(soft::F32, soft::F16, a)?;
        check_convert::<Single, BFloat>(soft::F32, soft::BF16, a)?;
        check_convert::<Single, Double>(soft::F32, soft::F64, a)?;
    }

    #[test]
    fn double(a in number(soft::F64), b in number(soft::F64), c in number(soft::F64)) {
        check::<Double>(soft::F64, a, b, c)?;
        check_convert::<Double, Single>(soft::F64, soft::F32, a)?;
        check_convert::<Double, Half>(soft::F64, soft::F16, a)?;
        check_convert::<Double, BFloat>(soft::F64, soft::BF16, a)?;
    }

    /// Products that nearly cancel the addend are where a fused multiply-add goes wrong.
    #[test]
    fn cancellation(
        (a, b) in (number(soft::F64), number(soft::F64)),
        off in -3i64..=3,
        (s, t) in (number(soft::F32), number(soft::F32)),
    ) {
        if let Some(p) = soft::mul(soft::F64, Round::Nearest, a, b) {
            let c = (p ^ soft::F64.sign()).wrapping_add(off as u64);
            check::<Double>(soft::F64, a, b, c)?;
        }
        if let Some(p) = soft::mul(soft::F32, Round::Nearest, s, t) {
            let c = u64::from((p as u32 ^ 0x8000_0000).wrapping_add(off as u32));
            check::<Single>(soft::F32, s, t, c)?;
            check_directed(s, t, c)?;
        }
    }

    #[test]
    fn single_through_double(
        (a, b, c) in (number(soft::F32), number(soft::F32), number(soft::F32)),
        d in number(soft::F64),
    ) {
        check_directed(a, b, c)?;
        for (round, theirs) in &MODES[..4] {
            let x: StatusAnd<Single> = float::<Double>(d).convert_r(*theirs, &mut false);
            let got = directed::narrow(*round, f64::from_bits(d));
            prop_assert_eq!((!got.is_nan()).then(|| u64::from(got.to_bits())), bits(x));
        }
    }

    /// The root is the number whose neighbours' squares enclose the operand.
    #[test]
    fn roots(a in number(soft::F64), s in number(soft::F32)) {
        check_root::<Double>(soft::F64, a)?;
        check_root::<Single>(soft::F32, s)?;
        let nearest = f64::from_bits(a).sqrt();
        prop_assert_eq!(soft::sqrt(soft::F64, Round::Nearest, a), (!nearest.is_nan()).then(|| nearest.to_bits()));
        for (round, _) in &MODES[1..4] {
            let got = directed::sqrt(*round, f32::from_bits(s as u32));
            prop_assert_eq!((!got.is_nan()).then(|| u64::from(got.to_bits())), soft::sqrt(soft::F32, *round, s));
        }
    }
}

/// Checks the f32 operations that are computed in f64.
fn check_directed(a: u64, b: u64, c: u64) -> Result<(), TestCaseError> {
    let (x, y, z) = (f32::from_bits(a as u32), f32::from_bits(b as u32), f32::from_bits(c as u32));
    let (p, q, r) = (float::<Single>(a), float::<Single>(b), float::<Single>(c));
    let ours = |x: f32| (!x.is_nan()).then(|| u64::from(x.to_bits()));
    for (round, theirs) in &MODES[1..4] {
        prop_assert_eq!(ours(directed::add(*round, x, y)), bits(p.add_r(q, *theirs)), "add {:?} {} {}", round, x, y);
        prop_assert_eq!(ours(directed::mul(*round, x, y)), bits(p.mul_r(q, *theirs)), "mul {:?} {} {}", round, x, y);
        prop_assert_eq!(ours(directed::div(*round, x, y)), bits(p.div_r(q, *theirs)), "div {:?} {} {}", round, x, y);
        prop_assert_eq!(
            ours(directed::fma(*round, x, y, z)),
            bits(p.mul_add_r(q, r, *theirs)),
            "fma {:?} {} {} {}",
            round,
            x,
            y,
            z
        );
    }
    Ok(())
}

/// Rounds down and up and checks by squaring, exactly, in a fused multiply-subtract that only needs the right sign.
fn check_root<F: Float>(f: Format, a: u64) -> Result<(), TestCaseError> {
    let Some(down) = soft::sqrt(f, Round::Down, a) else {
        let x = float::<F>(a);
        prop_assert!(x.is_nan() || (x.is_negative() && !x.is_zero()));
        return Ok(());
    };
    let up = soft::sqrt(f, Round::Up, a).unwrap();
    prop_assert_eq!(soft::sqrt(f, Round::Zero, a), Some(down));
    let x = float::<F>(a);
    if x.is_zero() || x.is_infinite() {
        prop_assert_eq!((down, up), (a, a));
        return Ok(());
    }
    prop_assert!(up == down || up == down + 1);
    // root^2 - a, in integers: root and a are sig * 2^exp.
    let compare = |root: u64| {
        let parts = |bits| match f.unpack(bits) {
            soft::Parts::Num(_, e, s) => (e, s),
            _ => (0, 0),
        };
        let ((e, s), (d, r)) = (parts(root), parts(a));
        let shift = 2 * e - d;
        if shift >= 0 { ((s * s) << shift).cmp(&r) } else { (s * s).cmp(&(r << -shift)) }
    };
    prop_assert!(compare(down).is_le() && compare(up).is_ge());
    prop_assert_eq!(compare(down).is_eq(), up == down);
    Ok(())
}
