//! Launching kernels: the parameters, the run and what a failure becomes.

use crate::abi::{Handle, LaunchConfig, LaunchParams, get, get_all};
use crate::context::{Context, current};
use crate::driver::driver;
use crate::error::{Error, Result};
use crate::kernel::{self, Function};
use crate::report::{self, Shape};
use crate::stream;
use crate::task::Task;
use crate::{managed, refusal};
use simt::machine::{self, Fault, Launch};
use std::ffi::{c_uint, c_void};
use std::io::Write;
use std::sync::Arc;
use std::time::Instant;

/// One launch, its parameters copied.
pub struct KernelLaunch {
    pub function: Arc<Function>,
    pub handle: Handle,
    pub grid: [u32; 3],
    pub block: [u32; 3],
    pub shared: u32,
    pub params: Vec<u8>,
    pub cooperative: bool,
}

/// What a kernel's failure is to its context.
fn error_of(fault: Fault) -> Error {
    match fault {
        Fault::IllegalAddress => Error::ILLEGAL_ADDRESS,
        Fault::MisalignedAddress => Error::MISALIGNED_ADDRESS,
        Fault::InvalidAddressSpace => Error::INVALID_ADDRESS_SPACE,
        Fault::IllegalInstruction => Error::ILLEGAL_INSTRUCTION,
        Fault::InvalidPc => Error::INVALID_PC,
        Fault::Assert => Error::ASSERT,
        Fault::LaunchTimeout | Fault::Deadlock => Error::LAUNCH_TIMEOUT,
        Fault::HardwareStackError => Error::HARDWARE_STACK_ERROR,
        Fault::Trap | Fault::LaunchFailed => Error::LAUNCH_FAILED,
    }
}

impl KernelLaunch {
    /// Runs it.
    pub fn run(&self, context: Option<&Arc<Context>>) {
        let Ok(driver) = driver() else { return };
        let settings = driver.settings();
        managed::launched(driver, &self.params);
        let launch = Launch {
            kernel: self.function.kernel(),
            grid: self.grid,
            block: self.block,
            dynamic_shared: self.shared,
            params: &self.params,
            cooperative: self.cooperative,
        };
        let mut printed = Vec::new();
        let mut print = |bytes: &[u8]| printed.extend_from_slice(bytes);
        let start = Instant::now();
        let report = machine::run(
            &driver.memory,
            driver.profile,
            &settings,
            &launch,
            &mut print,
        );
        let took = start.elapsed();
        let mut out = std::io::stdout().lock();
        // Nobody can be told of a standard output that is closed.
        let _ = out.write_all(&printed).and_then(|()| out.flush());
        drop(out);
        if let (Some(fault), Some(context)) = (report.fault, context) {
            context.fail(error_of(fault));
        }
        let (grid, block) = (self.grid, self.block);
        let shape = Shape {
            grid,
            block,
            dynamic_shared: self.shared,
            cooperative: self.cooperative,
        };
        report::launched(
            &self.function,
            driver.profile,
            &shape,
            report,
            settings.seed,
            took,
        );
    }
}

const END: usize = 0;
const BUFFER_POINTER: usize = 1;
const BUFFER_SIZE: usize = 2;

/// Copies a launch's parameters: from an array of pointers, one a parameter, or from one buffer.
fn params(
    function: &Function,
    params: *const *const c_void,
    extra: *const *const c_void,
) -> Result<Vec<u8>> {
    let kernel = function.kernel();
    let mut bytes = vec![0; kernel.param_bytes as usize];
    match (params.is_null(), extra.is_null()) {
        (false, false) => return Err(Error::INVALID_VALUE),
        (true, true) if !kernel.params.is_empty() => {
            return Err(refusal::too_few_arguments(kernel, 0));
        }
        (true, true) => {}
        (false, true) => {
            for (param, from) in kernel
                .params
                .iter()
                .zip(get_all(params, kernel.params.len())?)
            {
                if from.is_null() {
                    return Err(refusal::too_few_arguments(kernel, param.offset.into()));
                }
                let to = &mut bytes[param.offset as usize..][..param.size as usize];
                // SAFETY: the caller promises each pointer to lead to as much as the kernel declares.
                unsafe {
                    std::ptr::copy_nonoverlapping(from.cast::<u8>(), to.as_mut_ptr(), to.len());
                };
            }
        }
        (true, false) => {
            let (mut buffer, mut size) = (std::ptr::null::<u8>(), None);
            // Two pairs at most, and the end.
            for pair in 0..3 {
                // SAFETY: the list goes on until its end mark, which ends the loop.
                let word = |at: usize| unsafe { extra.add(at).read_unaligned() };
                match word(pair * 2) as usize {
                    END => break,
                    BUFFER_POINTER => buffer = word(pair * 2 + 1).cast(),
                    BUFFER_SIZE => size = Some(get(word(pair * 2 + 1).cast::<usize>())?),
                    _ => return Err(Error::INVALID_VALUE),
                }
            }
            let size = size.ok_or(Error::INVALID_VALUE)?;
            if buffer.is_null() && size > 0 {
                return Err(Error::INVALID_VALUE);
            }
            if size < bytes.len() {
                return Err(refusal::too_few_arguments(kernel, size as u64));
            }
            // SAFETY: the caller promises `size` bytes, which are at least as many.
            unsafe { std::ptr::copy_nonoverlapping(buffer, bytes.as_mut_ptr(), bytes.len()) };
        }
    }
    Ok(bytes)
}

