//! Runs one case through the driver API.

use super::case::{Argument, Case, Contents, Launched};
use super::output;
use super::values::{self, bytes_of, encode};
use cudarc::driver::sys::{self, CUjit_option, CUresult};
use gpu::Part;
use simt::machine::Module;
use simt::memory::Memory;
use std::ffi::{CString, c_void};
use std::ptr::null_mut;
use std::sync::Arc;
use std::time::{Duration, Instant};

/// The time limit of a case; all cases are much faster, on a GPU and on the machine.
const LIMIT: Duration = Duration::from_secs(60);

/// Returns an error that names the call that failed.
pub fn ok(what: &str, code: CUresult) -> Result<(), String> {
    match code {
        CUresult::CUDA_SUCCESS => Ok(()),
        code => Err(format!("{what}: {code:?}")),
    }
}

/// Returns a text of a report with the printed lines sorted: blocks print in any order.
pub fn in_order(text: &str) -> Vec<&str> {
    let mut lines: Vec<&str> = text.lines().collect();
    if let Some(end) = lines.iter().position(|line| line.is_empty()) {
        lines[..end].sort_unstable();
    }
    lines
}

/// The device's primary context, created for one case and destroyed with it.
struct Context(sys::CUdevice);

impl Context {
    fn new(device: sys::CUdevice) -> Result<Context, String> {
        let mut context = null_mut();
        // SAFETY: the out parameter is a live variable.
        let code = unsafe { sys::cuDevicePrimaryCtxRetain(&mut context, device) };
        ok("cuDevicePrimaryCtxRetain", code)?;
        let owner = Context(device);
        // SAFETY: just retained.
        ok("cuCtxSetCurrent", unsafe { sys::cuCtxSetCurrent(context) })?;
        Ok(owner)
    }
}

impl Drop for Context {
    fn drop(&mut self) {
        // SAFETY: retained once; objects that were created in it are not used again.
        unsafe { sys::cuDevicePrimaryCtxRelease_v2(self.0) };
    }
}

struct Buffer {
    name: String,
    ty: String,
    bytes: usize,
    address: u64,
}

/// Launches a case. Returns its values and printed text in the form of a report.
pub fn play(case: &Case, device: sys::CUdevice) -> Result<String, String> {
    let _context = Context::new(device)?;
    let module = load(&case.ptx)?;
    let mut buffers = Vec::new();
    let launches = || -> Result<(), String> {
        // The order and sizes of parameters, which older drivers cannot report.
        let memory = Arc::new(Memory::new(1 << 28));
        let layout = Module::load(&case.ptx, &memory, Part::default_part());
        let layout = layout.map_err(|e| e.to_string())?;
        for launched in &case.launches {
            let kernel = layout.kernel(&launched.kernel);
            let kernel = kernel.ok_or_else(|| format!("no kernel `{}`", launched.kernel))?;
            let sizes: Vec<u32> = kernel.params.iter().map(|param| param.size).collect();
            launch(case, launched, module, &sizes, &mut buffers)?;
        }
        Ok(())
    };
    let (result, printed) = output::captured(launches)?;
    result?;
    let mut text = String::new();
    if !printed.is_empty() {
        text = format!("printed:\n{printed}\n");
    }
    for buffer in &buffers {
        let mut bytes = vec![0u8; buffer.bytes];
        // SAFETY: both have that length.
        let code = unsafe { sys::cuMemcpyDtoH_v2(bytes.as_mut_ptr().cast(), buffer.address, buffer.bytes) };
        ok("cuMemcpyDtoH", code)?;
        text.push_str(&values::line(&buffer.name, &buffer.ty, &bytes));
    }
    Ok(text)
}

/// Loads the module; an error is the driver's log.
fn load(ptx: &str) -> Result<sys::CUmodule, String> {
    let image = CString::new(ptx).map_err(|e| e.to_string())?;
    let mut log = vec![0u8; 4096];
    let mut options = [CUjit_option::CU_JIT_ERROR_LOG_BUFFER, CUjit_option::CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES];
    let mut values = [log.as_mut_ptr().cast::<c_void>(), log.len() as *mut c_void];
    let mut module = null_mut();
    // SAFETY: the text is zero-terminated, and the values of the options have the types that the options require.
    let code = unsafe {
        sys::cuModuleLoadDataEx(&mut module, image.as_ptr().cast(), 2, options.as_mut_ptr(), values.as_mut_ptr())
    };
    let log = String::from_utf8_lossy(&log);
    ok("cuModuleLoadDataEx", code).map_err(|error| format!("{error} {}", log.trim_end_matches('\0')))?;
    Ok(module)
}

