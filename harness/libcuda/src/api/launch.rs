//! Launching kernels (`cuLaunch*`).

use crate::abi::constants::{launch_attribute, launch_param};
use crate::abi::error::{Error, Result};
use crate::abi::pointers::{get, get_all};
use crate::abi::types::{Handle, LaunchAttribute, LaunchAttributeValue, LaunchConfig, LaunchParams};
use crate::state::contexts::attributes::{OF_NODES, Value};
use crate::state::contexts::current::{current, top};
use crate::state::contexts::green;
use crate::state::contexts::stream::Stream;
use crate::state::contexts::streams;
use crate::state::device::sync::lock;
use crate::state::graphs::capture::{self, enqueue};
use crate::state::graphs::task::Task;
use crate::state::modules::launch::KernelLaunch;
use crate::state::modules::module::Function;
use crate::state::modules::refusal::{self, too_few_arguments};
use simt::kernel::Geometry;
use std::ffi::{c_uint, c_void};
use std::ptr::null;
use std::sync::Arc;

/// Copies the parameters of a launch: from an array with one pointer per parameter, or from one buffer.
///
/// # Errors
/// `CUDA_ERROR_INVALID_VALUE` if both are given, if there are fewer arguments than the kernel has, or for unknown marks
/// in `extra`.
pub fn params(function: &Function, params: *const *const c_void, extra: *const *const c_void) -> Result<Vec<u8>> {
    let kernel = function.kernel();
    let mut bytes = vec![0; kernel.param_bytes as usize];
    match (params.is_null(), extra.is_null()) {
        (false, false) => return Err(Error::INVALID_VALUE),
        (true, true) if !kernel.params.is_empty() => {
            return Err(too_few_arguments(kernel, 0));
        }
        (true, true) => {}
        (false, true) => {
            for (param, from) in kernel.params.iter().zip(get_all(params, kernel.params.len())?) {
                if from.is_null() {
                    return Err(too_few_arguments(kernel, param.offset.into()));
                }
                let to = &mut bytes[param.offset as usize..][..param.size as usize];
                // SAFETY: the caller promises that each pointer points to a value of the declared size.
                unsafe {
                    std::ptr::copy_nonoverlapping(from.cast::<u8>(), to.as_mut_ptr(), to.len());
                };
            }
        }
        (true, false) => {
            let (mut buffer, mut size) = (std::ptr::null::<u8>(), None);
            // At most two pairs and the end mark.
            for pair in 0..3 {
                // SAFETY: the caller promises a list with an end mark, where the loop ends.
                let word = |at: usize| unsafe { extra.add(at).read_unaligned() };
                match word(pair * 2) as usize {
                    launch_param::END => break,
                    launch_param::BUFFER_POINTER => buffer = word(pair * 2 + 1).cast(),
                    launch_param::BUFFER_SIZE => {
                        size = Some(get(word(pair * 2 + 1).cast::<usize>())?);
                    }
                    _ => return Err(Error::INVALID_VALUE),
                }
            }
            let size = size.ok_or(Error::INVALID_VALUE)?;
            if buffer.is_null() && size > 0 {
                return Err(Error::INVALID_VALUE);
            }
            if size < bytes.len() {
                return Err(too_few_arguments(kernel, size as u64));
            }
            // SAFETY: the caller promises `size` bytes, and that is at least the length of `bytes`.
            unsafe { std::ptr::copy_nonoverlapping(buffer, bytes.as_mut_ptr(), bytes.len()) };
        }
    }
    Ok(bytes)
}

fn launch_in(
    stream: Handle,
    function: Handle,
    geometry: Geometry,
    arguments: *const *const c_void,
    extra: *const *const c_void,
) -> Result {
    launch_with(stream, function, geometry, &[], arguments, extra)
}

