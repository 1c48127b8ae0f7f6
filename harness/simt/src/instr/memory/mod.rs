//! Loads, stores, atomics, and other instructions on memory.

mod atomic;
mod b128;
mod element;
mod fence;
pub(crate) mod load;
mod modifiers;
mod spaces;
pub(crate) mod store;

pub(crate) use atomic::combine::{Combine, combination};
pub(crate) use atomic::defer;
pub(crate) use atomic::fetch::after_fetch;
#[cfg(test)]
pub(crate) use atomic::is_deferred;
pub(crate) use element::Elements;
pub(crate) use modifiers::Modifiers;

use super::context;
use super::row::Row;

/// The instructions of this family.
pub(super) const ROWS: &[Row] = &[
    Row::new("applypriority", nothing),
    Row::new("atom", atomic::atom),
    Row::new("cvta", spaces::cvta),
    Row::new("discard", nothing),
    Row::new("fence", fence::fence),
    Row::new("isspacep", spaces::isspacep),
    Row::new("ld", load::ld),
    Row::new("ldu", load::ld),
    Row::new("membar", fence::fence),
    Row::new("prefetch", nothing),
    Row::new("prefetchu", nothing),
    Row::new("red", atomic::red),
    Row::new("st", store::st),
];

/// Lowers a hint to the caches, which the machine does not have.
#[expect(clippy::unnecessary_wraps, reason = "a row's function, like those that can fail")]
fn nothing(_: &mut dyn context::Context, _: &crate::ptx::ast::Inst) -> context::Result<()> {
    Ok(())
}
