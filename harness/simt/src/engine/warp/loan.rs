//! Borrows that last as long as a call, kept in a structure instead of being passed as arguments.
//!
//! A handler gets only the warp and the instruction: the interpreter's loop can afford no more than two arguments. So
//! the warp itself holds what it needs of its surroundings, for the length of its turn. The rules that make this sound:
//!
//! - A loan begins with an exclusive borrow, which lasts until the loan ends. So nothing else can use what is lent.
//! - [`Loan::get`] and [`Loan::get_mut`] borrow from the loan itself. So no mutable reference ever coexists with
//!   another reference to the same value.
//! - Loans can be neither copied nor sent to another thread.

use std::ptr;

/// A borrowed value, or nothing.
pub(crate) struct Loan<T>(*mut T);

impl<T> Loan<T> {
    /// Creates a loan of nothing.
    pub const fn none() -> Loan<T> {
        Loan(ptr::null_mut())
    }

    /// Holds `to` until [`Loan::end`].
    ///
    /// # Safety
    /// `to` stays borrowed until the loan has ended or is never used again.
    pub unsafe fn begin(&mut self, to: &mut T) {
        self.0 = to;
    }

    /// Ends the loan.
    pub fn end(&mut self) {
        self.0 = ptr::null_mut();
    }

    /// Returns whether something is lent.
    pub fn is_lent(&self) -> bool {
        !self.0.is_null()
    }

    /// Returns the borrowed value.
    #[inline(always)]
    pub fn get(&self) -> &T {
        // SAFETY: a loan that is not null stems from `begin`, whose caller keeps the value borrowed exclusively for the
        // loan. The loan is borrowed as long as the result lives, so no exclusive reference comes from it meanwhile.
        unsafe { self.0.as_ref() }.unwrap_or_else(|| nothing())
    }

    /// Returns the borrowed value, mutably.
    #[inline(always)]
    pub fn get_mut(&mut self) -> &mut T {
        // SAFETY: as above; the loan is borrowed exclusively, so no other reference comes from it meanwhile.
        unsafe { self.0.as_mut() }.unwrap_or_else(|| nothing())
    }
}

#[cold]
#[inline(never)]
fn nothing() -> ! {
    panic!("a warp used its block or its worker's scratch outside its turn")
}

#[cfg(test)]
mod tests {
    use super::Loan;

    #[test]
    fn what_is_lent_can_be_changed_until_the_loan_ends() {
        let mut lent = 1;
        let mut loan = Loan::none();
        // SAFETY: `lent` is used again only after the loan has ended.
        unsafe { loan.begin(&mut lent) };
        *loan.get_mut() += 1;
        assert_eq!(*loan.get(), 2);
        loan.end();
        assert_eq!(lent, 2);
    }

    #[test]
    #[should_panic(expected = "outside its turn")]
    fn nothing_lent_is_refused() {
        Loan::<u32>::none().get();
    }
}
