//! Two 16-bit integers in a word, and small integers packed into one.

use super::dispatch::op;
use super::table::FormTable;

/// Applies `f` to both halves, each sign-extended.
#[inline(always)]
fn halves(a: u32, b: u32, f: impl Fn(i16, i16) -> i16) -> u32 {
    let low = f(a as i16, b as i16) as u16;
    let high = f((a >> 16) as i16, (b >> 16) as i16) as u16;
    u32::from(low) | (u32::from(high) << 16)
}

op! {
    /// Two sums.
    Add2(a: u32, b: u32) -> u32 { halves(a, b, i16::wrapping_add) }
    /// The two smaller.
    MinU2(a: u32, b: u32) -> u32 { halves(a, b, |a, b| (a as u16).min(b as u16) as i16) }
    /// The two larger.
    MaxU2(a: u32, b: u32) -> u32 { halves(a, b, |a, b| (a as u16).max(b as u16) as i16) }
    /// The two smaller.
    MinS2(a: u32, b: u32) -> u32 { halves(a, b, i16::min) }
    /// The two larger.
    MaxS2(a: u32, b: u32) -> u32 { halves(a, b, i16::max) }
    /// The two smaller, or zero for negative ones.
    MinReluS2(a: u32, b: u32) -> u32 { halves(a, b, |a, b| a.min(b).max(0)) }
    /// The two larger, or zero for negative ones.
    MaxReluS2(a: u32, b: u32) -> u32 { halves(a, b, |a, b| a.max(b).max(0)) }
    /// The smaller, or zero if it is negative.
    MinReluS32(a: i32, b: i32) -> i32 { a.min(b).max(0) }
    /// The larger, or zero if it is negative.
    MaxReluS32(a: i32, b: i32) -> i32 { a.max(b).max(0) }
    /// Two integers clamped to 16 bits, the first in the high half.
    Pack2(a: i32, b: i32) [signed] -> u32 { (held(a, 16, signed != 0) << 16) | held(b, 16, signed != 0) }
    /// Two integers clamped to 8, 4 or 2 bits below the lower bits of `c`. Immediate: the number of bits from bit 1 on;
    /// bit 0, signed.
    Pack4(a: i32, b: i32, c: u32) [code] -> u32 {
        let (bits, signed) = (code as u32 >> 1, code & 1 != 0);
        (c << (2 * bits)) | (held(a, bits, signed) << bits) | held(b, bits, signed)
    }
}

/// Clamps an integer to the range of `bits` bits; the other bits of the result are 0.
fn held(x: i32, bits: u32, signed: bool) -> u32 {
    let all = (1 << bits) - 1;
    let held = if signed { x.clamp(-(all >> 1) - 1, all >> 1) } else { x.clamp(0, all) };
    (held & all) as u32
}

/// Adds this family's rows.
pub fn rows(t: &mut FormTable) {
    t.cold::<Add2>(["add.u16x2", "add.s16x2"]);
    t.cold::<MinU2>("min.u16x2");
    t.cold::<MaxU2>("max.u16x2");
    t.cold::<MinS2>("min.s16x2");
    t.cold::<MaxS2>("max.s16x2");
    t.cold::<MinReluS2>(["min.s16x2.relu", "min.relu.s16x2"]);
    t.cold::<MaxReluS2>(["max.s16x2.relu", "max.relu.s16x2"]);
    t.cold::<MinReluS32>(["min.relu.s32", "min.s32.relu"]);
    for (sign, signed) in [("u", 0), ("s", 1)] {
        t.cold_preset::<Pack2>(format!("cvt.pack.sat.{sign}16.s32"), signed);
        for bits in [8, 4, 2] {
            t.cold_preset::<Pack4>(format!("cvt.pack.sat.{sign}{bits}.s32.b32"), bits << 1 | signed);
        }
    }
    t.cold::<MaxReluS32>(["max.relu.s32", "max.s32.relu"]);
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::instr::alu::dispatch::Alu;

    #[test]
    fn packing_saturates() {
        assert_eq!(Pack2::eval(70_000, -70_000, (), (), 0).0, 0xffff_0000);
        assert_eq!(Pack2::eval(70_000, -70_000, (), (), 1).0, 0x7fff_8000);
        assert_eq!(Pack4::eval(-1, 300, 0xabcd_1234, (), 16).0, 0x1234_00ff);
        assert_eq!(Pack4::eval(-1, 300, 0xabcd_1234, (), 17).0, 0x1234_ff7f);
        assert_eq!(Pack4::eval(-1, 300, 0xabcd_1234, (), 8).0, 0xcd12_340f);
        assert_eq!(Pack4::eval(-5, 1, 0xabcd_1234, (), 5).0, 0xbcd1_2349);
    }

    #[test]
    fn halves_do_not_touch_each_other() {
        assert_eq!(Add2::eval(0x0001_ffff, 0x0001_0001, (), (), 0).0, 0x0002_0000);
        assert_eq!(MinS2::eval(0x8000_0001, 0x0001_ffff, (), (), 0).0, 0x8000_ffff);
        assert_eq!(MaxU2::eval(0x8000_0001, 0x0001_ffff, (), (), 0).0, 0x8000_ffff);
        assert_eq!(MaxReluS2::eval(0x8000_0001, 0x8001_ffff, (), (), 0).0, 0x0000_0001);
    }
}
