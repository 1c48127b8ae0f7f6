//! Modules: loading PTX, its functions, its variables and the JIT's log.

use crate::abi::{DevicePtr, Handle, get_all, need, put, put_optional, text};
use crate::context::{Context, current, current_or_owner, current_uncaptured};
use crate::error::{Error, Result};
use crate::handles::Table;
use crate::image::{self, Refused};
use crate::kernel::Image;
use crate::link_text;
use std::ffi::{c_char, c_int, c_uint, c_void};
use std::sync::Arc;

static MODULES: Table<Image> = Table::new();

const MAX_REGISTERS: c_int = 0;
const ERROR_LOG: c_int = 5;
const ERROR_LOG_SIZE: c_int = 6;
const INFO_LOG_SIZE: c_int = 4;
const LAST_OPTION: c_int = 36;

/// What the JIT is asked for: where its words go, and how many registers a thread may have.
pub struct Logs {
    /// `CU_JIT_MAX_REGISTERS`.
    pub max_registers: Option<u32>,
    error: Option<(*mut c_char, usize)>,
    /// Where to write how much of the buffers was filled.
    error_size: Option<*mut *mut c_void>,
    info_size: Option<*mut *mut c_void>,
}

impl Logs {
    /// Reads the JIT's options.
    ///
    /// # Errors
    /// `CUDA_ERROR_INVALID_VALUE` for an unknown option.
    pub fn new(count: c_uint, options: *const c_int, values: *mut *mut c_void) -> Result<Logs> {
        let kinds = get_all(options, count as usize)?;
        let given = get_all(values, count as usize)?;
        let value = |kind: c_int| kinds.iter().position(|known| *known == kind);
        if kinds.iter().any(|kind| !(0..LAST_OPTION).contains(kind)) {
            return Err(Error::INVALID_VALUE);
        }
        // SAFETY: the array was just read; its elements are written back as the API says.
        let slot = |kind: c_int| value(kind).map(|at| unsafe { values.add(at) });
        let size = value(ERROR_LOG_SIZE).map_or(0, |at| given[at] as usize);
        let error = value(ERROR_LOG)
            .map(|at| (given[at].cast::<c_char>(), size))
            .filter(|(to, _)| !to.is_null());
        let max_registers = value(MAX_REGISTERS).map(|at| given[at] as usize as u32);
        Ok(Logs {
            max_registers: max_registers.filter(|most| *most > 0),
            error,
            error_size: slot(ERROR_LOG_SIZE),
            info_size: slot(INFO_LOG_SIZE),
        })
    }

    /// PTX within the bound of registers that is asked for.
    pub fn bounded(&self, ptx: String) -> String {
        match self.max_registers {
            Some(most) => link_text::bound_registers(&ptx, most),
            None => ptx,
        }
    }

    /// Writes the error log.
    pub fn write(&self, log: &str) {
        let mut filled = 0;
        if let Some((to, size)) = self.error.filter(|(_, size)| *size > 0) {
            // A buffer that is there and not empty can be written.
            let _ = crate::abi::put_text(to, size, log);
            filled = log.len().min(size - 1) + usize::from(!log.is_empty());
        }
        for (slot, filled) in [(self.error_size, filled), (self.info_size, 0)] {
            if let Some(slot) = slot {
                put_optional(slot, filled as *mut c_void);
            }
        }
    }
}

fn finish(
    out: *mut Handle,
    ptx: std::result::Result<String, Refused>,
    logs: Option<&Logs>,
) -> Result {
    let context = current_uncaptured()?;
    need(out)?;
    let ptx = ptx.map(|ptx| logs.map_or(ptx.clone(), |logs| logs.bounded(ptx)));
    let loaded = ptx.and_then(|ptx| Image::load(&ptx, Some(&context)));
    match loaded {
        Ok(image) => {
            if let Some(logs) = logs {
                logs.write("");
            }
            put(out, MODULES.insert(image))
        }
        Err(refused) => {
            if let Some(logs) = logs {
                logs.write(&refused.log);
            }
            tell(&refused);
            Err(refused.error)
        }
    }
}

/// Most clients ask for no log, so a refused image is also explained on standard error, unless that is not wanted.
pub fn tell(refused: &Refused) {
    if !crate::report::quiet() && !refused.log.is_empty() {
        eprintln!("emulated CUDA driver: {}", refused.log);
    }
}

fn load(out: *mut Handle, name: *const c_char) -> Result {
    current()?;
    need(out)?;
    finish(out, image::from_file(&text(name)?), None)
}

fn load_data(out: *mut Handle, data: *const c_void) -> Result {
    current()?;
    need(out)?;
    finish(out, image::from_memory(data), None)
}

