//! The libraries embedded in `warplab`, written to a folder for other programs: the embedded machine as CUDA's driver,
//! CUDA's runtime, NVML, and the loader's audit library for programs that compile kernels to machine code.
mod soname;

use std::{
    fs, io,
    path::{Path, PathBuf},
};

use harness::Error;

use crate::shared::output_options::update;

/// The name under which a linked program loads the driver.
pub const DRIVER: &str = "libcuda.so.1";

/// The names of the runtime, by CUDA's major version. The first is the one in the embedded library.
const RUNTIMES: [&str; 2] = ["libcudart.so.13", "libcudart.so.12"];

/// The CUDA runtime's library, which uses whichever driver is loaded.
static RUNTIME: &[u8] = include_bytes!(concat!(env!("OUT_DIR"), "/cudart.bin"));

/// NVML's library and its name. It reports what the driver next to it says about its device.
const NVML: &str = "libnvidia-ml.so.1";
static NVML_LIBRARY: &[u8] = include_bytes!(concat!(env!("OUT_DIR"), "/nvml.bin"));

/// The loader's audit library, by which NVRTC and nvJitLink give PTX where a program asks for machine code.
pub const JIT_AUDIT: &str = "libwarplab-jit-audit.so";
static JIT_AUDIT_LIBRARY: &[u8] = include_bytes!(concat!(env!("OUT_DIR"), "/jit_audit.bin"));

/// A replacement for NVIDIA's assembler, for clients that would call it: the machine executes PTX.
pub const PTXAS: &str = "ptxas";

/// The embedded machine under the name by which linked programs load the driver.
fn driver() -> io::Result<Vec<u8>> {
    soname::named(harness::machine_library(), DRIVER).map_err(io::Error::other)
}

/// CUDA's runtime under each of its names.
fn runtimes() -> io::Result<Vec<(&'static str, Vec<u8>)>> {
    let named = |name| soname::replaced(RUNTIME, RUNTIMES[0], name).map(|library| (name, library));
    RUNTIMES.into_iter().map(named).collect::<Result<_, _>>().map_err(io::Error::other)
}

/// Writes the embedded machine as a driver, with its companions, to `folder`, which is created if needed.
///
/// # Errors
/// When it cannot be written.
pub fn write_machine(folder: &Path) -> io::Result<()> {
    fs::create_dir_all(folder)?;
    // Linked programs use this name. Programs that load the driver themselves may try the second, which is a link to
    // the same file, so that the driver is loaded only once.
    fs::write(folder.join(DRIVER), driver()?)?;
    fs::write(folder.join(NVML), NVML_LIBRARY)?;
    fs::write(folder.join(JIT_AUDIT), JIT_AUDIT_LIBRARY)?;
    link_driver(folder)?;
    write_runtime(folder)?;
    write_ptxas(folder)
}

/// Writes CUDA's runtime to `folder`, under each of its names.
///
/// # Errors
/// When it cannot be written.
pub fn write_runtime(folder: &Path) -> io::Result<()> {
    runtimes()?.into_iter().try_for_each(|(name, library)| fs::write(folder.join(name), library))
}

/// Writes the program that passes PTX through. It may be called more than once.
fn write_ptxas(folder: &Path) -> io::Result<()> {
    let file = folder.join(PTXAS);
    fs::write(&file, include_str!("../../../templates/ptxas.sh"))?;
    #[cfg(unix)]
    fs::set_permissions(&file, std::os::unix::fs::PermissionsExt::from_mode(0o755))?;
    Ok(())
}

/// Makes the names in `folder` by which linkers look for the driver and NVML. They may be there already.
fn link_driver(folder: &Path) -> io::Result<()> {
    link(folder, DRIVER)?;
    link(folder, NVML)
}

