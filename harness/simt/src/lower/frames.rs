//! The functions of a program that may be active more than once in a thread, and how much their frames hold.

use crate::instr::control::stack::Stack;
use std::collections::{HashMap, HashSet};

/// The functions of a program that have frames.
#[derive(Default)]
pub struct Frames {
    /// Bytes of local variables and of parameters in the frames, by function (index in the module).
    pub bytes: HashMap<usize, u32>,
    /// Where the stack pointer is, if any function has a frame.
    pub stack: Option<Stack>,
    /// For each function, those that are called while it is active.
    pub reaches: HashMap<usize, HashSet<usize>>,
}

impl Frames {
    /// Whether a function has frames.
    pub fn has(&self, function: usize) -> bool {
        self.bytes.contains_key(&function)
    }

    /// Makes room in a function's frames. Returns the offset.
    pub fn take(&mut self, function: usize, bytes: u32, align: u32) -> Option<u32> {
        let end = self.bytes.get_mut(&function)?;
        let at = end.checked_next_multiple_of(align.clamp(1, 16))?;
        *end = at.checked_add(bytes)?;
        Some(at)
    }
}