fn load_data_ex(
    out: *mut Handle,
    data: *const c_void,
    count: c_uint,
    options: *const c_int,
    values: *mut *mut c_void,
) -> Result {
    current()?;
    need(out)?;
    let logs = Logs::new(count, options, values)?;
    finish(out, image::from_memory(data), Some(&logs))
}

fn unload(module: Handle) -> Result {
    let owner = MODULES.get(module)?.context.clone();
    let owner = owner.and_then(|context| context.upgrade());
    let context = current_or_owner(owner.map(|context| context.handle))?;
    let image = MODULES.remove(module)?;
    let result = context.synchronize();
    image.close();
    result
}

/// A context's modules are gone with it.
pub fn unload_all(context: &Arc<Context>) {
    let weak = Arc::downgrade(context);
    MODULES.retain(|image| {
        let ends = image.context.as_ref().is_some_and(|of| of.ptr_eq(&weak));
        if ends {
            image.close();
        }
        !ends
    });
}

fn get_function(out: *mut Handle, module: Handle, name: *const c_char) -> Result {
    current()?;
    need(out)?;
    let image = MODULES.get(module)?;
    put(out, image.function(&text(name)?)?)
}

fn function_count(out: *mut c_uint, module: Handle) -> Result {
    current()?;
    put(out, MODULES.get(module)?.machine.kernels().len() as c_uint)
}

fn enumerate(out: *mut Handle, count: c_uint, module: Handle) -> Result {
    current()?;
    list(out, count, &MODULES.get(module)?)
}

/// Writes the handles of an image's kernels, at most `count`.
///
/// # Errors
/// When there is nowhere to write them.
pub fn list(out: *mut Handle, count: c_uint, image: &Arc<Image>) -> Result {
    need(out)?;
    for (i, handle) in image.all().into_iter().take(count as usize).enumerate() {
        // SAFETY: the caller promises room for `count` handles.
        unsafe { out.add(i).write_unaligned(handle) };
    }
    Ok(())
}

fn get_global(
    out: *mut DevicePtr,
    bytes: *mut usize,
    module: Handle,
    name: *const c_char,
) -> Result {
    current()?;
    let image = MODULES.get(module)?;
    global(out, bytes, &image, name)
}

/// Where a variable of an image lies, and its size; either may be unwanted.
///
/// # Errors
/// `CUDA_ERROR_NOT_FOUND`.
pub fn global(
    out: *mut DevicePtr,
    bytes: *mut usize,
    image: &Image,
    name: *const c_char,
) -> Result {
    let (address, size) = image.machine.global(&text(name)?).ok_or(Error::NOT_FOUND)?;
    if out.is_null() && bytes.is_null() {
        return Err(Error::INVALID_VALUE);
    }
    put_optional(out, address);
    put_optional(bytes, size as usize);
    Ok(())
}

/// The handle of a library's image as a module: made on the first call.
pub fn adopt(image: &Arc<Image>) -> Handle {
    match MODULES.handle_of(image) {
        0 => MODULES.insert(Arc::clone(image)),
        handle => handle,
    }
}

fn loading_mode(out: *mut c_int) -> Result {
    crate::driver::driver()?;
    // Eager.
    put(out, 1)
}

fn no_reference(out: *mut Handle, module: Handle, name: *const c_char) -> Result {
    current()?;
    need(out)?;
    MODULES.get(module)?;
    text(name)?;
    // Texture and surface references went with CUDA 12, so no module has any.
    Err(Error::NOT_FOUND)
}

entry_points! {
    cuModuleLoad(out: *mut Handle, name: *const c_char) = load;
    cuModuleLoadData(out: *mut Handle, data: *const c_void) = load_data;
    cuModuleLoadDataEx(out: *mut Handle, data: *const c_void, count: c_uint, options: *const c_int,
        values: *mut *mut c_void) = load_data_ex;
    cuModuleLoadFatBinary(out: *mut Handle, data: *const c_void) = load_data;
    cuModuleUnload(module: Handle) = unload;
    cuModuleGetFunction(out: *mut Handle, module: Handle, name: *const c_char) = get_function;
    cuModuleGetFunctionCount(out: *mut c_uint, module: Handle) = function_count;
    cuModuleEnumerateFunctions(out: *mut Handle, count: c_uint, module: Handle) = enumerate;
    cuModuleGetGlobal(out: *mut DevicePtr, bytes: *mut usize, module: Handle, name: *const c_char) = get_global;
    cuModuleGetGlobal_v2(out: *mut DevicePtr, bytes: *mut usize, module: Handle, name: *const c_char) = get_global;
    cuModuleGetLoadingMode(out: *mut c_int) = loading_mode;
    cuModuleGetTexRef(out: *mut Handle, module: Handle, name: *const c_char) = no_reference;
    cuModuleGetSurfRef(out: *mut Handle, module: Handle, name: *const c_char) = no_reference;
}
