//! The errors that NVIDIA documents for its functions (CUDA C++ Programming Guide, mathematical functions), and the
//! distance between two results.

use super::approximate;
use super::list::{Function, Type};

/// The guarantee for a result.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Bound {
    /// At most this many units in the last place from the correctly rounded result.
    Units(f64),
    /// At most this far from the exact result.
    Absolute(f64),
    /// A sine or a cosine, without further guarantees.
    AtMostOne,
    /// No guarantee.
    Nothing,
}

/// The name without the letter of single precision.
pub fn stem(function: &Function) -> &str {
    let name = function.name();
    if function.arguments[0] == Type::F32 && !name.starts_with("fast_") {
        name.strip_suffix('f').unwrap_or(name)
    } else {
        name
    }
}

/// Returns what the guide guarantees for the function with these operands.
pub fn documented(function: &Function, operands: &[f64]) -> Bound {
    let x = operands[0];
    let name = stem(function);
    match function.arguments[0] {
        Type::F16 | Type::F16x2 => Bound::Units(half(name)),
        Type::F32 if name.starts_with("fast_") => fast(name, x, operands),
        // The error is larger near the zeros at negative x.
        Type::F32 if name == "lgamma" && (-10.001..-2.264).contains(&x) => Bound::Nothing,
        Type::F64 if name == "lgamma" && (-23.0001..-2.2637).contains(&x) => Bound::Nothing,
        Type::F32 if name == "j0" && x.abs() >= 8.0 => Bound::Absolute(2.2e-6),
        Type::F64 if name == "j0" && x.abs() >= 8.0 => Bound::Absolute(5e-12),
        Type::F32 => Bound::Units(single(name)),
        Type::F64 => Bound::Units(double(name)),
        _ => Bound::Units(0.0),
    }
}

fn single(name: &str) -> f64 {
    match name {
        "cbrt" | "rcbrt" | "expm1" | "log" | "log2" | "log1p" | "sinpi" | "cospi" | "sincospi_sin" | "sincospi_cos" => {
            1.0
        }
        "rsqrt" | "exp" | "exp2" | "exp10" | "log10" | "sin" | "cos" | "sincos_sin" | "sincos_cos" | "asin"
        | "acos" | "atan" | "cosh" | "tanh" | "erf" | "erfinv" | "rhypot" | "rnorm3d" => 2.0,
        "hypot" | "norm3d" | "atan2" | "sinh" | "asinh" | "atanh" => 3.0,
        "tan" | "acosh" | "pow" | "powi_like" | "erfc" | "erfcinv" | "erfcx" => 4.0,
        "normcdf" | "normcdfinv" | "tgamma" => 5.0,
        "lgamma" => 6.0,
        "j0" => 9.0,
        _ => 0.0,
    }
}

fn double(name: &str) -> f64 {
    match name {
        "rsqrt" | "cbrt" | "rcbrt" | "exp" | "exp2" | "exp10" | "expm1" | "log" | "log2" | "log10" | "log1p"
        | "cosh" | "tanh" | "rhypot" | "rnorm3d" => 1.0,
        "hypot" | "norm3d" | "sin" | "cos" | "sincos_sin" | "sincos_cos" | "sinpi" | "cospi" | "sincospi_sin"
        | "sincospi_cos" | "tan" | "asin" | "acos" | "atan" | "atan2" | "sinh" | "atanh" | "pow" | "powi_like"
        | "erf" => 2.0,
        "asinh" | "acosh" => 3.0,
        "lgamma" | "erfcx" => 4.0,
        "erfc" | "erfinv" | "normcdf" => 5.0,
        "erfcinv" => 6.0,
        "j0" => 7.0,
        "normcdfinv" => 8.0,
        "tgamma" => 10.0,
        _ => 0.0,
    }
}

