//! Replays a recording: rebuilds registers and memory from the steps, and checks that they agree.

use crate::file::Recording;
use crate::header::BlockRange;
use crate::step::{Access, AccessKind, LANES, Lanes, Space, Step, lanes_of};
use std::collections::HashMap;

/// The memory that a byte belongs to: of the device, of a block, or of a lane.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
enum Memory {
    Device,
    Block(u64),
    Lane(u64, u32, usize),
}

/// A step that read something else than what was written before.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("step {step}: lane {lane} reads {read:#04x} at {address:#x}, where {written:#04x} was written before")]
pub struct Mismatch {
    /// The number of the step.
    pub step: usize,
    /// The lane.
    pub lane: usize,
    /// The address of the byte.
    pub address: u64,
    /// The byte that was read.
    pub read: u8,
    /// The byte that was written there.
    pub written: u8,
}

/// The registers and the memory of a launch after some of its steps, as far as these steps have written or read them.
#[derive(Clone, Debug, Default)]
pub struct Replay {
    registers: HashMap<(u64, u32, u32), Lanes>,
    memory: HashMap<(Memory, u64), u8>,
    is_whole: bool,
    steps: usize,
}

impl Replay {
    /// Creates the state before the first step. If not all blocks of the grid are recorded, the others may write global
    /// memory between two steps, so that what is read there is not checked.
    pub fn new(blocks: BlockRange, grid_blocks: u64) -> Replay {
        let is_whole = blocks.first == 0 && blocks.last + 1 >= grid_blocks;
        Replay { is_whole, ..Replay::default() }
    }

    /// Replays all steps of a recording.
    ///
    /// # Errors
    /// The first step that read something else than what was written before. Copies that complete later and accesses of
    /// whole warps are not in a recording as accesses; a launch with them may differ.
    pub fn of(recording: &Recording) -> Result<Replay, Mismatch> {
        let mut replay = Replay::new(recording.header.blocks, recording.header.grid_blocks());
        recording.steps.iter().try_for_each(|step| replay.step(step))?;
        Ok(replay)
    }

    /// Replays the next step.
    ///
    /// # Errors
    /// If it read something else than what was written before.
    pub fn step(&mut self, step: &Step) -> Result<(), Mismatch> {
        if let Some(access) = &step.access {
            self.access(step, access)?;
        }
        for change in &step.changes {
            let values = self.registers.entry((step.block, step.warp, change.register)).or_insert([0; LANES]);
            lanes_of(step.mask).for_each(|lane| values[lane] = change.values[lane]);
        }
        self.steps += 1;
        Ok(())
    }

    /// Returns the values of a register of a warp, if a step has written it.
    pub fn register(&self, block: u64, warp: u32, register: u32) -> Option<&Lanes> {
        self.registers.get(&(block, warp, register))
    }

    /// Returns the bytes of global memory that are known, by their addresses.
    pub fn global(&self) -> impl Iterator<Item = (u64, u8)> {
        self.memory.iter().filter(|((memory, _), _)| *memory == Memory::Device).map(|((_, at), byte)| (*at, *byte))
    }

    fn access(&mut self, step: &Step, access: &Access) -> Result<(), Mismatch> {
        let each = access.bytes / access.elements.len().max(1) as u32;
        for lane in lanes_of(step.mask) {
            let memory = match access.space {
                Space::Global | Space::Constant => Memory::Device,
                Space::Shared => Memory::Block(step.block),
                Space::Local => Memory::Lane(step.block, step.warp, lane),
                Space::Parameter => return Ok(()),
            };
            let values = access.elements.iter().map(|element| element[lane].to_le_bytes());
            let bytes = values.flat_map(|value| value.into_iter().take(each as usize));
            for (address, byte) in (access.addresses[lane]..).zip(bytes) {
                let known = self.memory.insert((memory, address), byte);
                if access.kind == AccessKind::Load
                    && (self.is_whole || memory != Memory::Device)
                    && let Some(written) = known.filter(|known| *known != byte)
                {
                    return Err(Mismatch { step: self.steps, lane, address, read: byte, written });
                }
            }
        }
        Ok(())
    }
}
