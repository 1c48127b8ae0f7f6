//! How instructions treat values with undefined bits, for the initialisation check.

use crate::engine::warp::program::Dataflow;
use crate::finding::AccessKind;
use crate::instr::code::{Inst, Role};

/// Instructions that only compute registers from registers, lane by lane.
const PURE: [&str; 37] = [
    "abs", "add", "and", "bfe", "bfi", "bfind", "brev", "clz", "cnot", "copysign", "cos", "cvt", "cvta", "dp2a",
    "dp4a", "ex2", "fma", "isspacep", "lg2", "lop3", "mad", "max", "min", "mov", "mul", "neg", "not", "or", "popc",
    "prmt", "sad", "selp", "shf", "shl", "shr", "sub", "xor",
];

/// Returns the treatment for `inst`, which implements the PTX instruction `op` or a part of it.
pub fn classify(op: &str, inst: &Inst) -> Dataflow {
    let mut words = op.split('.');
    let base = words.next().unwrap_or_default();
    match inst.role {
        Role::Access(AccessKind::Read, ..) if matches!(base, "ld" | "ldu") => {
            Dataflow::Load { signed: matches!(words.next_back(), Some("s8" | "s16" | "s32")) }
        }
        Role::Access(AccessKind::Write, ..) if base == "st" => Dataflow::Store,
        Role::Guard => Dataflow::Guard,
        Role::WarpSync if base == "shfl" => Dataflow::Shuffle,
        // The plain part of a load or store computes its address.
        Role::Plain if PURE.contains(&base) || matches!(base, "ld" | "st") => Dataflow::Pure,
        // A predicate that is combined with the result of a comparison may decide that result.
        Role::Plain if base == "setp" && words.any(|word| matches!(word, "and" | "or" | "xor")) => Dataflow::Pure,
        Role::Plain if base == "setp" => Dataflow::Compare,
        Role::Plain if base != "call" || inst.writes_any() => Dataflow::Opaque,
        _ => Dataflow::Decides,
    }
}
