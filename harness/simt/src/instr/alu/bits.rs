//! Counting, finding, reversing, extracting, inserting and permuting bits and bytes.

use super::dispatch::op;
use super::table::FormTable;

// The hardware takes positions and lengths of 32-bit fields modulo 256, but uses all bits of those of 64-bit fields.
op! {
    /// The number of ones.
    Popc32(a: u32) -> u32 { a.count_ones() }
    /// The number of ones.
    Popc64(a: u64) -> u32 { a.count_ones() }
    /// The number of leading zeros.
    Clz32(a: u32) -> u32 { a.leading_zeros() }
    /// The number of leading zeros.
    Clz64(a: u64) -> u32 { a.leading_zeros() }
    /// The bits in reverse order.
    Brev32(a: u32) -> u32 { a.reverse_bits() }
    /// The bits in reverse order.
    Brev64(a: u64) -> u64 { a.reverse_bits() }
    /// Position of the highest one; all ones if there is none.
    BfindU32(a: u32) -> u32 { 31u32.wrapping_sub(a.leading_zeros()) }
    /// Position of the highest bit that differs from the sign.
    BfindS32(a: i32) -> u32 { 31u32.wrapping_sub(((a ^ (a >> 31)) as u32).leading_zeros()) }
    /// Position of the highest one.
    BfindU64(a: u64) -> u32 { 63u32.wrapping_sub(a.leading_zeros()) }
    /// Position of the highest bit that differs from the sign.
    BfindS64(a: i64) -> u32 { 63u32.wrapping_sub(((a ^ (a >> 63)) as u64).leading_zeros()) }
    /// The left shift that brings the highest one to the top; all ones if there is none.
    BfindShiftU32(a: u32) -> u32 { shift_amount(a.leading_zeros(), 32) }
    /// The left shift that brings the highest bit that differs from the sign to the top.
    BfindShiftS32(a: i32) -> u32 { shift_amount(((a ^ (a >> 31)) as u32).leading_zeros(), 32) }
    /// The left shift that brings the highest one to the top.
    BfindShiftU64(a: u64) -> u32 { shift_amount(a.leading_zeros(), 64) }
    /// The left shift that brings the highest bit that differs from the sign to the top.
    BfindShiftS64(a: i64) -> u32 { shift_amount(((a ^ (a >> 63)) as u64).leading_zeros(), 64) }
    /// Bits `b` to `b + c`, zero-extended.
    BfeU32(a: u32, b: u32, c: u32) -> u32 { bfe(u64::from(a), b & 255, c & 255, 32, false) as u32 }
    /// Bits `b` to `b + c`, sign-extended.
    BfeS32(a: i32, b: u32, c: u32) -> i32 { bfe(a as u32 as u64, b & 255, c & 255, 32, true) as i32 }
    /// Bits `b` to `b + c`, zero-extended.
    BfeU64(a: u64, b: u32, c: u32) -> u64 { bfe(a, b.min(64), c.min(64), 64, false) }
    /// Bits `b` to `b + c`, sign-extended.
    BfeS64(a: i64, b: u32, c: u32) -> i64 { bfe(a as u64, b.min(64), c.min(64), 64, true) as i64 }
    /// `b` with `e` bits from `c` on replaced by the low bits of `a`.
    Bfi32(a: u32, b: u32, c: u32, e: u32) -> u32 { bfi(u64::from(a), u64::from(b), c & 255, e & 255) as u32 }
    /// `b` with `e` bits from `c` on replaced by the low bits of `a`.
    Bfi64(a: u64, b: u64, c: u32, e: u32) -> u64 { bfi(a, b, c.min(64), e.min(64)) }
    /// Position of the `c`-th one from position `b`, counting upwards or, for negative `c`, downwards.
    Fns(a: u32, b: u32, c: i32) -> u32 { fns(a, b, c) }
    /// Low `b` bits sign-extended; `b` of 32 or more leaves `a`.
    SzextClampS32(a: u32, b: u32) -> u32 { szext(a, b, b >= 32, true) }
    /// Low `b` bits zero-extended; `b` of 32 or more leaves `a`.
    SzextClampU32(a: u32, b: u32) -> u32 { szext(a, b, b >= 32, false) }
    /// Low `b` modulo 32 bits sign-extended.
    SzextWrapS32(a: u32, b: u32) -> u32 { szext(a, b, false, true) }
    /// Low `b` modulo 32 bits zero-extended.
    SzextWrapU32(a: u32, b: u32) -> u32 { szext(a, b, false, false) }
    /// `b` ones from bit `a` on.
    BmskClamp(a: u32, b: u32) -> u32 { bmsk(a.min(32), b.min(32)) }
    /// `b` ones from bit `a` on, both modulo 32.
    BmskWrap(a: u32, b: u32) -> u32 { bmsk(a & 31, b & 31) }
    /// Four of the eight bytes of `b:a`; four bits of `c` select each, and the top one of these replicates the byte's
    /// sign instead.
    Prmt(a: u32, b: u32, c: u32) -> u32 {
        let byte = |at: u32| select_byte(a, b, c >> (4 * at)) << (8 * at);
        byte(0) | byte(1) | byte(2) | byte(3)
    }
    /// `prmt` in one of its modes (the immediate: an index into their names), controlled by two bits of `c`.
    PrmtMode(a: u32, b: u32, c: u32) [mode] -> u32 { prmt_mode(a, b, c & 3, mode) }
    /// Dot product of four bytes with four bytes, plus `c`. Immediate: bit 0, `a` is signed; bit 1, `b` is signed.
    Dp4a(a: u32, b: u32, c: u32) [signs] -> u32 { dp4a(a, b, c, signs) }
    /// Dot product of two half words with two bytes, plus `c`. Immediate: as for `dp4a`; bit 2 selects the high bytes.
    Dp2a(a: u32, b: u32, c: u32) [signs] -> u32 { dp2a(a, b, c, signs) }
}

