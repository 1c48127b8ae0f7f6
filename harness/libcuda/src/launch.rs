//! Launching kernels: the limits, the parameters, the run and what a failure becomes.

use crate::abi::{Handle, LaunchConfig, LaunchParams, get, get_all};
use crate::context::{Context, current};
use crate::driver::{driver, lock};
use crate::error::{Error, Result};
use crate::kernel::{self, Function};
use crate::report::{self, Shape};
use crate::stream;
use crate::task::Task;
use crate::{function, managed, occupancy};
use simt::finding::Limit;
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

    /// Checks the launch against the part's limits and the kernel's.
    fn check(&self) -> Result {
        let profile = driver()?.profile;
        let kernel = self.function.kernel();
        let refuse = |error: Error, limit: Limit, asked: u64, allowed: u64| {
            report::refused(&kernel.name, limit, asked, allowed, None);
            Err(error)
        };
        if self.grid.contains(&0) {
            return refuse(Error::INVALID_VALUE, Limit::EmptyGrid, 0, 1);
        }
        if self.block.contains(&0) {
            return refuse(Error::INVALID_VALUE, Limit::EmptyBlock, 0, 1);
        }
        for axis in 0..3 {
            let (grid, most) = (self.grid[axis], profile.max_grid[axis]);
            if grid > most {
                return refuse(Error::INVALID_VALUE, Limit::Grid, grid.into(), most.into());
            }
            let (block, most) = (self.block[axis], profile.max_block[axis]);
            if block > most {
                return refuse(
                    Error::INVALID_VALUE,
                    Limit::Block,
                    block.into(),
                    most.into(),
                );
            }
        }
        // Each factor is at most 1024.
        let threads: u32 = self.block.iter().product();
        if threads > profile.max_threads_per_block {
            let most = profile.max_threads_per_block.into();
            return refuse(
                Error::INVALID_VALUE,
                Limit::ThreadsPerBlock,
                threads.into(),
                most,
            );
        }
        if let Some(required) = kernel.required_threads
            && required != self.block
        {
            let asked = threads.into();
            return refuse(
                Error::INVALID_VALUE,
                Limit::RequiredBlock,
                asked,
                required.iter().product::<u32>().into(),
            );
        }
        if let Some(most) = kernel.max_threads
            && threads > most
        {
            return refuse(
                Error::INVALID_VALUE,
                Limit::LaunchBounds,
                threads.into(),
                most.into(),
            );
        }
        let allowed = lock(&self.function.settings).max_dynamic_shared;
        if self.shared > allowed {
            let asked = u64::from(self.shared) + u64::from(kernel.static_shared);
            let allowed = u64::from(allowed) + u64::from(kernel.static_shared);
            return refuse(Error::INVALID_VALUE, Limit::SharedMemory, asked, allowed);
        }
        let fits = occupancy::of(&self.function, threads, self.shared)?;
        if threads > function::max_threads(&self.function)? || fits.limits.registers == 0 {
            let asked = u64::from(threads) * u64::from(kernel.registers);
            let most = profile.regs_per_block.into();
            return refuse(
                Error::LAUNCH_OUT_OF_RESOURCES,
                Limit::Registers,
                asked,
                most,
            );
        }
        if kernel.param_bytes > profile.max_param_bytes {
            let (asked, most) = (kernel.param_bytes.into(), profile.max_param_bytes.into());
            return refuse(Error::INVALID_VALUE, Limit::Parameters, asked, most);
        }
        if self.cooperative {
            if !profile.at_least(6, 0) {
                return Err(Error::NOT_SUPPORTED);
            }
            let resident = u64::from(fits.blocks) * u64::from(profile.sms);
            let blocks = self
                .grid
                .iter()
                .fold(1u64, |all, n| all.saturating_mul(u64::from(*n)));
            if blocks > resident {
                return refuse(
                    Error::COOPERATIVE_LAUNCH_TOO_LARGE,
                    Limit::Cooperative,
                    blocks,
                    resident,
                );
            }
        }
        Ok(())
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
        (true, true) if !kernel.params.is_empty() => return Err(Error::INVALID_VALUE),
        (true, true) => {}
        (false, true) => {
            for (param, from) in kernel
                .params
                .iter()
                .zip(get_all(params, kernel.params.len())?)
            {
                if from.is_null() {
                    return Err(Error::INVALID_VALUE);
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
            if buffer.is_null() && size > 0 || size < bytes.len() {
                return Err(Error::INVALID_VALUE);
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
    launch.check()?;
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
