//! 8-bit colours in the sRGB space.
//!
//! The rule was derived from the recorded fetches of an H200: all 256 codes, and their sums, match it bit by bit. A
//! table holds fractions of 8 bits. Eight consecutive codes share an exponent, that of the last of them, and a code's
//! colour is the multiple of that exponent's unit that is nearest to the exact one. A filter truncates the texels of a
//! square to the unit of the largest exponent.

use std::sync::LazyLock;

/// The number of codes that share an exponent.
const SHARED: usize = 8;

/// Bits of a colour below its exponent.
pub(super) const FRACTION: i32 = 7;

/// The smallest exponent.
const LEAST: i32 = -7;

/// The colour of each code.
static COLORS: LazyLock<[f32; 256]> = LazyLock::new(|| {
    std::array::from_fn(|code| {
        let unit = 2f64.powi(shared_exponent(code) - FRACTION);
        ((exact(code) / unit).round() * unit) as f32
    })
});

/// Returns the exact colour of a code, from 0 to 1.
fn exact(code: usize) -> f64 {
    let value = code as f64 / 255.0;
    if value <= 0.04045 { value / 12.92 } else { ((value + 0.055) / 1.055).powf(2.4) }
}

/// Returns the exponent of a code and of the codes that share it.
fn shared_exponent(code: usize) -> i32 {
    let last = exact(code / SHARED * SHARED + SHARED - 1);
    (LEAST..0).find(|exponent| last < 2f64.powi(exponent + 1)).unwrap_or(0)
}

/// Returns the colour of a code in a linear space, from 0 to 1.
pub(super) fn linear(code: u8) -> f32 {
    COLORS[usize::from(code)]
}

/// Returns the exponent of a colour of some code.
pub(super) fn exponent(color: f64) -> i32 {
    let code = COLORS.partition_point(|&other| f64::from(other) < color);
    shared_exponent(code.min(COLORS.len() - 1))
}

#[cfg(test)]
mod tests {
    use super::{COLORS, exponent, linear, shared_exponent};

    /// Colours of an H200.
    #[test]
    fn codes_have_an_h200s_colors() {
        let seen = [
            (1, 0x39a0_0000),
            (7, 0x3b0c_0000),
            (10, 0x3b48_0000),
            (15, 0x3b9c_0000),
            (19, 0x3bd6_0000),
            (34, 0x3c83_0000),
            (61, 0x3d3f_0000),
            (70, 0x3d7a_0000),
            (97, 0x3df4_0000),
            (145, 0x3e91_0000),
            (249, 0x3f72_0000),
            (254, 0x3f7e_0000),
            (255, 0x3f80_0000),
        ];
        for (code, bits) in seen {
            assert_eq!(linear(code).to_bits(), bits, "code {code}");
        }
        assert_eq!(linear(0), 0.0);
    }

    #[test]
    fn a_color_tells_its_exponent() {
        for (code, color) in COLORS.iter().enumerate() {
            assert_eq!(exponent((*color).into()), shared_exponent(code), "code {code}");
        }
        assert_eq!([0, 15, 16, 95, 96, 247, 248].map(shared_exponent), [-7, -7, -7, -4, -3, -1, 0]);
    }
}
