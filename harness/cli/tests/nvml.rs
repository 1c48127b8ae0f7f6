//! NVML of the embedded device, used through nvml-wrapper. The client is this test program itself, run by
//! `warplab exec`.
#![cfg(target_os = "linux")]

use std::{
    env,
    ffi::{CStr, c_int, c_uint, c_void},
    fs,
    path::Path,
    process::Command,
};

use crate::common::{Run, libraries, warplab_in, warplab_with};
use nvml_wrapper::{
    Nvml,
    enum_wrappers::device::{Clock, TemperatureSensor},
    error::NvmlError,
};
use object::{
    Endianness, elf,
    read::elf::{Dyn, FileHeader},
};

/// The client's task.
const CLIENT: &str = "WARPLAB_TEST_CLIENT";

/// Runs the client `does` on the emulated `profile`.
fn client(does: &str, profile: &str) -> Run {
    let own = env::current_exe().unwrap();
    let device = format!("emulated:{profile}");
    let program = ["--", own.to_str().unwrap(), "--exact", "nvml::a_client", "--ignored", "--nocapture"];
    warplab_with(&[&["exec", "--device", &device], &program[..]].concat(), &[(CLIENT, does)])
}

/// Allocates a mebibyte on the device.
fn allocate() {
    // SAFETY: the driver's functions, by their types in cuda.h.
    unsafe {
        let driver = libc::dlopen(c"libcuda.so.1".as_ptr(), libc::RTLD_NOW);
        let function = |name: &CStr| libc::dlsym(driver, name.as_ptr());
        let init: extern "C" fn(c_uint) -> c_int = std::mem::transmute(function(c"cuInit"));
        let retain: extern "C" fn(*mut *mut c_void, c_int) -> c_int =
            std::mem::transmute(function(c"cuDevicePrimaryCtxRetain"));
        let set_current: extern "C" fn(*mut c_void) -> c_int = std::mem::transmute(function(c"cuCtxSetCurrent"));
        let alloc: extern "C" fn(*mut u64, usize) -> c_int = std::mem::transmute(function(c"cuMemAlloc_v2"));
        let (mut context, mut memory) = (std::ptr::null_mut(), 0);
        assert_eq!((init(0), retain(&raw mut context, 0), set_current(context)), (0, 0, 0));
        assert_eq!(alloc(&raw mut memory, 1 << 20), 0);
    }
}

/// The first queries of a monitor.
fn look() {
    let nvml = Nvml::init().unwrap();
    assert_eq!(nvml.device_count().unwrap(), 1);
    assert!(nvml.sys_driver_version().unwrap().ends_with("+emulated"));
    assert_eq!(nvml.sys_cuda_driver_version().unwrap(), 13000);
    let gpu = nvml.device_by_index(0).unwrap();
    println!("name {}", gpu.name().unwrap());
    let capability = gpu.cuda_compute_capability().unwrap();
    println!("capability {}.{} cores {}", capability.major, capability.minor, gpu.num_cores().unwrap());
    println!("bus {} architecture {}", gpu.memory_bus_width().unwrap(), gpu.architecture().unwrap());
    let mhz = |clock| gpu.max_clock_info(clock).unwrap();
    println!("clocks {} {}", mhz(Clock::SM), mhz(Clock::Memory));
    // The same device by each of its identifiers, and no device by others.
    let uuid = gpu.uuid().unwrap();
    let pci = gpu.pci_info().unwrap();
    assert_eq!((pci.bus_id.as_str(), pci.domain, pci.bus), ("0000FFFF:01:00.0", 0xffff, 1));
    assert_eq!(nvml.device_by_uuid(uuid.as_str()).unwrap().uuid().unwrap(), uuid);
    assert_eq!(nvml.device_by_uuid(&uuid["GPU-".len()..]).unwrap().uuid().unwrap(), uuid);
    assert_eq!(nvml.device_by_pci_bus_id("ffff:01:00.0").unwrap().index().unwrap(), 0);
    assert!(matches!(nvml.device_by_pci_bus_id("0000:01:00.0"), Err(NvmlError::NotFound)));
    assert!(matches!(nvml.device_by_uuid("GPU-0"), Err(NvmlError::NotFound)));
    #[allow(deprecated)]
    let by_serial = nvml.device_by_serial("1");
    assert!(matches!(by_serial, Err(NvmlError::NotFound)));
    assert!(matches!(nvml.device_by_index(1), Err(NvmlError::InvalidArg)));
    // Values that only silicon has.
    let lacks = |answer: Result<u32, NvmlError>| matches!(answer, Err(NvmlError::NotSupported));
    assert!(lacks(gpu.temperature(TemperatureSensor::Gpu)) && lacks(gpu.power_usage()));
    assert_eq!(gpu.clock_info(Clock::Memory).unwrap(), mhz(Clock::Memory));
    assert!(lacks(gpu.clock_info(Clock::SM)) && lacks(gpu.fan_speed(0)));
    assert!(matches!(nvml.create_event_set(), Err(NvmlError::NotSupported)));
    // Its utilisation, before and after.
    assert!(gpu.running_compute_processes().unwrap().is_empty());
    let before = gpu.memory_info().unwrap();
    assert_eq!((before.used, before.free), (0, before.total));
    let idle = gpu.utilization_rates().unwrap();
    assert_eq!((idle.gpu, idle.memory), (0, 0));
    allocate();
    let after = gpu.memory_info().unwrap();
    assert_eq!((after.used, after.total), (1 << 20, before.total));
    let [process] = &gpu.running_compute_processes().unwrap()[..] else { panic!("one process") };
    assert_eq!(process.pid, std::process::id());
    assert!(gpu.running_graphics_processes().unwrap().is_empty());
    println!("memory {}", after.total);
}