#[inline(always)]
fn shift_amount(zeros: u32, bits: u32) -> u32 {
    if zeros == bits { u32::MAX } else { zeros }
}

/// Ones in the low `len` bits; all ones if `len` is 64 or more.
#[inline(always)]
fn low_ones(len: u32) -> u64 {
    if len >= 64 { u64::MAX } else { (1 << (len & 63)) - 1 }
}

#[inline(always)]
fn bfe(a: u64, pos: u32, len: u32, bits: u32, signed: bool) -> u64 {
    let shifted = if pos >= bits { 0 } else { a >> (pos & 63) };
    let sign_at = (pos + len).wrapping_sub(1).min(bits - 1);
    let sign = signed && len != 0 && (a >> (sign_at & 63)) & 1 != 0;
    // Bits beyond the field, or beyond the word, are copies of the sign.
    let have = len.min(bits.saturating_sub(pos));
    let mask = low_ones(have);
    let fill = if sign { !mask } else { 0 };
    (shifted & mask) | fill
}

#[inline(always)]
fn bfi(a: u64, b: u64, pos: u32, len: u32) -> u64 {
    if pos >= 64 {
        return b;
    }
    let mask = low_ones(len) << pos;
    (b & !mask) | ((a << pos) & mask)
}

fn fns(mask: u32, base: u32, offset: i32) -> u32 {
    if base >= 32 {
        return u32::MAX;
    }
    if offset == 0 {
        return if (mask >> base) & 1 != 0 { base } else { u32::MAX };
    }
    let mut left = offset.unsigned_abs() - 1;
    let mut pos = i64::from(base);
    while (0..32).contains(&pos) {
        if (mask >> pos) & 1 != 0 {
            if left == 0 {
                return pos as u32;
            }
            left -= 1;
        }
        pos += if offset > 0 { 1 } else { -1 };
    }
    u32::MAX
}

#[inline(always)]
fn szext(a: u32, b: u32, whole: bool, signed: bool) -> u32 {
    let len = b & 31;
    let mask = if whole { 0 } else { u32::MAX << len };
    let sign = signed && !whole && len != 0 && (a >> (len.wrapping_sub(1) & 31)) & 1 != 0;
    (a & !mask) | if sign { mask } else { 0 }
}

#[inline(always)]
fn bmsk(pos: u32, len: u32) -> u32 {
    if pos >= 32 {
        return 0;
    }
    (low_ones(len) << pos) as u32
}

#[inline(always)]
fn select_byte(a: u32, b: u32, control: u32) -> u32 {
    // Uses 32-bit operations, because vectors hold more of these than of 64-bit ones.
    let word = if control & 4 != 0 { b } else { a };
    let byte = (word >> ((control & 3) * 8)) & 0xff;
    let sign = 0u32.wrapping_sub(byte >> 7) & 0xff;
    if control & 8 != 0 { sign } else { byte }
}

/// The modes of `prmt` in the order of their immediates.
const PRMT_MODES: [&str; 6] = ["f4e", "b4e", "rc8", "ecl", "ecr", "rc16"];

