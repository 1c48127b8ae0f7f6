//! Runs untrusted kernels in a sandboxed worker process behind the driver API ([`remote`]). This process keeps the
//! seeds, the references and the verdicts out of the worker's reach:
//!
//! - the worker is a new program; its environment has only a few settings of the machine, its only argument is its
//!   device, and its only file is the socket to this process;
//! - it enters its sandbox before the first module is loaded ([`sandbox::restrict_worker`]), and then has no access to
//!   files, other processes or the network;
//! - it ends with this process, and its memory counts as this one's. If it ends earlier, or sends malformed replies,
//!   this process ends as after a crash: the case has failed.
//!
//! Linux only; on other systems the kernels run in this process, as in every run that is not judged.
use std::sync::atomic::{AtomicBool, Ordering};

use crate::device::choice::DeviceChoice;

/// The hidden first argument of a worker. The second argument is its device.
pub(crate) const WORKER: &str = "__worker";

static WANTED: AtomicBool = AtomicBool::new(false);

/// Makes the driver that is opened next run in a worker.
pub(crate) fn want() {
    WANTED.store(cfg!(target_os = "linux"), Ordering::Relaxed);
}

/// Whether the driver runs in a worker.
pub(crate) fn is_wanted() -> bool {
    WANTED.load(Ordering::Relaxed)
}

/// Ends the worker, if there is one, and waits for it: its resource usage counts as this process's, and nothing of it
/// remains. The driver cannot be used from here on.
pub(crate) fn end() {
    #[cfg(target_os = "linux")]
    linux::end();
}

/// Redirects the output of kernels in a worker to the current standard output, because a worker has its own.
pub(crate) fn print_here() {
    type Print = unsafe extern "C" fn() -> std::ffi::c_int;
    if is_wanted() {
        // SAFETY: the function has this type in the library of `connect`, which stays open.
        unsafe {
            if let Ok(print) = cudarc::driver::sys::culib().get::<Print>(b"remote_print_here") {
                print();
            }
        }
    }
}

#[cfg(not(target_os = "linux"))]
pub(crate) fn connect(_: &DeviceChoice) -> crate::error::Result<libloading::Library> {
    unreachable!("it is wanted on Linux only")
}

#[cfg(not(target_os = "linux"))]
pub(crate) fn serve(_: &std::ffi::OsStr) -> ! {
    unreachable!("only Linux has workers")
}

#[cfg(target_os = "linux")]
pub(crate) use linux::{connect, serve};

#[cfg(target_os = "linux")]
mod linux {
    use std::{
        env,
        ffi::{OsStr, c_int, c_uint, c_void},
        io::Write,
        num::NonZero,
        os::{
            fd::{FromRawFd, IntoRawFd, OwnedFd, RawFd},
            unix::net::UnixStream,
        },
        process::{self, Child, Command},
        ptr,
        sync::{Mutex, PoisonError},
        thread,
    };

    use libloading::Library;

    use sandbox::process_limits;

    use super::{DeviceChoice, WORKER};
    use crate::{
        device::driver::{MACHINE, load},
        error::{Error, Result},
    };

    /// The driver library that forwards each call.
    static CLIENT: &[u8] = include_bytes!(concat!(env!("OUT_DIR"), "/client.bin"));

    /// The worker of this process.
    static STARTED: Mutex<Option<Child>> = Mutex::new(None);

    pub(super) fn end() {
        let worker = STARTED.lock().unwrap_or_else(PoisonError::into_inner).take();
        if let Some(mut worker) = worker {
            // It may have ended already.
            let _ = worker.kill();
            let _ = worker.wait();
        }
    }

    /// The variable with the number of threads that execute a launch.
    const WORKERS: &str = "WARPLAB_WORKERS";

    /// The environment variables that a worker keeps: the machine's settings, and the location of a GPU's driver.
    const KEPT: [&str; 12] = [
        "WARPLAB_PROFILE",
        "WARPLAB_QUIET",
        "WARPLAB_CHECKS",
        "WARPLAB_LINES",
        "WARPLAB_COSTS",
        "WARPLAB_BUDGET",
        WORKERS,
        "WARPLAB_VECTORS",
        "CUDA_VISIBLE_DEVICES",
        "CUDA_DEVICE_ORDER",
        "CUDA_MODULE_LOADING",
        "LD_LIBRARY_PATH",
    ];

