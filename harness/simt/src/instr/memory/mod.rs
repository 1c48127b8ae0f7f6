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

/// The instructions of this family.
pub(super) const ROWS: &[FamilyRow] = &[
    FamilyRow::new("applypriority", nothing),
    FamilyRow::new("atom", atomic::atom),
    FamilyRow::new("cvta", spaces::cvta),
    FamilyRow::new("discard", nothing),
    FamilyRow::new("fence", fence::fence),
    FamilyRow::new("isspacep", spaces::isspacep),
    FamilyRow::new("ld", load::ld),
    FamilyRow::new("ldu", load::ld),
    FamilyRow::new("membar", fence::fence),
    FamilyRow::new("prefetch", nothing),
    FamilyRow::new("prefetchu", nothing),
    FamilyRow::new("red", atomic::red),
    FamilyRow::new("st", store::st),
];

/// Lowers a hint to the caches, which the machine does not have.
#[expect(clippy::unnecessary_wraps, reason = "a row's function, like those that can fail")]
fn nothing(_: &mut dyn context::Context, _: &crate::ptx::ast::Inst) -> context::Result<()> {
    Ok(())
}
