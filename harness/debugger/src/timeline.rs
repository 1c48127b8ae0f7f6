//! The recorded launch as a function of time: the value of any register and any byte of memory before any step.
//!
//! Nothing is replayed: each value is looked up in the last step before the position that wrote it. Indices of the
//! steps by warp, by register and by address make that a binary search, so that going back costs as much as going on.

use std::collections::{BTreeMap, HashMap};

use recording::{
    Access, AccessKind, Header, InstructionInfo, LANES, Recording, Space, Step, float_registers, lanes_of,
};

use crate::focus::Focus;

/// The logarithm of the bytes of a range of addresses with a common list of steps.
const RANGE_BITS: u32 = 5;

/// The memory that an address belongs to: of the device, of a block, or of a lane.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Memory {
    /// Global and constant memory.
    Device,
    /// The shared memory of the block with this number.
    Block(u64),
    /// The local memory of a lane: block, warp, lane.
    Lane(u64, u32, usize),
}

/// A byte of memory as far as a recording knows it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum KnownByte {
    /// The last step before the position that accessed it shows this value.
    Current(u8),
    /// No step has accessed it yet, and the first one to do so reads this value.
    ReadLater(u8),
}

impl KnownByte {
    /// Returns the value.
    pub const fn value(self) -> u8 {
        match self {
            Self::Current(value) | Self::ReadLater(value) => value,
        }
    }
}

/// A recording with indices of its steps. A position is the number of steps that have been executed.
pub struct Timeline {
    recording: Recording,
    warps: BTreeMap<(u64, u32), Vec<u32>>,
    writes: HashMap<(u64, u32, u32), Vec<u32>>,
    accesses: BTreeMap<(Memory, u64), Vec<u32>>,
    findings: Vec<u32>,
    floats: Vec<bool>,
}

impl Timeline {
    /// Indexes a recording.
    pub fn new(recording: Recording) -> Self {
        let mut warps: BTreeMap<_, Vec<u32>> = BTreeMap::new();
        let mut writes: HashMap<_, Vec<u32>> = HashMap::new();
        let mut accesses: BTreeMap<_, Vec<u32>> = BTreeMap::new();
        let mut findings = Vec::new();
        for (number, step) in recording.steps.iter().enumerate() {
            let at = number as u32;
            warps.entry((step.block, step.warp)).or_default().push(at);
            for change in &step.changes {
                writes.entry((step.block, step.warp, change.register)).or_default().push(at);
            }
            if step.finding.is_some() {
                findings.push(at);
            }
            let mut last = None;
            for (memory, range) in step.access.iter().flat_map(|access| ranges(step, access)) {
                if last.replace((memory, range)) == Some((memory, range)) {
                    continue;
                }
                let list = accesses.entry((memory, range)).or_default();
                if list.last() != Some(&at) {
                    list.push(at);
                }
            }
        }
        let floats = float_registers(&recording.header);
        Self { recording, warps, writes, accesses, findings, floats }
    }

    /// Returns what the recording says once.
    pub fn header(&self) -> &Header {
        &self.recording.header
    }

    /// Returns all steps, in the order of their execution.
    pub fn steps(&self) -> &[Step] {
        &self.recording.steps
    }

    /// Returns the instruction of a step.
    pub fn instruction(&self, step: usize) -> &InstructionInfo {
        &self.recording.header.instructions[self.recording.steps[step].instruction as usize]
    }

    /// Returns the warps that have steps, by block and number.
    pub fn warps(&self) -> impl Iterator<Item = (u64, u32)> {
        self.warps.keys().copied()
    }

    /// Returns the steps of a warp.
    pub fn steps_of(&self, block: u64, warp: u32) -> &[u32] {
        self.warps.get(&(block, warp)).map_or(&[], Vec::as_slice)
    }

    /// Returns the steps that the lane of the focus executed from this position on.
    pub fn lane_after(&self, focus: Focus, position: usize) -> impl Iterator<Item = usize> {
        let steps = self.steps_of(focus.block, focus.warp);
        let start = steps.partition_point(|step| (*step as usize) < position);
        self.of_lane(&steps[start..], focus.lane)
    }

    /// Returns the steps that the lane of the focus executed before this position, the latest first.
    pub fn lane_before(&self, focus: Focus, position: usize) -> impl Iterator<Item = usize> {
        let steps = self.steps_of(focus.block, focus.warp);
        let end = steps.partition_point(|step| (*step as usize) < position);
        self.of_lane(&steps[..end], focus.lane).rev()
    }