fn prmt_mode(a: u32, b: u32, c: u32, mode: u64) -> u32 {
    // Bytes from 0 (lowest of `a`) to 7 (highest of `b`), from the result's lowest to its highest.
    let picks: [u32; 4] = match mode {
        0 => [c, c + 1, c + 2, c + 3],
        1 => [c, (c + 7) & 7, (c + 6) & 7, (c + 5) & 7],
        2 => [c; 4],
        3 => [c, c.max(1), c.max(2), 3],
        4 => [0, c.min(1), c.min(2), c],
        _ => [(c & 1) * 2, (c & 1) * 2 + 1, (c & 1) * 2, (c & 1) * 2 + 1],
    };
    let all = (u64::from(b) << 32) | u64::from(a);
    picks.iter().rev().fold(0, |word, &pick| (word << 8) | ((all >> (8 * pick)) as u32 & 0xff))
}

#[inline(always)]
fn byte(x: u32, i: u32, signed: bool) -> i32 {
    let b = (x >> (8 * i)) as u8;
    if signed { i32::from(b as i8) } else { i32::from(b) }
}

fn dp4a(a: u32, b: u32, c: u32, signs: u64) -> u32 {
    (0..4).fold(c, |sum, i| sum.wrapping_add((byte(a, i, signs & 1 != 0) * byte(b, i, signs & 2 != 0)) as u32))
}

fn dp2a(a: u32, b: u32, c: u32, signs: u64) -> u32 {
    let first = if signs & 4 != 0 { 2 } else { 0 };
    (0..2).fold(c, |sum, i| {
        let half = (a >> (16 * i)) as u16;
        let half = if signs & 1 != 0 { i32::from(half as i16) } else { i32::from(half) };
        sum.wrapping_add((half * byte(b, first + i, signs & 2 != 0)) as u32)
    })
}