/// The fast functions, each in the range that the guide gives for it.
fn fast(name: &str, x: f64, operands: &[f64]) -> Bound {
    if operands.iter().any(|x| x.is_nan()) {
        return Bound::Units(0.0);
    }
    let near_one = (0.5..=2.0).contains(&x);
    match name {
        "fast_sinf" if x.abs() <= std::f64::consts::PI => Bound::Absolute(2f64.powf(-21.41)),
        "fast_cosf" if x.abs() <= std::f64::consts::PI => Bound::Absolute(2f64.powf(-21.19)),
        "fast_sinf" | "fast_cosf" => Bound::AtMostOne,
        "fast_expf" => Bound::Units(2.0 + (1.173 * x).abs().floor()),
        "fast_exp10f" => Bound::Units(2.0 + (2.97 * x).abs().floor()),
        "fast_logf" if near_one => Bound::Absolute(2f64.powf(-21.41)),
        "fast_log2f" if near_one => Bound::Absolute(2f64.powi(-22)),
        "fast_log10f" if near_one => Bound::Absolute(2f64.powi(-24)),
        "fast_log2f" => Bound::Units(2.0),
        "fast_logf" | "fast_log10f" => Bound::Units(3.0),
        "fast_fdividef" => {
            let y = operands[1].abs();
            if (2f64.powi(-126)..=2f64.powi(126)).contains(&y) { Bound::Units(2.0) } else { Bound::Nothing }
        }
        // The others are documented as compositions. The error of the logarithm, 2^-22 relative or absolute, is
        // multiplied by y.
        "fast_powf" => {
            let units = 4.0 * operands[1].abs() * x.log2().abs().max(1.0);
            // Zero times infinity is NaN, and so is the result.
            Bound::Units(2.0 + units.max(0.0))
        }
        // A sine divided by a cosine above one half.
        "fast_tanf" if x.abs() <= 1.0 => Bound::Absolute(2f64.powi(-19)),
        "fast_tanf" => Bound::Nothing,
        _ => Bound::Units(0.0),
    }
}

/// Half-precision functions are computed in single precision, whose error may shift the rounding by one unit.
fn half(name: &str) -> f64 {
    let by_single = ["h2", "hcos", "hsin", "hexp", "hlog", "hrcp", "hrsqrt", "hsqrt", "hdiv"];
    if by_single.iter().any(|start| name.starts_with(start)) { 0.5 } else { 0.0 }
}

/// Returns the units in the last place between two numbers; infinite if only one is NaN.
pub fn units(ty: Type, a: u64, b: u64) -> f64 {
    let (bits, nan) = match ty {
        Type::F16 => (16, 0x7c00),
        Type::F32 => (32, 0x7f80_0000),
        _ => (64, 0x7ff0_0000_0000_0000),
    };
    let sign = 1u64 << (bits - 1);
    let magnitude = |x: u64| x & (sign - 1);
    match (magnitude(a) > nan, magnitude(b) > nan) {
        (true, true) => return 0.0,
        (false, false) => {}
        _ => return f64::INFINITY,
    }
    // Positions in the order of the values; both zeros have the same one.
    let place = |x: u64| match x & sign {
        0 => i128::from(magnitude(x)),
        _ => -i128::from(magnitude(x)),
    };
    (place(a) - place(b)).abs() as f64
}

/// Returns the value of a number's bits.
pub fn value(ty: Type, bits: u64) -> f64 {
    match ty {
        Type::F32 => f64::from(f32::from_bits(bits as u32)),
        Type::F64 => f64::from_bits(bits),
        Type::I32 => f64::from(bits as u32 as i32),
        Type::U32 => f64::from(bits as u32),
        Type::I64 => bits as i64 as f64,
        Type::U64 => bits as f64,
        Type::F16 | Type::F16x2 => approximate::value("f16", bits & 0xffff),
    }
}

/// Whether `got` is within `times` the guarantee from `want`, plus `more` units.
pub fn within(bound: Bound, ty: Type, want: u64, got: u64, times: f64, more: f64) -> bool {
    if ty == Type::F16x2 {
        let half = |shift: u32| {
            let [want, got] = [want, got].map(|x| x >> shift & 0xffff);
            within(bound, Type::F16, want, got, times, more)
        };
        return half(0) && half(16);
    }
    if !matches!(ty, Type::F16 | Type::F32 | Type::F64) {
        return want == got;
    }
    let (w, g) = (value(ty, want), value(ty, got));
    match bound {
        Bound::Units(n) => units(ty, want, got) <= n * times + more,
        Bound::Absolute(e) => units(ty, want, got) <= more || (w - g).abs() <= e * times,
        // Infinity and NaN have no sine.
        Bound::AtMostOne => w.is_nan() == g.is_nan() && (w.is_nan() || g.abs() <= 1.0),
        Bound::Nothing => true,
    }
}
