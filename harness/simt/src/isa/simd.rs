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
    MinS2(a: u32, b: u32) -> u32 { halves(a, b, |a, b| a.min(b)) }
    /// The two larger.
    MaxS2(a: u32, b: u32) -> u32 { halves(a, b, |a, b| a.max(b)) }
    /// The two smaller, or zero for negative ones.
    MinReluS2(a: u32, b: u32) -> u32 { halves(a, b, |a, b| a.min(b).max(0)) }
    /// The two larger, or zero for negative ones.
    MaxReluS2(a: u32, b: u32) -> u32 { halves(a, b, |a, b| a.max(b).max(0)) }
    /// The smaller, or zero if it is negative.
    MinReluS32(a: i32, b: i32) -> i32 { a.min(b).max(0) }
    /// The larger, or zero if it is negative.
    MaxReluS32(a: i32, b: i32) -> i32 { a.max(b).max(0) }
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
    t.cold::<MinReluS32>("min.relu.s32");
    t.cold::<MaxReluS32>("max.relu.s32");
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::isa::dispatch::Alu;

    #[test]
    fn halves_do_not_touch_each_other() {
        assert_eq!(
            Add2::eval(0x0001_ffff, 0x0001_0001, (), (), 0).0,
            0x0002_0000
        );
        assert_eq!(
            MinS2::eval(0x8000_0001, 0x0001_ffff, (), (), 0).0,
            0x8000_ffff
        );
        assert_eq!(
            MaxU2::eval(0x8000_0001, 0x0001_ffff, (), (), 0).0,
            0x8000_ffff
        );
        assert_eq!(
            MaxReluS2::eval(0x8000_0001, 0x8001_ffff, (), (), 0).0,
            0x0000_0001
        );
    }
}
