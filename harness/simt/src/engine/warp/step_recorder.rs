//! The step recorder, for launches of which blocks are recorded: it knows what to record of each instruction, and keeps
//! the steps.

use super::tables::Operand;
use crate::finding::{AccessKind, Findings, Space};
use crate::kernel::{RecordRequest, Recorded, RecordedRegister};
use crate::lane::LANES;
use crate::memory::View;
use recording::{Access, Allocation, BlockRange, Encoder, Step};
use std::collections::BTreeSet;

/// A memory instruction whose lanes have an address each.
#[derive(Clone, Copy)]
pub(crate) struct RecordedAccess {
    pub what: AccessKind,
    /// The declared space.
    pub space: Space,
    /// Bytes a lane.
    pub size: u32,
}

/// What to record of an instruction.
pub(crate) struct RecordedOp {
    pub access: Option<RecordedAccess>,
    pub is_barrier: bool,
    /// Whether it is left out if it has no effect, because another instruction stands for the same line of the PTX.
    pub is_auxiliary: bool,
    /// The registers of the PTX that it writes, with their numbers in the recording.
    pub writes: Vec<(Operand, u32)>,
}

/// The state of a warp that is recorded.
pub(crate) struct RecordedWarp {
    /// For each lane, the lanes with which it last ran; 0 before it has run.
    pub together: [u32; LANES],
    /// For each lane, the program counter at which it waits; `u32::MAX` if it does not wait.
    pub waits: [u32; LANES],
    /// Whether lanes have reconverged since the last step.
    pub reconverged: bool,
    /// The lanes of which a step has the registers that are set before the first instruction.
    pub started: u32,
}

impl Default for RecordedWarp {
    fn default() -> Self {
        RecordedWarp { together: [0; LANES], waits: [u32::MAX; LANES], reconverged: false, started: 0 }
    }
}

/// Records the steps of a launch.
pub(crate) struct StepRecorder {
    blocks: BlockRange,
    pub encoder: Encoder,
    /// What to record, for each instruction.
    pub ops: Vec<RecordedOp>,
    /// The registers that are set before the first instruction, with their numbers in the recording.
    pub preset: Vec<(Operand, u32)>,
    registers: Vec<RecordedRegister>,
    /// The step that is being filled, without its access.
    pub step: Step,
    /// The access of the step, if it has one: its buffers are reused.
    pub access: Access,
    /// How often each finding had occurred at the last step.
    counts: Vec<u64>,
    /// The allocations that were accessed.
    pub touched: TouchedAllocations,
}

/// The allocations that the steps of a launch accessed.
#[derive(Default)]
pub(crate) struct TouchedAllocations {
    /// Their indices among the live ranges.
    indices: BTreeSet<usize>,
    /// The addresses of the one that was accessed last.
    last: (u64, u64),
}

impl TouchedAllocations {
    /// Remembers the allocation that contains `address`.
    pub fn touch(&mut self, view: &View, address: u64) {
        if (self.last.0..self.last.1).contains(&address) {
            return;
        }
        if let Some((at, _)) = view.locate(address) {
            let range = view.ranges()[at];
            self.last = (range.start, range.end);
            self.indices.insert(at);
        }
    }
}

impl StepRecorder {
    /// Creates a recorder without steps. `ops` is what to record of each instruction; `preset` is what is set before
    /// the first one.
    pub fn new(
        ops: Vec<RecordedOp>,
        (preset, registers): (Vec<(Operand, u32)>, Vec<RecordedRegister>),
        request: RecordRequest,
    ) -> StepRecorder {
        StepRecorder {
            ops,
            preset,
            blocks: request.blocks,
            encoder: Encoder::new(request.limit),
            registers,
            step: Step::default(),
            access: Access {
                kind: recording::AccessKind::Load,
                space: recording::Space::Global,
                bytes: 0,
                addresses: [0; LANES],
                elements: Vec::new(),
                traffic: 0,
                ideal: 0,
            },
            counts: Vec::new(),
            touched: TouchedAllocations::default(),
        }
    }

    /// Whether the steps of the block with this number are recorded.
    pub fn takes(&self, block: u64) -> bool {
        self.blocks.contains(block) && !self.encoder.is_cut()
    }

    /// Returns the finding that has occurred since the last call.
    pub fn new_finding(&mut self, findings: &Findings) -> Option<u32> {
        if findings.list.is_empty() {
            return None;
        }
        let known = self.counts.iter().map(Some).chain(std::iter::repeat(None));
        let changed = findings.list.iter().zip(known).position(|(finding, known)| known != Some(&finding.count));
        if changed.is_some() {
            self.counts = findings.list.iter().map(|finding| finding.count).collect();
        }
        changed.map(|at| at as u32)
    }

    /// Returns what was recorded of a launch that has ended, without its instructions and its shared memory.
    pub fn finish(self, view: &View, findings: &Findings) -> Recorded {
        let allocation = |at: usize| {
            let range = view.ranges()[at];
            let name = view.label(range.id).unwrap_or_default().to_owned();
            Allocation { name, start: range.start, bytes: range.end - range.start }
        };
        Recorded {
            registers: self.registers,
            allocations: self.touched.indices.into_iter().map(allocation).collect(),
            findings: findings.list.clone(),
            steps: self.encoder.finish(),
            ..Recorded::default()
        }
    }
}