/// Runs one launch to its end.
fn launch(
    case: &Case,
    launched: &Launched,
    module: sys::CUmodule,
    sizes: &[u32],
    buffers: &mut Vec<Buffer>,
) -> Result<(), String> {
    let values = launched.arguments.iter().zip(sizes);
    let values = values.map(|(argument, size)| bytes(argument, *size as usize, buffers));
    let mut values: Vec<Vec<u8>> = values.collect::<Result<_, _>>()?;
    let mut params: Vec<*mut c_void> = values.iter_mut().map(|v| v.as_mut_ptr().cast()).collect();
    let name = CString::new(launched.kernel.as_str()).map_err(|e| e.to_string())?;
    let ([gx, gy, gz], [bx, by, bz]) = (launched.grid, launched.block);
    // SAFETY: the arguments have the sizes that the kernel expects, and live until they have been copied.
    unsafe {
        let mut kernel = null_mut();
        let code = sys::cuModuleGetFunction(&mut kernel, module, name.as_ptr());
        ok("cuModuleGetFunction", code)?;
        let (shared, params) = (launched.shared, params.as_mut_ptr());
        let code = if case.cooperative() {
            let stream = null_mut();
            sys::cuLaunchCooperativeKernel(kernel, gx, gy, gz, bx, by, bz, shared, stream, params)
        } else {
            let (stream, extra) = (null_mut(), null_mut());
            sys::cuLaunchKernel(kernel, gx, gy, gz, bx, by, bz, shared, stream, params, extra)
        };
        ok("the launch", code)?;
        let start = Instant::now();
        while sys::cuStreamQuery(null_mut()) == CUresult::CUDA_ERROR_NOT_READY {
            if start.elapsed() > LIMIT {
                // A context whose kernel does not end cannot be destroyed: neither the next test nor a clean exit is
                // possible.
                eprintln!("{}: the kernel does not end", case.name());
                std::process::abort();
            }
            std::thread::sleep(Duration::from_millis(1));
        }
        ok("the kernel", sys::cuCtxSynchronize())
    }
}

/// Returns the bytes of an argument. For a buffer, this creates a new one.
fn bytes(argument: &Argument, size: usize, buffers: &mut Vec<Buffer>) -> Result<Vec<u8>, String> {
    match argument {
        Argument::Null => Ok(vec![0; size]),
        Argument::Int(value) => Ok(value.to_le_bytes()[..size].into()),
        Argument::Float(value) if size == 4 => Ok(encode("f32", *value)),
        Argument::Float(value) => Ok(encode("f64", *value)),
        Argument::New { contents: Contents::Freed | Contents::Host, name, .. } => {
            Err(format!("`{name}` is not device memory"))
        }
        Argument::New { name, ty, count, contents } => {
            let mut buffer = Buffer { name: name.clone(), ty: ty.clone(), bytes: count * bytes_of(ty), address: 0 };
            let filling = contents.bytes(ty, *count);
            // SAFETY: the allocation is as long as the copied data.
            unsafe {
                let code = sys::cuMemAlloc_v2(&mut buffer.address, buffer.bytes);
                ok("cuMemAlloc", code)?;
                let code = sys::cuMemcpyHtoD_v2(buffer.address, filling.as_ptr().cast(), buffer.bytes);
                ok("cuMemcpyHtoD", code)?;
            }
            let address = buffer.address.to_le_bytes().into();
            buffers.push(buffer);
            Ok(address)
        }
        Argument::Known { name, offset } => {
            let known = buffers.iter().find(|b| b.name == *name);
            let known = known.ok_or_else(|| format!("no buffer `{name}` yet"))?;
            Ok(known.address.wrapping_add_signed(*offset).to_le_bytes().into())
        }
    }
}
