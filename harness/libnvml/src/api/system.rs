//! The library and the system: initialisation and shutdown, versions, error texts.
use crate::abi::{Error, Result, get_text, put, put_text};
use crate::api::entry::calls;
use crate::machine;
use cuda_abi::texts::of_nvml;
use std::ffi::{c_char, c_int, c_uint};

/// The branch of NVIDIA's drivers that has the same version of CUDA. The suffix is a local version as in PEP 440, so
/// that clients which compare versions can parse it.
const DRIVER_VERSION: &str = "580.00+emulated";

fn init_with_flags(_flags: c_uint) -> Result {
    machine::start()
}

fn driver_version(out: *mut c_char, length: c_uint) -> Result {
    machine::started()?;
    put_text(out, length, DRIVER_VERSION)
}

fn nvml_version(out: *mut c_char, length: c_uint) -> Result {
    machine::started()?;
    put_text(out, length, &format!("13.{DRIVER_VERSION}"))
}

fn cuda_version(out: *mut c_int) -> Result {
    put(out, machine::device()?.driver_version as c_int)
}

/// Only this process is known.
fn process_name(pid: c_uint, out: *mut c_char, length: c_uint) -> Result {
    machine::started()?;
    if pid != std::process::id() {
        return Err(Error::NOT_FOUND);
    }
    let program = std::env::current_exe().map_err(|_| Error::UNKNOWN)?;
    put_text(out, length, &program.to_string_lossy())
}

fn none(out: *mut c_uint) -> Result {
    machine::started()?;
    put(out, 0)
}

fn no_unit(_index: c_uint, _out: *mut *mut ()) -> Result {
    machine::started()?;
    Err(Error::INVALID_ARGUMENT)
}

/// Returns the GPUs that are excluded from this driver: there are none.
fn no_excluded(_index: c_uint, _out: *mut ()) -> Result {
    machine::started()?;
    Err(Error::INVALID_ARGUMENT)
}

#[allow(non_snake_case, reason = "the C name")]
#[unsafe(no_mangle)]
extern "C" fn nvmlErrorString(code: u32) -> *const c_char {
    of_nvml(code).as_ptr()
}

/// Returns the version of this package, which distinguishes the embedded machine's library from NVIDIA's.
#[unsafe(no_mangle)]
extern "C" fn simt_nvml_version() -> *const c_char {
    const VERSION: &str = concat!(env!("CARGO_PKG_VERSION"), "\0");
    VERSION.as_ptr().cast()
}

/// Never finds a device, because serial numbers belong to boards.
fn by_serial(serial: *const c_char, _out: *mut *mut ()) -> Result {
    machine::started()?;
    get_text(serial)?;
    Err(Error::NOT_FOUND)
}

calls! {
    nvmlInit() = machine::start;
    nvmlInit_v2() = machine::start;
    nvmlInitWithFlags(flags: c_uint) = init_with_flags;
    nvmlShutdown() = machine::stop;
    nvmlSystemGetDriverVersion(version: *mut c_char, length: c_uint) = driver_version;
    nvmlSystemGetNVMLVersion(version: *mut c_char, length: c_uint) = nvml_version;
    nvmlSystemGetCudaDriverVersion(version: *mut c_int) = cuda_version;
    nvmlSystemGetCudaDriverVersion_v2(version: *mut c_int) = cuda_version;
    nvmlSystemGetProcessName(pid: c_uint, out: *mut c_char, length: c_uint) = process_name;
    nvmlUnitGetCount(count: *mut c_uint) = none;
    nvmlUnitGetHandleByIndex(index: c_uint, unit: *mut *mut ()) = no_unit;
    nvmlGetExcludedDeviceCount(count: *mut c_uint) = none;
    nvmlGetExcludedDeviceInfoByIndex(index: c_uint, info: *mut ()) = no_excluded;
    nvmlDeviceGetHandleBySerial(serial: *const c_char, device: *mut *mut ()) = by_serial;
}