/// Before initialisation and after shutdown there are no answers, and invalid arguments are refused.
fn misuse() {
    // SAFETY: NVML's functions, by their types in nvml.h.
    unsafe {
        let library = libc::dlopen(c"libnvidia-ml.so.1".as_ptr(), libc::RTLD_NOW);
        assert!(!library.is_null());
        let function = |name: &CStr| libc::dlsym(library, name.as_ptr());
        let init: extern "C" fn() -> c_uint = std::mem::transmute(function(c"nvmlInit_v2"));
        let shutdown: extern "C" fn() -> c_uint = std::mem::transmute(function(c"nvmlShutdown"));
        let count: extern "C" fn(*mut c_uint) -> c_uint = std::mem::transmute(function(c"nvmlDeviceGetCount_v2"));
        let lacking: extern "C" fn(*mut c_void) -> c_uint = std::mem::transmute(function(c"nvmlEventSetCreate"));
        let device: extern "C" fn(c_uint, *mut *mut c_void) -> c_uint =
            std::mem::transmute(function(c"nvmlDeviceGetHandleByIndex_v2"));
        let name: extern "C" fn(*mut c_void, *mut u8, c_uint) -> c_uint =
            std::mem::transmute(function(c"nvmlDeviceGetName"));
        let text: extern "C" fn(c_uint) -> *const std::ffi::c_char = std::mem::transmute(function(c"nvmlErrorString"));
        let (mut n, mut handle, null) = (0, std::ptr::null_mut(), std::ptr::null_mut());
        assert_eq!((shutdown(), count(&raw mut n), lacking(null)), (1, 1, 1));
        assert_eq!((init(), init(), shutdown()), (0, 0, 0));
        assert_eq!((count(&raw mut n), n, count(std::ptr::null_mut()), lacking(null)), (0, 1, 2, 3));
        assert_eq!((device(0, &raw mut handle), device(0, std::ptr::null_mut())), (0, 2));
        let mut letters = [0; 96];
        assert_eq!(name(handle, letters.as_mut_ptr(), 96), 0);
        assert_eq!(name(handle, letters.as_mut_ptr(), 5), 7);
        assert_eq!((name(handle, std::ptr::null_mut(), 96), name(null, letters.as_mut_ptr(), 96)), (2, 2));
        // The first version of the function, which nvml-wrapper does not call.
        let memory: extern "C" fn(*mut c_void, *mut [u64; 3]) -> c_uint =
            std::mem::transmute(function(c"nvmlDeviceGetMemoryInfo"));
        let mut sizes = [0; 3];
        allocate();
        assert_eq!((memory(handle, &raw mut sizes), memory(handle, std::ptr::null_mut())), (0, 2));
        assert_eq!((sizes[0] - sizes[1], sizes[2]), (1 << 20, 1 << 20));
        assert_eq!((shutdown(), count(&raw mut n)), (0, 1));
        let text = |code| CStr::from_ptr(text(code)).to_str().unwrap();
        assert_eq!((text(3), text(30), text(999)), ("Not Supported", "Reset type not supported", "Unknown Error"));
    }
}