/// Adds this family's rows.
pub fn rows(t: &mut FormTable) {
    t.warm::<Popc32>("popc.b32");
    t.cold::<Popc64>("popc.b64");
    t.warm::<Clz32>("clz.b32");
    t.cold::<Clz64>("clz.b64");
    t.warm::<Brev32>("brev.b32");
    t.cold::<Brev64>("brev.b64");
    t.cold::<BfindU32>("bfind.u32");
    t.cold::<BfindS32>("bfind.s32");
    t.cold::<BfindU64>("bfind.u64");
    t.cold::<BfindS64>("bfind.s64");
    t.cold::<BfindShiftU32>("bfind.shiftamt.u32");
    t.cold::<BfindShiftS32>("bfind.shiftamt.s32");
    t.cold::<BfindShiftU64>("bfind.shiftamt.u64");
    t.cold::<BfindShiftS64>("bfind.shiftamt.s64");
    t.warm::<BfeU32>("bfe.u32");
    t.cold::<BfeS32>("bfe.s32");
    t.cold::<BfeU64>("bfe.u64");
    t.cold::<BfeS64>("bfe.s64");
    t.warm::<Bfi32>("bfi.b32");
    t.cold::<Bfi64>("bfi.b64");
    t.cold::<Fns>("fns.b32");
    t.cold::<SzextClampS32>("szext.clamp.s32");
    t.cold::<SzextClampU32>("szext.clamp.u32");
    t.cold::<SzextWrapS32>("szext.wrap.s32");
    t.cold::<SzextWrapU32>("szext.wrap.u32");
    t.cold::<BmskClamp>("bmsk.clamp.b32");
    t.cold::<BmskWrap>("bmsk.wrap.b32");
    t.warm::<Prmt>("prmt.b32");
    for (i, mode) in PRMT_MODES.iter().enumerate() {
        t.cold_preset::<PrmtMode>(format!("prmt.b32.{mode}"), i as u64);
    }
    for signs in 0..4u64 {
        let sign = |bit: u64| if signs & bit != 0 { "s32" } else { "u32" };
        let types = format!("{}.{}", sign(1), sign(2));
        t.cold_preset::<Dp4a>(format!("dp4a.{types}"), signs);
        t.cold_preset::<Dp2a>(format!("dp2a.lo.{types}"), signs);
        t.cold_preset::<Dp2a>(format!("dp2a.hi.{types}"), signs | 4);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// The loop by which the PTX manual defines `bfe`.
    fn bfe_by_bits(a: u64, pos: u32, len: u32, bits: u32, signed: bool) -> u64 {
        let msb = bits - 1;
        let sbit = if !signed || len == 0 { 0 } else { (a >> (pos + len - 1).min(msb)) & 1 };
        (0..bits).fold(0, |d, i| {
            let bit = if i < len && pos + i <= msb { (a >> (pos + i)) & 1 } else { sbit };
            d | (bit << i)
        })
    }

    fn bfi_by_bits(a: u64, b: u64, pos: u32, len: u32, bits: u32) -> u64 {
        let mut f = b;
        let mut i = 0;
        while i < len && pos + i < bits {
            f = (f & !(1 << (pos + i))) | (((a >> i) & 1) << (pos + i));
            i += 1;
        }
        f
    }

    proptest! {
        #[test]
        fn fields_are_what_the_loops_give(
            a: u64,
            b: u64,
            pos in 0u32..256,
            len in 0u32..256,
            near in 0u32..70,
            short in 0u32..70,
        ) {
            for (pos, len) in [(pos, len), (near, short)] {
                let low = a & 0xffff_ffff;
                prop_assert_eq!(bfe(low, pos, len, 32, false) as u32, bfe_by_bits(low, pos, len, 32, false) as u32);
                prop_assert_eq!(bfe(low, pos, len, 32, true) as u32, bfe_by_bits(low, pos, len, 32, true) as u32);
                prop_assert_eq!(bfe(a, pos, len, 64, false), bfe_by_bits(a, pos, len, 64, false));
                prop_assert_eq!(bfe(a, pos, len, 64, true), bfe_by_bits(a, pos, len, 64, true));
                prop_assert_eq!(bfi(a, b, pos, len), bfi_by_bits(a, b, pos, len, 64));
                let b32 = b & 0xffff_ffff;
                prop_assert_eq!(bfi(low, b32, pos, len) as u32, bfi_by_bits(low, b32, pos, len, 32) as u32);
            }
        }
    }

    #[test]
    fn the_highest_bit() {
        assert_eq!(shift_amount(0u32.leading_zeros(), 32), u32::MAX);
        assert_eq!(shift_amount(1u32.leading_zeros(), 32), 31);
        assert_eq!(31u32.wrapping_sub(0u32.leading_zeros()), u32::MAX);
    }

    #[test]
    fn nth_set_as_the_manual_has_it() {
        assert_eq!(fns(0xaaaa_aaaa, 3, 1), 3);
        assert_eq!(fns(0xaaaa_aaaa, 3, -1), 3);
        assert_eq!(fns(0xaaaa_aaaa, 2, 1), 3);
        assert_eq!(fns(0xaaaa_aaaa, 2, -1), 1);
        assert_eq!(fns(0xaaaa_aaaa, 2, 0), u32::MAX);
        assert_eq!(fns(1, 0, 2), u32::MAX);
    }

    #[test]
    fn byte_permutations() {
        let (a, b) = (0x8382_8180, 0x0706_0504);
        let prmt = |c: u32| (0..4).fold(0, |d, i| d | (select_byte(a, b, c >> (4 * i)) << (8 * i)));
        assert_eq!(prmt(0x3210), a);
        assert_eq!(prmt(0x7654), b);
        assert_eq!(prmt(0x0123), 0x8081_8283);
        assert_eq!(prmt(0x8c8c), 0xff00_ff00);
        assert_eq!(prmt_mode(a, b, 1, 0), 0x0483_8281);
        assert_eq!(prmt_mode(a, b, 1, 1), 0x0607_8081);
        assert_eq!(prmt_mode(a, b, 2, 2), 0x8282_8282);
        assert_eq!(prmt_mode(a, b, 2, 3), 0x8382_8282);
        assert_eq!(prmt_mode(a, b, 1, 4), 0x8181_8180);
        assert_eq!(prmt_mode(a, b, 1, 5), 0x8382_8382);
    }

    #[test]
    fn masks_and_extensions() {
        assert_eq!(bmsk(1, 2), 6);
        assert_eq!(bmsk(0, 32), u32::MAX);
        assert_eq!(bmsk(32, 1), 0);
        assert_eq!(bmsk(31, 5), 1 << 31);
        assert_eq!(szext(0xffff_ffff, 0, false, false), 0);
        assert_eq!(szext(0x80, 8, false, true), 0xffff_ff80);
        assert_eq!(szext(0x1234_5678, 40, true, true), 0x1234_5678);
    }

    #[test]
    fn dot_products() {
        assert_eq!(dp4a(0xff02_0304, 0x0101_0101, 10, 0), 10 + 255 + 2 + 3 + 4);
        assert_eq!(dp4a(0xff02_0304, 0x0101_0101, 10, 3), 10 + 9 - 1);
        assert_eq!(dp2a(0xffff_0002, 0x0403_0201, 0, 1), (2i32 - 2) as u32);
        assert_eq!(dp2a(0x0001_0002, 0x0403_0201, 0, 4), 2 * 3 + 4);
    }
}
