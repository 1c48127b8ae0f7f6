//! How far the results of two devices may differ where the hardware approximates: twice the documented error, once for
//! each.

use super::suite::{is_approximate, keeps_a_payload};

/// Whether the machine's result `got` is as good as the GPU's `want`.
pub fn near(name: &str, operands: &[u64], want: u64, got: u64) -> bool {
    if !is_approximate(name) {
        return false;
    }
    if keeps_a_payload(name) {
        let nan = |bits: &u64| f64::from_bits(*bits).is_nan();
        // Each lane reads only a part of a matrix's operands.
        let several = operands.iter().filter(|o| nan(o)).count() > 1 || name.starts_with("mma");
        return nan(&want) && nan(&got) && several;
    }
    let ty = name.split([' ', '|']).next().unwrap_or_default();
    let ty = ty.rsplit('.').next().unwrap_or_default();
    match ty {
        "f16x2" | "bf16x2" => [0, 16].iter().all(|shift| {
            let at = |x: u64| x >> shift & 0xffff;
            let operands: Vec<u64> = operands.iter().map(|&o| at(o)).collect();
            number(name, &ty[..ty.len() - 2], &operands, at(want), at(got))
        }),
        _ => number(name, ty, operands, want, got),
    }
}

/// Returns the value of a number's bits.
pub fn value(ty: &str, bits: u64) -> f64 {
    match ty {
        "f64" => f64::from_bits(bits),
        "f32" => f64::from(f32::from_bits(bits as u32)),
        "bf16" => f64::from(f32::from_bits((bits as u32) << 16)),
        _ => {
            let (sign, exponent, mantissa) = (bits >> 15, bits >> 10 & 31, bits & 0x3ff);
            let magnitude = match exponent {
                0 => mantissa as f64 * 2f64.powi(-24),
                31 if mantissa == 0 => f64::INFINITY,
                31 => f64::NAN,
                e => (1024 + mantissa) as f64 * 2f64.powi(e as i32 - 25),
            };
            if sign == 0 { magnitude } else { -magnitude }
        }
    }
}

fn number(name: &str, ty: &str, operands: &[u64], want: u64, got: u64) -> bool {
    let (w, g) = (value(ty, want), value(ty, got));
    if w.is_nan() || g.is_nan() || w.is_infinite() || g.is_infinite() {
        return w.is_nan() && g.is_nan() || w == g;
    }
    let x = operands.first().map_or(0.0, |&x| value(ty, x));
    let off = (w - g).abs();
    let relative = |error: f64| off <= 2.0 * error * w.abs().max(f64::MIN_POSITIVE);
    let op = name.split('.').next().unwrap_or_default();
    match (op, ty) {
        ("ex2", "f32") => relative(2f64.powi(-22)),
        // Plus a unit of the subnormal numbers.
        ("ex2", "f16") => relative(2f64.powf(-9.9)) || off <= 2f64.powi(-24),
        ("ex2", "bf16") => relative(2f64.powi(-7)),
        ("lg2", _) if x > 0.5 && x < 2.0 => off <= 2.0 * 2f64.powi(-22),
        ("lg2", _) => relative(2f64.powi(-22)),
        ("sin" | "cos", _) if x.abs() <= std::f64::consts::TAU => off <= 2.0 * 2f64.powf(-20.5),
        ("sin" | "cos", _) if x.abs() <= 50.0 * std::f64::consts::TAU => off <= 2.0 * 2f64.powf(-14.7),
        // For larger angles only a result from -1 to 1 is guaranteed.
        ("sin" | "cos", _) => w.abs() <= 1.0 && g.abs() <= 1.0,
        ("tanh", "f32") => relative(2f64.powi(-11)),
        ("tanh", "f16") => off <= 2.0 * 2f64.powf(-10.987),
        ("tanh", _) => off <= 2.0 * 2f64.powi(-8),
        ("rsqrt", "f32") => relative(2f64.powf(-22.9)),
        ("rcp" | "sqrt", "f32") => relative(2f64.powi(-23)),
        ("rcp" | "rsqrt", _) if name.contains("ftz") => relative(2f64.powi(-20)),
        ("rsqrt", _) => relative(2f64.powi(-52)),
        // Two units in the last place.
        ("div", _) => relative(2.0 * 2f64.powi(-23)),
        _ => false,
    }
}
