//! Loads PTX, with the driver's own message if the driver rejects it.
use std::{
    ffi::{CString, c_void},
    sync::Arc,
};

use cudarc::{
    driver::{CudaContext, CudaFunction, CudaModule, sys},
    nvrtc::Ptx,
};

use crate::{
    device::{
        fault::{self, Class},
        machine,
    },
    error::{Error, Result, describe},
};

/// Loads `ptx`, made from `file`.
///
/// # Errors
/// [`Error::Module`] with the driver's log; [`Error::Driver`] if the device is out of memory, which is not the PTX's
/// fault.
pub(crate) fn load(context: &Arc<CudaContext>, file: &str, ptx: &str) -> Result<Arc<CudaModule>> {
    context.load_module(Ptx::from_src(ptx)).map_err(|error| {
        if let Class::Memory = fault::class(error.0) {
            return error.into();
        }
        let log = log(ptx).filter(|l| !l.is_empty()).map_or_else(String::new, |l| format!("\n{l}"));
        // The machine's findings in earlier launches must not be lost either.
        let findings = machine::report().ok().flatten().map_or_else(Vec::new, |report| report.findings);
        Error::Module { file: file.into(), log: format!("{}{log}", describe(&error)), findings }
    })
}

/// Loads the module again to get the log, which the plain call does not return.
fn log(ptx: &str) -> Option<String> {
    let image = CString::new(ptx).ok()?;
    let mut buffer = vec![0_u8; 8192];
    let mut options =
        [sys::CUjit_option::CU_JIT_ERROR_LOG_BUFFER, sys::CUjit_option::CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES];
    let mut values: [*mut c_void; 2] = [buffer.as_mut_ptr().cast(), buffer.len() as *mut c_void];
    let mut module = std::ptr::null_mut();
    // SAFETY: the image ends with NUL, the options and their values match cuda.h, and the buffer outlives the call.
    unsafe {
        let status = sys::cuModuleLoadDataEx(
            &mut module,
            image.as_ptr().cast(),
            options.len() as u32,
            options.as_mut_ptr(),
            values.as_mut_ptr(),
        );
        if status == sys::CUresult::CUDA_SUCCESS {
            let _ = sys::cuModuleUnload(module);
            return None;
        }
    }
    let end = buffer.iter().position(|b| *b == 0)?;
    Some(String::from_utf8_lossy(&buffer[..end]).trim().to_string())
}

/// Returns the sizes in bytes of a kernel's parameters; `None` if the driver is too old to report them (before CUDA
/// 12.4).
pub(crate) fn parameters(function: &CudaFunction) -> Option<Vec<usize>> {
    type ParamInfo = unsafe extern "C" fn(sys::CUfunction, usize, *mut usize, *mut usize) -> sys::CUresult;
    // SAFETY: the function has this type in cuda.h, and the handle lives as long as `function`.
    unsafe {
        let ask = sys::culib().get::<ParamInfo>(b"cuFuncGetParamInfo").ok()?;
        let mut sizes = Vec::new();
        let (mut offset, mut size) = (0, 0);
        // The index after the last parameter is an invalid value.
        while ask(function.cu_function(), sizes.len(), &raw mut offset, &raw mut size) == sys::CUresult::CUDA_SUCCESS {
            sizes.push(size);
        }
        Some(sizes)
    }
}

/// Formats the number of parameters and their sizes as text.
pub(crate) fn in_words(sizes: &[usize]) -> String {
    let list: Vec<String> = sizes.iter().map(ToString::to_string).collect();
    match list.as_slice() {
        [] => "no parameters".into(),
        [one] => format!("1 parameter of {one} bytes"),
        [rest @ .., last] => format!("{} parameters of {} and {last} bytes", sizes.len(), rest.join(", ")),
    }
}
