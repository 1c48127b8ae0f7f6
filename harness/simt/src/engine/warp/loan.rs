//! Borrows that last as long as a call, kept in a structure instead of being passed on.
//!
//! A handler gets the warp and the instruction, nothing else: two arguments are what the interpreter's loop can afford.
//! What the warp needs of its surroundings it therefore holds itself, for the length of its turn. The rules that make
//! this sound:
//!
//! - A loan begins with an exclusive borrow, which lasts until the loan ends. So nobody else can use what is lent.
//! - [`Loan::get`] and [`Loan::get_mut`] borrow from the loan itself. So there are never two references of which one
//!   may change what the other sees.
//! - Loans can be neither copied nor sent to another thread.

use std::ptr;

/// Something borrowed, or nothing.
pub(crate) struct Loan<T>(*mut T);

impl<T> Loan<T> {
    /// Nothing.
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

    /// Holds nothing from here on.
    pub fn end(&mut self) {
        self.0 = ptr::null_mut();
    }

    /// Whether something is lent.
    pub fn is_lent(&self) -> bool {
        !self.0.is_null()
    }

    /// What is lent.
    #[inline(always)]
    pub fn get(&self) -> &T {
        // SAFETY: a loan that is not null stems from `begin`, whose caller keeps what is lent borrowed for it alone.
        // The loan is borrowed as long as the result lives, so no exclusive reference comes from it meanwhile.
        unsafe { self.0.as_ref() }.unwrap_or_else(|| nothing())
    }

    /// What is lent, to change it.
    #[inline(always)]
    pub fn get_mut(&mut self) -> &mut T {
        // SAFETY: as above; the loan is borrowed exclusively, so no other reference comes from it meanwhile.
        unsafe { self.0.as_mut() }.unwrap_or_else(|| nothing())
    }
}

#[cold]
#[inline(never)]
fn nothing() -> ! {
    panic!("a warp used its block or its worker's notes outside its turn")
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