/// Returns the stream of a launch of `function`.
///
/// # Errors
/// As [`streams::find`]; a stream that does not exist is also reported.
pub(super) fn stream_of(stream: Handle, function: Handle) -> Result<Arc<Stream>> {
    streams::find(stream).inspect_err(|error| {
        if *error == Error::INVALID_HANDLE {
            refusal::no_stream(function);
        }
    })
}

fn launch_with(
    stream: Handle,
    function: Handle,
    geometry: Geometry,
    attributes: &[LaunchAttribute],
    arguments: *const *const c_void,
    extra: *const *const c_void,
) -> Result {
    let stream = stream_of(stream, function)?;
    let mut launch = KernelLaunch::new(function, geometry, |function| params(function, arguments, extra))?;
    let part = stream.green.clone().or_else(|| if stream.legacy { green::of_context(top()) } else { None });
    if let Some(part) = part {
        refusal::check_part(&launch.function, &launch.geometry, part.sms)?;
    }
    // A launch that becomes a node keeps its original request.
    if capture::is_captured(&stream) {
        let mut kept = lock(&stream.attributes).of_captured_kernel();
        for attribute in attributes.iter().filter(|attribute| OF_NODES.contains(&attribute.id)) {
            kept.set(attribute.id, bytes(&attribute.value))?;
        }
        launch = launch.with(launch.asked, kept)?;
    }
    enqueue(&stream, Task::Kernel(launch))
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
    let geometry = Geometry { dynamic_shared: shared, ..Geometry::new([gx, gy, gz], [bx, by, bz]) };
    launch_in(stream, function, geometry, params, extra)
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
    let geometry = Geometry { dynamic_shared: shared, cooperative: true, ..Geometry::new([gx, gy, gz], [bx, by, bz]) };
    launch_in(stream, function, geometry, params, null())
}

/// Returns the bytes of an attribute's value.
fn bytes(value: &LaunchAttributeValue) -> Value {
    value.pad().map(|byte| byte as u8)
}

/// Returns the geometry of a launch, from its configuration and attributes.
///
/// # Errors
/// `CUDA_ERROR_INVALID_VALUE` for an attribute that does not exist.
pub(super) fn geometry_of(config: &LaunchConfig) -> Result<Geometry> {
    let mut geometry =
        Geometry { dynamic_shared: config.shared_mem_bytes, ..Geometry::new(config.grid_dim, config.block_dim) };
    for attribute in get_all(config.attrs, config.num_attrs as usize)? {
        let value = &attribute.value;
        match attribute.id {
            launch_attribute::COOPERATIVE => geometry.cooperative = value.cooperative() != 0,
            launch_attribute::CLUSTER_DIMENSION => {
                let blocks = value.cluster_dim();
                geometry.cluster = Some([blocks.x, blocks.y, blocks.z]);
            }
            // The other attributes are hints, or request an order that is always kept here.
            launch_attribute::IGNORE..=launch_attribute::LAST => {}
            _ => return Err(Error::INVALID_VALUE),
        }
    }
    Ok(geometry)
}

fn launch_ex(
    config: *const LaunchConfig,
    function: Handle,
    params: *const *const c_void,
    extra: *const *const c_void,
) -> Result {
    current()?;
    let config = get(config)?;
    let geometry = geometry_of(&config)?;
    let attributes = get_all(config.attrs, config.num_attrs as usize)?;
    launch_with(config.h_stream, function, geometry, &attributes, params, extra)
}

fn launch_multi_device(list: *const LaunchParams, count: c_uint, _flags: c_uint) -> Result {
    current()?;
    let list = get_all(list, count as usize)?;
    let [one] = list.as_slice() else {
        return Err(Error::INVALID_VALUE);
    };
    let params = one.kernel_params.cast::<*const c_void>().cast_const();
    let geometry = Geometry {
        dynamic_shared: one.shared_mem_bytes,
        cooperative: true,
        ..Geometry::new(one.grid_dim, one.block_dim)
    };
    launch_in(one.h_stream, one.function, geometry, params, null())
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
