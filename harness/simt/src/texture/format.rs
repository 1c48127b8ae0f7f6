//! The formats of texels.

use super::srgb;
use crate::lane::F16;

/// The type of a channel.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ChannelKind {
    /// An unsigned integer.
    Unsigned,
    /// A signed integer.
    Signed,
    /// A floating-point number of 16 or 32 bits.
    Float,
}

/// The format of a texel.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Format {
    /// The type of each channel.
    pub kind: ChannelKind,
    /// Bits per channel: 8, 16 or 32.
    pub bits: u32,
    /// The number of channels: 1, 2 or 4.
    pub channels: u32,
}

/// The conversion from a texel's bytes to the result of a fetch.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reading {
    /// Integers stay integers, extended to 32 bits.
    Integer,
    /// Integers of 8 and 16 bits become fractions of their largest value; floating-point numbers are converted to 32
    /// bits.
    Float {
        /// Whether colours are in the sRGB space, and are converted to linear.
        srgb: bool,
    },
}

impl Format {
    /// Returns the bytes of a texel.
    pub fn bytes(self) -> u32 {
        self.bits / 8 * self.channels
    }

    /// Returns whether a channel is a colour if texels are in the sRGB space: the last of two or four is not.
    pub fn is_color(self, at: usize) -> bool {
        self.bits == 8 && at < 3 && (at == 0 || self.channels != 2)
    }

    /// Returns whether a fetch results in floating-point numbers, if integers are `promoted` to fractions.
    pub fn reads_float(self, promoted: bool) -> bool {
        self.kind == ChannelKind::Float || promoted && self.bits < 32
    }

    /// Returns the words that a fetch of a texel results in: integers, or the bits of floating-point numbers.
    pub fn decode(self, texel: &[u8; 16], reading: Reading) -> [u32; 4] {
        let mut words = [0; 4];
        let size = self.bits as usize / 8;
        for (at, word) in words.iter_mut().enumerate().take(self.channels as usize) {
            let mut raw = [0u8; 4];
            raw[..size].copy_from_slice(&texel[at * size..(at + 1) * size]);
            *word = self.channel(u32::from_le_bytes(raw), reading, at);
        }
        words
    }

    fn channel(self, raw: u32, reading: Reading, at: usize) -> u32 {
        let shift = 32 - self.bits;
        let signed = ((raw << shift) as i32) >> shift;
        match (self.kind, reading) {
            (ChannelKind::Float, _) if self.bits == 16 => match F16(raw as u16).to_f32() {
                // A NaN keeps its bits.
                nan if nan.is_nan() => (raw & 0x8000) << 16 | 0x7f80_0000 | (raw & 0x3ff) << 13,
                value => value.to_bits(),
            },
            (ChannelKind::Float, _) => raw,
            (ChannelKind::Unsigned, Reading::Float { srgb: in_srgb }) if self.bits < 32 => {
                if in_srgb && self.is_color(at) {
                    return srgb::linear(raw as u8).to_bits();
                }
                let fraction = f64::from(raw) / f64::from((1u32 << self.bits) - 1);
                (fraction as f32).to_bits()
            }
            (ChannelKind::Signed, Reading::Float { .. }) if self.bits < 32 => {
                let fraction = f64::from(signed) / f64::from((1i32 << (self.bits - 1)) - 1);
                (fraction.max(-1.0) as f32).to_bits()
            }
            (ChannelKind::Unsigned, _) => raw,
            (ChannelKind::Signed, _) => signed as u32,
        }
    }

    /// Returns the bytes that a formatted store of these words writes: floating-point numbers are rounded to the
    /// nearest, integers are clamped to the channel's range.
    pub fn encode(self, words: [u32; 4]) -> [u8; 16] {
        let mut texel = [0u8; 16];
        let size = self.bits as usize / 8;
        for at in 0..self.channels as usize {
            let word = words[at];
            let raw = match (self.kind, self.bits) {
                (_, 32) => word,
                (ChannelKind::Float, _) => F16::nearest(f32::from_bits(word)).0.into(),
                (ChannelKind::Unsigned, bits) => word.min((1 << bits) - 1),
                (ChannelKind::Signed, bits) => {
                    let most = (1i32 << (bits - 1)) - 1;
                    (word as i32).clamp(-most - 1, most) as u32
                }
            };
            texel[at * size..(at + 1) * size].copy_from_slice(&raw.to_le_bytes()[..size]);
        }
        texel
    }
}