    /// Starts a worker for the device of `choice`, and opens the library that forwards the driver's calls to it.
    ///
    /// # Errors
    /// [`Error::CannotRun`].
    pub(crate) fn connect(choice: &DeviceChoice) -> Result<Library> {
        type Connect = unsafe extern "C" fn(RawFd) -> c_int;
        let unable = |why: &dyn std::fmt::Display| {
            Error::CannotRun(format!("cannot start the worker process for the kernels: {why}"))
        };
        let (mine, theirs) = UnixStream::pair().map_err(|error| unable(&error))?;
        let program = env::current_exe().map_err(|error| unable(&error))?;
        let mut command = Command::new(program);
        command.env_clear().envs(KEPT.iter().filter_map(|name| Some((name, env::var_os(name)?))));
        command.args([WORKER, &choice.to_string()]);
        if env::var_os(WORKERS).is_none_or(|count| count.is_empty() || count == "0") {
            // In its sandbox the worker cannot read the files with the number of available processors.
            let processors = thread::available_parallelism().map_or(1, NonZero::get);
            command.env(WORKERS, processors.to_string());
        }
        process_limits::ends_with_parent(&mut command);
        // The worker ends at the latest when the socket is closed.
        let worker = command.stdin(OwnedFd::from(theirs)).spawn().map_err(|error| unable(&error))?;
        *STARTED.lock().unwrap_or_else(PoisonError::into_inner) = Some(worker);
        let library = load(CLIENT).ok_or_else(|| unable(&"no memory for its library"))?;
        // SAFETY: our own library's function, with this type; it takes ownership of the socket.
        let code = unsafe {
            let connect = library.get::<Connect>(b"remote_connect").map_err(|error| unable(&error))?;
            connect(mine.into_raw_fd())
        };
        if code == 0 { Ok(library) } else { Err(unable(&"its library does not take the socket")) }
    }

    /// Serves as a worker on this device until the judge closes the connection.
    pub(crate) fn serve(device: &OsStr) -> ! {
        sandbox::process::close_inherited();
        let code = match serve_judge(&device.to_string_lossy()) {
            Ok(()) => 0,
            Err(why) => {
                let _ = writeln!(std::io::stderr(), "the process that runs the kernels: {why}");
                1
            }
        };
        process::exit(code);
    }

    fn serve_judge(choice: &str) -> std::result::Result<(), String> {
        let is_emulated = matches!(choice.parse::<DeviceChoice>()?, DeviceChoice::Emulated(_));
        // SAFETY: a worker's standard input is the socket, which nothing else here uses.
        let socket = UnixStream::from(unsafe { OwnedFd::from_raw_fd(0) });
        // If the system lacks a protection, the grader has consented. A worker uses every protection that exists.
        let in_words = |why: sandbox::Refused| format!("the sandbox is not complete: {why}");
        let library = if is_emulated {
            let library = load(MACHINE).ok_or("no memory for the machine")?;
            sandbox::restrict_worker().map_err(in_words)?;
            library
        } else {
            let library = driver()?;
            sandbox::restrict_driver().map_err(in_words)?;
            start(&library)?;
            sandbox::restrict_started_driver().map_err(in_words)?;
            library
        };
        let find = |name: &str| {
            // SAFETY: only the address is taken.
            let found = unsafe { library.get::<*const c_void>(name.as_bytes()) };
            found.map_or(ptr::null(), |symbol| *symbol)
        };
        // SAFETY: these are the functions of a driver.
        unsafe { remote::serve::serve(socket, find) }.map_err(|error| error.to_string())
    }

    /// Opens the GPU's driver.
    fn driver() -> std::result::Result<Library, String> {
        // SAFETY: loading the system's CUDA driver.
        let library = unsafe { Library::new("libcuda.so.1").or_else(|_| Library::new("libcuda.so")) };
        library.map_err(|error| error.to_string())
    }

    /// Starts the GPU's driver, so that the files it needs are open.
    fn start(library: &Library) -> std::result::Result<(), String> {
        type Init = unsafe extern "C" fn(c_uint) -> c_int;
        type Retain = unsafe extern "C" fn(*mut *mut c_void, c_int) -> c_int;
        // SAFETY: calling functions by their types in cuda.h.
        unsafe {
            let init = library.get::<Init>(b"cuInit").map_err(|error| error.to_string())?;
            let retain = library.get::<Retain>(b"cuDevicePrimaryCtxRetain").map_err(|error| error.to_string())?;
            let mut context = ptr::null_mut();
            // If these calls fail, they fail again when the judge makes them, and the judge reports it.
            if init(0) == 0 {
                retain(&raw mut context, 0);
            }
            Ok(())
        }
    }
}
