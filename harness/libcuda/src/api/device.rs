//! The one device: its name, numbers and properties.

use crate::abi::constants::atomic_operation::{INTEGER_ADD, LAST};
use crate::abi::error::{Error, Result};
use crate::abi::pointers::{get, get_all, need, put, put_text, text};
use crate::abi::types::{Device, DeviceProperties, Uuid};
use crate::abi::versions::DRIVER_VERSION;
use crate::state::contexts::current::current;
use crate::state::device::activity;
use crate::state::device::attributes;
use crate::state::device::driver::{driver, part};
use crate::state::device::settings::uuid_of;
use crate::state::memory::graph_usage;
use gpu::Part;
use std::ffi::{c_char, c_int, c_uint};

/// The device's bus address: in a domain that no real bus has, so that no tool mistakes it for a card.
const BUS_ID: &str = "FFFF:01:00.0";

/// Checks a device's ordinal or handle.
///
/// # Errors
/// `CUDA_ERROR_INVALID_DEVICE` when it is not 0.
pub fn check(dev: Device) -> Result {
    driver()?;
    if dev == 0 { Ok(()) } else { Err(Error::INVALID_DEVICE) }
}

fn by_ordinal(out: *mut Device, ordinal: c_int) -> Result {
    check(ordinal)?;
    put(out, 0)
}

fn count(out: *mut c_int) -> Result {
    driver()?;
    put(out, 1)
}

/// Returns a part's name, marked as emulated.
fn name_of(profile: &Part) -> String {
    format!("{} (emulated)", profile.full_name)
}

fn name(out: *mut c_char, len: c_int, dev: Device) -> Result {
    check(dev)?;
    let len = usize::try_from(len).map_err(|_| Error::INVALID_VALUE)?;
    put_text(out, len, &name_of(driver()?.profile))
}

fn uuid(out: *mut Uuid, dev: Device) -> Result {
    check(dev)?;
    put(out, Uuid { bytes: uuid_of(driver()?.profile).map(|byte| byte as c_char) })
}

/// Returns the current state of the device, for monitoring libraries. It may be called before `cuInit`, which it does
/// not call: a process that only queries the device may still be forked.
///
/// # Errors
/// A message, if the environment names a part that does not exist.
pub fn described() -> std::result::Result<wire::Device, String> {
    let profile = part()?;
    let driver = driver().ok();
    Ok(wire::Device {
        version: wire::Device::VERSION,
        name: name_of(profile),
        uuid: uuid_of(profile),
        bus_id: BUS_ID.to_owned(),
        driver_version: DRIVER_VERSION as u32,
        compute_capability: profile.compute_capability,
        multiprocessors: profile.sms,
        clock_khz: profile.clock_khz,
        memory_clock_khz: profile.mem_clock_khz,
        bus_bits: profile.bus_bits,
        ecc: profile.ecc,
        total_bytes: profile.total_memory,
        used_bytes: driver.map_or(0, |driver| driver.memory.used()),
        is_started: driver.is_some(),
        busy_us: activity::busy().as_micros() as u64,
    })
}

fn total_memory(out: *mut usize, dev: Device) -> Result {
    check(dev)?;
    put(out, driver()?.profile.total_memory as usize)
}

fn attribute(out: *mut c_int, attribute: c_int, dev: Device) -> Result {
    check(dev)?;
    need(out)?;
    put(out, attributes::device(driver()?.profile, attribute).ok_or(Error::INVALID_VALUE)?)
}

fn compute_capability(major: *mut c_int, minor: *mut c_int, dev: Device) -> Result {
    check(dev)?;
    let (x, y) = driver()?.profile.compute_capability;
    put(major, x as c_int)?;
    put(minor, y as c_int)
}

fn properties(out: *mut DeviceProperties, dev: Device) -> Result {
    check(dev)?;
    let profile = driver()?.profile;
    put(
        out,
        DeviceProperties {
            max_threads_per_block: profile.max_threads_per_block as c_int,
            max_threads_dim: profile.max_block.map(|n| n as c_int),
            max_grid_size: profile.max_grid.map(|n| n as c_int),
            shared_mem_per_block: profile.shared_per_block as c_int,
            total_constant_memory: profile.const_bytes as c_int,
            simd_width: profile.warp_size as c_int,
            mem_pitch: c_int::MAX,
            regs_per_block: profile.regs_per_block as c_int,
            clock_rate: profile.clock_khz as c_int,
            texture_align: 512,
        },
    )
}

fn bus_id(out: *mut c_char, len: c_int, dev: Device) -> Result {
    check(dev)?;
    let len = usize::try_from(len).map_err(|_| Error::INVALID_VALUE)?;
    put_text(out, len, BUS_ID)
}

fn by_bus_id(out: *mut Device, id: *const c_char) -> Result {
    driver()?;
    need(out)?;
    if !text(id)?.eq_ignore_ascii_case(BUS_ID) {
        return Err(Error::INVALID_DEVICE);
    }
    put(out, 0)
}

fn luid(_out: *mut c_char, _mask: *mut c_uint, dev: Device) -> Result {
    check(dev)?;
    // Locally unique identifiers exist only on Windows.
    Err(Error::NOT_SUPPORTED)
}

