//! How instructions treat values with undefined bits, for the initialisation check.

use crate::engine::warp::program::Dataflow;
use crate::finding::AccessKind;
use crate::instr::code::{Inst, Role};
use crate::ptx::ast::{self, Type};
use crate::ptx::modifier::Modifier;
use crate::ptx::opcode::ValueFlow;

/// Returns the treatment for `inst`, which implements the PTX instruction `written` or a part of it.
pub fn classify(written: &ast::Inst, inst: &Inst) -> Dataflow {
    match (inst.role, written.opcode.flow()) {
        (Role::Access(AccessKind::Read, ..), ValueFlow::Load) => {
            let signed = matches!(written.types().last(), Some(Type::S8 | Type::S16 | Type::S32));
            Dataflow::Load { signed }
        }
        (Role::Access(AccessKind::Write, ..), ValueFlow::Store) => Dataflow::Store,
        (Role::Guard, _) => Dataflow::Guard,
        (Role::WarpSync, ValueFlow::Shuffle) => Dataflow::Shuffle,
        // The plain part of a load or store computes its address.
        (Role::Plain, ValueFlow::Pure | ValueFlow::Load | ValueFlow::Store) => Dataflow::Pure,
        // A predicate that is combined with the result of a comparison may decide that result.
        (Role::Plain, ValueFlow::Compare) if written.has_any(&[Modifier::And, Modifier::Or, Modifier::Xor]) => {
            Dataflow::Pure
        }
        (Role::Plain, ValueFlow::Compare) => Dataflow::Compare,
        (Role::Plain, flow) if flow != ValueFlow::Call || inst.writes_any() => Dataflow::Opaque,
        _ => Dataflow::Decides,
    }
}
