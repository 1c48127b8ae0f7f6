//! The machine as its users see it: load a module, look up a kernel, launch it, read the report.

use crate::counters::Counters;
use crate::finding::Finding;
use crate::memory::Memory;
use crate::profile::Profile;
use std::sync::Arc;

/// Why a module could not be loaded.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum LoadError {
    /// The text is no PTX.
    #[error("{0}")]
    Syntax(String),
    /// Something in it is not supported by this machine.
    #[error("{what} ({place}) is not supported by the emulated device")]
    Unsupported {
        /// The instruction or feature.
        what: String,
        /// Function and lines.
        place: String,
    },
    /// It is PTX, and wrong.
    #[error("{what} ({place})")]
    Invalid {
        /// What is wrong.
        what: String,
        /// Function and lines.
        place: String,
    },
    /// Functions that call each other in a circle: every function has one frame here.
    #[error("recursion is not supported by the emulated device: {cycle}")]
    Recursion {
        /// The functions of the circle.
        cycle: String,
    },
    /// Its variables do not fit into the device's memory.
    #[error("the module's variables do not fit: {0}")]
    Memory(String),
}

/// One parameter of a kernel.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Param {
    /// Offset in the parameter block, in bytes.
    pub offset: u32,
    /// Size in bytes.
    pub size: u32,
    /// Alignment in bytes.
    pub align: u32,
}

/// What is known of a kernel before it runs.
#[derive(Clone, Debug)]
pub struct Kernel {
    /// Name as in the PTX (mangled).
    pub name: String,
    /// Its parameters, in order.
    pub params: Vec<Param>,
    /// Bytes of the parameter block.
    pub param_bytes: u32,
    /// Bytes of statically allocated shared memory.
    pub static_shared: u32,
    /// Bytes of local memory a thread.
    pub local_bytes: u32,
    /// Bytes of constant memory that its module uses.
    pub const_bytes: u32,
    /// 32-bit registers a thread, estimated from the largest number of values alive at once.
    pub registers: u32,
    /// Threads a block may have (`__launch_bounds__`).
    pub max_threads: Option<u32>,
    /// Block size that the kernel requires.
    pub required_threads: Option<[u32; 3]>,
    /// `.target` of the module, as major * 10 + minor: 75.
    pub target: u32,
    /// PTX version of the module, as major * 10 + minor: 78.
    pub ptx_version: u32,
    #[allow(dead_code)]
    pub(crate) program: Arc<crate::program::Program>,
}

/// A loaded module. Dropping it frees its variables.
#[derive(Debug)]
pub struct Module {
    kernels: Vec<Kernel>,
    globals: Vec<(String, u64, u64)>,
    memory: Arc<Memory>,
}

impl Module {
    /// Parses, checks and decodes PTX, and places its variables in `memory`.
    ///
    /// # Errors
    /// When the text is no PTX, or holds what this machine does not support: then the error names it and its line.
    pub fn load(ptx: &str, memory: &Arc<Memory>, profile: &Profile) -> Result<Module, LoadError> {
        let _ = profile;
        let (kernels, globals) = crate::lower::load(ptx, memory)?;
        Ok(Module {
            kernels,
            globals,
            memory: Arc::clone(memory),
        })
    }

    /// The kernel of that name.
    pub fn kernel(&self, name: &str) -> Option<&Kernel> {
        self.kernels.iter().find(|kernel| kernel.name == name)
    }

    /// All kernels, in the order of the PTX.
    pub fn kernels(&self) -> &[Kernel] {
        &self.kernels
    }

    /// Address and size in bytes of a variable of the module.
    pub fn global(&self, name: &str) -> Option<(u64, u64)> {
        let (_, address, size) = self.globals.iter().find(|(n, ..)| n == name)?;
        Some((*address, *size))
    }
}

impl Drop for Module {
    fn drop(&mut self) {
        for (_, address, _) in &self.globals {
            // A variable that is gone already is no loss here.
            let _ = self.memory.free(*address);
        }
    }
}

/// Which checks run. Memory checks (bounds, alignment, freed, host pointers) protect the machine itself and are always on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Checks {
    /// Report what the memory checks find (a fault stops the kernel in any case).
    pub memory: bool,
    /// Races in shared and global memory.
    pub race: bool,
    /// Reads of memory that nobody wrote.
    pub init: bool,
    /// Misuse of barriers and of warp-level operations.
    pub sync: bool,
}

impl Checks {
    /// Memory checks only.
    pub const MEMORY: Checks = Checks {
        memory: true,
        race: false,
        init: false,
        sync: false,
    };
    /// All checks.
    pub const ALL: Checks = Checks {
        memory: true,
        race: true,
        init: true,
        sync: true,
    };
    /// None but those that protect the machine.
    pub const NONE: Checks = Checks {
        memory: false,
        race: false,
        init: false,
        sync: false,
    };
}

/// How a launch is executed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Settings {
    /// Which checks run.
    pub checks: Checks,
    /// Whether memory traffic and lines are counted.
    pub counters: bool,
    /// Order of warps and blocks; 0 is the natural one.
    pub seed: u64,
    /// Warp instructions that a launch may execute before it is stopped.
    pub budget: u64,
    /// Host threads; 0: as many as the host has processors.
    pub workers: usize,
}

impl Default for Settings {
    fn default() -> Self {
        Settings {
            checks: Checks::MEMORY,
            counters: true,
            seed: 0,
            budget: 200_000_000_000,
            workers: 0,
        }
    }
}

/// One launch of a kernel. Limits are the caller's to check (`launch errors` are the driver's).
#[derive(Clone, Copy, Debug)]
pub struct Launch<'a> {
    /// The kernel.
    pub kernel: &'a Kernel,
    /// Blocks in x, y, z.
    pub grid: [u32; 3],
    /// Threads of a block in x, y, z.
    pub block: [u32; 3],
    /// Bytes of dynamic shared memory.
    pub dynamic_shared: u32,
    /// The parameter block, `Kernel::param_bytes` long.
    pub params: &'a [u8],
    /// All blocks are resident at once.
    pub cooperative: bool,
}

/// What stopped a kernel.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Fault {
    /// An access outside every allocation.
    IllegalAddress,
    /// An address that is no multiple of the access's size.
    MisalignedAddress,
    /// An address of the wrong space for the instruction.
    InvalidAddressSpace,
    /// An instruction that cannot be executed with these operands.
    IllegalInstruction,
    /// A jump or call to what is no code.
    InvalidPc,
    /// A device-side assertion failed.
    Assert,
    /// `trap`.
    Trap,
    /// The instruction budget ran out.
    LaunchTimeout,
    /// Every thread waits for another.
    Deadlock,
    /// The stack of a thread is full.
    HardwareStackError,
    /// The machine itself failed; the finding says how.
    LaunchFailed,
}

/// What a launch left behind.
#[derive(Clone, Debug, Default)]
pub struct Report {
    /// What was counted.
    pub counters: Counters,
    /// What was found, each mistake once.
    pub findings: Vec<Finding>,
    /// What stopped the kernel, if it did not run to its end.
    pub fault: Option<Fault>,
}

/// Runs a kernel to its end, or to a fault. `out` gets what the kernel prints.
pub fn run(
    memory: &Memory,
    profile: &Profile,
    settings: &Settings,
    launch: &Launch<'_>,
    out: &mut dyn FnMut(&[u8]),
) -> Report {
    crate::exec::launch::run(memory, profile, settings, launch, out)
}