fn can_access_peer(out: *mut c_int, dev: Device, peer: Device) -> Result {
    check(dev)?;
    check(peer)?;
    put(out, 0)
}

fn peer_attribute(out: *mut c_int, _attribute: c_int, source: Device, target: Device) -> Result {
    check(source)?;
    check(target)?;
    need(out)?;
    // There is only one device, so there are no pairs, regardless of the attribute.
    Err(Error::INVALID_DEVICE)
}

/// Returns in which forms the device performs each atomic operation on host memory natively: in none, as the attribute
/// `HOST_NATIVE_ATOMIC_SUPPORTED` says.
fn host_atomics(out: *mut c_uint, operations: *const c_int, count: c_uint, dev: Device) -> Result {
    check(dev)?;
    need(out)?;
    let operations = get_all(operations, count as usize)?;
    if operations.is_empty() || operations.iter().any(|asked| !(INTEGER_ADD..=LAST).contains(asked)) {
        return Err(Error::INVALID_VALUE);
    }
    (0..operations.len()).try_for_each(|at| put(out.wrapping_add(at), 0))
}

fn affinity_support(out: *mut c_int, _kind: c_int, dev: Device) -> Result {
    check(dev)?;
    put(out, 0)
}

fn texture_width(out: *mut usize, _format: c_int, channels: c_uint, dev: Device) -> Result {
    check(dev)?;
    if channels == 0 || channels > 4 {
        return Err(Error::INVALID_VALUE);
    }
    put(out, 1 << 28)
}

fn profiler() -> Result {
    current().map(drop)
}

fn profiler_initialize(_config: *const c_char, _output: *const c_char, _mode: c_int) -> Result {
    driver()?;
    Err(Error::NOT_SUPPORTED)
}

fn flush_rdma(_target: c_int, _scope: c_int) -> Result {
    current().map(drop)
}

fn graph_memory_trim(dev: Device) -> Result {
    check(dev)?;
    graph_usage::trim();
    Ok(())
}

fn graph_memory_get(dev: Device, attribute: c_int, out: *mut u64) -> Result {
    check(dev)?;
    need(out)?;
    put(out, graph_usage::attribute(attribute)?)
}

/// Only the high-water marks can be set, and only to zero, which resets them to the current usage.
fn graph_memory_set(dev: Device, attribute: c_int, value: *const u64) -> Result {
    check(dev)?;
    if get(value)? != 0 {
        return Err(Error::INVALID_VALUE);
    }
    graph_usage::reset(attribute)
}

entry_points! {
    cuDeviceGet(out: *mut Device, ordinal: c_int) = by_ordinal;
    cuDeviceGetCount(out: *mut c_int) = count;
    cuDeviceGetName(out: *mut c_char, len: c_int, dev: Device) = name;
    cuDeviceGetUuid(out: *mut Uuid, dev: Device) = uuid;
    cuDeviceGetUuid_v2(out: *mut Uuid, dev: Device) = uuid;
    cuDeviceTotalMem(out: *mut usize, dev: Device) = total_memory;
    cuDeviceTotalMem_v2(out: *mut usize, dev: Device) = total_memory;
    cuDeviceGetAttribute(out: *mut c_int, attribute: c_int, dev: Device) = attribute;
    cuDeviceComputeCapability(major: *mut c_int, minor: *mut c_int, dev: Device) = compute_capability;
    cuDeviceGetProperties(out: *mut DeviceProperties, dev: Device) = properties;
    cuDeviceGetPCIBusId(out: *mut c_char, len: c_int, dev: Device) = bus_id;
    cuDeviceGetByPCIBusId(out: *mut Device, id: *const c_char) = by_bus_id;
    cuDeviceGetLuid(out: *mut c_char, mask: *mut c_uint, dev: Device) = luid;
    cuDeviceCanAccessPeer(out: *mut c_int, dev: Device, peer: Device) = can_access_peer;
    cuDeviceGetP2PAttribute(out: *mut c_int, attribute: c_int, source: Device, target: Device) = peer_attribute;
    cuDeviceGetHostAtomicCapabilities(out: *mut c_uint, operations: *const c_int, count: c_uint, dev: Device)
        = host_atomics;
    cuDeviceGetExecAffinitySupport(out: *mut c_int, kind: c_int, dev: Device) = affinity_support;
    cuDeviceGetTexture1DLinearMaxWidth(out: *mut usize, format: c_int, channels: c_uint, dev: Device) = texture_width;
    cuDeviceGraphMemTrim(dev: Device) = graph_memory_trim;
    cuDeviceGetGraphMemAttribute(dev: Device, attribute: c_int, out: *mut u64) = graph_memory_get;
    cuDeviceSetGraphMemAttribute(dev: Device, attribute: c_int, value: *const u64) = graph_memory_set;
    cuFlushGPUDirectRDMAWrites(target: c_int, scope: c_int) = flush_rdma;
    cuProfilerStart() = profiler;
    cuProfilerStop() = profiler;
    cuProfilerInitialize(config: *const c_char, output: *const c_char, mode: c_int) = profiler_initialize;
}
