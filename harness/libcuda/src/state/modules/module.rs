//! Loaded modules and their functions, regardless of how they were loaded.

use super::early_launch::EarlyLaunch;
use super::fat_binary::ImagePtx;
use super::{assembled, device_runtime, ptx};
use crate::abi::error::{Error, Refused, Result};
use crate::abi::types::Handle;
use crate::state::contexts::context::{self, Context};
use crate::state::device::driver::{driver, tell};
use crate::state::device::handles::HandleTable;
use crate::state::device::record;
use crate::state::device::sync::lock;
use simt::finding::FailureOf;
use simt::machine::{self, Kernel, LoadError};
use std::collections::{BTreeMap, BTreeSet};
use std::ffi::CString;
use std::sync::{Arc, Mutex, Weak};

/// A module in the device's memory.
pub struct Module {
    /// The context into which it was loaded; `None` for a library.
    pub context: Option<Weak<Context>>,
    /// The machine's module.
    pub machine: machine::Module,
    /// Its PTX, if one of its launches may be recorded.
    pub text: Option<String>,
    /// Handles of the functions that were looked up, by the index of the kernel.
    functions: Mutex<BTreeMap<usize, Handle>>,
    /// Kernels that were looked up, but that the machine does not support.
    refused: Mutex<BTreeSet<String>>,
}

/// The settable attributes of a function.
#[derive(Clone, Copy)]
pub struct FunctionSettings {
    /// The maximum dynamic shared memory of a launch.
    pub max_dynamic_shared: u32,
    /// The preferred share of the SM's memory for shared memory, in per cent; -1: the driver's choice.
    pub carveout: i32,
    /// `CU_FUNC_ATTRIBUTE_CLUSTER_SIZE_MUST_BE_SET` and the five attributes of clusters after it, which are stored and
    /// returned.
    pub cluster: [i32; 6],
}

/// A kernel of a module.
pub struct Function {
    /// Its module, kept alive as long as the function is known or runs.
    pub module: Arc<Module>,
    index: usize,
    /// Its name as a C string.
    pub name: CString,
    /// The settable attributes.
    pub settings: Mutex<FunctionSettings>,
    /// The state for launches in the manner before CUDA 4.
    pub early_launch: Mutex<EarlyLaunch>,
}

static FUNCTIONS: HandleTable<Function> = HandleTable::new();

/// The function of a handle.
///
/// # Errors
/// `CUDA_ERROR_INVALID_HANDLE`.
pub fn find_function(handle: Handle) -> Result<Arc<Function>> {
    FUNCTIONS.get(handle)
}

impl Function {
    /// Returns the machine's kernel.
    pub fn kernel(&self) -> &Kernel {
        &self.module.machine.kernels()[self.index]
    }
}

impl Module {
    /// Loads PTX into a context, or into no context for a library.
    ///
    /// # Errors
    /// The driver's code, and a message for the log of the JIT.
    pub fn load(image: &ImagePtx, context: Option<&Arc<Context>>) -> std::result::Result<Arc<Module>, Refused> {
        let driver = driver().map_err(|error| Refused::new(error, ""))?;
        let ptx = image.text.as_str();
        if !image.has_code {
            ptx::check(ptx, driver.profile)?;
        }
        if let Some(words) = ptx::doubt(ptx) {
            tell(|observer| observer.warn(&words));
        }
        let text = device_runtime::with(ptx);
        let mut machine = machine::Module::load(&text, &driver.memory, driver.profile).map_err(|error| {
            let code = match (&error, error.verdict()) {
                (LoadError::Memory(_), _) => Error::OUT_OF_MEMORY,
                (_, FailureOf::Machine) => {
                    // The program may be correct, so this must be reported even if the log is not read.
                    tell(|observer| observer.unsupported(&error.to_string()));
                    Error::NOT_SUPPORTED
                }
                _ => Error::INVALID_PTX,
            };
            Refused::new(code, error.to_string())
        })?;
        // A comment may have hidden the directive from the check of the text.
        if !image.has_code {
            ptx::check_target(machine.target(), driver.profile)?;
        }
        machine.set_registers(&assembled::registers(ptx));
        Ok(Arc::new(Module {
            context: context.map(Arc::downgrade),
            machine,
            text: record::is_wanted().then(|| text.into_owned()),
            functions: Mutex::default(),
            refused: Mutex::default(),
        }))
    }

