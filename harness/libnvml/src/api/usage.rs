//! The usage of the device: memory, utilisation, processes. All values are this process's own, because the machine has
//! no other user.
use crate::abi::{Error, Result, get, need, put, struct_version};
use crate::api::entry::calls;
use crate::api::identity::device;
use nvml_wrapper_sys::bindings::{nvmlDevice_t, nvmlMemory_t, nvmlMemory_v2_t, nvmlUtilization_t};
use std::{
    ffi::c_uint,
    sync::{Mutex, PoisonError},
    time::Instant,
};

fn memory(given: nvmlDevice_t, out: *mut nvmlMemory_t) -> Result {
    let device = device(given)?;
    let (total, used) = (device.total_bytes, device.used_bytes);
    put(out, nvmlMemory_t { total, free: total.saturating_sub(used), used })
}

fn memory_v2(given: nvmlDevice_t, out: *mut nvmlMemory_v2_t) -> Result {
    let device = device(given)?;
    // The version is the first field.
    let version = get(out.cast::<c_uint>())?;
    if version != struct_version::<nvmlMemory_v2_t>(2) {
        return Err(Error::ARGUMENT_VERSION_MISMATCH);
    }
    let (total, used) = (device.total_bytes, device.used_bytes);
    put(out, nvmlMemory_v2_t { version, total, reserved: 0, free: total.saturating_sub(used), used })
}

/// Returns the percentage of time in which a kernel of this process was running: since the previous call, or, for the
/// first call, at present (0 or 100). Memory utilisation is not measured; it is 0.
fn utilisation(given: nvmlDevice_t, out: *mut nvmlUtilization_t) -> Result {
    static LAST: Mutex<Option<(Instant, u64)>> = Mutex::new(None);
    let busy = device(given)?.busy_us;
    need(out)?;
    let now = Instant::now();
    let last = LAST.lock().unwrap_or_else(PoisonError::into_inner).replace((now, busy));
    let percent = match last {
        Some((then, before)) => percent_of(busy.saturating_sub(before), now.duration_since(then).as_micros() as u64),
        // A second sample shows whether a kernel is running.
        None => u32::from(device(given)?.busy_us > busy) * 100,
    };
    put(out, nvmlUtilization_t { gpu: percent, memory: 0 })
}

/// Returns the percentage of `whole` that `part` is; 0 if `whole` is 0.
fn percent_of(part: u64, whole: u64) -> u32 {
    (part * 100).checked_div(whole).unwrap_or(0).min(100) as u32
}

/// `nvmlProcessInfo_v1_t`.
#[repr(C)]
struct ProcessOld {
    pid: c_uint,
    used_bytes: u64,
}

/// `nvmlProcessInfo_t`, which is the same in its second and third editions.
#[repr(C)]
struct Process {
    pid: c_uint,
    used_bytes: u64,
    gpu_instance: c_uint,
    compute_instance: c_uint,
}

/// The value for a process that does not use an instance of a divided GPU.
const NO_INSTANCE: c_uint = c_uint::MAX;

/// Lists this process, once it uses the device. `count` holds the capacity, and receives the number.
fn processes<T>(given: nvmlDevice_t, count: *mut c_uint, list: *mut T, row: impl Fn(c_uint, u64) -> T) -> Result {
    let device = device(given)?;
    let room = get(count)?;
    put(count, c_uint::from(device.is_started))?;
    match (device.is_started, room) {
        (false, _) => Ok(()),
        (true, 0) => Err(Error::INSUFFICIENT_SIZE),
        (true, _) => put(list, row(std::process::id(), device.used_bytes)),
    }
}

fn compute(given: nvmlDevice_t, count: *mut c_uint, list: *mut Process) -> Result {
    processes(given, count, list, |pid, used_bytes| Process {
        pid,
        used_bytes,
        gpu_instance: NO_INSTANCE,
        compute_instance: NO_INSTANCE,
    })
}

fn compute_old(given: nvmlDevice_t, count: *mut c_uint, list: *mut ProcessOld) -> Result {
    processes(given, count, list, |pid, used_bytes| ProcessOld { pid, used_bytes })
}

/// Returns no processes: there is no graphics, and no MPS.
fn no_processes(given: nvmlDevice_t, count: *mut c_uint, _list: *mut ()) -> Result {
    device(given)?;
    put(count, 0)
}

calls! {
    nvmlDeviceGetMemoryInfo(device: nvmlDevice_t, out: *mut nvmlMemory_t) = memory;
    nvmlDeviceGetMemoryInfo_v2(device: nvmlDevice_t, out: *mut nvmlMemory_v2_t) = memory_v2;
    nvmlDeviceGetUtilizationRates(device: nvmlDevice_t, rates: *mut nvmlUtilization_t) = utilisation;
    nvmlDeviceGetComputeRunningProcesses(device: nvmlDevice_t, count: *mut c_uint, list: *mut ProcessOld) = compute_old;
    nvmlDeviceGetComputeRunningProcesses_v2(device: nvmlDevice_t, count: *mut c_uint, list: *mut Process) = compute;
    nvmlDeviceGetComputeRunningProcesses_v3(device: nvmlDevice_t, count: *mut c_uint, list: *mut Process) = compute;
    nvmlDeviceGetGraphicsRunningProcesses(device: nvmlDevice_t, count: *mut c_uint, list: *mut ()) = no_processes;
    nvmlDeviceGetGraphicsRunningProcesses_v2(device: nvmlDevice_t, count: *mut c_uint, list: *mut ()) = no_processes;
    nvmlDeviceGetGraphicsRunningProcesses_v3(device: nvmlDevice_t, count: *mut c_uint, list: *mut ()) = no_processes;
    nvmlDeviceGetMPSComputeRunningProcesses(device: nvmlDevice_t, count: *mut c_uint, list: *mut ()) = no_processes;
    nvmlDeviceGetMPSComputeRunningProcesses_v2(device: nvmlDevice_t, count: *mut c_uint, list: *mut ()) = no_processes;
    nvmlDeviceGetMPSComputeRunningProcesses_v3(device: nvmlDevice_t, count: *mut c_uint, list: *mut ()) = no_processes;
}

#[cfg(test)]
mod tests {
    use super::percent_of;

    #[test]
    fn a_part_is_a_percentage_of_the_whole() {
        assert_eq!((percent_of(0, 10), percent_of(5, 10), percent_of(10, 10)), (0, 50, 100));
        // The clocks are read one after the other, and twice in a microsecond.
        assert_eq!((percent_of(11, 10), percent_of(0, 0)), (100, 0));
    }
}
