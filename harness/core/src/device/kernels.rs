//! The kernels of a lab, loaded on a device. Each file is loaded once, from the committed PTX or from PTX that NVRTC
//! compiles.
use std::{
    collections::{BTreeMap, HashMap},
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};

use cudarc::driver::{
    CudaFunction, CudaModule,
    sys::{
        CUfunction_attribute_enum::{
            CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES, CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES,
        },
        CUresult::CUDA_ERROR_NOT_FOUND,
    },
};
use kernels::{KernelSource, PtxOrigin, Warning};
use record::RegisterSource;
use wire::SettingsPatch;

use crate::{
    device::{machine, module, registers, session::Session},
    error::{Error, Result, SkipReason},
    suggest,
};

/// A lab's kernel files, and their modules on one device.
#[derive(Debug)]
pub struct Kernels {
    lab: &'static str,
    files: &'static [KernelSource],
    session: Arc<Session>,
    /// The file of `--kernel`, named after the lab's own file that it replaces.
    replaced: Option<KernelSource>,
    modules: Mutex<HashMap<String, Arc<CudaModule>>>,
    /// The origin of each module's PTX, for session.json.
    origins: Mutex<BTreeMap<String, String>>,
    /// The compiler's warnings, in the order of loading.
    warnings: Mutex<Vec<Warning>>,
    /// Where the registers of each module's kernels come from.
    register_sources: Mutex<HashMap<String, RegisterSource>>,
    /// The kernels requested since the last [`Kernels::forget_asked`], each once.
    asked: Mutex<Vec<(String, CudaFunction, RegisterSource)>>,
}

impl Kernels {
    /// Returns the kernels in the lab's `files`, with `replaced` in place of the file of the same name.
    pub fn new(
        lab: &'static str,
        files: &'static [KernelSource],
        session: &Arc<Session>,
        replaced: Option<KernelSource>,
    ) -> Self {
        let (modules, origins) = (Mutex::default(), Mutex::default());
        let (warnings, register_sources, asked) = (Mutex::default(), Mutex::default(), Mutex::default());
        Self { lab, files, session: session.clone(), replaced, modules, origins, warnings, register_sources, asked }
    }

    /// Whether a file of the user replaces one of the lab's.
    pub fn is_replaced(&self) -> bool {
        self.replaced.is_some()
    }

    /// The open device.
    pub fn session(&self) -> &Arc<Session> {
        &self.session
    }

    /// Returns the origin of each module's PTX, by its file's path.
    pub(crate) fn origins(&self) -> BTreeMap<String, String> {
        lock(&self.origins).clone()
    }

    /// Returns the compiler's warnings about the files that have been loaded so far.
    pub fn warnings(&self) -> Vec<Warning> {
        lock(&self.warnings).clone()
    }

    /// Returns the module of one of the files, e.g. `"vecadd.cu"`, and loads it if necessary.
    ///
    /// # Errors
    /// [`Error::Kernel`] when there is no PTX for it, [`Error::Module`] when the driver rejects it.
    pub fn module(&self, file: &str) -> Result<Arc<CudaModule>> {
        if let Some(module) = lock(&self.modules).get(file) {
            return Ok(module.clone());
        }
        let source = self.source(file)?;
        let capability = self.session.device.compute_capability;
        let compiled = kernels::ptx_for(&source, capability)?;
        let mut origin = compiled.origin;
        let mut registers_from = registers::hand_over(&source.path, &compiled.ptx, capability);
        let module = match module::load(&self.session.context, &source.path, &compiled.ptx) {
            // The compiler is newer than the driver, but the committed PTX may be old enough for it.
            Err(refused) if origin != PtxOrigin::Committed => {
                let Ok(committed) = kernels::committed_for(&source, capability) else {
                    return Err(refused);
                };
                origin = PtxOrigin::Committed;
                registers_from = registers::hand_over(&source.path, &committed.ptx, capability);
                module::load(&self.session.context, &source.path, &committed.ptx).map_err(|_| refused)?
            }
            other => other?,
        };
        let sources = source.files().map(|(name, text)| (name.into(), text.into())).collect();
        machine::configure(&SettingsPatch { sources: Some(sources), ..SettingsPatch::default() });
        if origin != PtxOrigin::Committed {
            lock(&self.warnings).extend(compiled.warnings);
        }
        lock(&self.origins).insert(source.path.to_string(), origin.to_string());
        lock(&self.register_sources).insert(file.into(), registers_from);
        lock(&self.modules).insert(file.into(), module.clone());
        Ok(module)
    }

