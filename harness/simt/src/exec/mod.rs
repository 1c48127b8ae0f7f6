//! Execution.

/// What to do after an instruction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u32)]
pub enum Flow {
    /// Go on with the next one.
    Next,
    /// Stop
    Stop,
}

/// A warp
pub struct Warp {
    regs: *mut u8,
    mask: u32,
}
impl Warp {
    /// regs
    #[inline(always)]
    pub fn regs(&self) -> *mut u8 {
        self.regs
    }
    /// mask
    #[inline(always)]
    pub fn mask(&self) -> u32 {
        self.mask
    }
}