    fn of_lane(&self, steps: &[u32], lane: usize) -> impl DoubleEndedIterator<Item = usize> {
        let is_mine = move |step: &usize| self.recording.steps[*step].mask >> lane & 1 != 0;
        steps.iter().map(|step| *step as usize).filter(is_mine)
    }

    /// Returns the steps at which a check found a mistake.
    pub fn findings(&self) -> impl DoubleEndedIterator<Item = usize> {
        self.findings.iter().map(|step| *step as usize)
    }

    /// Whether a register holds floating-point numbers.
    pub fn is_float(&self, register: u32) -> bool {
        self.floats[register as usize]
    }

    /// Returns the register of a function with this name.
    pub fn register_named(&self, function: &str, name: &str) -> Option<u32> {
        let is_it = |known: &recording::RegisterInfo| known.function == function && known.name == name;
        self.header().registers.iter().position(is_it).map(|index| index as u32)
    }

    /// Returns the steps that write a register of a warp.
    pub fn writes_of(&self, block: u64, warp: u32, register: u32) -> &[u32] {
        self.writes.get(&(block, warp, register)).map_or(&[], Vec::as_slice)
    }

    /// Returns the value of a register in the lane of the focus; `None` if no step has written it before.
    pub fn register(&self, focus: Focus, register: u32, position: usize) -> Option<u64> {
        let steps = self.writes_of(focus.block, focus.warp, register);
        let end = steps.partition_point(|step| (*step as usize) < position);
        steps[..end].iter().rev().find_map(|step| {
            let step = &self.recording.steps[*step as usize];
            let change = step.changes.iter().rfind(|change| change.register == register)?;
            (step.mask >> focus.lane & 1 != 0).then(|| change.values[focus.lane])
        })
    }

    /// Returns the steps that access any of `bytes` bytes from an address on, in ascending order.
    pub fn accesses_of(&self, memory: Memory, address: u64, bytes: u64) -> Vec<usize> {
        let last = address.saturating_add(bytes.saturating_sub(1));
        let lists = self.accesses.range((memory, address >> RANGE_BITS)..=(memory, last >> RANGE_BITS));
        let mut steps: Vec<usize> = lists.flat_map(|(_, list)| list).map(|step| *step as usize).collect();
        steps.sort_unstable();
        steps.dedup();
        steps.retain(|step| {
            let step = &self.recording.steps[*step];
            let access = step.access.as_ref().expect("indexed steps have accesses");
            let overlaps = |lane: usize| {
                let start = access.addresses[lane];
                start <= last && address < start.saturating_add(access.bytes.into())
            };
            lanes_of(step.mask).any(|lane| memory_of(step, access, lane) == Some(memory) && overlaps(lane))
        });
        steps
    }

    /// Returns a byte of memory; `None` if neither an earlier step nor a later one shows it.
    pub fn byte(&self, memory: Memory, address: u64, position: usize) -> Option<KnownByte> {
        let steps = self.accesses.get(&(memory, address >> RANGE_BITS))?;
        let now = steps.partition_point(|step| (*step as usize) < position);
        let shown = |step: &u32| {
            let step = &self.recording.steps[*step as usize];
            let access = step.access.as_ref()?;
            Some((access.kind, byte_of(step, access, memory, address)?))
        };
        if let Some((_, value)) = steps[..now].iter().rev().find_map(shown) {
            return Some(KnownByte::Current(value));
        }
        let (kind, value) = steps[now..].iter().find_map(shown)?;
        (kind == AccessKind::Load).then_some(KnownByte::ReadLater(value))
    }
}

/// Returns the memory that a lane of an access accesses; `None` for parameters.
fn memory_of(step: &Step, access: &Access, lane: usize) -> Option<Memory> {
    match access.space {
        Space::Global | Space::Constant => Some(Memory::Device),
        Space::Shared => Some(Memory::Block(step.block)),
        Space::Local => Some(Memory::Lane(step.block, step.warp, lane)),
        Space::Parameter => None,
    }
}

/// Returns the ranges of addresses that an access touches.
fn ranges(step: &Step, access: &Access) -> impl Iterator<Item = (Memory, u64)> {
    lanes_of(step.mask).filter_map(|lane| Some((memory_of(step, access, lane)?, lane))).flat_map(|(memory, lane)| {
        let first = access.addresses[lane];
        let last = first.saturating_add(u64::from(access.bytes).saturating_sub(1));
        // The bytes of a lane are those of a vector: a file that says otherwise is not worth an index of its own size.
        (first >> RANGE_BITS..=last >> RANGE_BITS).take(LANES).map(move |range| (memory, range))
    })
}