    /// Returns a kernel of one of the files. It must be `extern "C"`, so that its name is its symbol.
    ///
    /// # Errors
    /// As [`Kernels::module`]; [`Error::NoSuchKernel`]; [`Error::OtherParameters`] when a kernel in the file of
    /// `--kernel` takes other parameters than the lab passes.
    pub fn function(&self, file: &str, kernel: &str) -> Result<CudaFunction> {
        let function = self.load(file, kernel)?;
        let Some((own, source)) = self.own(file, kernel) else {
            self.note(file, kernel, &function);
            return Ok(function);
        };
        let sizes = |f: &CudaFunction| module::parameters(f).unwrap_or_default();
        let (takes, passes) = (sizes(&function), sizes(&own));
        if takes.len() <= passes.len() && takes.iter().zip(&passes).all(|(t, p)| t <= p) {
            self.note(file, kernel, &function);
            return Ok(function);
        }
        let declared = source.declaration(kernel);
        Err(Error::OtherParameters {
            file: self.path(file),
            kernel: kernel.into(),
            takes: module::in_words(&takes),
            passes: module::in_words(&passes),
            declared: declared.map_or_else(String::new, |d| format!("; declare it as {d}")),
        })
    }

    /// Returns a kernel for a launch that passes this number of arguments, each a word of 8 bytes, with permission to
    /// use `bytes` of dynamic shared memory in a block. Its parameters need not be those of the lab's own kernel of
    /// that name.
    ///
    /// # Errors
    /// As [`Kernels::function_with_shared`]; [`Error::OtherParameters`] when the kernel takes another number of
    /// parameters, or larger ones.
    pub fn function_for(&self, file: &str, kernel: &str, arguments: usize, bytes: u32) -> Result<CudaFunction> {
        let function = self.load(file, kernel)?;
        let fits = |takes: &Vec<usize>| takes.len() == arguments && takes.iter().all(|size| *size <= size_of::<u64>());
        if let Some(takes) = module::parameters(&function).filter(|takes| !fits(takes)) {
            let (takes, passes) = (module::in_words(&takes), format!("{arguments} arguments of at most 8 bytes"));
            let (file, kernel, declared) = (self.path(file), kernel.into(), String::new());
            return Err(Error::OtherParameters { file, kernel, takes, passes, declared });
        }
        self.note(file, kernel, &function);
        self.with_shared(function, bytes)
    }

    /// Loads a kernel of one of the files, whatever its parameters are.
    fn load(&self, file: &str, kernel: &str) -> Result<CudaFunction> {
        self.module(file)?.load_function(kernel).map_err(|error| match error.0 {
            CUDA_ERROR_NOT_FOUND => Error::NoSuchKernel { file: self.path(file), kernel: kernel.into() },
            _ => error.into(),
        })
    }

    /// Returns the path of a kernel file; its name if the lab has no such file.
    fn path(&self, file: &str) -> String {
        self.source(file).map_or_else(|_| file.to_string(), |source| source.path.to_string())
    }

    fn note(&self, file: &str, kernel: &str, function: &CudaFunction) {
        let source = lock(&self.register_sources).get(file).copied().unwrap_or(RegisterSource::Driver);
        let mut asked = lock(&self.asked);
        if asked.iter().all(|(name, ..)| name != kernel) {
            asked.push((kernel.into(), function.clone(), source));
        }
    }

