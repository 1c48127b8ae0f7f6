//! Modules, their functions and variables, and launches. A function's parameters are taken from the PTX, not from the
//! worker.
use std::{
    collections::{HashMap, HashSet},
    ffi::{CStr, c_char, c_int, c_void},
    io, slice,
};

use cuda_abi::driver::Error;

use super::{Client, connection::strange, state::State};
use crate::{
    calls::{self, other},
    frame::{get, get_bytes, put, put_bytes},
    parameters::{self, Parameters},
};

/// The loaded modules, and the functions that were looked up.
#[derive(Default)]
pub(super) struct Modules {
    loaded: HashMap<u64, Module>,
    /// The module and the parameters of each function.
    functions: HashMap<u64, (u64, Parameters)>,
}

/// A module, as described by its PTX.
struct Module {
    kernels: HashMap<String, Parameters>,
    /// The names of its managed variables.
    managed: HashSet<String>,
    /// The addresses of those that were looked up.
    places: HashSet<usize>,
}

/// A launch, with the arguments of `cuLaunchKernel`.
#[derive(Debug, Clone, Copy)]
pub struct Launch {
    /// Whether all blocks must be resident together.
    pub is_cooperative: bool,
    /// The function.
    pub function: u64,
    /// Grid, block, dynamic shared bytes, and the stream.
    pub shape: [u64; 8],
}

impl Client {
    /// `cuModuleLoadData`.
    ///
    /// # Errors
    /// As [`Client::call`]; when the handle already belongs to another module.
    ///
    /// # Safety
    /// `module` can be written, and the image is a NUL-terminated text.
    pub unsafe fn load(&self, module: *mut u64, image: *const c_char) -> io::Result<c_int> {
        let mut state = self.lock();
        // SAFETY: guaranteed by the caller.
        unsafe {
            let code = state.call(calls::number("cuModuleLoadData"), &[module as u64, image as u64])?;
            if code == 0 {
                let ptx = CStr::from_ptr(image).to_string_lossy();
                let (kernels, managed) = (parameters::parse(&ptx), parameters::managed(&ptx));
                // The parameters of one would be used for the other.
                if state.modules.loaded.insert(*module, Module { kernels, managed, places: HashSet::new() }).is_some() {
                    return Err(strange("one handle for two modules"));
                }
            }
            Ok(code)
        }
    }

    /// Loads a module for its log; returns the code, the module, and the log.
    ///
    /// # Errors
    /// As [`Client::call`].
    pub fn log(&self, image: &CStr) -> io::Result<(c_int, u64, Vec<u8>)> {
        let line = &mut self.lock().line;
        put(&mut line.to, other::LOG)?;
        put_bytes(&mut line.to, image.to_bytes())?;
        let code = line.code()?;
        Ok((code, get(&mut line.from)?, get_bytes(&mut line.from, 1 << 16)?))
    }

    /// `cuModuleGetFunction`. The function's parameters are taken from the PTX.
    ///
    /// # Errors
    /// As [`Client::call`]; when the handle already belongs to another function.
    ///
    /// # Safety
    /// `function` can be written, and the name is a NUL-terminated text.
    pub unsafe fn function(&self, function: *mut u64, module: u64, name: *const c_char) -> io::Result<c_int> {
        let mut state = self.lock();
        // SAFETY: guaranteed by the caller.
        let (code, name) = unsafe {
            let code = state.call(calls::number("cuModuleGetFunction"), &[function as u64, module, name as u64])?;
            (code, CStr::from_ptr(name).to_string_lossy())
        };
        if code != 0 {
            return Ok(code);
        }
        let Some(parameters) =
            state.modules.loaded.get(&module).and_then(|known| known.kernels.get(name.as_ref())).cloned()
        else {
            return Ok(Error::NOT_FOUND.0);
        };
        // SAFETY: the call has written it.
        let handle = unsafe { *function };
        let is_other = |known: &(u64, Parameters)| *known != (module, parameters.clone());
        if state.modules.functions.get(&handle).is_some_and(is_other) {
            return Err(strange("one handle for two functions"));
        }
        state.modules.functions.insert(handle, (module, parameters));
        Ok(0)
    }

