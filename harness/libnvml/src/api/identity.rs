//! The device: how it is found, and its names.
use crate::abi::{DeviceHandle, Error, Result, chars, get, get_text, put, put_text, struct_version};
use crate::api::entry::calls;
use crate::machine;
use cuda_abi::nvml::types::{PciInfo, PciInfoExt};
use std::ffi::{c_char, c_uint};
use wire::Device;

/// The target of the device's handle.
static HANDLE: u8 = 0;

fn handle() -> DeviceHandle {
    (&raw const HANDLE).cast_mut().cast()
}

/// Returns the device of a handle.
///
/// # Errors
/// `NVML_ERROR_INVALID_ARGUMENT` if it is not the device's handle; `NVML_ERROR_UNINITIALIZED` before `nvmlInit`.
pub fn device(given: DeviceHandle) -> Result<Device> {
    machine::started()?;
    if given == handle() { machine::device() } else { Err(Error::INVALID_ARGUMENT) }
}

fn count(out: *mut c_uint) -> Result {
    machine::started()?;
    put(out, 1)
}

fn by_index(index: c_uint, out: *mut DeviceHandle) -> Result {
    machine::started()?;
    if index > 0 {
        return Err(Error::INVALID_ARGUMENT);
    }
    put(out, handle())
}

fn by_uuid(uuid: *const c_char, out: *mut DeviceHandle) -> Result {
    let device = machine::device()?;
    let (asked, mine) = (get_text(uuid)?, uuid_of(&device));
    // CUDA's own form has no prefix, and some clients look the device up by that form.
    let is_mine = [&mine[..], &mine["GPU-".len()..]].iter().any(|mine| asked.eq_ignore_ascii_case(mine));
    if is_mine { put(out, handle()) } else { Err(Error::NOT_FOUND) }
}

/// A bus address.
#[derive(Clone, Copy, PartialEq, Eq)]
struct BusAddress {
    domain: u32,
    bus: u32,
    device: u32,
}

/// Parses `DOMAIN:BUS:DEVICE.FUNCTION` in hexadecimal digits; the domain and the function are optional.
fn place(text: &str) -> Option<BusAddress> {
    let (text, function) = text.split_once('.').unwrap_or((text, "0"));
    let number = |digits: &str| u32::from_str_radix(digits, 16).ok();
    let parts: Vec<u32> = text.split(':').map(number).collect::<Option<_>>()?;
    match (parts[..].as_ref(), number(function)?) {
        (&[domain, bus, device], 0) => Some(BusAddress { domain, bus, device }),
        (&[bus, device], 0) => Some(BusAddress { domain: 0, bus, device }),
        _ => None,
    }
}

fn place_of(device: &Device) -> Result<BusAddress> {
    place(&device.bus_id).ok_or(Error::UNKNOWN)
}

fn by_bus_id(id: *const c_char, out: *mut DeviceHandle) -> Result {
    let mine = place_of(&machine::device()?)?;
    let asked = place(&get_text(id)?).ok_or(Error::INVALID_ARGUMENT)?;
    if asked == mine { put(out, handle()) } else { Err(Error::NOT_FOUND) }
}

fn name(given: DeviceHandle, out: *mut c_char, length: c_uint) -> Result {
    put_text(out, length, &device(given)?.name)
}

/// Returns the UUID in NVML's format.
fn uuid_of(device: &Device) -> String {
    let all = format!("{:032x}", u128::from_be_bytes(device.uuid));
    format!("GPU-{}-{}-{}-{}-{}", &all[..8], &all[8..12], &all[12..16], &all[16..20], &all[20..])
}

fn uuid(given: DeviceHandle, out: *mut c_char, length: c_uint) -> Result {
    put_text(out, length, &uuid_of(&device(given)?))
}

fn index(given: DeviceHandle, out: *mut c_uint) -> Result {
    device(given)?;
    put(out, 0)
}

/// Returns no vendor and no device, because PCI numbers belong to cards.
fn pci(given: DeviceHandle, out: *mut PciInfo) -> Result {
    let BusAddress { domain, bus, device } = place_of(&device(given)?)?;
    put(
        out,
        PciInfo {
            bus_id_legacy: chars(&format!("{domain:04X}:{bus:02X}:{device:02X}.0")),
            domain,
            bus,
            device,
            pci_device_id: 0,
            pci_sub_system_id: 0,
            bus_id: chars(&format!("{domain:08X}:{bus:02X}:{device:02X}.0")),
        },
    )
}

/// The structure of the first two editions; the first edition ends before `subsystem`.
#[repr(C)]
struct PciOld {
    id: [c_char; 16],
    domain: c_uint,
    bus: c_uint,
    device: c_uint,
    pci_device: c_uint,
}

#[repr(C)]
struct PciSecond {
    first: PciOld,
    subsystem: c_uint,
}

fn pci_old(given: DeviceHandle, out: *mut PciOld) -> Result {
    let BusAddress { domain, bus, device } = place_of(&device(given)?)?;
    let id = chars(&format!("{domain:04X}:{bus:02X}:{device:02X}.0"));
    put(out, PciOld { id, domain, bus, device, pci_device: 0 })
}

fn pci_second(given: DeviceHandle, out: *mut PciSecond) -> Result {
    pci_old(given, out.cast())?;
    // SAFETY: the previous call has refused a null pointer.
    put(unsafe { &raw mut (*out).subsystem }, 0)
}

fn pci_ext(given: DeviceHandle, out: *mut PciInfoExt) -> Result {
    let BusAddress { domain, bus, device } = place_of(&device(given)?)?;
    // The version is the first field.
    let version = get(out.cast::<c_uint>())?;
    if version != struct_version::<PciInfoExt>(1) {
        return Err(Error::ARGUMENT_VERSION_MISMATCH);
    }
    put(
        out,
        PciInfoExt {
            version,
            domain,
            bus,
            device,
            pci_device_id: 0,
            pci_sub_system_id: 0,
            base_class: 0,
            sub_class: 0,
            bus_id: chars(&format!("{domain:08X}:{bus:02X}:{device:02X}.0")),
        },
    )
}

calls! {
    nvmlDeviceGetCount(out: *mut c_uint) = count;
    nvmlDeviceGetCount_v2(out: *mut c_uint) = count;
    nvmlDeviceGetHandleByIndex(index: c_uint, device: *mut DeviceHandle) = by_index;
    nvmlDeviceGetHandleByIndex_v2(index: c_uint, device: *mut DeviceHandle) = by_index;
    nvmlDeviceGetHandleByUUID(uuid: *const c_char, device: *mut DeviceHandle) = by_uuid;
    nvmlDeviceGetHandleByPciBusId(id: *const c_char, device: *mut DeviceHandle) = by_bus_id;
    nvmlDeviceGetHandleByPciBusId_v2(id: *const c_char, device: *mut DeviceHandle) = by_bus_id;
    nvmlDeviceGetName(device: DeviceHandle, out: *mut c_char, length: c_uint) = name;
    nvmlDeviceGetUUID(device: DeviceHandle, out: *mut c_char, length: c_uint) = uuid;
    nvmlDeviceGetIndex(device: DeviceHandle, out: *mut c_uint) = index;
    nvmlDeviceGetPciInfo(device: DeviceHandle, out: *mut PciOld) = pci_old;
    nvmlDeviceGetPciInfo_v2(device: DeviceHandle, out: *mut PciSecond) = pci_second;
    nvmlDeviceGetPciInfo_v3(device: DeviceHandle, out: *mut PciInfo) = pci;
    nvmlDeviceGetPciInfoExt(device: DeviceHandle, out: *mut PciInfoExt) = pci_ext;
}