    /// Starts a case: clears the kernels that [`Kernels::asked`] returns.
    pub(crate) fn forget_asked(&self) {
        lock(&self.asked).clear();
    }

    /// Returns the kernel `named`, if it was requested in this case; without a name, the only one that was requested.
    /// It comes with the source of its registers.
    pub(crate) fn asked(&self, named: Option<&str>) -> Option<(CudaFunction, RegisterSource)> {
        let asked = lock(&self.asked);
        let found = match (named, asked.as_slice()) {
            (Some(named), all) => all.iter().find(|(name, ..)| name == named),
            (None, [only]) => Some(only),
            (None, _) => None,
        };
        found.map(|(_, function, source)| (function.clone(), *source))
    }

    /// Returns a kernel with permission to use `bytes` of dynamic shared memory in a block; it must be launched with
    /// that size.
    ///
    /// # Errors
    /// As [`Kernels::function`]; [`Error::Skip`] when the device has less shared memory in a block.
    pub fn function_with_shared(&self, file: &str, kernel: &str, bytes: u32) -> Result<CudaFunction> {
        self.with_shared(self.function(file, kernel)?, bytes)
    }

    fn with_shared(&self, function: CudaFunction, bytes: u32) -> Result<CudaFunction> {
        let device = &self.session.device;
        // The kernel's static shared memory counts as well.
        let all = bytes.saturating_add(function.get_attribute(CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES)? as u32);
        if all > device.shared_bytes_per_block {
            let allowed = device.shared_bytes_per_block_optin;
            if all > allowed {
                let device = device.name.clone();
                return Err(Error::Skip(SkipReason::SharedMemory { needed: all, allowed, device }));
            }
            function.set_attribute(CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES, bytes as i32)?;
        }
        Ok(function)
    }

    /// Returns the lab's own kernel of that name, and its source, if the file of `--kernel` replaces it; `None` if its
    /// PTX is not available.
    fn own(&self, file: &str, kernel: &str) -> Option<(CudaFunction, &'static KernelSource)> {
        self.replaced.as_ref().filter(|k| k.name == file)?;
        let source = self.files.iter().find(|k| k.name == file)?;
        let key = format!("{file} of the lab");
        let known = lock(&self.modules).get(&key).cloned();
        let module = match known {
            Some(module) => module,
            None => {
                let capability = self.session.device.compute_capability;
                let compiled = kernels::committed_for(source, capability).ok()?;
                let module = module::load(&self.session.context, &source.path, &compiled.ptx).ok()?;
                lock(&self.modules).insert(key, module.clone());
                module
            }
        };
        Some((module.load_function(kernel).ok()?, source))
    }

    /// Returns the text of a source file in line information, if it is one of the lab's. Files on disk are not read,
    /// because a `#line` in the kernel file may name any file.
    pub(crate) fn source_text(&self, path: &str) -> Option<String> {
        let mut own = self.replaced.iter().chain(self.files);
        own.find_map(|k| k.text(path)).map(str::to_string)
    }

    /// Returns the kernel file of this name: the lab's own, or its replacement by `--kernel`.
    ///
    /// # Errors
    /// [`Error::Usage`] when the lab has no such file.
    pub fn source(&self, file: &str) -> Result<KernelSource> {
        let known = self.replaced.iter().chain(self.files).find(|k| k.name == file);
        known.cloned().ok_or_else(|| {
            let names: Vec<&str> = self.files.iter().map(|k| k.name.as_ref()).collect();
            let meant = suggest::among(file, &names);
            Error::usage(format!("lab {} has no kernel file `{file}`; {meant}", self.lab))
        })
    }
}

/// Locks the mutex even if it is poisoned: the maps are consistent after every change, so a panicking thread has not
/// damaged them.
fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
