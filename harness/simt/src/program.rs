//! A decoded program: what the lowering makes of a PTX module and the executor runs.

use crate::isa::dispatch::Handler;

/// One decoded instruction.
#[derive(Clone)]
#[repr(C)]
pub struct Op {
    /// Executes it with all 32 lanes live.
    pub full: Handler,
    /// Executes it under the warp's mask.
    pub part: Handler,
    /// Destination: byte offset in the register file.
    pub d: u32,
    /// First source.
    pub a: u32,
    /// Second source.
    pub b: u32,
    /// Third source.
    pub c: u32,
    /// Fourth source.
    pub e: u32,
    /// Second destination.
    pub d2: u32,
    /// An immediate: address offset, branch target, constant.
    pub imm: u64,
    /// Index of the instruction in its program: for counters, caches and findings.
    pub site: u32,
}

/// A kernel's code and all that a launch needs to run it.
#[derive(Debug, Default)]
pub struct Program {}
