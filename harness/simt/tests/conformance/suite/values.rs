//! Operands: values at which instructions often fail, mixed with random ones that are near each other, near one, or
//! near the ends.

use super::{COUNT, Source};

/// The contents of an operand.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum ValueKind {
    /// True or false.
    Pred,
    /// An integer of this many bits.
    Int(u32),
    /// A shift amount, a position, a length: mostly small.
    Amount,
    /// Less than this.
    Below(u32),
    /// Within eight of zero.
    Little,
    /// One of four values, or in some warps a single one.
    Few(u32),
    /// The third operand of `shfl`: segments and clamp.
    Clamp,
    Half,
    BFloat,
    Single,
    Double,
    /// Two halves.
    Halves,
    /// Two bfloat16 numbers.
    BFloats,
    /// A number with 10 bits of mantissa near one, as f32: what matrix units take.
    Tame,
    TameHalves,
    TameBFloats,
    TameDouble,
    /// Small whole numbers, whose products and sums are exact.
    Whole,
    WholeHalves,
    WholeBFloats,
}

impl ValueKind {
    /// Bits of its register.
    pub fn bits(self) -> u32 {
        match self {
            ValueKind::Pred => 0,
            ValueKind::Int(8) | ValueKind::Half | ValueKind::BFloat => 16,
            ValueKind::Int(bits) | ValueKind::Few(bits) => bits,
            ValueKind::Double | ValueKind::TameDouble => 64,
            _ => 32,
        }
    }

    /// Returns the exponent and mantissa bits of each number, and how many numbers there are.
    fn format(self) -> Option<(u32, u32)> {
        match self {
            ValueKind::Half | ValueKind::Halves => Some((5, 10)),
            ValueKind::BFloat | ValueKind::BFloats => Some((8, 7)),
            ValueKind::Single => Some((8, 23)),
            ValueKind::Double => Some((11, 52)),
            _ => None,
        }
    }
}

/// A generator whose numbers depend only on the seed (splitmix64).
pub struct Rng(pub u64);

impl Rng {
    pub fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    /// Returns a number below `n`.
    pub fn below(&mut self, n: u64) -> u64 {
        self.next() % n
    }
}

/// A 64-bit hash (FNV-1a).
pub fn hash(bytes: impl IntoIterator<Item = u8>) -> u64 {
    bytes.into_iter().fold(0xcbf2_9ce4_8422_2325, |h, b| (h ^ u64::from(b)).wrapping_mul(0x0000_0100_0000_01b3))
}

/// The operands of a case: `[source][thread]`.
pub fn operands(name: &str, sources: &[Source]) -> Vec<Vec<u64>> {
    let mut rng = Rng(hash(name.bytes()));
    let mut out = vec![Vec::with_capacity(COUNT); sources.len()];
    for i in 0..COUNT {
        let mut before: Vec<(Source, u64)> = Vec::new();
        for source in sources {
            let value = draw(&mut rng, *source, sources.len(), &before, i);
            before.push((*source, value));
        }
        for (column, (_, value)) in out.iter_mut().zip(before) {
            column.push(value);
        }
    }
    out
}

fn draw(rng: &mut Rng, source: Source, count: usize, before: &[(Source, u64)], i: usize) -> u64 {
    let kind = source.kind;
    let all = match source.bits {
        0 => 1,
        64 => u64::MAX,
        bits => (1 << bits) - 1,
    };
    let special = edges(kind);
    let value = if count == 1 && i < special.len() {
        special[i]
    } else {
        match rng.below(16) {
            // Equal to another operand, or adjacent to it, or its opposite.
            0..=2 => match before.iter().rev().find(|(s, _)| s.kind == kind) {
                Some((_, other)) => related(rng, source, before, *other),
                None => random(rng, kind, i),
            },
            3..=9 if !special.is_empty() => special[rng.below(special.len() as u64) as usize],
            _ => random(rng, kind, i),
        }
    };
    value & all
}

fn related(rng: &mut Rng, source: Source, before: &[(Source, u64)], other: u64) -> u64 {
    if source.kind.format().is_some() && before.len() == 2 && rng.below(2) == 0 {
        // A third operand that nearly cancels the product of the first two.
        let off = rng.below(5).wrapping_sub(2);
        let [a, b] = [before[0].1, before[1].1];
        match source.kind {
            ValueKind::Single => {
                let [x, y] = [a, b].map(|bits| f32::from_bits(bits as u32));
                let product = -(x * y);
                let bits = if product.is_nan() {
                    opposite_nan([(a, x.is_nan()), (b, y.is_nan())], 32, 23)
                } else {
                    u64::from(product.to_bits())
                };
                return bits.wrapping_add(off);
            }
            ValueKind::Double => {
                let [x, y] = [a, b].map(f64::from_bits);
                let product = -(x * y);
                let bits = if product.is_nan() {
                    opposite_nan([(a, x.is_nan()), (b, y.is_nan())], 64, 52)
                } else {
                    product.to_bits()
                };
                return bits.wrapping_add(off);
            }
            _ => {}
        }
    }
    let top = match source.kind {
        ValueKind::Halves | ValueKind::BFloats => 0x8000_8000,
        ValueKind::Pred => 1,
        _ => 1 << (source.bits.max(1) - 1),
    };
    match rng.below(6) {
        0 | 1 => other,
        2 => other.wrapping_add(1),
        3 => other.wrapping_sub(1),
        4 => other ^ top,
        _ => (other ^ top).wrapping_add(rng.below(9)).wrapping_sub(4),
    }
}

