//! Launching kernels in the manner before CUDA 4: the block, the shared memory and each parameter are set on the
//! function, and `cuLaunch*` then names only the grid. Deprecated since, but some clients still set the block before
//! each launch.

use crate::abi::error::{Error, Result};
use crate::abi::pointers::get_all;
use crate::abi::types::Handle;
use crate::api::launch::stream_of;
use crate::state::contexts::current::current;
use crate::state::device::driver::driver;
use crate::state::device::sync::lock;
use crate::state::graphs::capture::enqueue;
use crate::state::graphs::task::Task;
use crate::state::modules::early_launch::EarlyLaunch;
use crate::state::modules::launch::KernelLaunch;
use crate::state::modules::module::find_function;
use crate::state::modules::refusal::{self, too_few_arguments};
use std::ffi::{c_int, c_uint, c_void};

/// Changes the state that a function keeps for its launches.
fn change(function: Handle, change: impl FnOnce(&mut EarlyLaunch) -> Result) -> Result {
    current()?;
    change(&mut lock(&find_function(function)?.early_launch))
}

/// Returns the maximum size of the part's parameter block, in bytes.
fn most_params() -> Result<usize> {
    Ok(driver()?.profile.max_param_bytes as usize)
}

fn set_block_shape(function: Handle, x: c_int, y: c_int, z: c_int) -> Result {
    change(function, |launch| {
        let mut wanted = launch.clone();
        wanted.set_block([x, y, z])?;
        refusal::check_block(&*find_function(function)?, wanted.geometry(1, 1)?.block)?;
        *launch = wanted;
        Ok(())
    })
}

fn set_shared_size(function: Handle, bytes: c_uint) -> Result {
    change(function, |launch| launch.set_shared(bytes, driver()?.profile.shared_per_block_optin))
}

fn set_param_size(function: Handle, bytes: c_uint) -> Result {
    change(function, |launch| launch.set_size(bytes as usize, most_params()?))
}

fn set_param_int(function: Handle, offset: c_int, value: c_uint) -> Result {
    change(function, |launch| launch.set_param(offset, &value.to_ne_bytes(), most_params()?))
}

fn set_param_float(function: Handle, offset: c_int, value: f32) -> Result {
    change(function, |launch| launch.set_param(offset, &value.to_ne_bytes(), most_params()?))
}

fn set_param_bytes(function: Handle, offset: c_int, value: *const c_void, bytes: c_uint) -> Result {
    change(function, |launch| {
        let most = most_params()?;
        if bytes as usize > most {
            return Err(Error::INVALID_VALUE);
        }
        launch.set_param(offset, &get_all(value.cast::<u8>(), bytes as usize)?, most)
    })
}

fn launch(function: Handle) -> Result {
    launch_grid(function, 1, 1)
}

fn launch_grid(function: Handle, width: c_int, height: c_int) -> Result {
    launch_grid_async(function, width, height, 0)
}

fn launch_grid_async(function: Handle, width: c_int, height: c_int, stream: Handle) -> Result {
    let stream = stream_of(stream, function)?;
    let set = lock(&find_function(function)?.early_launch).clone();
    let launch = KernelLaunch::new(function, set.geometry(width, height)?, |function| {
        let kernel = function.kernel();
        let mut params = set.params();
        if params.len() < kernel.param_bytes as usize {
            return Err(too_few_arguments(kernel, params.len() as u64));
        }
        params.truncate(kernel.param_bytes as usize);
        Ok(params)
    })?;
    enqueue(&stream, Task::Kernel(launch))
}

entry_points! {
    cuFuncSetBlockShape(function: Handle, x: c_int, y: c_int, z: c_int) = set_block_shape;
    cuFuncSetSharedSize(function: Handle, bytes: c_uint) = set_shared_size;
    cuParamSetSize(function: Handle, bytes: c_uint) = set_param_size;
    cuParamSeti(function: Handle, offset: c_int, value: c_uint) = set_param_int;
    cuParamSetf(function: Handle, offset: c_int, value: f32) = set_param_float;
    cuParamSetv(function: Handle, offset: c_int, value: *const c_void, bytes: c_uint) = set_param_bytes;
    cuLaunch(function: Handle) = launch;
    cuLaunchGrid(function: Handle, width: c_int, height: c_int) = launch_grid;
    cuLaunchGridAsync(function: Handle, width: c_int, height: c_int, stream: Handle) = launch_grid_async;
}