    /// Returns the handle of the kernel with this name.
    ///
    /// # Errors
    /// `CUDA_ERROR_NOT_FOUND`; `CUDA_ERROR_NOT_SUPPORTED` for a kernel that the machine does not support, with the
    /// reason reported once.
    pub fn function(self: &Arc<Self>, name: &str) -> Result<Handle> {
        if let Some(error) = self.machine.unsupported(name) {
            if lock(&self.refused).insert(name.into()) {
                tell(|observer| observer.unsupported(&error.to_string()));
            }
            return Err(Error::NOT_SUPPORTED);
        }
        let index = self.machine.kernels().iter().position(|kernel| kernel.name == name);
        Ok(self.function_at(index.ok_or(Error::NOT_FOUND)?))
    }

    /// Returns the handle of the kernel with this index.
    fn function_at(self: &Arc<Self>, index: usize) -> Handle {
        *lock(&self.functions).entry(index).or_insert_with(|| {
            let name = CString::new(self.machine.kernels()[index].name.as_str()).unwrap_or_default();
            let shared = driver().map_or(0, |driver| driver.profile.shared_per_block);
            let fixed = self.machine.kernels()[index].static_shared;
            let settings =
                FunctionSettings { max_dynamic_shared: shared.saturating_sub(fixed), carveout: -1, cluster: [0; 6] };
            let settings = Mutex::new(settings);
            let early_launch = Mutex::default();
            FUNCTIONS.insert(Arc::new(Function { module: Arc::clone(self), index, name, settings, early_launch }))
        })
    }

    /// Returns the handles of all kernels, in the PTX's order.
    pub fn all(self: &Arc<Self>) -> Vec<Handle> {
        (0..self.machine.kernels().len()).map(|index| self.function_at(index)).collect()
    }

    /// Invalidates the handles of the functions. Running kernels keep the module alive until they are done.
    pub fn close(&self) {
        for handle in std::mem::take(&mut *lock(&self.functions)).into_values() {
            let _ = FUNCTIONS.remove(handle);
        }
    }
}

static MODULES: HandleTable<Module> = HandleTable::new();
/// Libraries: modules without a context.
pub static LIBRARIES: HandleTable<Module> = HandleTable::new();

/// The module of a handle.
///
/// # Errors
/// `CUDA_ERROR_INVALID_HANDLE`.
pub fn find_module(handle: Handle) -> Result<Arc<Module>> {
    MODULES.get(handle)
}

/// Adds a module to the table; returns its handle.
pub fn register(module: Arc<Module>) -> Handle {
    MODULES.insert(module)
}

/// Returns the handle of a library's module, which is created on the first call.
pub fn adopt(module: &Arc<Module>) -> Handle {
    match MODULES.handle_of(module) {
        0 => MODULES.insert(Arc::clone(module)),
        handle => handle,
    }
}

/// Removes a module from the table.
///
/// # Errors
/// `CUDA_ERROR_INVALID_HANDLE`.
pub fn forget(handle: Handle) -> Result<Arc<Module>> {
    MODULES.remove(handle)
}

/// Unloads all modules of a context that ends.
pub fn unload_all(context: &Arc<Context>) {
    let weak = Arc::downgrade(context);
    MODULES.retain(|module| {
        let ends = module.context.as_ref().is_some_and(|of| of.ptr_eq(&weak));
        if ends {
            module.close();
        }
        !ends
    });
}

/// Gives the variables of all libraries their initial values, as in the next context. A library has its variables only
/// once here, so this is done when the last context has ended.
pub fn reset_libraries() {
    if context::all().is_empty() {
        LIBRARIES.all().iter().for_each(|library| library.machine.reset_variables());
    }
}
