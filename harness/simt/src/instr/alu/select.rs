//! Selection between values, and vectors of registers packed into one.

use super::dispatch::op;
use super::float::flush;
use super::table::FormTable;
use crate::lane::Lane;

op! {
    /// `a` where the predicate holds, else `b`.
    Selp<T: Lane>(a: T, b: T, p: bool) -> T { if p { a } else { b } }
    /// `a` where `c` is not negative, else `b`.
    SlctS32<T: Lane>(a: T, b: T, c: i32) -> T { if c >= 0 { a } else { b } }
    /// `a` where `c` is zero (of either sign) or more, `b` where it is less or NaN.
    SlctF32<T: Lane>(a: T, b: T, c: f32) -> T { if c >= 0.0 { a } else { b } }
    /// The same, with subnormal `c` as zero.
    SlctFtz<T: Lane>(a: T, b: T, c: f32) -> T { if flush(c) >= 0.0 { a } else { b } }
    /// `{a, b}` as one register, the first in the low half.
    Pack16(a: u16, b: u16) -> u32 { u32::from(a) | (u32::from(b) << 16) }
    /// `{a, b}` as one register, the first in the low half.
    Pack32(a: u32, b: u32) -> u64 { u64::from(a) | (u64::from(b) << 32) }
    /// `{a, b, c, e}` as one register, the first lowest.
    Pack4(a: u16, b: u16, c: u16, e: u16) -> u64 {
        u64::from(a) | (u64::from(b) << 16) | (u64::from(c) << 32) | (u64::from(e) << 48)
    }
    /// `{a, b}` of 8 bits each as one register, the first in the low half.
    Pack2x8(a: u16, b: u16) -> u16 { (a & 0xff) | (b << 8) }
    /// `{a, b, c, e}` of 8 bits each as one register, the first lowest.
    Pack4x8(a: u16, b: u16, c: u16, e: u16) -> u32 {
        u32::from_le_bytes([a as u8, b as u8, c as u8, e as u8])
    }
    /// The two bytes, the low one first.
    Unpack2x8(a: u16) -> u16, u16 { (a & 0xff, a >> 8) }
    /// The two low bytes.
    Unpack4x8Low(a: u32) -> u16, u16 { (a as u16 & 0xff, a as u16 >> 8) }
    /// The two high bytes.
    Unpack4x8High(a: u32) -> u16, u16 { ((a >> 16) as u16 & 0xff, (a >> 24) as u16) }
    /// The two halves, the low one first.
    Unpack16(a: u32) -> u16, u16 { (a as u16, (a >> 16) as u16) }
    /// The two halves, the low one first.
    Unpack32(a: u64) -> u32, u32 { (a as u32, (a >> 32) as u32) }
    /// The two low quarters.
    Unpack4Low(a: u64) -> u16, u16 { (a as u16, (a >> 16) as u16) }
    /// The two high quarters.
    Unpack4High(a: u64) -> u16, u16 { ((a >> 32) as u16, (a >> 48) as u16) }
}

/// Rows for `mov` between a register and the list of its parts. PTX calls them all `mov.b16`, `mov.b32` or
/// `mov.b64`; the decoder distinguishes them by their operands.
pub mod parts {
    /// `mov.b32 d, {a, b}`: two sources of 16 bits.
    pub const PACK_2X16: &str = "pack.b32.b16";
    /// `mov.b64 d, {a, b}`: two sources of 32 bits.
    pub const PACK_2X32: &str = "pack.b64.b32";
    /// `mov.b64 d, {a, b, c, e}`: four sources of 16 bits.
    pub const PACK_4X16: &str = "pack.b64.b16";
    /// `mov.b16 d, {a, b}`: two sources of 8 bits.
    pub const PACK_2X8: &str = "pack.b16.b8";
    /// `mov.b32 d, {a, b, c, e}`: four sources of 8 bits.
    pub const PACK_4X8: &str = "pack.b32.b8";
    /// `mov.b16 {d, d2}, a`: two destinations of 8 bits.
    pub const UNPACK_2X8: &str = "unpack.b16.b8";
    /// The first two destinations of `mov.b32 {p, q, r, s}, a`.
    pub const UNPACK_4X8_LOW: &str = "unpack.lo.b32.b8";
    /// The last two destinations of `mov.b32 {p, q, r, s}, a`.
    pub const UNPACK_4X8_HIGH: &str = "unpack.hi.b32.b8";
    /// `mov.b32 {d, d2}, a`: two destinations of 16 bits.
    pub const UNPACK_2X16: &str = "unpack.b32.b16";
    /// `mov.b64 {d, d2}, a`: two destinations of 32 bits.
    pub const UNPACK_2X32: &str = "unpack.b64.b32";
    /// The first two destinations of `mov.b64 {p, q, r, s}, a`.
    pub const UNPACK_4X16_LOW: &str = "unpack.lo.b64.b16";
    /// The last two destinations of `mov.b64 {p, q, r, s}, a`.
    pub const UNPACK_4X16_HIGH: &str = "unpack.hi.b64.b16";
}

