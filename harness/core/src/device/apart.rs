//! The kernels of a stranger run in a process of their own, the worker, behind the driver's interface ([`remote`]).
//! This process keeps the seeds, the references and the verdicts, which the worker cannot look at:
//!
//! - it is a new program, with an environment of a few settings of the machine's, its device as its only argument, and
//!   no file but the socket to this process;
//! - it enters its sandbox before the first module is loaded ([`sandbox::restrict_worker`]): it reaches no file, no
//!   other process and no network;
//! - it ends with this process, and its memory counts as this one's. When it ends before that, or its answers are no
//!   answers, this process ends as after a crash: the case has failed.
//!
//! Linux only; elsewhere the kernels run in this process, as they do in every run that judges nobody.
use std::sync::atomic::{AtomicBool, Ordering};

use crate::device::choice::DeviceChoice;

/// The hidden first argument of a worker. The second one is its device.
pub(crate) const WORKER: &str = "__worker";

static WANTED: AtomicBool = AtomicBool::new(false);

/// Has the driver that is opened next run in a worker.
pub(crate) fn want() {
    WANTED.store(cfg!(target_os = "linux"), Ordering::Relaxed);
}

/// Whether the driver runs in a worker.
pub(crate) fn is_wanted() -> bool {
    WANTED.load(Ordering::Relaxed)
}

/// Ends the worker, if there is one, and waits for it: what it has used counts as used by this process, and nothing of
/// it is left. The driver is of no use from here on.
pub(crate) fn end() {
    #[cfg(target_os = "linux")]
    linux::end();
}

/// Has kernels print to what is the standard output now, where they run in a worker, whose own it is not.
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

    /// The driver library that passes each call on.
    static CLIENT: &[u8] = include_bytes!(concat!(env!("OUT_DIR"), "/client.bin"));

    /// The worker of this process.
    static STARTED: Mutex<Option<Child>> = Mutex::new(None);

    pub(super) fn end() {
        let worker = STARTED.lock().unwrap_or_else(PoisonError::into_inner).take();
        if let Some(mut worker) = worker {
            // It may have ended by itself.
            let _ = worker.kill();
            let _ = worker.wait();
        }
    }

    /// The number of threads that run a launch.
    const WORKERS: &str = "WARPLAB_WORKERS";

    /// What a worker keeps of the environment: the machine's settings, and where a GPU's driver is found.
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

    /// Starts a worker for the device of `choice`, and opens the library that passes the driver's calls on to it.
    ///
    /// # Errors
    /// [`Error::CannotRun`].
    pub(crate) fn connect(choice: &DeviceChoice) -> Result<Library> {
        type Connect = unsafe extern "C" fn(RawFd) -> c_int;
        let unable = |why: &dyn std::fmt::Display| {
            Error::CannotRun(format!("cannot start a process for the kernels, which runs apart from the judge: {why}"))
        };
        let (mine, theirs) = UnixStream::pair().map_err(|error| unable(&error))?;
        let program = env::current_exe().map_err(|error| unable(&error))?;
        let mut command = Command::new(program);
        command.env_clear().envs(KEPT.iter().filter_map(|name| Some((name, env::var_os(name)?))));
        command.args([WORKER, &choice.to_string()]);
        if env::var_os(WORKERS).is_none_or(|count| count.is_empty() || count == "0") {
            // In its sandbox the worker cannot read the files that say how many processors it may use.
            let processors = thread::available_parallelism().map_or(1, NonZero::get);
            command.env(WORKERS, processors.to_string());
        }
        process_limits::ends_with_parent(&mut command);
        // It ends when the socket is closed, at the latest.
        let worker = command.stdin(OwnedFd::from(theirs)).spawn().map_err(|error| unable(&error))?;
        *STARTED.lock().unwrap_or_else(PoisonError::into_inner) = Some(worker);
        let library = load(CLIENT).ok_or_else(|| unable(&"no memory for its library"))?;
        // SAFETY: our own library's function, of this type, to which the socket is given away.
        let code = unsafe {
            let connect = library.get::<Connect>(b"remote_connect").map_err(|error| unable(&error))?;
            connect(mine.into_raw_fd())
        };
        if code == 0 { Ok(library) } else { Err(unable(&"its library does not take the socket")) }
    }

    /// Serves as a worker on this device until the judge hangs up.
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
        // SAFETY: whoever starts a worker gives it the socket as its standard input, which nothing else here uses.
        let socket = UnixStream::from(unsafe { OwnedFd::from_raw_fd(0) });
        // Where the system lacks a protection, whoever grades was asked. A worker goes without none that there is.
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

    /// The GPU's driver.
    fn driver() -> std::result::Result<Library, String> {
        // SAFETY: loading the system's CUDA driver.
        let library = unsafe { Library::new("libcuda.so.1").or_else(|_| Library::new("libcuda.so")) };
        library.map_err(|error| error.to_string())
    }

    /// Starts the GPU's driver: what it opens on the way is open then.
    fn start(library: &Library) -> std::result::Result<(), String> {
        type Init = unsafe extern "C" fn(c_uint) -> c_int;
        type Retain = unsafe extern "C" fn(*mut *mut c_void, c_int) -> c_int;
        // SAFETY: calling functions by their types in cuda.h.
        unsafe {
            let init = library.get::<Init>(b"cuInit").map_err(|error| error.to_string())?;
            let retain = library.get::<Retain>(b"cuDevicePrimaryCtxRetain").map_err(|error| error.to_string())?;
            let mut context = ptr::null_mut();
            // The judge hears of it when they fail again for it.
            if init(0) == 0 {
                retain(&raw mut context, 0);
            }
            Ok(())
        }
    }
}
