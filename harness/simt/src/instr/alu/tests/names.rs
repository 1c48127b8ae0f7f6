//! Tests that names mean what they say: results are derived from the spelling, independently of the table's own
//! functions.

use proptest::prelude::*;
use proptest::strategy::ValueTree;
use rustc_apfloat::ieee::{BFloat, Double, Half, Single};
use rustc_apfloat::{Float, Round};

use super::{one_lane, runner, value};
use crate::instr::alu::{AluForm, all_forms};

/// Runs `check` on every spelling with this prefix, with operands that are alternately special and random.
fn for_each(start: &str, rounds: usize, mut check: impl FnMut(&AluForm, &str, &[u64])) {
    let mut runner = runner();
    let operands = proptest::collection::vec(value(), 4);
    let mut seen = 0;
    for form in all_forms() {
        for name in form.names.iter().filter(|n| n.starts_with(start)) {
            seen += 1;
            for _ in 0..rounds {
                let values = operands.new_tree(&mut runner).unwrap().current();
                let values: Vec<u64> = values
                    .iter()
                    .zip(&form.src)
                    .map(|(v, t)| match t.size() {
                        1 => v & 1,
                        8 => *v,
                        size => v & ((1 << (8 * size)) - 1),
                    })
                    .collect();
                check(form, name, &values);
            }
        }
    }
    assert!(seen > 0, "no name starts with {start}");
}

/// Parses an integer type's width and sign from its name.
fn integer(ty: &str) -> Option<(u32, bool)> {
    let (kind, bits) = ty.split_at_checked(1)?;
    let bits = bits.parse().ok()?;
    matches!(kind, "u" | "s" | "b").then_some((bits, kind == "s"))
}

/// Returns the value of the low bits as an integer of the type.
fn read(raw: u64, (bits, signed): (u32, bool)) -> i128 {
    let low = i128::from(raw) & ((1 << bits) - 1);
    if signed && low >> (bits - 1) != 0 { low - (1 << bits) } else { low }
}

#[test]
fn integer_arithmetic() {
    for op in [
        "add", "sub", "mul.lo", "mul.hi", "mul.wide", "mad.lo", "mad.hi", "mad.wide", "div", "rem", "min", "max",
        "sad", "abs", "neg",
    ] {
        for_each(&format!("{op}."), 16, |form, name, v| {
            let rest = &name[op.len() + 1..];
            let (sat, ty) = rest.strip_prefix("sat.").map_or((false, rest), |t| (true, t));
            let Some(ty) = integer(ty) else { return };
            let x: Vec<i128> = v.iter().map(|&v| read(v, ty)).collect();
            let wide = || {
                if ty.0 == 64 { x[0].wrapping_mul(x[1]) as u128 as i128 } else { x[0] * x[1] }
            };
            let high = || {
                // 128 bits cannot hold every product of 64-bit integers: it is computed by halves, in unsigned
                // arithmetic.
                if ty.0 < 64 {
                    return wide() >> ty.0;
                }
                let (a, b) = (x[0], x[1]);
                let (b1, b0) = (b >> 32, b & 0xffff_ffff);
                (a * b1 + ((a * b0) >> 32)) >> 32
            };
            let out = if op.ends_with("wide") { 2 * ty.0 } else { ty.0 };
            let result = match op {
                "add" => x[0] + x[1],
                "sub" => x[0] - x[1],
                "mul.lo" => wide(),
                "mul.hi" => high(),
                "mul.wide" => wide(),
                "mad.lo" => wide().wrapping_add(x[2]),
                "mad.hi" => high() + x[2],
                "mad.wide" => wide() + i128::from(v[2]),
                "div" if x[1] == 0 => -1,
                "div" => x[0] / x[1],
                "rem" if x[1] == 0 => -1,
                "rem" => x[0] % x[1],
                "min" => x[0].min(x[1]),
                "max" => x[0].max(x[1]),
                "sad" => x[2] + (x[0] - x[1]).abs(),
                "abs" => x[0].abs(),
                _ => -x[0],
            };
            let result = if sat { result.clamp(-(1 << 31), (1 << 31) - 1) } else { result };
            assert_eq!(read(one_lane(form, v).0, (out, false)), read(result as u64, (out, false)), "{name} {v:#x?}");
        });
    }
}

