//! Two 16-bit integers in a word, and the four-byte video instructions.

use super::dispatch::op;
use super::table::Table;

/// Does `f` to both halves, each sign-extended.
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
    /// Two integers held to 16 bits, the first in the high half.
    Pack2(a: i32, b: i32) [signed] -> u32 { (held(a, 16, signed != 0) << 16) | held(b, 16, signed != 0) }
    /// Two integers held to 8 bits below the low half of `c`.
    Pack4(a: i32, b: i32, c: u32) [signed] -> u32 {
        (c << 16) | (held(a, 8, signed != 0) << 8) | held(b, 8, signed != 0)
    }
    /// Two or four small integers at a time, then merged or summed; see [`video`].
    Video(a: u32, b: u32, c: u32) [code] -> u32 { video(a, b, c, code) }
}

/// An integer held to the range of so many bits; the other bits of the result are 0.
fn held(x: i32, bits: u32, signed: bool) -> u32 {
    let all = (1 << bits) - 1;
    let held = if signed { x.clamp(-(all >> 1) - 1, all >> 1) } else { x.clamp(0, all) };
    (held & all) as u32
}

/// Names of the video operations in the order of their codes.
const VIDEO: [&str; 6] = ["vadd", "vsub", "vavrg", "vabsdiff", "vmin", "vmax"];
/// Code: `a` is signed.
const SIGNED_A: u64 = 1 << 4;
/// Code: `b` is signed.
const SIGNED_B: u64 = 1 << 5;
/// Code: the result is signed.
const SIGNED_D: u64 = 1 << 6;
/// Code: `.sat`.
const SAT: u64 = 1 << 7;
/// Code: `.add`.
const SUM: u64 = 1 << 8;
/// Code: bytes rather than half words.
const BYTES: u64 = 1 << 9;

/// Part `i` of a word.
fn part(x: u32, i: u32, bits: u32, signed: bool) -> i32 {
    let up = x << (32 - bits * (i + 1));
    if signed { (up as i32) >> (32 - bits) } else { (up >> (32 - bits)) as i32 }
}

/// Does the code's operation to each part; the results side by side, or with `.add` their sum plus `c`.
fn video(a: u32, b: u32, c: u32, code: u64) -> u32 {
    let bits = if code & BYTES != 0 { 8 } else { 16 };
    let mut sum = c;
    let mut merged = 0;
    for i in 0..32 / bits {
        let (x, y) = (part(a, i, bits, code & SIGNED_A != 0), part(b, i, bits, code & SIGNED_B != 0));
        let r = match code & 15 {
            0 => x + y,
            1 => x - y,
            2 => (x + y + i32::from(x + y >= 0)) >> 1,
            3 => (x - y).abs(),
            4 => x.min(y),
            _ => x.max(y),
        };
        let r = match (code & SAT != 0, code & SIGNED_D != 0) {
            (false, _) => r,
            (true, true) => r.clamp(-(1 << (bits - 1)), (1 << (bits - 1)) - 1),
            (true, false) => r.clamp(0, (1 << bits) - 1),
        };
        sum = sum.wrapping_add(r as u32);
        merged |= (r as u32 & ((1 << bits) - 1)) << (bits * i);
    }
    if code & SUM != 0 { sum } else { merged }
}

/// Adds this family's rows.
pub fn rows(t: &mut Table) {
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
        t.cold_preset::<Pack4>(format!("cvt.pack.sat.{sign}8.s32.b32"), signed);
    }
    for (op, name) in VIDEO.iter().enumerate() {
        for (count, width) in [(2, 0), (4, BYTES)] {
            for signs in 0..8u64 {
                let ty = |bit: u64| if signs & bit != 0 { "s32" } else { "u32" };
                let name = format!("{name}{count}.{}.{}.{}", ty(4), ty(1), ty(2));
                let code = op as u64 | (signs << 4) | width;
                t.cold_preset::<Video>(name.clone(), code);
                t.cold_preset::<Video>(format!("{name}.sat"), code | SAT);
                t.cold_preset::<Video>(format!("{name}.add"), code | SUM);
            }
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
        assert_eq!(Pack4::eval(-1, 300, 0xabcd_1234, (), 0).0, 0x1234_00ff);
        assert_eq!(Pack4::eval(-1, 300, 0xabcd_1234, (), 1).0, 0x1234_ff7f);
    }

    #[test]
    fn video_operations() {
        let absdiff = 3 | BYTES;
        assert_eq!(video(0x01ff_0510, 0x0300_0a20, 99, absdiff), 0x02ff_0510);
        assert_eq!(video(0x01ff_0510, 0x0300_0a20, 99, absdiff | SUM), 99 + 2 + 255 + 5 + 16);
        let add = BYTES | SIGNED_A | SIGNED_B | SIGNED_D | SAT;
        assert_eq!(video(0x7f80_ff01, 0x01ff_0101, 0, add), 0x7f80_0002);
        assert_eq!(video(0xffff_0001, 0x0001_0001, 0, 2 | SIGNED_A | SIGNED_B), 0x0000_0001);
    }

    #[test]
    fn halves_do_not_touch_each_other() {
        assert_eq!(Add2::eval(0x0001_ffff, 0x0001_0001, (), (), 0).0, 0x0002_0000);
        assert_eq!(MinS2::eval(0x8000_0001, 0x0001_ffff, (), (), 0).0, 0x8000_ffff);
        assert_eq!(MaxU2::eval(0x8000_0001, 0x0001_ffff, (), (), 0).0, 0x8000_ffff);
        assert_eq!(MaxReluS2::eval(0x8000_0001, 0x8001_ffff, (), (), 0).0, 0x0000_0001);
    }
}
