//! The attributes of functions (`CUfunction_attribute`).

use super::clusters;
use super::module::Function;
use super::occupancy::max_threads;
use crate::abi::constants::function_attribute::{
    BINARY_VERSION, CACHE_MODE_CA, CLUSTER_SCHEDULING_POLICY_PREFERENCE, CLUSTER_SIZE_MUST_BE_SET, CONST_SIZE_BYTES,
    DEVICE_NODE_UPDATE_SUPPORTED, LOCAL_SIZE_BYTES, MAX_DYNAMIC_SHARED_SIZE_BYTES, MAX_THREADS_PER_BLOCK,
    NON_PORTABLE_CLUSTER_SIZE_ALLOWED, NUM_REGS, PREFERRED_SHARED_MEMORY_CARVEOUT, PTX_VERSION, REQUIRED_CLUSTER_DEPTH,
    REQUIRED_CLUSTER_WIDTH, SHARED_SIZE_BYTES,
};
use crate::abi::error::{Error, Result};
use crate::state::device::driver::driver;
use crate::state::device::sync::lock;

/// Returns the index of an attribute of clusters.
fn cluster_index(attribute: i32) -> usize {
    (attribute - CLUSTER_SIZE_MUST_BE_SET) as usize
}

/// Returns the value of an attribute.
///
/// # Errors
/// `CUDA_ERROR_INVALID_VALUE` for a number that is not an attribute.
pub fn attribute(function: &Function, attribute: i32) -> Result<i32> {
    let kernel = function.kernel();
    let settings = *lock(&function.settings);
    let (major, minor) = driver()?.profile.compute_capability;
    Ok(match attribute {
        MAX_THREADS_PER_BLOCK => max_threads(function)? as i32,
        SHARED_SIZE_BYTES => kernel.static_shared as i32,
        CONST_SIZE_BYTES => kernel.const_bytes as i32,
        LOCAL_SIZE_BYTES => kernel.local_bytes as i32,
        NUM_REGS => kernel.registers as i32,
        // The architecture of the PTX, and that of the device.
        PTX_VERSION => kernel.target as i32,
        BINARY_VERSION => (major * 10 + minor) as i32,
        CACHE_MODE_CA | DEVICE_NODE_UPDATE_SUPPORTED => 0,
        MAX_DYNAMIC_SHARED_SIZE_BYTES => settings.max_dynamic_shared as i32,
        PREFERRED_SHARED_MEMORY_CARVEOUT => settings.carveout,
        CLUSTER_SIZE_MUST_BE_SET => kernel.cluster.explicit.into(),
        REQUIRED_CLUSTER_WIDTH..=REQUIRED_CLUSTER_DEPTH if kernel.cluster.required.is_some() => {
            let axis = (attribute - REQUIRED_CLUSTER_WIDTH) as usize;
            kernel.cluster.required.map_or(0, |size| size[axis] as i32)
        }
        REQUIRED_CLUSTER_WIDTH..=CLUSTER_SCHEDULING_POLICY_PREFERENCE => settings.cluster[cluster_index(attribute)],
        _ => return Err(Error::INVALID_VALUE),
    })
}

/// Sets an attribute.
///
/// # Errors
/// `CUDA_ERROR_INVALID_VALUE` for an attribute that does not exist or cannot be set, or for a value that the device
/// does not support; `CUDA_ERROR_NOT_SUPPORTED` for clusters of several blocks on a part without clusters, and
/// `CUDA_ERROR_NOT_PERMITTED` for their size if the kernel fixes it.
pub fn set_attribute(function: &Function, attribute: i32, value: i32) -> Result {
    let profile = driver()?.profile;
    let mut settings = lock(&function.settings);
    match attribute {
        MAX_DYNAMIC_SHARED_SIZE_BYTES => {
            let value = u32::try_from(value).map_err(|_| Error::INVALID_VALUE)?;
            let all = value.saturating_add(function.kernel().static_shared);
            if all > profile.shared_per_block_optin {
                return Err(Error::INVALID_VALUE);
            }
            settings.max_dynamic_shared = value;
        }
        PREFERRED_SHARED_MEMORY_CARVEOUT if (-1..=100).contains(&value) => {
            settings.carveout = value;
        }
        REQUIRED_CLUSTER_WIDTH..=REQUIRED_CLUSTER_DEPTH if function.kernel().cluster.required.is_some() => {
            return Err(Error::NOT_PERMITTED);
        }
        REQUIRED_CLUSTER_WIDTH..=REQUIRED_CLUSTER_DEPTH if value < 0 => return Err(Error::INVALID_VALUE),
        REQUIRED_CLUSTER_WIDTH..=REQUIRED_CLUSTER_DEPTH if value > 1 && !clusters::supported(profile) => {
            return Err(Error::NOT_SUPPORTED);
        }
        REQUIRED_CLUSTER_WIDTH..=REQUIRED_CLUSTER_DEPTH => {
            settings.cluster[cluster_index(attribute)] = value;
        }
        NON_PORTABLE_CLUSTER_SIZE_ALLOWED if (0..=1).contains(&value) => {
            settings.cluster[cluster_index(attribute)] = value;
        }
        CLUSTER_SCHEDULING_POLICY_PREFERENCE if (0..=2).contains(&value) => {
            settings.cluster[cluster_index(attribute)] = value;
        }
        _ => return Err(Error::INVALID_VALUE),
    }
    Ok(())
}
