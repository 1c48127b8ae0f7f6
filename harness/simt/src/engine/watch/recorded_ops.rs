//! What the step recorder records of each instruction of a program.

use crate::engine::warp::program::Program;
use crate::engine::warp::step_recorder::{RecordedAccess, RecordedOp, StepRecorder};
use crate::finding::Findings;
use crate::kernel::{RecordRequest, Recorded, RecordedRegister};
use crate::memory::View;
use recording::SharedVariable;
use std::collections::HashMap;

/// Creates the recorder of a launch of `program`.
pub(crate) fn step_recorder(program: &Program, request: RecordRequest) -> StepRecorder {
    let mut numbers = HashMap::new();
    let mut registers = Vec::new();
    let ops = (0..program.ops.len() as u32).map(|pc| {
        let function = program.functions.iter().position(|f| (f.entry..f.end).contains(&pc)).unwrap_or_default();
        let writes = program.named_writes(pc).map(|(operand, number)| {
            let index = *numbers.entry((function, number)).or_insert_with(|| {
                let function = program.functions.get(function).map(|f| f.name.clone()).unwrap_or_default();
                registers.push(RecordedRegister { function, number, bytes: operand.width() });
                registers.len() as u32 - 1
            });
            (operand, index)
        });
        RecordedOp {
            writes: writes.collect(),
            access: access_of(program, pc),
            is_barrier: program.barriers.contains(&pc),
            is_auxiliary: is_auxiliary(program, pc),
        }
    });
    let ops = ops.collect();
    StepRecorder::new(ops, registers, request)
}

/// Returns the recording of a launch of `program` that has ended.
pub(crate) fn recorded(
    recorder: StepRecorder,
    program: &Program,
    (view, shared_bytes): (&View, u32),
    findings: &Findings,
) -> Recorded {
    let variables = program.shared_vars.iter();
    let shared = variables.map(|var| SharedVariable { name: var.name.clone(), offset: var.offset, bytes: var.size });
    Recorded {
        instructions: (0..program.ops.len() as u32).map(|pc| program.place_of(pc)).collect(),
        shared_bytes,
        shared: shared.collect(),
        ..recorder.finish(view, findings)
    }
}

/// Returns the memory access of an instruction, unless its lanes access memory together.
fn access_of(program: &Program, pc: u32) -> Option<RecordedAccess> {
    let at = program.accesses.binary_search_by_key(&pc, |access| access.pc).ok()?;
    let access = &program.accesses[at];
    let together = program.warp_syncs.binary_search(&pc).is_ok() || access.order.bulk || access.order.asynchronous;
    (!together).then_some(RecordedAccess { what: access.what, space: access.space, size: access.size })
}

/// Whether another instruction stands for the same line of the PTX: a neighbour, or the one to which it jumps.
fn is_auxiliary(program: &Program, pc: u32) -> bool {
    let line = |pc: u32| program.at.get(pc as usize).map(|at| program.locs[*at as usize].0.ptx_line);
    let own = line(pc);
    // A block that continues in the next one ends in a jump that the PTX does not have.
    let is_end = program.blocks.binary_search_by_key(&pc, |block| block.end).is_ok();
    let target = u32::try_from(program.ops[pc as usize].imm).ok().filter(|_| is_end);
    let others = [Some(pc + 1), pc.checked_sub(1), target];
    others.into_iter().flatten().any(|other| other != pc && line(other) == own)
}