#[test]
fn comparisons() {
    for start in ["setp.", "set."] {
        for_each(start, 8, |form, name, v| {
            let pair = name.ends_with('|');
            let mut parts: Vec<&str> = name.trim_end_matches('|').split('.').skip(1).collect();
            let ty = parts.pop().unwrap();
            if ty.ends_with("x2") {
                return;
            }
            let out = if start == "set." { parts.pop() } else { None };
            let ftz = parts.last() == Some(&"ftz");
            let number = |raw: u64| match ty {
                "f64" => f64::from_bits(raw),
                "f32" if ftz && raw & 0x7f80_0000 == 0 => 0.0,
                "f32" => f64::from(f32::from_bits(raw as u32)),
                "f16" if ftz && raw & 0x7c00 == 0 => 0.0,
                "f16" => widen::<Half>(raw),
                _ => widen::<BFloat>(raw),
            };
            let order = match integer(ty) {
                Some(int) => Some(read(v[0], int).cmp(&read(v[1], int))),
                None => number(v[0]).partial_cmp(&number(v[1])),
            };
            use std::cmp::Ordering::*;
            let t = match (parts[0], order) {
                ("nan", o) => o.is_none(),
                ("num", o) => o.is_some(),
                (name, None) => name.ends_with('u'),
                ("eq" | "equ", Some(o)) => o == Equal,
                ("ne" | "neu", Some(o)) => o != Equal,
                ("lt" | "ltu" | "lo", Some(o)) => o == Less,
                ("le" | "leu" | "ls", Some(o)) => o != Greater,
                ("gt" | "gtu" | "hi", Some(o)) => o == Greater,
                ("ge" | "geu" | "hs", Some(o)) => o != Less,
                (other, _) => panic!("{other} in {name}"),
            };
            let c = v.get(2).is_some_and(|&c| c != 0);
            let join = |t: bool| match parts.get(1) {
                Some(&"and") => t && c,
                Some(&"or") => t || c,
                Some(&"xor") => t != c,
                _ => t,
            };
            let (p, q) = one_lane(form, v);
            let yes = match out {
                None => 1,
                Some("f32") => u64::from(1f32.to_bits()),
                Some("f16") => 0x3c00,
                Some("bf16") => 0x3f80,
                Some("u16" | "s16") => 0xffff,
                Some(_) => 0xffff_ffff,
            };
            assert_eq!(p, if join(t) { yes } else { 0 }, "{name} {v:#x?}");
            if pair {
                assert_eq!(q != 0, join(!t), "{name} {v:#x?}");
            }
        });
    }
}

fn widen<F: Float + rustc_apfloat::FloatConvert<Double>>(raw: u64) -> f64 {
    let wide: Double = F::from_bits(u128::from(raw)).convert(&mut false).value;
    f64::from_bits(wide.to_bits() as u64)
}

/// Returns the rounding mode among the modifiers, nearest if there is none.
fn mode(parts: &[&str]) -> Round {
    for part in parts {
        match part.trim_end_matches('i') {
            "rz" => return Round::TowardZero,
            "rm" => return Round::TowardNegative,
            "rp" => return Round::TowardPositive,
            "rna" => return Round::NearestTiesToAway,
            _ => {}
        }
    }
    Round::NearestTiesToEven
}

fn flush<F: Float>(x: F) -> F {
    if x.is_denormal() { F::ZERO.copy_sign(x) } else { x }
}

fn saturate<F: Float>(x: F) -> F {
    let one = F::from_u128(1).value;
    if x.is_nan() || x.is_negative() || x.is_zero() {
        F::ZERO
    } else if x > one {
        one
    } else {
        x
    }
}

fn arithmetic<F: Float>(name: &str, v: &[u64], got: u64) {
    let parts: Vec<&str> = name.split('.').collect();
    if parts.contains(&"approx") || parts.contains(&"full") || parts.contains(&"relu") {
        return;
    }
    let (ftz, sat) = (parts.contains(&"ftz"), parts.contains(&"sat"));
    let mut x: Vec<F> =
        v.iter().map(|&v| F::from_bits(u128::from(v))).map(|x| if ftz { flush(x) } else { x }).collect();
    for (sign, operand) in [("-ab", 0), ("-c", 2)] {
        if parts.contains(&sign) {
            x[operand] = -x[operand];
        }
    }
    let round = mode(&parts);
    let r = match parts[0] {
        "add" => x[0].add_r(x[1], round),
        "sub" => x[0].sub_r(x[1], round),
        "mul" => x[0].mul_r(x[1], round),
        "fma" | "mad" => x[0].mul_add_r(x[1], x[2], round),
        "div" => x[0].div_r(x[1], round),
        _ => F::from_u128(1).value.div_r(x[0], round),
    }
    .value;
    let r = if ftz { flush(r) } else { r };
    let r = if sat { saturate(r) } else { r };
    if r.is_nan() {
        assert!(F::from_bits(u128::from(got)).is_nan(), "{name} {v:#x?}: {got:#x}");
        assert!(F::BITS == 64 || got == if F::BITS == 32 { 0x7fff_ffff } else { 0x7fff });
    } else {
        assert_eq!(u128::from(got), r.to_bits(), "{name} {v:#x?}");
    }
}

#[test]
fn float_arithmetic() {
    for op in ["add", "sub", "mul", "fma", "mad", "div", "rcp"] {
        for_each(&format!("{op}."), 16, |form, name, v| {
            let got = || one_lane(form, v).0;
            match name.rsplit('.').next().unwrap() {
                "f16" => arithmetic::<Half>(name, v, got()),
                "bf16" => arithmetic::<BFloat>(name, v, got()),
                "f32" => arithmetic::<Single>(name, v, got()),
                "f64" => arithmetic::<Double>(name, v, got()),
                two @ ("f16x2" | "bf16x2") => {
                    let got = got();
                    for shift in [0, 16] {
                        let v: Vec<u64> = v.iter().map(|v| v >> shift & 0xffff).collect();
                        let got = got >> shift & 0xffff;
                        match two {
                            "f16x2" => arithmetic::<Half>(name, &v, got),
                            _ => arithmetic::<BFloat>(name, &v, got),
                        }
                    }
                }
                _ => {}
            }
        });
    }
}

