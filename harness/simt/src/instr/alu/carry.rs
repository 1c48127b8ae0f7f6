//! Extended-precision arithmetic: the carry flag is a hidden predicate register, which PTX code does not name.
//!
//! After `sub.cc` the flag is the borrow, so `subc` subtracts it.

use super::dispatch::op;
use super::integer::Int;
use super::table::FormTable;

/// Unsigned addition and subtraction with the carry out of the top bit.
pub trait Carry: Int {
    /// Sum and carry.
    fn carrying(self, b: Self, carry: bool) -> (Self, bool);
    /// Difference and borrow.
    fn borrowing(self, b: Self, borrow: bool) -> (Self, bool);
}
macro_rules! carry {
    ($($t:ident)*) => {$(
        impl Carry for $t {
            #[inline(always)]
            fn carrying(self, b: $t, carry: bool) -> ($t, bool) {
                let (s, over) = self.overflowing_add(b);
                let (s, again) = s.overflowing_add($t::from(carry));
                (s, over | again)
            }
            #[inline(always)]
            fn borrowing(self, b: $t, borrow: bool) -> ($t, bool) {
                let (s, under) = self.overflowing_sub(b);
                let (s, again) = s.overflowing_sub($t::from(borrow));
                (s, under | again)
            }
        }
    )*};
}
carry!(u32 u64);

op! {
    /// Sum; sets the carry.
    AddCc<T: Carry>(a: T, b: T) -> T, bool { a.carrying(b, false) }
    /// Sum; uses the carry.
    Addc<T: Carry>(a: T, b: T, cf: bool) -> T { a.carrying(b, cf).0 }
    /// Sum; uses and sets the carry.
    AddcCc<T: Carry>(a: T, b: T, cf: bool) -> T, bool { a.carrying(b, cf) }
    /// Difference; sets the borrow.
    SubCc<T: Carry>(a: T, b: T) -> T, bool { a.borrowing(b, false) }
    /// Difference; uses the borrow.
    Subc<T: Carry>(a: T, b: T, cf: bool) -> T { a.borrowing(b, cf).0 }
    /// Difference; uses and sets the borrow.
    SubcCc<T: Carry>(a: T, b: T, cf: bool) -> T, bool { a.borrowing(b, cf) }
    /// Low half of the product plus `c`; sets the carry.
    MadLoCc<T: Carry>(a: T, b: T, c: T) -> T, bool { a.mul(b).carrying(c, false) }
    /// Low half of the product plus `c`; uses the carry.
    MadcLo<T: Carry>(a: T, b: T, c: T, cf: bool) -> T { a.mul(b).carrying(c, cf).0 }
    /// Low half of the product plus `c`; uses and sets the carry.
    MadcLoCc<T: Carry>(a: T, b: T, c: T, cf: bool) -> T, bool { a.mul(b).carrying(c, cf) }
    /// High half of the unsigned product plus `c`; sets the carry.
    MadHiCc<T: Carry>(a: T, b: T, c: T) -> T, bool { a.mul_hi(b).carrying(c, false) }
    /// High half of the unsigned product plus `c`; uses the carry.
    MadcHi<T: Carry>(a: T, b: T, c: T, cf: bool) -> T { a.mul_hi(b).carrying(c, cf).0 }
    /// High half of the unsigned product plus `c`; uses and sets the carry.
    MadcHiCc<T: Carry>(a: T, b: T, c: T, cf: bool) -> T, bool { a.mul_hi(b).carrying(c, cf) }
    /// High half of the signed product plus `c`; sets the carry.
    MadHiCcS32(a: i32, b: i32, c: u32) -> u32, bool { (a.mul_hi(b) as u32).carrying(c, false) }
    /// High half of the signed product plus `c`; uses the carry.
    MadcHiS32(a: i32, b: i32, c: u32, cf: bool) -> u32 { (a.mul_hi(b) as u32).carrying(c, cf).0 }
    /// High half of the signed product plus `c`; uses and sets the carry.
    MadcHiCcS32(a: i32, b: i32, c: u32, cf: bool) -> u32, bool { (a.mul_hi(b) as u32).carrying(c, cf) }
    /// High half of the signed product plus `c`; sets the carry.
    MadHiCcS64(a: i64, b: i64, c: u64) -> u64, bool { (a.mul_hi(b) as u64).carrying(c, false) }
    /// High half of the signed product plus `c`; uses the carry.
    MadcHiS64(a: i64, b: i64, c: u64, cf: bool) -> u64 { (a.mul_hi(b) as u64).carrying(c, cf).0 }
    /// High half of the signed product plus `c`; uses and sets the carry.
    MadcHiCcS64(a: i64, b: i64, c: u64, cf: bool) -> u64, bool { (a.mul_hi(b) as u64).carrying(c, cf) }
}