/// Makes a launch of what the caller gave, checked.
///
/// # Errors
/// For a handle that is no function, parameters that are not there, and limits exceeded.
pub fn prepare(
    handle: Handle,
    grid: [u32; 3],
    block: [u32; 3],
    shared: u32,
    cooperative: bool,
    pointers: *const *const c_void,
    extra: *const *const c_void,
) -> Result<Arc<KernelLaunch>> {
    let function = kernel::find(handle)?;
    let params = params(&function, pointers, extra)?;
    let launch = KernelLaunch {
        function,
        handle,
        grid,
        block,
        shared,
        params,
        cooperative,
    };
    refusal::check(&launch)?;
    Ok(Arc::new(launch))
}

fn launch_all(
    function: Handle,
    grid: [u32; 3],
    block: [u32; 3],
    shared: u32,
    stream: Handle,
    cooperative: bool,
    params: *const *const c_void,
    extra: *const *const c_void,
) -> Result {
    let stream = stream::find(stream)?;
    let launch = prepare(function, grid, block, shared, cooperative, params, extra)?;
    stream::enqueue(&stream, Task::Kernel(launch))
}

fn launch(
    function: Handle,
    gx: c_uint,
    gy: c_uint,
    gz: c_uint,
    bx: c_uint,
    by: c_uint,
    bz: c_uint,
    shared: c_uint,
    stream: Handle,
    params: *const *const c_void,
    extra: *const *const c_void,
) -> Result {
    launch_all(
        function,
        [gx, gy, gz],
        [bx, by, bz],
        shared,
        stream,
        false,
        params,
        extra,
    )
}

fn launch_cooperative(
    function: Handle,
    gx: c_uint,
    gy: c_uint,
    gz: c_uint,
    bx: c_uint,
    by: c_uint,
    bz: c_uint,
    shared: c_uint,
    stream: Handle,
    params: *const *const c_void,
) -> Result {
    launch_all(
        function,
        [gx, gy, gz],
        [bx, by, bz],
        shared,
        stream,
        true,
        params,
        std::ptr::null(),
    )
}

const COOPERATIVE: i32 = 2;
const CLUSTER: i32 = 4;
const LAST_ATTRIBUTE: i32 = 18;

fn launch_ex(
    config: *const LaunchConfig,
    function: Handle,
    params: *const *const c_void,
    extra: *const *const c_void,
) -> Result {
    current()?;
    let config = get(config)?;
    let mut cooperative = false;
    for attribute in get_all(config.attributes, config.count as usize)? {
        match attribute.id {
            COOPERATIVE => cooperative = attribute.value[0] != 0,
            CLUSTER if attribute.value[..3].iter().any(|n| *n > 1) => {
                return Err(Error::NOT_SUPPORTED);
            }
            // The rest are hints, or order what is in order here.
            0..=LAST_ATTRIBUTE => {}
            _ => return Err(Error::INVALID_VALUE),
        }
    }
    launch_all(
        function,
        config.grid,
        config.block,
        config.shared,
        config.stream,
        cooperative,
        params,
        extra,
    )
}

fn launch_multi_device(list: *const LaunchParams, count: c_uint, _flags: c_uint) -> Result {
    current()?;
    let list = get_all(list, count as usize)?;
    let [one] = list.as_slice() else {
        return Err(Error::INVALID_VALUE);
    };
    let params = one.params.cast::<*const c_void>().cast_const();
    launch_all(
        one.function,
        one.grid,
        one.block,
        one.shared,
        one.stream,
        true,
        params,
        std::ptr::null(),
    )
}

entry_points! {
    cuLaunchKernel(function: Handle, gx: c_uint, gy: c_uint, gz: c_uint, bx: c_uint, by: c_uint, bz: c_uint,
        shared: c_uint, stream: Handle, params: *const *const c_void, extra: *const *const c_void) = launch;
    cuLaunchKernel_ptsz(function: Handle, gx: c_uint, gy: c_uint, gz: c_uint, bx: c_uint, by: c_uint, bz: c_uint,
        shared: c_uint, stream: Handle, params: *const *const c_void, extra: *const *const c_void) = launch;
    cuLaunchKernelEx(config: *const LaunchConfig, function: Handle, params: *const *const c_void,
        extra: *const *const c_void) = launch_ex;
    cuLaunchKernelEx_ptsz(config: *const LaunchConfig, function: Handle, params: *const *const c_void,
        extra: *const *const c_void) = launch_ex;
    cuLaunchCooperativeKernel(function: Handle, gx: c_uint, gy: c_uint, gz: c_uint, bx: c_uint, by: c_uint,
        bz: c_uint, shared: c_uint, stream: Handle, params: *const *const c_void) = launch_cooperative;
    cuLaunchCooperativeKernel_ptsz(function: Handle, gx: c_uint, gy: c_uint, gz: c_uint, bx: c_uint, by: c_uint,
        bz: c_uint, shared: c_uint, stream: Handle, params: *const *const c_void) = launch_cooperative;
    cuLaunchCooperativeKernelMultiDevice(list: *const LaunchParams, count: c_uint, flags: c_uint) = launch_multi_device;
}
