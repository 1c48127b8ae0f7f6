//! Decodes steps, and checks that they refer only to what the header has.

use crate::encode::{Previous, flag};
use crate::header::Header;
use crate::lanes::take_lanes;
use crate::step::{Access, AccessKind, Change, Event, LANES, Space, Step};
use crate::varint::take;

/// The most elements of an access, and the most changes of a step.
const MOST_PARTS: u64 = 4096;

/// Decodes all steps of a launch; `None` if the bytes are not exactly `header.steps` valid steps.
pub fn steps(mut bytes: &[u8], header: &Header) -> Option<Vec<Step>> {
    let mut previous = Previous::default();
    let mut steps = Vec::with_capacity((header.steps as usize).min(bytes.len()));
    for _ in 0..header.steps {
        let step = take_step(&mut bytes, previous)?;
        if !refers_to(&step, header) {
            return None;
        }
        previous = Previous::of(&step);
        steps.push(step);
    }
    bytes.is_empty().then_some(steps)
}

/// Whether the header has everything that a step refers to.
fn refers_to(step: &Step, header: &Header) -> bool {
    let threads: u64 = header.block.iter().map(|&n| u64::from(n)).product();
    header.blocks.first <= step.block
        && step.block <= header.blocks.last
        && u64::from(step.warp) < threads.div_ceil(LANES as u64)
        && (step.instruction as usize) < header.instructions.len()
        && step.finding.is_none_or(|finding| (finding as usize) < header.findings.len())
        && step.changes.iter().all(|change| (change.register as usize) < header.registers.len())
}

fn byte(bytes: &mut &[u8]) -> Option<u8> {
    let (&byte, rest) = bytes.split_first()?;
    *bytes = rest;
    Some(byte)
}

fn number(bytes: &mut &[u8]) -> Option<u32> {
    u32::try_from(take(bytes)?).ok()
}

fn count(bytes: &mut &[u8]) -> Option<u64> {
    take(bytes).filter(|count| *count <= MOST_PARTS)
}

fn take_step(bytes: &mut &[u8], previous: Previous) -> Option<Step> {
    let flags = byte(bytes)?;
    let has = |flag: u8| flags & flag != 0;
    let is_same = has(flag::SAME_WARP);
    let (block, warp) = if is_same { (previous.block, previous.warp) } else { (take(bytes)?, number(bytes)?) };
    let is_next = has(flag::NEXT_INSTRUCTION);
    let instruction = if is_next { previous.instruction.checked_add(1)? } else { number(bytes)? };
    let mask = if has(flag::SAME_MASK) { previous.mask } else { number(bytes)? };
    let event = if has(flag::EVENT) { Event::from_code(take(bytes)?)? } else { Event::None };
    let finding = if has(flag::FINDING) { Some(number(bytes)?) } else { None };
    let mut changes = Vec::new();
    for _ in 0..if has(flag::CHANGES) { count(bytes)? } else { 0 } {
        let register = number(bytes)?;
        let values = if mask == 0 { [0; LANES] } else { take_lanes(bytes, mask)? };
        changes.push(Change { register, values });
    }
    let access = if has(flag::ACCESS) { Some(take_access(bytes, mask)?) } else { None };
    let reconverged = has(flag::RECONVERGED);
    Some(Step { block, warp, instruction, mask, reconverged, event, changes, access, finding })
}

fn take_access(bytes: &mut &[u8], mask: u32) -> Option<Access> {
    let code = byte(bytes)?;
    let kind = match code & 3 {
        0 => AccessKind::Load,
        1 => AccessKind::Store,
        2 => AccessKind::Atomic,
        _ => return None,
    };
    let space = match code >> 2 {
        0 => Space::Global,
        1 => Space::Shared,
        2 => Space::Local,
        3 => Space::Parameter,
        4 => Space::Constant,
        _ => return None,
    };
    let (size, traffic, ideal) = (number(bytes)?, number(bytes)?, number(bytes)?);
    let count = count(bytes)?;
    let (mut addresses, mut elements) = ([0; LANES], Vec::new());
    if mask != 0 {
        addresses = take_lanes(bytes, mask)?;
        for _ in 0..count {
            elements.push(take_lanes(bytes, mask)?);
        }
    }
    Some(Access { kind, space, bytes: size, addresses, elements, traffic, ideal })
}
