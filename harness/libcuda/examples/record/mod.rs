//! A device that runs recorded cases: each is a kernel that takes a pointer to operands and one to results.

use super::suite::file::{self, Column, Entry};
use super::suite::{BLOCK, COUNT, Case, kernels};
use cudarc::driver::sys::{self, CUjit_option, CUresult};
use std::error::Error;
use std::ffi::{CString, c_void};
use std::ptr::null_mut;

pub type Result<T> = std::result::Result<T, Box<dyn Error>>;

/// Opens the machine's driver library instead of NVIDIA's; it stays open until the process ends.
pub fn use_machine(library: &str) -> Result<()> {
    // SAFETY: the machine's library runs no code when it is opened.
    std::mem::forget(unsafe { libloading::Library::new(library) }?);
    Ok(())
}

/// Names the call that failed.
fn check(what: &str, code: CUresult) -> Result<()> {
    if code == CUresult::CUDA_SUCCESS { Ok(()) } else { Err(format!("{what}: {code:?}").into()) }
}

/// A device's primary context, which is recreated after a kernel has failed.
pub struct Device {
    index: i32,
    input: u64,
    output: u64,
    /// The size of the larger of the two buffers.
    bytes: usize,
}

impl Device {
    pub fn open(bytes: usize) -> Result<Device> {
        let mut device = Device { index: 0, input: 0, output: 0, bytes };
        // SAFETY: out parameters are live variables.
        unsafe {
            check("cuInit", sys::cuInit(0))?;
            check("cuDeviceGet", sys::cuDeviceGet(&mut device.index, 0))?;
        }
        device.start()?;
        Ok(device)
    }

    fn start(&mut self) -> Result<()> {
        // SAFETY: as above.
        unsafe {
            let mut context = null_mut();
            let code = sys::cuDevicePrimaryCtxRetain(&mut context, self.index);
            check("cuDevicePrimaryCtxRetain", code)?;
            check("cuCtxSetCurrent", sys::cuCtxSetCurrent(context))?;
            check("cuMemAlloc", sys::cuMemAlloc_v2(&mut self.input, self.bytes))?;
            check("cuMemAlloc", sys::cuMemAlloc_v2(&mut self.output, self.bytes))
        }
    }

    pub fn restart(&mut self) -> Result<()> {
        // SAFETY: nothing from the old context is used again.
        unsafe {
            check("cuDevicePrimaryCtxReset", sys::cuDevicePrimaryCtxReset_v2(self.index))?;
        };
        self.start()
    }

    /// Returns the device's name and the driver's version.
    pub fn name(&self) -> Result<String> {
        let mut name = [0i8; 100];
        let mut driver = 0;
        // SAFETY: the length is that of the array.
        unsafe {
            let code = sys::cuDeviceGetName(name.as_mut_ptr().cast(), 100, self.index);
            check("cuDeviceGetName", code)?;
            check("cuDriverGetVersion", sys::cuDriverGetVersion(&mut driver))?;
        }
        let name: Vec<u8> = name.iter().take_while(|c| **c != 0).map(|c| *c as u8).collect();
        let name = String::from_utf8_lossy(&name).into_owned();
        Ok(format!("{name}, driver for CUDA {}.{}", driver / 1000, driver % 1000 / 10))
    }

    /// Runs a case with the kernel of this name.
    pub fn run(&self, module: sys::CUmodule, kernel: &str, case: &Case, cooperative: bool) -> Result<Entry> {
        let operands: Vec<u64> = case.operands().into_iter().flatten().collect();
        let mut results = vec![0u64; case.results.len() * COUNT];
        let name = CString::new(kernel)?;
        // SAFETY: the buffers are as long as any case needs, and the kernel takes two pointers.
        unsafe {
            let mut kernel = null_mut();
            check("cuModuleGetFunction", sys::cuModuleGetFunction(&mut kernel, module, name.as_ptr()))?;
            if !operands.is_empty() {
                let code = sys::cuMemcpyHtoD_v2(self.input, operands.as_ptr().cast(), operands.len() * 8);
                check("cuMemcpyHtoD", code)?;
            }
            let bytes = kernels::output_bytes(case);
            check("cuMemsetD8", sys::cuMemsetD8_v2(self.output, 0, bytes))?;
            let (mut input, mut output) = (self.input, self.output);
            let mut params = [(&raw mut input).cast::<c_void>(), (&raw mut output).cast::<c_void>()];
            let grid = COUNT as u32 / BLOCK;
            let params = params.as_mut_ptr();
            let code = if cooperative {
                sys::cuLaunchCooperativeKernel(kernel, grid, 1, 1, BLOCK, 1, 1, 0, null_mut(), params)
            } else {
                let extra = null_mut();
                sys::cuLaunchKernel(kernel, grid, 1, 1, BLOCK, 1, 1, 0, null_mut(), params, extra)
            };
            check("the launch", code)?;
            check("cuCtxSynchronize", sys::cuCtxSynchronize())?;
            let code = sys::cuMemcpyDtoH_v2(results.as_mut_ptr().cast(), self.output, results.len() * 8);
            check("cuMemcpyDtoH", code)?;
        }
        Ok(Entry {
            name: case.name.clone(),
            inputs: file::inputs(case),
            error: String::new(),
            columns: results.chunks(COUNT).map(|c| Column::Full(c.to_vec())).collect(),
        })
    }
}

/// Loads a module into the current context; an error contains the driver's log.
pub fn load(ptx: &str) -> Result<sys::CUmodule> {
    let text = CString::new(ptx)?;
    let mut log = vec![0u8; 4096];
    let mut options = [CUjit_option::CU_JIT_ERROR_LOG_BUFFER, CUjit_option::CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES];
    let mut values = [log.as_mut_ptr().cast::<c_void>(), log.len() as *mut c_void];
    let mut module = null_mut();
    // SAFETY: the text is zero-terminated, and the values of the options have the types that the options require.
    let code = unsafe {
        sys::cuModuleLoadDataEx(&mut module, text.as_ptr().cast(), 2, options.as_mut_ptr(), values.as_mut_ptr())
    };
    if code != CUresult::CUDA_SUCCESS {
        let log = String::from_utf8_lossy(&log);
        return Err(format!("load: {code:?}: {}", log.trim_end_matches('\0')).into());
    }
    Ok(module)
}
