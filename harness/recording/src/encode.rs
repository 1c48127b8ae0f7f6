//! Encodes steps as they happen, up to a limit.

use crate::lanes::put_lanes;
use crate::step::{Access, AccessKind, Space, Step};
use crate::varint::put;

/// Flags of a step's first byte.
pub(crate) mod flag {
    /// The step is of the same warp as the one before it.
    pub const SAME_WARP: u8 = 1;
    /// Its instruction follows that of the step before it.
    pub const NEXT_INSTRUCTION: u8 = 2;
    /// Its mask is that of the step before it.
    pub const SAME_MASK: u8 = 4;
    /// It has changes.
    pub const CHANGES: u8 = 8;
    /// It has an access.
    pub const ACCESS: u8 = 16;
    /// It has a finding.
    pub const FINDING: u8 = 32;
    /// Lanes have reconverged.
    pub const RECONVERGED: u8 = 64;
    /// It has an event.
    pub const EVENT: u8 = 128;
}

/// What a step is encoded relative to: parts of the step before it.
#[derive(Clone, Copy, Default)]
pub(crate) struct Previous {
    pub block: u64,
    pub warp: u32,
    pub instruction: u32,
    pub mask: u32,
}

impl Previous {
    pub fn of(step: &Step) -> Previous {
        Previous { block: step.block, warp: step.warp, instruction: step.instruction, mask: step.mask }
    }
}

/// The encoded steps of a launch.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Encoded {
    /// The steps, one after another.
    pub bytes: Vec<u8>,
    /// How many there are.
    pub steps: u64,
    /// Whether further steps did not fit.
    pub is_cut: bool,
}

/// Encodes the steps of a launch, until they exceed a number of bytes.
#[derive(Default)]
pub struct Encoder {
    encoded: Encoded,
    limit: usize,
    previous: Previous,
}

impl Encoder {
    /// Creates an encoder without steps, for at most `limit` bytes.
    pub fn new(limit: usize) -> Encoder {
        Encoder { limit, ..Encoder::default() }
    }

    /// Returns the number of the next step.
    pub fn steps(&self) -> u64 {
        self.encoded.steps
    }

    /// Whether a step did not fit, so that no further ones are taken.
    pub fn is_cut(&self) -> bool {
        self.encoded.is_cut
    }

    /// Appends a step. If it does not fit, neither it nor any later step is taken.
    pub fn step(&mut self, step: &Step) {
        self.step_with(step, step.access.as_ref());
    }

    /// Appends a step with this access in place of its own, so that a caller can reuse the access.
    pub fn step_with(&mut self, step: &Step, access: Option<&Access>) {
        if self.encoded.is_cut {
            return;
        }
        let before = self.encoded.bytes.len();
        put_step(&mut self.encoded.bytes, step, access, self.previous);
        if self.encoded.bytes.len() > self.limit {
            self.encoded.bytes.truncate(before);
            self.encoded.is_cut = true;
            return;
        }
        self.encoded.steps += 1;
        self.previous = Previous::of(step);
    }

    /// Returns the encoded steps.
    pub fn finish(self) -> Encoded {
        self.encoded
    }
}

fn put_step(bytes: &mut Vec<u8>, step: &Step, access: Option<&Access>, previous: Previous) {
    let when = |holds: bool, flag: u8| if holds { flag } else { 0 };
    let flags = when((step.block, step.warp) == (previous.block, previous.warp), flag::SAME_WARP)
        | when(Some(step.instruction) == previous.instruction.checked_add(1), flag::NEXT_INSTRUCTION)
        | when(step.mask == previous.mask, flag::SAME_MASK)
        | when(!step.changes.is_empty(), flag::CHANGES)
        | when(access.is_some(), flag::ACCESS)
        | when(step.finding.is_some(), flag::FINDING)
        | when(step.reconverged, flag::RECONVERGED)
        | when(step.event.code() != 0, flag::EVENT);
    bytes.push(flags);
    if flags & flag::SAME_WARP == 0 {
        put(bytes, step.block);
        put(bytes, step.warp.into());
    }
    if flags & flag::NEXT_INSTRUCTION == 0 {
        put(bytes, step.instruction.into());
    }
    if flags & flag::SAME_MASK == 0 {
        put(bytes, step.mask.into());
    }
    if flags & flag::EVENT != 0 {
        put(bytes, step.event.code());
    }
    if let Some(finding) = step.finding {
        put(bytes, finding.into());
    }
    if !step.changes.is_empty() {
        put(bytes, step.changes.len() as u64);
        for change in &step.changes {
            put(bytes, change.register.into());
            if step.mask != 0 {
                put_lanes(bytes, step.mask, &change.values);
            }
        }
    }
    if let Some(access) = access {
        put_access(bytes, step.mask, access);
    }
}

fn put_access(bytes: &mut Vec<u8>, mask: u32, access: &Access) {
    let kind = match access.kind {
        AccessKind::Load => 0,
        AccessKind::Store => 1,
        AccessKind::Atomic => 2,
    };
    let space = match access.space {
        Space::Global => 0,
        Space::Shared => 1,
        Space::Local => 2,
        Space::Parameter => 3,
        Space::Constant => 4,
    };
    bytes.push(kind | space << 2);
    put(bytes, access.bytes.into());
    put(bytes, access.traffic.into());
    put(bytes, access.ideal.into());
    put(bytes, access.elements.len() as u64);
    if mask != 0 {
        put_lanes(bytes, mask, &access.addresses);
        for element in &access.elements {
            put_lanes(bytes, mask, element);
        }
    }
}
