//! The machine's public interface: load a module, look up a kernel, launch it, read the report.

use crate::engine::warp::program::Program;
pub use crate::kernel::{
    Caller, Checks, Fault, Geometry, LoadError, Param, Progress, RecordRequest, Recorded, RecordedRegister, Report,
    Runtime, Settings, WORDS, Watch,
};
use crate::memory::Memory;
use crate::passes::Loaded;
use gpu::Part;
use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

/// A kernel with its code, and the properties that are known before it runs.
pub type Kernel = crate::kernel::Kernel<Arc<Program>>;

/// One launch of a kernel. The caller checks the limits of the device.
pub type Launch<'a> = crate::kernel::Launch<'a, Arc<Program>>;

/// A loaded module. Dropping it frees its variables.
#[derive(Debug)]
pub struct Module {
    target: String,
    kernels: Vec<Kernel>,
    unsupported: Vec<(String, LoadError)>,
    globals: Vec<(String, u64, u64)>,
    initial: Vec<(u64, Vec<u8>)>,
    addresses: Vec<(String, u64)>,
    memory: Arc<Memory>,
}

impl Module {
    /// Parses, checks and decodes PTX, and places its variables in `memory`. Registers are estimated for the part
    /// `profile`.
    ///
    /// # Errors
    /// When the text is not valid PTX, or when all its kernels need something that this machine does not support. The
    /// error names it and its line.
    pub fn load(ptx: &str, memory: &Arc<Memory>, profile: &Part) -> Result<Module, LoadError> {
        let Loaded { target, kernels, unsupported, globals, initial, addresses } =
            crate::passes::load(ptx, memory, profile)?;
        Ok(Module { target, kernels, unsupported, globals, initial, addresses, memory: Arc::clone(memory) })
    }

    /// Replaces the estimated registers of the kernels with these, by the kernels' names: what NVIDIA's assembler
    /// reports.
    pub fn set_registers(&mut self, assembled: &BTreeMap<String, u32>) {
        for kernel in &mut self.kernels {
            if let Some(registers) = assembled.get(&kernel.name).filter(|registers| **registers > 0) {
                (kernel.registers, kernel.has_assembled_registers) = (*registers, true);
            }
        }
    }

    /// Returns the first word of the module's `.target`, such as `sm_90a`: no instruction needs a later architecture.
    /// The caller checks that the part has that architecture.
    pub fn target(&self) -> &str {
        &self.target
    }

    /// Returns why the kernel of that name cannot run, if it needs something that this machine does not support. Such a
    /// kernel is not among the [kernels](Module::kernels).
    pub fn unsupported(&self, name: &str) -> Option<&LoadError> {
        self.unsupported.iter().find(|(kernel, _)| kernel == name).map(|(_, error)| error)
    }

    /// Returns the kernel of that name.
    pub fn kernel(&self, name: &str) -> Option<&Kernel> {
        self.kernels.iter().find(|kernel| kernel.name == name)
    }

    /// Returns the name of the kernel that a pointer of this value refers to in the module's code, whether the kernel
    /// is supported or not. Other modules may use the same values.
    pub fn kernel_at(&self, address: u64) -> Option<&str> {
        self.addresses.iter().find(|(_, at)| *at == address).map(|(name, _)| name.as_str())
    }

    /// Returns all kernels, in the order of the PTX.
    pub fn kernels(&self) -> &[Kernel] {
        &self.kernels
    }

    /// Returns the address and the size in bytes of a variable of the module.
    pub fn global(&self, name: &str) -> Option<(u64, u64)> {
        let (_, address, size) = self.globals.iter().find(|(n, ..)| n == name)?;
        Some((*address, *size))
    }

    /// Gives all variables of the module their initial values again. No kernel of the module may be running.
    pub fn reset_variables(&self) {
        for (_, address, size) in &self.globals {
            let value = self.initial.iter().find(|(of, _)| of == address);
            let value = value.map_or(&[][..], |(_, bytes)| &bytes[..bytes.len().min(*size as usize)]);
            if let Ok(host) = self.memory.host(*address, *size) {
                // SAFETY: the variable has `size` bytes, and no kernel of the module runs.
                unsafe {
                    host.copy_from_nonoverlapping(value.as_ptr(), value.len());
                    host.add(value.len()).write_bytes(0, *size as usize - value.len());
                }
            }
        }
    }
}

impl Drop for Module {
    fn drop(&mut self) {
        for (_, address, _) in &self.globals {
            // The variable may already have been freed, which is not an error.
            let _ = self.memory.free(*address);
        }
    }
}

/// Returns the names of the registers that each function of a module declares, by the function's name. A recording
/// refers to registers by their positions in these lists.
///
/// # Errors
/// When the text is not valid PTX.
pub fn register_names(ptx: &str) -> Result<BTreeMap<String, Vec<String>>, LoadError> {
    crate::passes::register_names(ptx)
}

/// Runs a kernel to its end, or to a fault. The kernel's output goes to `out`.
pub fn run(
    memory: &Memory,
    profile: &Part,
    settings: &Settings,
    launch: &Launch<'_>,
    out: &mut dyn FnMut(&[u8]),
) -> Report {
    static NEVER: AtomicBool = AtomicBool::new(false);
    let watch =
        Watch { cancel: &NEVER, patience: Duration::MAX, slow: &|_| {}, stopped: &|_| {}, runtime: None, record: None };
    run_watched(memory, profile, settings, launch, &watch, out)
}

/// Like [`run`], but reports its progress to `watch`, and stops soon after [`Watch::cancel`] is set. The fault is then
/// [`Fault::LaunchTimeout`], unless the kernel has ended before, and there are no findings: it is not the kernel's
/// mistake.
pub fn run_watched(
    memory: &Memory,
    profile: &Part,
    settings: &Settings,
    launch: &Launch<'_>,
    watch: &Watch<'_>,
    out: &mut dyn FnMut(&[u8]),
) -> Report {
    crate::engine::run::launch::run(memory, profile, settings, launch, watch, out)
}
