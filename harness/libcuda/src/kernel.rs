//! Loaded modules and their functions, however they were loaded.

use crate::abi::Handle;
use crate::context::Context;
use crate::driver::{driver, lock};
use crate::error::{Error, Result};
use crate::handles::Table;
use crate::image::{self, Refused};
use simt::machine::{self, Kernel, LoadError};
use std::collections::BTreeMap;
use std::ffi::CString;
use std::sync::{Arc, Mutex, Weak};

/// A module in the device's memory.
pub struct Image {
    /// The context that it was loaded into; none for a library.
    pub context: Option<Weak<Context>>,
    /// The machine's own.
    pub machine: machine::Module,
    /// Handles of the functions that were asked for, by the kernel's index.
    functions: Mutex<BTreeMap<usize, Handle>>,
}

/// What a function's attributes were set to.
#[derive(Clone, Copy)]
pub struct FunctionSettings {
    /// Dynamic shared memory that a launch may ask for.
    pub max_dynamic_shared: u32,
    /// Per cent of the SM's memory wished for shared memory; -1: the driver's choice.
    pub carveout: i32,
    /// Cluster wishes, kept and given back.
    pub cluster: [i32; 6],
}

/// One kernel of an image.
pub struct Function {
    /// Its image, kept as long as the function is known or runs.
    pub image: Arc<Image>,
    index: usize,
    /// Its name for C.
    pub name: CString,
    /// What was set.
    pub settings: Mutex<FunctionSettings>,
}

static FUNCTIONS: Table<Function> = Table::new();

/// The function of a handle.
///
/// # Errors
/// `CUDA_ERROR_INVALID_HANDLE`.
pub fn find(handle: Handle) -> Result<Arc<Function>> {
    FUNCTIONS.get(handle)
}

impl Function {
    /// The machine's own.
    pub fn kernel(&self) -> &Kernel {
        &self.image.machine.kernels()[self.index]
    }
}

impl Image {
    /// Loads PTX.
    pub fn load(
        ptx: &str,
        context: Option<&Arc<Context>>,
    ) -> std::result::Result<Arc<Image>, Refused> {
        let driver = driver().map_err(|error| Refused {
            error,
            log: String::new(),
        })?;
        image::check(ptx, driver.profile)?;
        let machine =
            machine::Module::load(ptx, &driver.memory, driver.profile).map_err(|error| {
                let code = match error {
                    LoadError::Memory(_) => Error::OUT_OF_MEMORY,
                    _ => Error::INVALID_PTX,
                };
                if let LoadError::Unsupported { .. } | LoadError::Recursion { .. } = &error {
                    // The program may be right, so whoever does not read the log must still be told.
                    crate::report::unsupported(&error.to_string());
                }
                Refused {
                    error: code,
                    log: error.to_string(),
                }
            })?;
        Ok(Arc::new(Image {
            context: context.map(Arc::downgrade),
            machine,
            functions: Mutex::default(),
        }))
    }

    /// The handle of the kernel with this name.
    ///
    /// # Errors
    /// `CUDA_ERROR_NOT_FOUND`.
    pub fn function(self: &Arc<Self>, name: &str) -> Result<Handle> {
        let index = self
            .machine
            .kernels()
            .iter()
            .position(|kernel| kernel.name == name);
        Ok(self.function_at(index.ok_or(Error::NOT_FOUND)?))
    }

    /// The handle of the kernel at this place.
    fn function_at(self: &Arc<Self>, index: usize) -> Handle {
        *lock(&self.functions).entry(index).or_insert_with(|| {
            let name =
                CString::new(self.machine.kernels()[index].name.as_str()).unwrap_or_default();
            let shared = driver().map_or(0, |driver| driver.profile.shared_per_block);
            let fixed = self.machine.kernels()[index].static_shared;
            let settings = FunctionSettings {
                max_dynamic_shared: shared.saturating_sub(fixed),
                carveout: -1,
                cluster: [0; 6],
            };
            let settings = Mutex::new(settings);
            FUNCTIONS.insert(Arc::new(Function {
                image: Arc::clone(self),
                index,
                name,
                settings,
            }))
        })
    }

    /// Handles of all kernels, in the PTX's order.
    pub fn all(self: &Arc<Self>) -> Vec<Handle> {
        (0..self.machine.kernels().len())
            .map(|index| self.function_at(index))
            .collect()
    }

    /// Forgets the functions: their handles are no longer good. What runs keeps the image until it is done.
    pub fn close(&self) {
        for handle in std::mem::take(&mut *lock(&self.functions)).into_values() {
            let _ = FUNCTIONS.remove(handle);
        }
    }
}