/// Returns the special values of a kind.
fn edges(kind: ValueKind) -> Vec<u64> {
    match kind {
        ValueKind::Pred => vec![0, 1],
        ValueKind::Int(bits) => {
            let mut list: Vec<u64> = vec![0, 1, 2, 3, 7, 8, 10, 15, 16, 31, 32, 33, 63, 64, 100];
            for b in [8, 16, 32, 64] {
                if b <= bits.max(16) {
                    let top = 1u64 << (b - 1);
                    let all = top | (top - 1);
                    list.extend([top - 1, top, top + 1, all, all - 1, all.wrapping_add(1)]);
                }
            }
            list.extend([!0 - 1, !0 - 31, !0 - 127, !0 - 128, !0 - 0x7fff, !0 - 0x8000]);
            // Ties and carries when converted to a number of 24 or 53 bits.
            list.extend([0x0100_0001, 0x0100_0003, 0x01ff_ffff, 0xffff_ff7f, 0xffff_ff80]);
            list.extend([0x0020_0000_0000_0001, 0x0020_0000_0000_0003]);
            list.extend([0xffff_ffff_ffff_fbff, 0xffff_ffff_ffff_fc00, 0x7fff_ffff_ffff_fe00]);
            list.extend([0x5555_5555_5555_5555, 0xaaaa_aaaa_aaaa_aaaa, 0x8000_0000_8000_0000]);
            list.extend([2049, 2051, 65504, 65519, 65520, 257, 259]);
            list
        }
        ValueKind::Amount => vec![
            0,
            1,
            2,
            4,
            7,
            8,
            15,
            16,
            17,
            24,
            31,
            32,
            33,
            48,
            63,
            64,
            65,
            127,
            128,
            255,
            256,
            257,
            0x8000_0000,
            0xffff_ffff,
            0x0001_0000,
        ],
        _ => match kind.format() {
            Some((e, m)) => {
                let one = float_edges(e, m);
                match kind {
                    ValueKind::Halves | ValueKind::BFloats => {
                        (0..one.len()).map(|k| one[k] | (one[(k * 7 + 3) % one.len()] << 16)).collect()
                    }
                    _ => one,
                }
            }
            None => Vec::new(),
        },
    }
}

fn float_edges(e: u32, m: u32) -> Vec<u64> {
    let bias = (1u64 << (e - 1)) - 1;
    let inf = ((1u64 << e) - 1) << m;
    let (quiet, low) = (1u64 << (m - 1), (1u64 << m) - 1);
    let number = |exponent: i64, mantissa: u64| (((bias as i64 + exponent) as u64) << m) | mantissa;
    let mut list = vec![
        0,
        1,
        2,
        low,    // the largest subnormal
        quiet,  // a subnormal
        1 << m, // the least normal
        (1 << m) | 1,
        (2 << m) - 1,
        number(0, 0), // 1
        number(0, 1),
        number(-1, low), // just below 1
        number(-1, 0),   // 0.5
        number(-1, 1),
        number(-2, low),
        number(0, quiet),      // 1.5
        number(1, quiet >> 1), // 2.5
        number(1, 0),
        number(2, 3 << (m - 3)),     // 5.5
        number(i64::from(m) - 1, 1), // a half and a whole
        number(i64::from(m), 1),
        number(bias as i64, low), // the largest
        number(bias as i64, low - 1),
        inf,
        inf | quiet,
        inf | quiet | 1,
        inf | low,
        inf | 1, // signalling
        inf | (quiet >> 1),
    ];
    // The ends of the integers' ranges, and just around them.
    for bits in [7, 8, 15, 16, 31, 32, 63, 64] {
        if bits < bias as i64 {
            list.extend([number(bits, 0), number(bits, 0) - 1, number(bits, 0) + 1]);
            if i64::from(m) > bits {
                // 2^bits - 0.5, and + 0.5.
                let half = 1u64 << (i64::from(m) - bits - 1);
                list.extend([number(bits, half), number(bits, 0) - half]);
            }
        }
    }
    // Halfway cases of narrower formats.
    if m == 23 {
        list.extend([0x477f_e000, 0x477f_efff, 0x477f_f000, 0x3880_0000, 0x3380_0000, 0x3300_0000]);
        list.extend([0x3f80_1000, 0x3f80_3000, 0x3f80_8000, 0x3f81_8000, 0x7f7f_8000, 0x7f7f_7fff]);
    }
    if m == 52 {
        list.extend([0x47ef_ffff_e000_0000, 0x47ef_ffff_f000_0000, 0x47ef_ffff_efff_ffff]);
        list.extend([0x3ff0_0000_1000_0000, 0x3ff0_0000_3000_0000, 0x3690_0000_0000_0000]);
        list.extend([0x36a0_0000_0000_0000, 0x3810_0000_0000_0000, 0x380f_ffff_ffff_ffff]);
    }
    let sign = 1u64 << (e + m);
    let negative: Vec<u64> = list.iter().map(|x| x | sign).collect();
    list.extend(negative);
    list
}

