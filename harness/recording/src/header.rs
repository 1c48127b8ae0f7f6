//! What a recording says once: the launch, its code, its memory, its findings.

use crate::variable::{LocalVariable, VariableType};
use serde::{Deserialize, Serialize};

/// Everything of a recording except for its steps.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Header {
    /// The kernel, mangled as in the PTX.
    pub kernel: String,
    /// The kernel as its source declares it.
    pub kernel_name: String,
    /// The number of this launch among those of the program whose kernel was asked for, counted from 1.
    pub launch: u64,
    /// The emulated GPU.
    pub gpu: String,
    /// The command line of the program.
    pub command: String,
    /// Blocks in x, y, z.
    pub grid: [u32; 3],
    /// Threads of a block in x, y, z.
    pub block: [u32; 3],
    /// The blocks that were recorded. The others ran, but their steps are not in the file.
    pub blocks: BlockRange,
    /// The kernel's arguments, in the order of its parameters.
    pub arguments: Vec<Argument>,
    /// Bytes of each block's shared memory.
    pub shared_bytes: u32,
    /// The named parts of shared memory.
    pub shared: Vec<SharedVariable>,
    /// The allocations that the recorded blocks accessed.
    pub allocations: Vec<Allocation>,
    /// The kernel's instructions, as steps number them.
    pub instructions: Vec<InstructionInfo>,
    /// The registers, as changes number them.
    pub registers: Vec<RegisterInfo>,
    /// The local variables, where debug information (`-G`) describes them.
    pub variables: Vec<LocalVariable>,
    /// The types of variables, as variables number them.
    pub types: Vec<VariableType>,
    /// The source files, as instructions number them.
    pub sources: Vec<SourceFile>,
    /// What the checks found in the launch.
    pub findings: Vec<Finding>,
    /// Why the launch was stopped, if it did not run to its end.
    pub fault: Option<String>,
    /// The number of steps.
    pub steps: u64,
    /// Where the recording was cut, if not all steps fit.
    pub cut: Option<Cut>,
}

impl Header {
    /// Whether any instruction has a line of the source.
    pub fn has_lines(&self) -> bool {
        self.instructions.iter().any(|instruction| instruction.source.is_some())
    }

    /// Whether the recorded blocks are blocks of the grid, the sizes of grid and block are numbers of 64 bits, and
    /// types that are referred to exist.
    pub(crate) fn is_possible(&self) -> bool {
        let count = |sizes: [u32; 3]| sizes.into_iter().map(u64::from).try_fold(1, u64::checked_mul);
        let BlockRange { first, last } = self.blocks;
        count(self.block).is_some()
            && first <= last
            && count(self.grid).is_some_and(|blocks| last < blocks)
            && self.has_types()
    }

    /// Whether variables and types refer only to types that there are.
    fn has_types(&self) -> bool {
        let is_there = |index: &u32| (*index as usize) < self.types.len();
        let of_type = |of: &VariableType| match of {
            VariableType::Pointer(to) => to.as_ref().is_none_or(is_there),
            VariableType::Array { element, .. } => is_there(element),
            VariableType::Structure { fields, .. } => fields.iter().all(|field| is_there(&field.type_index)),
            VariableType::Scalar { .. } | VariableType::Other(_) => true,
        };
        self.variables.iter().all(|variable| is_there(&variable.type_index)) && self.types.iter().all(of_type)
    }

    /// Returns the number of blocks of the grid.
    pub fn grid_blocks(&self) -> u64 {
        self.grid.iter().map(|&n| u64::from(n)).product()
    }
}

/// A range of blocks, by their numbers in the grid.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct BlockRange {
    /// The first block.
    pub first: u64,
    /// The last block.
    pub last: u64,
}

impl BlockRange {
    /// Whether the range has this block.
    pub fn contains(&self, block: u64) -> bool {
        (self.first..=self.last).contains(&block)
    }
}

/// An argument of the kernel.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Argument {
    /// Its bytes, as the launch passed them.
    pub value: Vec<u8>,
}

/// A named part of shared memory.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SharedVariable {
    /// Its name in the PTX.
    pub name: String,
    /// Its offset.
    pub offset: u32,
    /// Its bytes; 0 if the launch determines them.
    pub bytes: u32,
}

/// An allocation of global memory.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Allocation {
    /// Which argument of the kernel points to it, or what the driver calls it.
    pub name: String,
    /// Its first address.
    pub start: u64,
    /// Its bytes.
    pub bytes: u64,
}

/// An instruction of the kernel.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct InstructionInfo {
    /// The instruction as the PTX has it.
    pub text: String,
    /// Its line in the PTX, counted from 1.
    pub ptx_line: u32,
    /// The function that it belongs to.
    pub function: String,
    /// The line of the source; `None` without line information.
    pub source: Option<SourceLine>,
    /// For inlined code: the lines from which it was called, the innermost first.
    pub callers: Vec<SourceLine>,
}

/// A line of a source file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SourceLine {
    /// The file: an index into [`Header::sources`].
    pub file: u32,
    /// The line, counted from 1.
    pub line: u32,
}

/// A register.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RegisterInfo {
    /// Its name in the PTX.
    pub name: String,
    /// The function that it belongs to.
    pub function: String,
    /// Its bytes; 0 for a predicate.
    pub bytes: u32,
}

/// A source file.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SourceFile {
    /// Its name in the line information.
    pub name: String,
    /// Its text; `None` if it could not be read.
    pub text: Option<String>,
}

/// A mistake that a check found in the launch.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Finding {
    /// The headline.
    pub title: String,
    /// The whole report.
    pub text: String,
}

/// Where a recording was cut.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Cut {
    /// The bytes that the steps may take.
    pub limit: u64,
}
