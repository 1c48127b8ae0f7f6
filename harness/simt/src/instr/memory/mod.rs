//! Loads, stores, atomics, and other instructions on memory.

mod atomic;
mod element;
mod fence;
pub(crate) mod load;
mod modifiers;
mod spaces;
pub(crate) mod store;
mod vector;

pub(crate) use atomic::combine::{Combine, combination};
pub(crate) use atomic::defer;
pub(crate) use atomic::fetch::after_fetch;
#[cfg(test)]
pub(crate) use atomic::is_deferred;
pub(crate) use element::Elements;
pub(crate) use modifiers::Modifiers;

use super::context;
use super::row::FamilyRow;
use ptx::opcode::Opcode;

/// The instructions of this family.
pub(super) const ROWS: &[FamilyRow] = &[
    FamilyRow::new(Opcode::Applypriority, nothing),
    FamilyRow::new(Opcode::Atom, atomic::atom),
    FamilyRow::new(Opcode::Cvta, spaces::cvta),
    FamilyRow::new(Opcode::Discard, nothing),
    FamilyRow::new(Opcode::Fence, fence::fence),
    FamilyRow::new(Opcode::Isspacep, spaces::isspacep),
    FamilyRow::new(Opcode::Ld, load::ld),
    FamilyRow::new(Opcode::Ldu, load::ld),
    FamilyRow::new(Opcode::Membar, fence::fence),
    FamilyRow::new(Opcode::Prefetch, nothing),
    FamilyRow::new(Opcode::Prefetchu, nothing),
    FamilyRow::new(Opcode::Red, atomic::red),
    FamilyRow::new(Opcode::St, store::st),
];

/// Lowers a hint to the caches, which the machine does not have.
#[expect(clippy::unnecessary_wraps, reason = "a row's function, like those that can fail")]
fn nothing(_: &mut dyn context::Context, _: &ptx::ast::Inst) -> context::Result<()> {
    Ok(())
}