/// Adds this family's rows.
pub fn rows(t: &mut FormTable) {
    unsigned::<u32>(t, "32");
    unsigned::<u64>(t, "64");
    t.cold::<MadHiCcS32>("mad.hi.cc.s32").carry_out = true;
    t.cold::<MadcHiS32>("madc.hi.s32").carry_in = true;
    both(t.cold::<MadcHiCcS32>("madc.hi.cc.s32"));
    t.cold::<MadHiCcS64>("mad.hi.cc.s64").carry_out = true;
    t.cold::<MadcHiS64>("madc.hi.s64").carry_in = true;
    both(t.cold::<MadcHiCcS64>("madc.hi.cc.s64"));
}

fn both(form: &mut super::table::AluForm) {
    form.carry_in = true;
    form.carry_out = true;
}

fn unsigned<T: Carry>(t: &mut FormTable, bits: &str) {
    let names = |op: &str| vec![format!("{op}.u{bits}"), format!("{op}.s{bits}")];
    t.cold::<AddCc<T>>(names("add.cc")).carry_out = true;
    t.cold::<Addc<T>>(names("addc")).carry_in = true;
    both(t.cold::<AddcCc<T>>(names("addc.cc")));
    t.cold::<SubCc<T>>(names("sub.cc")).carry_out = true;
    t.cold::<Subc<T>>(names("subc")).carry_in = true;
    both(t.cold::<SubcCc<T>>(names("subc.cc")));
    t.cold::<MadLoCc<T>>(names("mad.lo.cc")).carry_out = true;
    t.cold::<MadcLo<T>>(names("madc.lo")).carry_in = true;
    both(t.cold::<MadcLoCc<T>>(names("madc.lo.cc")));
    t.cold::<MadHiCc<T>>(format!("mad.hi.cc.u{bits}")).carry_out = true;
    t.cold::<MadcHi<T>>(format!("madc.hi.u{bits}")).carry_in = true;
    both(t.cold::<MadcHiCc<T>>(format!("madc.hi.cc.u{bits}")));
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_carry_goes_through_all_ones() {
        assert_eq!(u32::MAX.carrying(0, true), (0, true));
        assert_eq!(u32::MAX.carrying(u32::MAX, true), (u32::MAX, true));
        assert_eq!(1u32.carrying(2, true), (4, false));
        assert_eq!(0u64.borrowing(u64::MAX, true), (0, true));
        assert_eq!(0u64.borrowing(0, true), (u64::MAX, true));
    }

    #[test]
    fn a_128_bit_sum_of_words_equals_the_sum() {
        let (x, y) = (0xffff_ffff_0000_0001_8000_0000_ffff_ffffu128, 0x0000_0001_ffff_ffff_8000_0000_0000_0001u128);
        let (mut sum, mut cf) = (0u128, false);
        for i in 0..4 {
            let (w, c) = ((x >> (32 * i)) as u32).carrying((y >> (32 * i)) as u32, cf);
            sum |= u128::from(w) << (32 * i);
            cf = c;
        }
        assert_eq!((sum, cf), x.overflowing_add(y));
    }
}
