//! What the step recorder records of each instruction of a program.

use crate::engine::warp::program::{Operand, Program};
use crate::engine::warp::step_recorder::{RecordedAccess, RecordedOp, StepRecorder};
use crate::finding::Findings;
use crate::kernel::{RecordRequest, Recorded, RecordedRegister};
use crate::memory::View;
use recording::SharedVariable;
use std::collections::{HashMap, HashSet};

/// The most registers whose values a warp's first step has because no step writes them.
const MOST_PRESET: usize = 2048;

/// Creates the recorder of a launch of `program`.
pub(crate) fn step_recorder(program: &Program, request: RecordRequest) -> StepRecorder {
    let mut registers = Registers { program, numbers: HashMap::new(), list: Vec::new() };
    let constants: HashSet<u32> = program.constants.iter().map(|constant| constant.offset).collect();
    // The value of a parameter is that which the last caller has left in its place.
    let mut parameters: HashMap<u32, Vec<(Operand, u32)>> = HashMap::new();
    let mut preset = Vec::new();
    for alias in &program.aliases {
        let named = (alias.operand, registers.index(alias.function as usize, alias.number, alias.operand));
        if constants.contains(&alias.operand.place()) {
            preset.push(named);
        } else {
            parameters.entry(alias.operand.place()).or_default().push(named);
        }
    }
    preset.truncate(MOST_PRESET);
    let ops = (0..program.ops.len() as u32).map(|pc| {
        let function = program.functions.iter().position(|f| (f.entry..f.end).contains(&pc)).unwrap_or_default();
        let writes = program.named_writes(pc).map(|(operand, number)| {
            let index = registers.index(function, number, operand);
            (operand, index)
        });
        let mut writes: Vec<_> = writes.collect();
        let passed = program.dataflow_of(pc).1.iter().filter(|operand| operand.is_written());
        writes.extend(passed.filter_map(|operand| parameters.get(&operand.place())).flatten());
        RecordedOp {
            writes,
            access: access_of(program, pc),
            is_barrier: program.barriers.contains(&pc),
            is_auxiliary: is_auxiliary(program, pc),
        }
    });
    let ops = ops.collect();
    StepRecorder::new(ops, (preset, registers.list), request)
}

/// The registers of a recording, which are numbered as they are first met.
struct Registers<'p> {
    program: &'p Program,
    numbers: HashMap<(usize, u32), u32>,
    list: Vec<RecordedRegister>,
}

impl Registers<'_> {
    /// Returns the number in the recording of a register of a function.
    fn index(&mut self, function: usize, number: u32, operand: Operand) -> u32 {
        *self.numbers.entry((function, number)).or_insert_with(|| {
            let function = self.program.functions.get(function).map(|f| f.name.clone()).unwrap_or_default();
            self.list.push(RecordedRegister { function, number, bytes: operand.width() });
            self.list.len() as u32 - 1
        })
    }
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

/// Returns the memory access of an instruction, unless its lanes access memory together or in ranges.
fn access_of(program: &Program, pc: u32) -> Option<RecordedAccess> {
    let at = program.accesses.binary_search_by_key(&pc, |access| access.pc).ok()?;
    let access = &program.accesses[at];
    let order = access.order;
    let is_other = program.warp_syncs.binary_search(&pc).is_ok() || order.bulk || order.asynchronous || order.range;
    (!is_other).then_some(RecordedAccess { what: access.what, space: access.space, size: access.size })
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
