//! The instructions by family: their names, operands, and handlers.
//!
//! - [`alu`]: computations on registers. One row of a table declares an instruction.
//! - [`memory`]: loads, stores, atomics, fences.
//! - [`copy`]: asynchronous copies.
//! - [`mbarrier`]: barriers in shared memory.
//! - [`warp`]: operations among the lanes of a warp.
//! - [`matrix`]: matrix products.
//! - [`wgmma`]: matrix products by four warps, from shared memory.
//! - [`texture`]: textures and surfaces.
//! - [`control`]: branches, calls and barriers.
//! - [`system`]: clocks, and the functions that a driver provides.
//!
//! An instruction outside the table has its [`row::FamilyRow`] in its family, with the function that decodes its
//! modifiers and lowers it. Next to that function are the operands, declared by [`operands::operands!`], and the
//! handler that executes it. The lowering has no instruction-specific code: it calls [`find`], and otherwise uses the
//! table.

pub mod alu;
pub(crate) mod code;
pub(crate) mod context;
pub(crate) mod control;
pub(crate) mod copy;
pub(crate) mod matrix;
pub(crate) mod mbarrier;
pub(crate) mod memory;
pub(crate) mod opcode_modifiers;
pub(crate) mod operands;
pub(crate) mod row;
pub(crate) mod system;
pub(crate) mod texture;
pub(crate) mod warp;
pub(crate) mod wgmma;

use row::FamilyRow;
use std::collections::HashMap;
use std::sync::LazyLock;

/// The families' rows.
const FAMILIES: [&[FamilyRow]; 10] = [
    alu::ROWS,
    memory::ROWS,
    copy::ROWS,
    mbarrier::ROWS,
    warp::ROWS,
    matrix::ROWS,
    wgmma::ROWS,
    texture::ROWS,
    control::ROWS,
    system::ROWS,
];

/// The rows by the first word of their names, those with longer names first.
static BY_WORD: LazyLock<HashMap<&str, Vec<&FamilyRow>>> = LazyLock::new(|| {
    let mut rows: HashMap<&str, Vec<&FamilyRow>> = HashMap::new();
    for row in FAMILIES.into_iter().flatten() {
        let word = row.name.split('.').next().unwrap_or_default();
        rows.entry(word).or_default().push(row);
    }
    for rows in rows.values_mut() {
        rows.sort_by_key(|row| std::cmp::Reverse(row.name.len()));
    }
    rows
});

/// Returns the row of an instruction, by its opcode with the modifiers. Instructions without a row are in the table of
/// [`alu`].
pub(crate) fn find(op: &str) -> Option<&'static FamilyRow> {
    let word = op.split('.').next().unwrap_or_default();
    BY_WORD.get(word)?.iter().find(|row| row.is(op)).copied()
}

#[cfg(test)]
mod tests {
    use super::find;

    #[test]
    fn the_longest_name_that_fits_is_found() {
        let name = |op| find(op).map(|row| row.name);
        assert_eq!(name("bar.warp.sync"), Some("bar.warp"));
        assert_eq!(name("bar.sync"), Some("bar"));
        assert_eq!(name("cp.async.wait_all"), Some("cp.async.wait_all"));
        assert_eq!(name("cp.async.ca.shared.global"), Some("cp.async"));
        assert_eq!(name("add.s32"), None);
        assert_eq!(name("ldmatrix.sync"), Some("ldmatrix"));
        assert_eq!(name("barrier"), Some("barrier"));
    }
}
