//! The conformance vectors: every form the machine supports, its operands, the kernel that executes it, and the file
//! with a GPU's results.
//!
//! The example `conformance` of the driver's package runs these kernels through the driver API, on a GPU or on the
//! machine, and writes such a file; the test next to this folder runs them on the machine and compares.
#![allow(dead_code, reason = "the test and the example each use what they need")]

pub mod barriers;
pub mod cases;
pub mod file;
pub mod kernels;
pub mod matrix;
pub mod memory;
pub mod pixels;
pub mod quarters;
pub mod values;
pub mod warp;
pub mod warpgroups;

/// Threads of a launch, and so the number of operand sets of a case.
pub const COUNT: usize = 1024;
/// Threads of a block.
pub const BLOCK: u32 = 256;

use std::collections::HashSet;
use values::ValueKind;

/// An operand: its contents, and the bits of its register (0 for a predicate).
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Source {
    pub kind: ValueKind,
    pub bits: u32,
}

impl Source {
    /// Creates an operand in a register of the kind's own size.
    pub fn new(kind: ValueKind) -> Source {
        Source { kind, bits: kind.bits() }
    }
}

/// One form with its operands.
#[derive(Clone, Debug)]
pub struct Case {
    /// The instruction, and what distinguishes this use of it from others.
    pub name: String,
    /// Lines of PTX, from `%s0`, `%s1`.. to `%d0`, `%d1`..
    pub text: String,
    /// The sources' kinds and registers.
    pub sources: Vec<Source>,
    /// Bits of the results' registers.
    pub results: Vec<u32>,
}

impl Case {
    /// Creates a case whose sources are in registers of their own size.
    pub fn new(name: impl Into<String>, text: impl Into<String>, kinds: &[ValueKind], results: &[u32]) -> Case {
        Case {
            name: name.into(),
            text: text.into(),
            sources: kinds.iter().map(|&kind| Source::new(kind)).collect(),
            results: results.to_vec(),
        }
    }

    /// The operands: `[source][thread]`.
    pub fn operands(&self) -> Vec<Vec<u64>> {
        values::operands(&self.name, &self.sources)
    }
}

/// Every case.
pub fn all() -> Vec<Case> {
    let mut list = cases::all();
    list.extend(warp::all());
    list.extend(memory::all());
    list.extend(matrix::all());
    list.extend(pixels::all());
    list.extend(quarters::all());
    let refused: HashSet<&str> = include_str!("../not_ptx.txt").lines().collect();
    // PTX cannot spell the multiply-adds that subtract, which come from the contraction of products and differences.
    // The file has no results of packed bytes.
    let is_not_recorded = |name: &str| name.contains(".-") || matches!(name, "pack.b16.b8" | "pack.b32.b8");
    list.retain(|case| !refused.contains(case.name.as_str()) && !is_not_recorded(&case.name));
    list.extend(barriers::all());
    list.extend(warpgroups::all());
    list
}

/// Whether the instruction may get two double-precision NaN and keeps the payload of one: the host keeps another's.
pub fn keeps_a_payload(name: &str) -> bool {
    let words: Vec<&str> = name.split('.').collect();
    matches!(words[0], "add" | "sub" | "mul" | "fma" | "mad" | "div") && words.last() == Some(&"f64")
        || name.starts_with("mma") && name.ends_with(".f64 any")
}

/// Whether the hardware's result is an approximation that the machine does not reproduce bit for bit.
pub fn is_approximate(name: &str) -> bool {
    keeps_a_payload(name) || name.contains(".approx") || name.starts_with("div.full")
}
