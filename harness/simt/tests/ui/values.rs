//! The buffers' values: initial contents of a case, and their presentation in its report.

use super::case::Contents;
use std::fmt::Write as _;

/// Returns the bytes of an element.
pub fn bytes_of(ty: &str) -> usize {
    match ty {
        "u8" | "i8" => 1,
        "u16" | "i16" => 2,
        "u32" | "i32" | "f32" => 4,
        "u64" | "i64" | "f64" => 8,
        _ => panic!("`{ty}` is no type of a buffer"),
    }
}

/// Returns the bytes of a number.
pub fn encode(ty: &str, value: f64) -> Vec<u8> {
    match ty {
        "u8" => vec![value as u8],
        "i8" => (value as i8).to_le_bytes().into(),
        "u16" => (value as u16).to_le_bytes().into(),
        "i16" => (value as i16).to_le_bytes().into(),
        "u32" => (value as u32).to_le_bytes().into(),
        "i32" => (value as i32).to_le_bytes().into(),
        "f32" => (value as f32).to_le_bytes().into(),
        "u64" => (value as u64).to_le_bytes().into(),
        "i64" => (value as i64).to_le_bytes().into(),
        _ => value.to_le_bytes().into(),
    }
}

fn decode(ty: &str, bytes: &[u8]) -> String {
    let mut wide = [0u8; 8];
    wide[..bytes.len()].copy_from_slice(bytes);
    let unsigned = u64::from_le_bytes(wide);
    let unused = 64 - 8 * bytes.len() as u32;
    match ty {
        "f32" => f32::from_bits(unsigned as u32).to_string(),
        "f64" => f64::from_bits(unsigned).to_string(),
        "i8" | "i16" | "i32" | "i64" => (((unsigned << unused) as i64) >> unused).to_string(),
        _ => unsigned.to_string(),
    }
}

impl Contents {
    /// Returns the bytes of a buffer of `count` elements. A buffer that counts as never written has bytes, too.
    pub fn bytes(self, ty: &str, count: usize) -> Vec<u8> {
        let value = |i: usize| match self {
            Contents::Number(value) => value,
            Contents::Modulo(n) => (i as u64 % n) as f64,
            _ => i as f64,
        };
        (0..count).flat_map(|i| encode(ty, value(i))).collect()
    }
}

/// Returns a line of a report: a buffer's first values, the last one and their sum.
pub fn line(name: &str, ty: &str, bytes: &[u8]) -> String {
    const SHOWN: usize = 16;
    let values: Vec<String> = bytes.chunks(bytes_of(ty)).map(|c| decode(ty, c)).collect();
    let sum: f64 = values.iter().map(|v| v.parse().unwrap_or(f64::NAN)).sum();
    let mut out = format!("{name}: {ty}[{}] =", values.len());
    for value in values.iter().take(SHOWN) {
        let _ = write!(out, " {value}");
    }
    if values.len() > SHOWN {
        let _ = write!(out, " ... {} (sum {sum})", values[values.len() - 1]);
    }
    out.push('\n');
    out
}
