//! Physical memory by handle (virtual memory management). A handle counts its holders; the memory lives as long as it
//! is held or mapped.

use crate::abi::constants::{allocation_type, location_type};
use crate::abi::error::{Error, Result};
use crate::abi::types::{Handle, Location, PhysicalProps};
use crate::state::device::driver::Driver;
use crate::state::device::handles::fresh;
use crate::state::device::sync::lock;
use crate::state::memory::allocation::taken;
use simt::memory::Physical;
use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};

/// Physical memory with a handle.
struct Held {
    physical: Arc<Physical>,
    holders: usize,
    props: PhysicalProps,
}

static HELD: Mutex<BTreeMap<Handle, Held>> = Mutex::new(BTreeMap::new());

/// Allocates physical memory, as [`taken`].
///
/// # Errors
/// `CUDA_ERROR_OUT_OF_MEMORY`, `CUDA_ERROR_INVALID_VALUE` for a size that is not a multiple of the granularity.
pub fn create(driver: &Driver, bytes: u64, props: PhysicalProps) -> Result<Handle> {
    let physical = taken(|| driver.memory.create_physical(bytes))?;
    Ok(hold(physical, props))
}

/// Returns the properties of memory on the device.
pub fn props_of_device() -> PhysicalProps {
    let location = Location { kind: location_type::DEVICE, id: 0 };
    PhysicalProps { kind: allocation_type::PINNED, location, ..PhysicalProps::default() }
}

/// Creates a new handle that holds physical memory.
pub fn hold(physical: Arc<Physical>, props: PhysicalProps) -> Handle {
    let handle = fresh();
    lock(&HELD).insert(handle, Held { physical, holders: 1, props });
    handle
}

/// Returns the memory of a handle, and its requested properties.
///
/// # Errors
/// `CUDA_ERROR_INVALID_VALUE`.
pub fn find(handle: Handle) -> Result<(Arc<Physical>, PhysicalProps)> {
    let held = lock(&HELD);
    let held = held.get(&handle).ok_or(Error::INVALID_VALUE)?;
    Ok((Arc::clone(&held.physical), held.props))
}

/// Releases the memory of a handle, as one of its holders.
///
/// # Errors
/// `CUDA_ERROR_INVALID_VALUE`.
pub fn release(handle: Handle) -> Result {
    let mut all = lock(&HELD);
    let held = all.get_mut(&handle).ok_or(Error::INVALID_VALUE)?;
    held.holders -= 1;
    if held.holders == 0 {
        all.remove(&handle);
    }
    Ok(())
}

/// Returns the handle of mapped memory, with one more holder. If the memory had no holder any more, it gets a new
/// handle.
pub fn retain(physical: &Arc<Physical>) -> Handle {
    let mut all = lock(&HELD);
    let known = all.iter_mut().find(|(_, held)| Arc::ptr_eq(&held.physical, physical));
    if let Some((handle, held)) = known {
        held.holders += 1;
        return *handle;
    }
    let handle = fresh();
    let held = Held { physical: Arc::clone(physical), holders: 1, props: props_of_device() };
    all.insert(handle, held);
    handle
}