/// Adds this family's rows.
pub fn rows(t: &mut FormTable) {
    t.hot::<Selp<u16>>(["selp.b16", "selp.u16", "selp.s16", "selp.f16", "selp.bf16"]);
    t.hot::<Selp<u32>>(["selp.b32", "selp.u32", "selp.s32", "selp.f32"]);
    t.hot::<Selp<u64>>(["selp.b64", "selp.u64", "selp.s64", "selp.f64"]);
    slct::<u16>(t, &["b16", "u16", "s16"]);
    slct::<u32>(t, &["b32", "u32", "s32", "f32"]);
    slct::<u64>(t, &["b64", "u64", "s64", "f64"]);
    t.hot::<Pack16>(parts::PACK_2X16);
    t.hot::<Pack32>(parts::PACK_2X32);
    t.cold::<Pack4>(parts::PACK_4X16);
    t.cold::<Pack2x8>(parts::PACK_2X8);
    t.cold::<Pack4x8>(parts::PACK_4X8);
    t.cold::<Unpack2x8>(parts::UNPACK_2X8);
    t.cold::<Unpack4x8Low>(parts::UNPACK_4X8_LOW);
    t.cold::<Unpack4x8High>(parts::UNPACK_4X8_HIGH);
    t.hot::<Unpack16>(parts::UNPACK_2X16);
    t.hot::<Unpack32>(parts::UNPACK_2X32);
    t.cold::<Unpack4Low>(parts::UNPACK_4X16_LOW);
    t.cold::<Unpack4High>(parts::UNPACK_4X16_HIGH);
}

fn slct<T: Lane>(t: &mut FormTable, types: &[&str]) {
    let names =
        |ftz: &str, by: &str| -> Vec<String> { types.iter().map(|ty| format!("slct{ftz}.{ty}.{by}")).collect() };
    t.cold::<SlctS32<T>>(names("", "s32"));
    t.cold::<SlctF32<T>>(names("", "f32"));
    t.cold::<SlctFtz<T>>(names(".ftz", "f32"));
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::instr::alu::dispatch::Alu;

    #[test]
    fn slct_takes_minus_zero_for_zero_and_nan_for_less() {
        let pick = |c: f32| SlctF32::<u32>::eval(1, 2, c, (), 0).0;
        assert_eq!([pick(-0.0), pick(f32::NAN), pick(-1e-45), pick(0.0)], [1, 2, 2, 1]);
        assert_eq!(SlctFtz::<u32>::eval(1, 2, -1e-45, (), 0).0, 1);
    }

    #[test]
    fn packing_and_unpacking_are_inverse() {
        assert_eq!(Pack4::eval(1, 2, 3, 4, 0).0, 0x0004_0003_0002_0001);
        assert_eq!(Unpack4High::eval(0x0004_0003_0002_0001, (), (), (), 0), (3, 4));
        assert_eq!(Unpack4Low::eval(0x0004_0003_0002_0001, (), (), (), 0), (1, 2));
        assert_eq!(Pack4x8::eval(0x101, 2, 3, 4, 0).0, 0x0403_0201);
        assert_eq!(Unpack4x8Low::eval(0x8403_0281, (), (), (), 0), (0x81, 2));
        assert_eq!(Unpack4x8High::eval(0x8403_0281, (), (), (), 0), (3, 0x84));
        assert_eq!(Unpack2x8::eval(Pack2x8::eval(0x1ff, 0x80, (), (), 0).0, (), (), (), 0), (0xff, 0x80));
        assert_eq!(Unpack32::eval(Pack32::eval(7, 9, (), (), 0).0, (), (), (), 0), (7, 9));
    }
}
