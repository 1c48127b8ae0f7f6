//! Decides which `libcuda` this process uses, before cudarc loads one.
//!
//! A real driver is probed without cudarc. If there is none, or the user requests the embedded machine, the embedded
//! library is written to a memory file and opened from there. It is named `libcuda.so`, so that cudarc's own
//! `dlopen("libcuda.so")` returns it.
use std::{
    ffi::{CStr, c_char, c_int, c_uint},
    fs::File,
    io::Write,
    path::{Path, PathBuf},
    sync::{Mutex, PoisonError},
};

use libloading::Library;

use crate::{
    device::{
        choice::{DeviceChoice, default_profile},
        sandboxed_driver,
    },
    error::{Error, Result},
    suggest,
};

/// The driver library that contains the SIMT machine.
pub(crate) static MACHINE: &[u8] = include_bytes!(concat!(env!("OUT_DIR"), "/machine.bin"));

/// Returns the driver library that contains the SIMT machine, which a program loads as `libcuda.so.1`.
pub fn machine_library() -> &'static [u8] {
    MACHINE
}

/// The chosen device, and why it was chosen.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Opened {
    /// The GPU, or the embedded machine.
    pub device: Device,
    /// Why this device was chosen, as printed in the banner.
    pub reason: String,
}

/// A device behind the driver API.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Device {
    /// A GPU, by ordinal.
    Gpu(usize),
    /// The embedded machine with this profile.
    Emulated(String),
}

/// The result of probing the real driver.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Probe {
    /// The number of GPUs.
    Gpus(usize),
    /// No GPU, and why.
    None(String),
}

/// The driver of this process, once opened.
static OPENED: Mutex<Option<Opened>> = Mutex::new(None);

/// Whether this process's driver is the embedded machine.
pub(crate) fn is_emulated() -> bool {
    let opened = OPENED.lock().unwrap_or_else(PoisonError::into_inner);
    matches!(opened.as_ref(), Some(Opened { device: Device::Emulated(_), .. }))
}

/// Resolves `choice` on this computer, without opening anything.
///
/// # Errors
/// [`Error::CannotRun`] when a GPU is requested and absent.
pub fn choose(choice: &DeviceChoice) -> Result<Opened> {
    Ok(match choice {
        DeviceChoice::Emulated(profile) => {
            Opened { device: Device::Emulated(profile.clone()), reason: "asked for".into() }
        }
        DeviceChoice::Cuda(n) => match probe() {
            Probe::Gpus(count) if *n < count => Opened { device: Device::Gpu(*n), reason: "asked for".into() },
            Probe::Gpus(count) => {
                return Err(Error::CannotRun(format!(
                    "--device cuda:{n}: this computer has {count} GPU{}, the first is cuda:0",
                    if count == 1 { "" } else { "s" }
                )));
            }
            Probe::None(why) => {
                return Err(Error::CannotRun(format!(
                    "--device cuda:{n}: {why}; leave --device out, or use --device emulated, to run on the embedded machine"
                )));
            }
        },
        DeviceChoice::Auto => match probe() {
            Probe::Gpus(_) => Opened { device: Device::Gpu(0), reason: "the first GPU here".into() },
            Probe::None(why) => Opened { device: Device::Emulated(default_profile()), reason: why },
        },
    })
}

/// Opens the driver for `choice`. A process has one driver: requesting another kind later is an error.
///
/// # Errors
/// [`Error::CannotRun`] when a GPU is requested and absent, or the embedded library cannot be opened.
pub fn open(choice: &DeviceChoice) -> Result<Opened> {
    let mut opened = OPENED.lock().unwrap_or_else(PoisonError::into_inner);
    let now = choose(choice)?;
    match opened.as_ref() {
        // The reason may be worded differently the second time, because the machine is loaded by then.
        Some(before) if before.device == now.device => return Ok(before.clone()),
        Some(before) => {
            return Err(Error::CannotRun(format!(
                "this process already runs on {:?}, it cannot change to {:?}",
                before.device, now.device
            )));
        }
        None => {}
    }
    match &now.device {
        Device::Emulated(profile) => open_machine(profile)?,
        Device::Gpu(ordinal) if sandboxed_driver::is_wanted() => {
            stay(sandboxed_driver::connect(&DeviceChoice::Cuda(*ordinal))?)?;
        }
        Device::Gpu(_) => {}
    }
    *opened = Some(now.clone());
    Ok(now)
}

/// Queries a real driver for its devices, if there is one, without using cudarc.
fn probe() -> Probe {
    type Init = unsafe extern "C" fn(c_uint) -> c_int;
    type Count = unsafe extern "C" fn(*mut c_int) -> c_int;
    let names: &[&str] = if cfg!(windows) { &["nvcuda.dll"] } else { &["libcuda.so.1", "libcuda.so"] };
    // SAFETY: loading the system's CUDA driver, and calling two of its functions with their types in cuda.h.
    unsafe {
        let Some(library) = names.iter().find_map(|n| Library::new(*n).ok()) else {
            return Probe::None("no NVIDIA driver on this computer".into());
        };
        if library.get::<Symbol>(b"simt_version").is_ok() {
            return Probe::None("the CUDA driver on the library path is the SIMT machine".into());
        }
        let (Ok(init), Ok(get_count)) = (library.get::<Init>(b"cuInit"), library.get::<Count>(b"cuDeviceGetCount"))
        else {
            return Probe::None("the NVIDIA driver's library lacks cuInit".into());
        };
        match init(0) {
            0 => {}
            100 => return Probe::None("an NVIDIA driver, but no GPU, on this computer".into()),
            code => {
                return Probe::None(format!("the NVIDIA driver does not start (cuInit gives error {code})"));
            }
        }
        let mut count = 0;
        if get_count(&mut count) != 0 || count < 1 {
            return Probe::None("an NVIDIA driver, but no GPU, on this computer".into());
        }
        // The library stays open: cudarc will load the same one, and closing a driver in use is unsafe.
        std::mem::forget(library);
        Probe::Gpus(count as usize)
    }
}

