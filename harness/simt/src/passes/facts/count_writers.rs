//! Counts the instructions that write each register.

use ptx::ast::{Body, RegId};

/// For each register, the number of instructions that write it, and the last of these.
pub struct Writers(Vec<(u32, u32)>);

/// Counts the instructions of a body that write each register.
pub fn count_writers(body: &Body) -> Writers {
    let mut writers = vec![(0, 0); body.regs.len()];
    for (at, inst) in (0u32..).zip(&body.code) {
        inst.each_written(|register| {
            if let Some(writer) = writers.get_mut(register.0 as usize) {
                *writer = (writer.0 + 1, at);
            }
        });
    }
    Writers(writers)
}

impl Writers {
    /// Returns the index of the instruction that writes a register, if there is exactly one.
    pub fn only(&self, reg: RegId) -> Option<u32> {
        match self.0.get(reg.0 as usize)? {
            (1, at) => Some(*at),
            _ => None,
        }
    }
}
