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
//! [`ptx::opcode`] declares all instructions. One outside the table of [`alu`] has its [`row::FamilyRow`] in its
//! family, with the function that decodes its modifiers and lowers it. Next to that function are the operands, declared
//! by [`operands::operands!`], and the handler that executes it. The lowering has no instruction-specific code: it
//! calls [`find`], and otherwise uses the table.

pub mod alu;
pub(crate) mod code;
pub(crate) mod context;
pub(crate) mod control;
pub(crate) mod copy;
pub(crate) mod matrix;
pub(crate) mod mbarrier;
pub(crate) mod memory;
pub(crate) mod operands;
pub(crate) mod row;
pub(crate) mod system;
pub(crate) mod texture;
pub(crate) mod warp;
pub(crate) mod wgmma;

use ptx::opcode::Opcode;
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

/// The rows by their instructions.
static BY_OPCODE: LazyLock<HashMap<Opcode, &FamilyRow>> =
    LazyLock::new(|| FAMILIES.into_iter().flatten().map(|row| (row.opcode, row)).collect());

/// Returns the row of an instruction. Instructions without a row are in the table of [`alu`].
pub(crate) fn find(opcode: Opcode) -> Option<&'static FamilyRow> {
    BY_OPCODE.get(&opcode).copied()
}

#[cfg(test)]
mod tests {
    use super::{FAMILIES, alu, find};
    use ptx::opcode::{Opcode, OpcodeKind};
    use std::collections::HashSet;

    /// The instructions that the lowering itself turns into the control flow.
    const LOWERED: [Opcode; 5] = [Opcode::Bra, Opcode::Brx, Opcode::Call, Opcode::Exit, Opcode::Ret];

    #[test]
    fn each_instruction_is_lowered_in_one_place_or_declared_as_unmodelled() {
        let computed: HashSet<Opcode> =
            alu::all_forms().iter().flat_map(|form| &form.names).filter_map(|name| Opcode::of(name)).collect();
        let rows = FAMILIES.into_iter().flatten().count();
        assert_eq!(Opcode::ALL.iter().filter(|opcode| find(**opcode).is_some()).count(), rows, "two rows for one");
        for opcode in Opcode::ALL {
            let is_lowered = find(*opcode).is_some() || computed.contains(opcode) || LOWERED.contains(opcode);
            assert_eq!(is_lowered, opcode.kind() != OpcodeKind::Unmodelled, "{}", opcode.name());
        }
    }
}