type Symbol = unsafe extern "C" fn() -> *const c_char;

/// Opens the embedded library with `profile`, and makes sure that cudarc uses it.
fn open_machine(profile: &str) -> Result<()> {
    // SAFETY: nothing else reads the environment now: the driver is opened first, on the main thread.
    unsafe {
        std::env::set_var("WARPLAB_PROFILE", profile);
        // The variable selects GPUs, but the embedded machine was chosen.
        std::env::remove_var("CUDA_VISIBLE_DEVICES");
        // This process reports the driver's errors itself.
        std::env::set_var("WARPLAB_QUIET", "1");
    }
    let library = if sandboxed_driver::is_wanted() {
        sandboxed_driver::connect(&DeviceChoice::Emulated(profile.into()))?
    } else {
        load_machine()?
    };
    find_profile(&library, profile)?;
    stay(library)
}

/// Keeps the library open, and checks that cudarc uses it.
fn stay(library: Library) -> Result<()> {
    // The library stays open as long as the process lives, because cudarc holds addresses of its functions.
    std::mem::forget(library);
    // SAFETY: the first use of cudarc's loader in this process; by name, it finds the library that was just opened.
    let mine = unsafe { cudarc::driver::sys::culib().get::<Symbol>(b"simt_version").is_ok() };
    if mine {
        Ok(())
    } else {
        Err(Error::CannotRun(
            "another libcuda.so was loaded in place of the embedded machine; remove it from LD_PRELOAD".into(),
        ))
    }
}

/// Checks that the embedded machine supports `profile`.
///
/// # Errors
/// [`Error::Usage`] with the supported profiles; [`Error::CannotRun`] when the embedded library cannot be opened.
pub fn check_profile(profile: &str) -> Result<()> {
    find_profile(&load_machine()?, profile)
}

fn find_profile(library: &Library, profile: &str) -> Result<()> {
    // SAFETY: a function of the embedded library, with its type.
    if let Ok(names) = unsafe { library.get::<Symbol>(b"simt_profiles") } {
        // SAFETY: it returns a static string.
        let names = unsafe { CStr::from_ptr(names()) }.to_string_lossy().into_owned();
        let known: Vec<&str> = names.split(',').map(str::trim).collect();
        let plain = |s: &str| s.chars().filter(char::is_ascii_alphanumeric).collect::<String>().to_ascii_lowercase();
        if !known.iter().any(|k| plain(k) == plain(profile)) {
            return Err(Error::usage(format!(
                "unknown profile `{profile}` in --device emulated:{profile}; {}",
                suggest::among(profile, &known)
            )));
        }
    }
    Ok(())
}

/// Loads the embedded library: from a memory file if the system supports it, else from a temporary folder.
fn load_machine() -> Result<Library> {
    #[cfg(target_os = "linux")]
    if let Some(library) = load(MACHINE) {
        return Ok(library);
    }
    let io = |path: &Path| {
        let path: PathBuf = path.into();
        move |source| Error::Io { action: "write", path, source }
    };
    let folder = tempfile::Builder::new().prefix("warplab-").tempdir().map_err(io(&std::env::temp_dir()))?;
    // The file has the name that cudarc requests: on systems without sonames, an open library is found by its file
    // name.
    let file = folder.path().join(format!("{}cuda{}", std::env::consts::DLL_PREFIX, std::env::consts::DLL_SUFFIX));
    File::create(&file).and_then(|mut f| f.write_all(MACHINE)).map_err(io(&file))?;
    // SAFETY: our own library.
    let library = unsafe { Library::new(&file) }.map_err(|error| {
        let why = std::error::Error::source(&error).map_or_else(|| error.to_string(), ToString::to_string);
        Error::CannotRun(format!(
            "cannot open the embedded machine: {why}; it needs memory, and a folder from which programs may be executed \
             (TMPDIR names another one)"
        ))
    })?;
    // On Unix an open library no longer needs its file; on other systems the file must stay.
    if cfg!(not(unix)) {
        let _ = folder.keep();
    }
    Ok(library)
}

/// Opens one of the embedded libraries from a memory file.
#[cfg(target_os = "linux")]
pub(crate) fn load(library: &[u8]) -> Option<Library> {
    use std::os::fd::{AsRawFd, FromRawFd};
    // SAFETY: a system call with a static name; the descriptor is owned from here on.
    let mut file = unsafe {
        let fd = libc::memfd_create(c"libcuda.so".as_ptr(), libc::MFD_CLOEXEC);
        if fd < 0 {
            return None;
        }
        File::from_raw_fd(fd)
    };
    file.write_all(library).ok()?;
    // SAFETY: our own library. The mapping outlives the descriptor.
    unsafe { Library::new(format!("/proc/self/fd/{}", file.as_raw_fd())) }.ok()
}
