//! The usage of the device: memory, utilisation, processes. All values are this process's own, because the machine has
//! no other user.
use crate::abi::{DeviceHandle, Error, Result, get, need, put, struct_version};
use crate::api::entry::calls;
use crate::api::identity::device;
use cuda_abi::nvml::types::{Memory, Memory2, Process, Process1, Utilization};
use std::{
    ffi::c_uint,
    sync::{Mutex, PoisonError},
    time::Instant,
};

fn memory(given: DeviceHandle, out: *mut Memory) -> Result {
    let device = device(given)?;
    let (total, used) = (device.total_bytes, device.used_bytes);
    put(out, Memory { total, free: total.saturating_sub(used), used })
}

fn memory_v2(given: DeviceHandle, out: *mut Memory2) -> Result {
    let device = device(given)?;
    // The version is the first field.
    let version = get(out.cast::<c_uint>())?;
    if version != struct_version::<Memory2>(2) {
        return Err(Error::ARGUMENT_VERSION_MISMATCH);
    }
    let (total, used) = (device.total_bytes, device.used_bytes);
    put(out, Memory2 { version, total, reserved: 0, free: total.saturating_sub(used), used })
}

/// Returns the percentage of time in which a kernel of this process was running: since the previous call, or, for the
/// first call, at present (0 or 100). Memory utilisation is not measured; it is 0.
fn utilisation(given: DeviceHandle, out: *mut Utilization) -> Result {
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
    put(out, Utilization { gpu: percent, memory: 0 })
}

/// Returns the percentage of `whole` that `part` is; 0 if `whole` is 0.
fn percent_of(part: u64, whole: u64) -> u32 {
    (part * 100).checked_div(whole).unwrap_or(0).min(100) as u32
}

/// The value for a process that does not use an instance of a divided GPU.
const NO_INSTANCE: c_uint = c_uint::MAX;

/// Lists this process, once it uses the device. `count` holds the capacity, and receives the number.
fn processes<T>(given: DeviceHandle, count: *mut c_uint, list: *mut T, row: impl Fn(c_uint, u64) -> T) -> Result {
    let device = device(given)?;
    let room = get(count)?;
    put(count, c_uint::from(device.is_started))?;
    match (device.is_started, room) {
        (false, _) => Ok(()),
        (true, 0) => Err(Error::INSUFFICIENT_SIZE),
        (true, _) => put(list, row(std::process::id(), device.used_bytes)),
    }
}

fn compute(given: DeviceHandle, count: *mut c_uint, list: *mut Process) -> Result {
    processes(given, count, list, |pid, used_gpu_memory| Process {
        pid,
        used_gpu_memory,
        gpu_instance_id: NO_INSTANCE,
        compute_instance_id: NO_INSTANCE,
    })
}

fn compute_old(given: DeviceHandle, count: *mut c_uint, list: *mut Process1) -> Result {
    processes(given, count, list, |pid, used_gpu_memory| Process1 { pid, used_gpu_memory })
}

/// Returns no processes: there is no graphics, and no MPS.
fn no_processes(given: DeviceHandle, count: *mut c_uint, _list: *mut ()) -> Result {
    device(given)?;
    put(count, 0)
}

calls! {
    nvmlDeviceGetMemoryInfo(device: DeviceHandle, out: *mut Memory) = memory;
    nvmlDeviceGetMemoryInfo_v2(device: DeviceHandle, out: *mut Memory2) = memory_v2;
    nvmlDeviceGetUtilizationRates(device: DeviceHandle, rates: *mut Utilization) = utilisation;
    nvmlDeviceGetComputeRunningProcesses(device: DeviceHandle, count: *mut c_uint, list: *mut Process1) = compute_old;
    nvmlDeviceGetComputeRunningProcesses_v2(device: DeviceHandle, count: *mut c_uint, list: *mut Process) = compute;
    nvmlDeviceGetComputeRunningProcesses_v3(device: DeviceHandle, count: *mut c_uint, list: *mut Process) = compute;
    nvmlDeviceGetGraphicsRunningProcesses(device: DeviceHandle, count: *mut c_uint, list: *mut ()) = no_processes;
    nvmlDeviceGetGraphicsRunningProcesses_v2(device: DeviceHandle, count: *mut c_uint, list: *mut ()) = no_processes;
    nvmlDeviceGetGraphicsRunningProcesses_v3(device: DeviceHandle, count: *mut c_uint, list: *mut ()) = no_processes;
    nvmlDeviceGetMPSComputeRunningProcesses(device: DeviceHandle, count: *mut c_uint, list: *mut ()) = no_processes;
    nvmlDeviceGetMPSComputeRunningProcesses_v2(device: DeviceHandle, count: *mut c_uint, list: *mut ()) = no_processes;
    nvmlDeviceGetMPSComputeRunningProcesses_v3(device: DeviceHandle, count: *mut c_uint, list: *mut ()) = no_processes;
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