/// Makes the name of a library without its version.
fn link(folder: &Path, library: &str) -> io::Result<()> {
    let other = folder.join(library.trim_end_matches(".1"));
    match fs::remove_file(&other) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
        _ => {}
    }
    #[cfg(unix)]
    return match std::os::unix::fs::symlink(library, other) {
        // Another process has just made it.
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists => Ok(()),
        made => made,
    };
    #[cfg(not(unix))]
    fs::copy(folder.join(library), other).map(drop)
}

/// Writes the libraries of NVIDIA's driver for linkers, which look for `libcuda.so` and `libnvidia-ml.so`, to a folder
/// in `cache`, and returns that folder. Programs that are linked with them load [`DRIVER`] and [`NVML`] from any
/// vendor.
///
/// # Errors
/// [`Error::Io`] when they cannot be written.
pub fn write_for_linkers(cache: &Path) -> Result<PathBuf, Error> {
    let folder = cache.join("link");
    let io = |source| Error::Io { action: "write to", path: folder.clone(), source };
    fs::create_dir_all(&folder).map_err(io)?;
    // Another link may be using the files.
    update(&folder.join("libcuda.so"), &driver().map_err(io)?)?;
    update(&folder.join("libnvidia-ml.so"), NVML_LIBRARY)?;
    Ok(folder)
}

/// The folder of the embedded machine, in that of [`write_for_programs`]. The runtime looks for it there.
pub const MACHINE: &str = "machine";

/// Writes the runtime for programs that are started alone to a folder in the user's cache, and the embedded machine to
/// a folder in that one, from which the runtime loads it where there is no GPU. Returns the folder.
///
/// # Errors
/// [`Error::CannotRun`] without a cache folder; [`Error::Io`] when it cannot be written.
pub fn write_for_programs() -> Result<PathBuf, Error> {
    let cache = kernels::cache_folder().ok_or_else(|| {
        Error::CannotRun("there is no home folder for the programs' libraries; name a folder by WARPLAB_CACHE".into())
    })?;
    let folder = std::path::absolute(&cache).unwrap_or(cache).join("runtime");
    let machine = folder.join(MACHINE);
    let io = |source| Error::Io { action: "write libraries to", path: folder.clone(), source };
    fs::create_dir_all(&machine).map_err(io)?;
    // A running program may be using the files.
    for (name, library) in runtimes().map_err(io)? {
        update(&folder.join(name), &library)?;
    }
    update(&machine.join(DRIVER), &driver().map_err(io)?)?;
    update(&machine.join(NVML), NVML_LIBRARY)?;
    update(&machine.join(JIT_AUDIT), JIT_AUDIT_LIBRARY)?;
    if !machine.join("libnvidia-ml.so").exists() {
        write_ptxas(&machine).and_then(|()| link_driver(&machine)).map_err(io)?;
    }
    Ok(folder)
}

/// Loads the embedded machine into this process as the driver that NVML asks, and returns the path of its NVML.
///
/// # Errors
/// As [`write_for_programs`]; [`Error::CannotRun`] when the library does not load.
#[cfg(unix)]
pub fn load_machine(profile: &str) -> Result<PathBuf, Error> {
    let machine = write_for_programs()?.join(MACHINE);
    let driver = std::ffi::CString::new(machine.join(DRIVER).as_os_str().as_encoded_bytes()).unwrap_or_default();
    // SAFETY: a zero-terminated path. No other thread reads the environment, and the library stays open.
    let opened = unsafe {
        std::env::set_var("WARPLAB_PROFILE", profile);
        libc::dlopen(driver.as_ptr(), libc::RTLD_NOW)
    };
    if opened.is_null() {
        return Err(Error::CannotRun(format!("the embedded machine in {} cannot be loaded", machine.display())));
    }
    Ok(machine.join(NVML))
}

/// # Errors
/// [`Error::CannotRun`]: programs are run on the machine on Unix only.
#[cfg(not(unix))]
pub fn load_machine(_profile: &str) -> Result<PathBuf, Error> {
    Err(Error::CannotRun("the embedded machine cannot be loaded on this system".into()))
}
