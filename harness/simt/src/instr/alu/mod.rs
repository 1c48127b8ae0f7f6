//! Instructions that compute registers from registers: one table defines their names, operand types, meaning and
//! dispatch.
//!
//! A row defines an instruction's name, its operands and results, and its meaning in one lane, as a pure function
//! ([`dispatch::Alu`]). Everything else is derived: [`lower`] finds a row by its full name and checks the operands
//! against the row's types, and [`dispatch`] turns the meaning into functions that compute all 32 lanes of a warp:
//! vector code for each kind of processor for *hot* and *warm* rows, a loop over the live lanes for *cold* ones.
//!
//! Where speed does not matter, several instructions share one handler; the row's preset says which one is meant.

// The register file of predicates is aligned. Match arms with the same result for different reasons are kept separate,
// as in IEEE's tables. Lane functions are arithmetic: they are called only for their results, and `&` instead of `&&`
// keeps them free of branches.
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
mod divide;
pub mod float;
pub mod half;
pub mod half_number;
pub mod index;
pub mod integer;
pub mod integer_types;
pub mod logic;
pub(crate) mod lower;
pub mod quarter;
pub mod select;
pub mod simd;
pub mod soft;
mod spelling;
pub mod table;
mod video;

pub use crate::engine::warp::handler::{Handler, Handlers};
pub use crate::lane::HostVectors;
pub use index::{all_forms, find, find_cvt, find_pair};
pub use select::parts;
pub use table::{AluForm, Imm};

use super::row::FamilyRow;
use ptx::opcode::Opcode;

/// The instructions of this family whose operands the table cannot describe.
pub(super) const ROWS: &[FamilyRow] = &[
    FamilyRow::new(Opcode::Mov, lower::mov),
    FamilyRow::new(Opcode::Vabsdiff, video::scalar),
    FamilyRow::new(Opcode::Vabsdiff2, video::lanes),
    FamilyRow::new(Opcode::Vabsdiff4, video::lanes),
    FamilyRow::new(Opcode::Vadd, video::scalar),
    FamilyRow::new(Opcode::Vadd2, video::lanes),
    FamilyRow::new(Opcode::Vadd4, video::lanes),
    FamilyRow::new(Opcode::Vavrg2, video::lanes),
    FamilyRow::new(Opcode::Vavrg4, video::lanes),
    FamilyRow::new(Opcode::Vmad, video::scalar),
    FamilyRow::new(Opcode::Vmax, video::scalar),
    FamilyRow::new(Opcode::Vmax2, video::lanes),
    FamilyRow::new(Opcode::Vmax4, video::lanes),
    FamilyRow::new(Opcode::Vmin, video::scalar),
    FamilyRow::new(Opcode::Vmin2, video::lanes),
    FamilyRow::new(Opcode::Vmin4, video::lanes),
    FamilyRow::new(Opcode::Vset, video::scalar),
    FamilyRow::new(Opcode::Vset2, video::lanes),
    FamilyRow::new(Opcode::Vset4, video::lanes),
    FamilyRow::new(Opcode::Vshl, video::scalar),
    FamilyRow::new(Opcode::Vshr, video::scalar),
    FamilyRow::new(Opcode::Vsub, video::scalar),
    FamilyRow::new(Opcode::Vsub2, video::lanes),
    FamilyRow::new(Opcode::Vsub4, video::lanes),
];

#[cfg(test)]
mod tests;