fn random(rng: &mut Rng, kind: ValueKind, i: usize) -> u64 {
    let x = rng.next();
    match kind {
        ValueKind::Pred => x & 1,
        ValueKind::Int(bits) => match rng.below(4) {
            0 => x >> rng.below(u64::from(bits)),
            1 => (x >> rng.below(u64::from(bits))).wrapping_neg(),
            2 => x & rng.next() & rng.next(),
            _ => x,
        },
        ValueKind::Amount => match rng.below(8) {
            0 => x,
            1 | 2 => x & 255,
            _ => x % 70,
        },
        ValueKind::Below(n) => x % u64::from(n),
        ValueKind::Little => (x % 17).wrapping_sub(8),
        ValueKind::Few(_) => {
            // One of every four warps has the same value in all lanes.
            let warp = (i / 32) as u64;
            match warp % 4 {
                0 => warp.wrapping_mul(0x9e37_79b9_7f4a_7c15),
                1 if x & 15 != 0 => 7,
                _ => (x & 3).wrapping_mul(0x4000_0001_4000_0001),
            }
        }
        ValueKind::Clamp => {
            let segments = [0u64, 16, 24, 28, 30, 31][rng.below(6) as usize];
            let clamp = [0u64, 31, 31, x & 31][rng.below(4) as usize];
            (segments << 8) | clamp
        }
        ValueKind::Halves => pair(rng, ValueKind::Half, i),
        ValueKind::BFloats => pair(rng, ValueKind::BFloat, i),
        ValueKind::Tame => {
            let exponent = 120 + rng.below(14);
            (x & 0x807f_e000) | (exponent << 23)
        }
        ValueKind::TameDouble => (x & 0x800f_ffff_ffff_ffff) | ((1018 + rng.below(10)) << 52),
        ValueKind::TameHalves => {
            let half = |x: u64, e: u64| (x & 0x83ff) | ((10 + e) << 10);
            half(x, x >> 20 & 7) | (half(x >> 32, x >> 56 & 7) << 16)
        }
        ValueKind::TameBFloats => {
            let half = |x: u64, e: u64| (x & 0x807f) | ((122 + e) << 7);
            half(x, x >> 20 & 7) | (half(x >> 32, x >> 56 & 7) << 16)
        }
        ValueKind::Whole => u64::from(whole(x).to_bits()),
        // Small integers have the same upper bits in f32 and bfloat16.
        ValueKind::WholeBFloats => {
            u64::from(whole(x).to_bits() >> 16) | u64::from(whole(x >> 32).to_bits() & 0xffff_0000)
        }
        ValueKind::WholeHalves => whole_half(x) | (whole_half(x >> 32) << 16),
        _ => match kind.format() {
            Some((e, m)) => {
                let bias = (1u64 << (e - 1)) - 1;
                let mantissa = match rng.below(4) {
                    0 => x & rng.next() & rng.next(),
                    _ => x,
                } & ((1 << m) - 1);
                let sign = (x >> 63) << (e + m);
                let exponent = match rng.below(4) {
                    // Any exponent.
                    0 => rng.below(1 << e),
                    // The range of integers.
                    1 => (bias + rng.below(66)).min(2 * bias),
                    // Near one.
                    _ => bias - 6 + rng.below(12),
                };
                sign | (exponent << m) | mantissa
            }
            None => x,
        },
    }
}

/// Returns an integer from -8 to 8.
fn whole(x: u64) -> f32 {
    (x % 17) as f32 - 8.0
}

fn whole_half(x: u64) -> u64 {
    let bits = whole(x).to_bits();
    if bits << 1 == 0 {
        return u64::from(bits >> 16);
    }
    let exponent = (bits >> 23 & 0xff) - 127 + 15;
    u64::from((bits >> 16 & 0x8000) | (exponent << 10) | (bits >> 13 & 0x3ff))
}

fn pair(rng: &mut Rng, kind: ValueKind, i: usize) -> u64 {
    let low = random(rng, kind, i) & 0xffff;
    low | ((random(rng, kind, i) & 0xffff) << 16)
}

/// Returns the bits of the negated product if that is NaN, written explicitly because hosts differ: the first NaN,
/// quiet and with the opposite sign.
fn opposite_nan(numbers: [(u64, bool); 2], bits: u32, mantissa: u32) -> u64 {
    let (sign, quiet) = (1 << (bits - 1), 1 << (mantissa - 1));
    match numbers.iter().find(|(_, nan)| *nan) {
        Some((number, _)) => (number | quiet) ^ sign,
        None => (sign - 1) >> (mantissa - 1) << (mantissa - 1),
    }
}
