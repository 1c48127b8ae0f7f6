//! The functions of a program that may be active more than once in a thread, and the sizes of their frames.

use crate::instr::code::OperandSlot;
use crate::instr::control::stack::Stack;
use std::collections::{HashMap, HashSet};

/// The maximum bytes of local memory with offsets here, for the frame of one function or for all other variables of a
/// thread: sums of such sizes with stacks and alignments still fit into 32 bits. The limit of a launch is much lower.
const MOST: u64 = 1 << 30;

/// Reserves space in a thread's local memory, or in a frame, that is used up to `end`. Returns the offset, if there is
/// room.
pub fn take(end: &mut u32, bytes: u64, align: u32) -> Option<u32> {
    let at = u64::from(*end).next_multiple_of(u64::from(align));
    let new = at.checked_add(bytes).filter(|new| *new <= MOST)?;
    *end = new as u32;
    Some(at as u32)
}

/// The functions of a program that have frames.
#[derive(Default)]
pub struct Frames {
    /// Bytes of local variables and of parameters in the frames, by function (index in the module).
    pub bytes: HashMap<usize, u32>,
    /// The stack pointer, if any function has a frame.
    pub stack: Option<Stack>,
    /// The start of the latest dynamic array, if any function allocates such arrays.
    pub arrays: Option<OperandSlot>,
    /// For each function, those that are called while it is active.
    pub reaches: HashMap<usize, HashSet<usize>>,
}

impl Frames {
    /// Whether a function has frames.
    pub fn has(&self, function: usize) -> bool {
        self.bytes.contains_key(&function)
    }

    /// Reserves space in a function's frames. Returns the offset, if there is room.
    pub fn take(&mut self, function: usize, bytes: u64, align: u32) -> Option<u32> {
        take(self.bytes.get_mut(&function)?, bytes, align.clamp(1, 16))
    }
}
