//! The libraries inside `warplab`, written to a folder for programs of their own: the embedded machine as CUDA's
//! driver, CUDA's runtime, and NVML.
use std::{
    fs, io,
    path::{Path, PathBuf},
};

use harness::Error;

use crate::soname;

/// The name of the driver that a linked program asks for.
pub const DRIVER: &str = "libcuda.so.1";

/// The names of the runtime, by CUDA's major version. The first is the one in the embedded library.
const RUNTIMES: [&str; 2] = ["libcudart.so.13", "libcudart.so.12"];

/// The CUDA runtime's library, over whichever driver is loaded.
static RUNTIME: &[u8] = include_bytes!(concat!(env!("OUT_DIR"), "/cudart.bin"));

/// The name of NVML's library, and the library. It tells what the driver beside it says of its device.
const NVML: &str = "libnvidia-ml.so.1";
static NVML_LIBRARY: &[u8] = include_bytes!(concat!(env!("OUT_DIR"), "/nvml.bin"));

/// What stands for NVIDIA's assembler, for clients that would call it: the machine executes PTX.
pub const PTXAS: &str = "ptxas";

/// Writes all that a program needs to `folder`, which is created if need be: the embedded machine as a driver, and what
/// belongs to it.
///
/// # Errors
/// When it cannot be written.
pub fn write_machine(folder: &Path) -> io::Result<()> {
    write_driver(folder)?;
    write_runtime(folder)?;
    fs::write(folder.join(NVML), NVML_LIBRARY)?;
    write_ptxas(folder)
}

/// Writes what passes PTX through, as a program: it can be asked for more than once.
fn write_ptxas(folder: &Path) -> io::Result<()> {
    let file = folder.join(PTXAS);
    fs::write(&file, include_str!("../templates/ptxas.sh"))?;
    #[cfg(unix)]
    fs::set_permissions(&file, std::os::unix::fs::PermissionsExt::from_mode(0o755))?;
    Ok(())
}

/// Writes the embedded machine to `folder`, which is created if need be, as a driver.
fn write_driver(folder: &Path) -> io::Result<()> {
    fs::create_dir_all(folder)?;
    // Programs are linked with the first name. Programs that load the driver themselves may try the second, which leads
    // to the same file, so that nobody loads two drivers.
    let library = soname::named(harness::machine_library(), DRIVER).map_err(io::Error::other)?;
    fs::write(folder.join(DRIVER), library)?;
    let other = folder.join("libcuda.so");
    match fs::remove_file(&other) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
        _ => {}
    }
    #[cfg(unix)]
    return std::os::unix::fs::symlink(DRIVER, other);
    #[cfg(not(unix))]
    fs::copy(folder.join(DRIVER), other).map(drop)
}

/// Writes the libraries of NVIDIA's driver for linkers, which look for `libcuda.so` and `libnvidia-ml.so`, to a folder
/// in `cache`, and returns that folder. Programs that are linked with them ask for [`DRIVER`] and [`NVML`], whosever
/// they are.
///
/// # Errors
/// [`Error::Io`] when they cannot be written.
pub fn write_for_linkers(cache: &Path) -> Result<PathBuf, Error> {
    let folder = cache.join("link");
    let io = |source| Error::Io { action: "write to", path: folder.clone(), source };
    fs::create_dir_all(&folder).map_err(io)?;
    let driver = soname::named(harness::machine_library(), DRIVER).map_err(|error| io(io::Error::other(error)))?;
    for (name, library) in [("libcuda.so", &*driver), ("libnvidia-ml.so", NVML_LIBRARY)] {
        let file = folder.join(name);
        // It may be in use by another link.
        if fs::read(&file).map_or(true, |there| there != library) {
            harness::write_whole(&file, library)?;
        }
    }
    Ok(folder)
}

/// Writes CUDA's runtime to `folder`, under each name that it has.
///
/// # Errors
/// When it cannot be written.
pub fn write_runtime(folder: &Path) -> io::Result<()> {
    for name in RUNTIMES {
        let library = soname::replaced(RUNTIME, RUNTIMES[0], name).map_err(io::Error::other)?;
        fs::write(folder.join(name), library)?;
    }
    Ok(())
}