/// Converts any number to the widest format.
fn exact(ty: &str, raw: u64) -> Option<Double> {
    Some(Double::from_bits(u128::from(match ty {
        "f64" => raw,
        "f32" => f64::from(f32::from_bits(raw as u32)).to_bits(),
        "f16" => widen::<Half>(raw).to_bits(),
        "bf16" => widen::<BFloat>(raw).to_bits(),
        _ => return None,
    })))
}

/// Converts from the widest format to the named one.
fn to_format(ty: &str, x: Double, round: Round) -> Option<u64> {
    use rustc_apfloat::FloatConvert;
    let loses = &mut false;
    Some(match ty {
        "f64" => x.to_bits() as u64,
        "f32" => FloatConvert::<Single>::convert_r(x, round, loses).value.to_bits() as u64,
        "f16" => FloatConvert::<Half>::convert_r(x, round, loses).value.to_bits() as u64,
        "bf16" => FloatConvert::<BFloat>::convert_r(x, round, loses).value.to_bits() as u64,
        _ => return None,
    })
}

fn subnormal(ty: &str, raw: u64) -> bool {
    ty == "f32" && raw & 0x7f80_0000 == 0
}

#[test]
fn conversions() {
    for_each("cvt.", 8, |form, name, v| {
        let (plain, registers) = name.split_once('/').map_or((name, None), |(n, r)| (n, Some(r)));
        let mut parts: Vec<&str> = plain.split('.').skip(1).collect();
        let (from, to) = (parts.pop().unwrap(), parts.pop().unwrap());
        if plain.starts_with("cvt.pack")
            || to.ends_with("x2")
            || to == "tf32"
            || parts.iter().any(|p| matches!(*p, "relu" | "satfinite"))
        {
            return;
        }
        let (ftz, sat) = (parts.contains(&"ftz"), parts.contains(&"sat"));
        let round = mode(&parts);
        let whole = parts.iter().any(|p| p.len() == 3 && p.ends_with('i'));
        let out_bits = registers.map_or(form.dst.size() * 8, |r| r.split_once('/').unwrap().0.parse().unwrap());
        let got = one_lane(form, v).0;
        let raw = if ftz && to != "f16" && subnormal(from, v[0]) { v[0] & 0x8000_0000 } else { v[0] };
        let fail = format!("{name} {:#x} gave {got:#x}", v[0]);
        match (integer(to), integer(from)) {
            (Some(d), Some(s)) => {
                let x = read(raw, s);
                let range = if d.1 { (-(1 << (d.0 - 1)), (1 << (d.0 - 1)) - 1) } else { (0, (1 << d.0) - 1) };
                let x = if sat { x.clamp(range.0, range.1) } else { read(x as u64, d) };
                assert_eq!(read(got, (out_bits, false)), read(x as u64, (out_bits, false)), "{fail}");
            }
            (Some(d), None) => {
                let x = exact(from, raw).unwrap();
                let want = if x.is_nan() {
                    if from == "f64" || d.0 == 64 { read(1 << (d.0 - 1), d) } else { 0 }
                } else if d.1 {
                    x.to_i128_r(d.0 as usize, round, &mut false).value
                } else {
                    x.to_u128_r(d.0 as usize, round, &mut false).value as i128
                };
                assert_eq!(read(got, (out_bits, false)), read(want as u64, (out_bits, false)), "{fail}");
            }
            (None, Some(s)) => {
                let x = read(raw, s);
                let want = match to {
                    "f64" => Double::from_i128_r(x, round).value.to_bits() as u64,
                    "f32" => Single::from_i128_r(x, round).value.to_bits() as u64,
                    "f16" => Half::from_i128_r(x, round).value.to_bits() as u64,
                    _ => BFloat::from_i128_r(x, round).value.to_bits() as u64,
                };
                let one = to_format(to, Double::from_u128(1).value, round).unwrap();
                let want = if sat { if x <= 0 { 0 } else { one } } else { want };
                assert_eq!(got, want, "{fail}");
            }
            (None, None) => {
                let x = exact(from, raw).unwrap();
                let x = if whole { x.round_to_integral(round).value } else { x };
                let want = to_format(to, x, round).unwrap();
                let want = if ftz && subnormal(to, want) { want & 0x8000_0000 } else { want };
                let y = exact(to, want).unwrap();
                let want = if sat { to_format(to, saturate(y), round).unwrap() } else { want };
                if y.is_nan() && !sat {
                    assert!(exact(to, got).unwrap().is_nan(), "{fail}");
                } else {
                    assert_eq!(got, want, "{fail}");
                }
            }
        }
    });
}
