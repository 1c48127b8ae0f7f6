//! The instruction set: one table from which names, operand types, meaning and dispatch come.
//!
//! A row says what an instruction is called, what it takes and gives, and what it means in one lane, as a pure function
//! ([`dispatch::Alu`]). Everything else is derived: the decoder finds a row by its full name ([`find`]), the validator reads the
//! operand types, and the executor gets functions that do all 32 lanes of a warp: for *hot* and *warm* rows vector code for each kind
//! of processor, for *cold* ones a loop over the live lanes.
//!
//! Families share one handler where speed does not matter; then the row's preset says which member is meant.

// Predicates lie in an aligned register file. Arms that do the same for different reasons stay apart, as in IEEE's tables. Lane
// functions are arithmetic: their results are their only use, and `&` instead of `&&` keeps them free of branches.
#![allow(
    clippy::cast_ptr_alignment,
    clippy::match_same_arms,
    clippy::enum_glob_use,
    clippy::needless_bitwise_bool,
    clippy::needless_pass_by_value,
    clippy::return_self_not_must_use
)]

pub mod approx;
pub mod bits;
pub mod carry;
pub mod compare;
pub mod convert;
pub mod directed;
pub mod dispatch;
pub mod float;
pub mod half;
pub mod integer;
pub mod integer_types;
pub mod logic;
pub mod select;
pub mod simd;
pub mod soft;
pub mod table;

pub use dispatch::{Handler, Handlers, Isa};
pub use select::parts;
pub use table::{Form, Imm, all_forms, find, find_cvt, find_pair};

#[cfg(test)]
mod tests;

fn rows(t: &mut table::Table) {
    integer::rows(t);
    carry::rows(t);
    logic::rows(t);
    bits::rows(t);
    compare::rows(t);
    select::rows(t);
    float::rows(t);
    convert::rows(t);
    approx::rows(t);
    half::rows(t);
    simd::rows(t);
}