#[test]
#[ignore = "the program that the others run"]
fn a_client() {
    match env::var(CLIENT).as_deref() {
        Ok("look") => look(),
        Ok("misuse") => misuse(),
        Ok("try") => println!("{:?}", Nvml::init().map(drop).unwrap_err()),
        _ => {}
    }
}

#[test]
fn a_monitor_sees_the_emulated_part() {
    for (profile, lines) in [
        (
            "t4",
            "name NVIDIA Tesla T4 (emulated)\ncapability 7.5 cores 2560\nbus 256 architecture Turing\nclocks 1590 5001\n\
             memory 15828320256",
        ),
        ("h200", "name NVIDIA H200 (emulated)\ncapability 9.0 cores 16896\nbus 6016 architecture Hopper\n"),
    ] {
        let run = client("look", profile);
        assert_eq!(run.code, 0, "{run:?}");
        assert!(run.stdout.contains(lines), "{run:?}");
    }
}

#[test]
fn wrong_calls_have_their_codes() {
    let run = client("misuse", "t4");
    assert_eq!(run.code, 0, "{run:?}");
}

#[test]
fn beside_another_driver_it_describes_nothing() {
    let folder = libraries();
    // Any library that is not the machine's driver.
    fs::copy(folder.path().join("libcudart.so.13"), folder.path().join("libcuda.so.1")).unwrap();
    let tried = |path: &Path| {
        let mut client = Command::new(env::current_exe().unwrap());
        client.args(["--exact", "nvml::a_client", "--ignored", "--nocapture"]).env(CLIENT, "try");
        let output = client.env("LD_LIBRARY_PATH", path).output().unwrap();
        (String::from_utf8(output.stdout).unwrap(), String::from_utf8(output.stderr).unwrap())
    };
    let (stdout, stderr) = tried(folder.path());
    assert!(stdout.contains("DriverNotLoaded"), "{stdout}");
    assert!(stderr.contains("libcuda.so.1 is another driver; take its folder off LD_LIBRARY_PATH"), "{stderr}");
}

#[test]
fn our_own_runs_do_not_take_it_for_a_gpu() {
    let folder = tempfile::tempdir().unwrap();
    let own = env!("CARGO_BIN_EXE_warplab");
    let run = ["exec", "--device", "emulated", "--", own, "run", "hello", "--quick", "--out", "run"];
    let run = warplab_in(folder.path(), &run, &[]);
    assert_eq!(run.code, 0, "{run:?}");
    let session = fs::read_to_string(folder.path().join("run/session.json")).unwrap();
    let session: serde_json::Value = serde_json::from_str(&session).unwrap();
    let session = &session["sessions"][0];
    assert_eq!(session["device"]["is_emulated"], true, "{session}");
    assert!(session["nvml"].is_null() && session["nvml_missing"].is_string(), "{session}");
}

#[test]
fn the_library_has_the_name_by_which_clients_look_it_up() {
    let folder = libraries();
    let library = fs::read(folder.path().join("libnvidia-ml.so.1")).unwrap();
    let library = &library[..];
    let header = elf::FileHeader64::<Endianness>::parse(library).unwrap();
    let endian = header.endian().unwrap();
    let sections = header.sections(endian, library).unwrap();
    let (entries, strings) = sections.dynamic(endian, library).unwrap().unwrap();
    let strings = sections.strings(endian, library, strings).unwrap();
    let soname = entries.iter().find(|entry| entry.tag32(endian) == Some(elf::DT_SONAME)).unwrap();
    assert_eq!(soname.string(endian, strings).unwrap(), b"libnvidia-ml.so.1");
}