/// Returns the byte at an address that an access read or wrote.
fn byte_of(step: &Step, access: &Access, memory: Memory, address: u64) -> Option<u8> {
    let each = u64::from(access.bytes) / access.elements.len().max(1) as u64;
    let covers = |lane: &usize| {
        memory_of(step, access, *lane) == Some(memory)
            && address.checked_sub(access.addresses[*lane]).is_some_and(|offset| offset < access.bytes.into())
    };
    let lane = lanes_of(step.mask).filter(covers).last()?;
    let offset = address - access.addresses[lane];
    let element = access.elements.get(usize::try_from(offset.checked_div(each)?).ok()?)?;
    element[lane].to_le_bytes().get((offset % each) as usize).copied()
}

#[cfg(test)]
mod tests {
    use recording::{BlockRange, Change, Lanes, RegisterInfo, Replay};

    use super::*;

    /// A recording of two warps that write registers and overlapping bytes of memory, in a pattern without an order.
    fn recording(steps: u64) -> Recording {
        let mut state = 1u64;
        let mut random = |most: u64| {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (state >> 33) % most
        };
        let register = RegisterInfo { name: "%r1".into(), function: "k".into(), bytes: 4 };
        let header = Header {
            grid: [1, 1, 1],
            block: [64, 1, 1],
            blocks: BlockRange { first: 0, last: 0 },
            registers: vec![register; 3],
            instructions: vec![InstructionInfo::default()],
            steps,
            ..Header::default()
        };
        let step = |_| {
            let mask = random(1 << 32) as u32;
            let mut lanes = |most: u64| -> Lanes { std::array::from_fn(|_| random(most)) };
            let change = Change { register: lanes(3)[0] as u32, values: lanes(1 << 32) };
            let access = Access {
                kind: [AccessKind::Store, AccessKind::Atomic][lanes(2)[0] as usize],
                space: Space::Global,
                bytes: 8,
                addresses: lanes(100),
                elements: vec![lanes(1 << 32); 2],
                traffic: 0,
                ideal: 0,
            };
            let warp = lanes(2)[0] as u32;
            Step { warp, mask, changes: vec![change], access: Some(access), ..Step::default() }
        };
        Recording { header, steps: (0..steps).map(step).collect() }
    }

    #[test]
    fn every_position_has_the_registers_and_memory_of_a_replay() {
        let recording = recording(200);
        let mut replay = Replay::new(recording.header.blocks, 1);
        let timeline = Timeline::new(recording.clone());
        for (position, step) in recording.steps.iter().enumerate() {
            for (warp, register, lane) in
                (0..2).flat_map(|w| (0..3).flat_map(move |r| (0..LANES).map(move |l| (w, r, l))))
            {
                let own = timeline.register(Focus { block: 0, warp, lane }, register, position);
                // A replay has 0 in lanes that no step has written.
                let replayed = replay.register(0, warp, register).map_or(0, |values| values[lane]);
                assert_eq!(own.unwrap_or(0), replayed, "position {position}, register {register}, lane {lane}");
            }
            let known: HashMap<u64, u8> = replay.global().collect();
            for address in 0..110 {
                let own = timeline.byte(Memory::Device, address, position);
                assert_eq!(own.map(KnownByte::value), known.get(&address).copied(), "position {position}, {address}");
            }
            replay.step(step).unwrap();
        }
    }

    #[test]
    fn what_is_read_first_is_known_before() {
        let mut recording = recording(1);
        let step = &mut recording.steps[0];
        step.mask = 1;
        let access = step.access.as_mut().unwrap();
        (access.kind, access.addresses) = (AccessKind::Load, [64; LANES]);
        let value = access.elements[0][0] as u8;
        let timeline = Timeline::new(recording);
        assert_eq!(timeline.byte(Memory::Device, 64, 0), Some(KnownByte::ReadLater(value)));
        assert_eq!(timeline.byte(Memory::Device, 64, 1), Some(KnownByte::Current(value)));
        assert_eq!(timeline.byte(Memory::Block(0), 64, 1), None);
        assert_eq!(timeline.accesses_of(Memory::Device, 71, 1), [0]);
        assert_eq!(timeline.accesses_of(Memory::Device, 72, 100), [0; 0]);
        // The size may come from a file that is not what it should be.
        assert_eq!(timeline.accesses_of(Memory::Device, 0, u64::MAX), [0]);
    }
}