    /// `cuModuleGetGlobal`. The host can read and write a managed variable.
    ///
    /// # Errors
    /// As [`Client::call`].
    ///
    /// # Safety
    /// The name is a NUL-terminated text.
    pub unsafe fn global(&self, module: u64, name: *const c_char) -> io::Result<Result<(u64, usize), c_int>> {
        let mut state = self.lock();
        let (mut address, mut bytes) = (0_u64, 0_usize);
        let arguments = [&raw mut address as u64, &raw mut bytes as u64, module, name as u64];
        // SAFETY: the places are live, and the name is the caller's.
        let (code, name) = unsafe {
            (state.call(calls::number("cuModuleGetGlobal_v2"), &arguments)?, CStr::from_ptr(name).to_string_lossy())
        };
        if code != 0 {
            return Ok(Err(code));
        }
        let State { line, managed, modules, .. } = &mut *state;
        if let Some(module) = modules.loaded.get_mut(&module).filter(|module| module.managed.contains(name.as_ref())) {
            managed.add_variable(address as usize, bytes, line)?;
            module.places.insert(address as usize);
        }
        Ok(Ok((address, bytes)))
    }

    /// `cuModuleUnload`.
    ///
    /// # Errors
    /// As [`Client::call`].
    pub fn unload(&self, module: u64) -> io::Result<c_int> {
        let mut state = self.lock();
        let places = state.modules.loaded.remove(&module).map(|known| known.places);
        places.into_iter().flatten().for_each(|place| state.managed.remove(place));
        state.modules.functions.retain(|_, (of, _)| *of != module);
        // SAFETY: a call without pointers.
        unsafe { state.call(calls::number("cuModuleUnload"), &[module]) }
    }

    /// The offset and size of the function's parameter `number`; `None` if it has fewer.
    pub fn parameter(&self, function: u64, number: usize) -> Option<(usize, usize)> {
        self.lock().modules.functions.get(&function)?.1.get(number).copied()
    }

    /// Launches a function.
    ///
    /// # Errors
    /// As [`Client::call`].
    ///
    /// # Safety
    /// `parameters` has an entry for each of the function's parameters, which points to as many bytes as the parameter
    /// has.
    pub unsafe fn launch(&self, launch: &Launch, parameters: *const *const c_void) -> io::Result<c_int> {
        let mut state = self.lock();
        let Some((_, sizes)) = state.modules.functions.get(&launch.function) else {
            return Ok(Error::INVALID_VALUE.0);
        };
        if parameters.is_null() && !sizes.is_empty() {
            return Ok(Error::INVALID_VALUE.0);
        }
        let sizes: Vec<usize> = sizes.iter().map(|(_, bytes)| *bytes).collect();
        for place in (0..sizes.len()).filter(|place| sizes[*place] == size_of::<usize>()) {
            // SAFETY: guaranteed by the caller.
            state.tell_of(unsafe { (*parameters.add(place)).cast::<usize>().read_unaligned() })?;
        }
        let State { line, managed, .. } = &mut *state;
        managed.push(line)?;
        put(&mut line.to, other::LAUNCH)?;
        put(&mut line.to, u64::from(launch.is_cooperative))?;
        put(&mut line.to, launch.function)?;
        for number in launch.shape {
            put(&mut line.to, number)?;
        }
        put(&mut line.to, sizes.len() as u64)?;
        for (place, bytes) in sizes.iter().enumerate() {
            // SAFETY: guaranteed by the caller.
            put_bytes(&mut line.to, unsafe { slice::from_raw_parts((*parameters.add(place)).cast::<u8>(), *bytes) })?;
        }
        let code = line.code()?;
        Ok(line.told(code))
    }
}
