//! Loading PTX, with the driver's own words when it refuses.
use std::{
    ffi::{CString, c_void},
    sync::Arc,
};

use cudarc::{
    driver::{CudaContext, CudaModule, sys},
    nvrtc::Ptx,
};

use crate::{Error, Result, describe};

/// Loads `ptx`, made from `file`.
///
/// # Errors
/// [`Error::Module`] with the driver's log.
pub(crate) fn load(context: &Arc<CudaContext>, file: &str, ptx: &str) -> Result<Arc<CudaModule>> {
    context.load_module(Ptx::from_src(ptx)).map_err(|error| {
        let log = log(ptx)
            .filter(|l| !l.is_empty())
            .map_or_else(String::new, |l| format!("\n{l}"));
        Error::Module {
            file: file.into(),
            log: format!("{}{log}", describe(&error)),
        }
    })
}

/// Loads again, only for the log that the plain call does not give.
fn log(ptx: &str) -> Option<String> {
    let image = CString::new(ptx).ok()?;
    let mut buffer = vec![0_u8; 8192];
    let mut options = [
        sys::CUjit_option::CU_JIT_ERROR_LOG_BUFFER,
        sys::CUjit_option::CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES,
    ];
    let mut values: [*mut c_void; 2] = [buffer.as_mut_ptr().cast(), buffer.len() as *mut c_void];
    let mut module = std::ptr::null_mut();
    // SAFETY: the image ends with NUL, the options and their values are as cuda.h has them, and the
    // buffer outlives the call.
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
