//! A `libcuda` that forwards every call to another process: the C side of [`remote::client`].
//!
//! If that process exits or sends a malformed reply, all its state is lost. This process then reports it and aborts, so
//! that only its case fails.
#![cfg(target_os = "linux")]
#![allow(clippy::missing_safety_doc, non_snake_case, reason = "the functions of cuda.h, with its arguments")]
#![allow(clippy::unused_unit, clippy::too_many_arguments, reason = "as above")]

use std::{
    ffi::{CStr, CString, c_char, c_int, c_void},
    io::{self, Write},
    os::{
        fd::{AsFd, FromRawFd, RawFd},
        unix::net::UnixStream,
    },
    ptr,
    sync::OnceLock,
};

use cuda_abi::driver::{
    Error,
    constants::jit_option::{ERROR_LOG_BUFFER, ERROR_LOG_BUFFER_SIZE_BYTES},
};
use remote::{
    calls::{PLAIN, number},
    client::{Client, Launch},
};

static CLIENT: OnceLock<Client> = OnceLock::new();

/// Connects this library with the worker at the other end of a socket, which it takes over. Returns 0, or -1.
#[unsafe(no_mangle)]
unsafe extern "C" fn remote_connect(socket: RawFd) -> c_int {
    // SAFETY: the caller gives up the descriptor.
    let client = Client::new(unsafe { UnixStream::from_raw_fd(socket) });
    client.ok().and_then(|client| CLIENT.set(client).ok()).map_or(-1, |()| 0)
}

/// Redirects the output of kernels to this process's current standard output. Returns 0, or a driver's code.
#[unsafe(no_mangle)]
extern "C" fn remote_print_here() -> c_int {
    sure(client().print_to(io::stdout().as_fd()))
}

fn client() -> &'static Client {
    CLIENT.get().unwrap_or_else(|| lost(&io::ErrorKind::NotConnected.into()))
}

/// Ends this process: there is nothing left to judge.
fn lost(error: &io::Error) -> ! {
    let what = match error.kind() {
        io::ErrorKind::InvalidData => format!("sent a malformed reply ({error})"),
        io::ErrorKind::UnexpectedEof | io::ErrorKind::BrokenPipe | io::ErrorKind::ConnectionReset => {
            "ended before its time".to_string()
        }
        _ => format!("cannot be followed: {error}"),
    };
    let _ = writeln!(io::stderr(), "the process that runs the kernels {what}");
    // SAFETY: a call without pointers.
    unsafe { libc::abort() }
}

/// Returns the reply, or ends the process if there is none.
fn sure<T>(answer: io::Result<T>) -> T {
    answer.unwrap_or_else(|error| lost(&error))
}

macro_rules! stubs {
    ($($name:ident($($argument:ident: $kind:expr),*);)*) => {
        $(
            #[unsafe(no_mangle)]
            unsafe extern "C" fn $name($($argument: u64),*) -> c_int {
                static NUMBER: OnceLock<u64> = OnceLock::new();
                let number = *NUMBER.get_or_init(|| number(stringify!($name)));
                said(number, &[$($argument),*]).unwrap_or_else(|| {
                    // SAFETY: the arguments are those of the function in cuda.h.
                    sure(unsafe { client().call(number, &[$($argument),*]) })
                })
            }
        )*

        /// The address of the function of this name.
        fn address_of(name: &str) -> *const c_void {
            match name {
                $(stringify!($name) => $name as *const c_void,)*
                _ => ptr::null(),
            }
        }
    };
}
remote::calls!(stubs);

/// Handles the calls that return a constant text; `None` for others.
fn said(number: u64, arguments: &[u64]) -> Option<c_int> {
    let name = PLAIN[number as usize].name;
    if !["cuGetErrorName", "cuGetErrorString"].contains(&name) {
        return None;
    }
    let to = ptr::with_exposed_provenance_mut::<*const c_char>(arguments[1] as usize);
    // SAFETY: the caller of such a function passes the address of a pointer.
    Some(unsafe { write(to, sure(client().said(number, arguments[0]))) })
}

#[unsafe(no_mangle)]
unsafe extern "C" fn cuGetProcAddress(name: *const c_char, to: *mut *const c_void, _: c_int, _: u64) -> c_int {
    // SAFETY: the arguments are those of the function in cuda.h.
    unsafe {
        let found = address_of(&CStr::from_ptr(name).to_string_lossy());
        to.write(found);
        if found.is_null() { Error::NOT_FOUND.0 } else { 0 }
    }
}

#[unsafe(no_mangle)]
unsafe extern "C" fn cuModuleLoadData(module: *mut u64, image: *const c_char) -> c_int {
    // SAFETY: as above.
    sure(unsafe { client().load(module, image) })
}

/// Supported only for the log of a refused image.
#[unsafe(no_mangle)]
unsafe extern "C" fn cuModuleLoadDataEx(
    module: *mut u64,
    image: *const c_char,
    count: u32,
    options: *const c_int,
    values: *const *mut c_void,
) -> c_int {
    // SAFETY: as above; the options of a log are a buffer and its length.
    unsafe {
        let (code, handle, log) = sure(client().log(CStr::from_ptr(image)));
        let value = |wanted| (0..count as usize).find(|at| *options.add(*at) == wanted).map(|at| *values.add(at));
        if let (Some(buffer), Some(bytes)) = (value(ERROR_LOG_BUFFER), value(ERROR_LOG_BUFFER_SIZE_BYTES))
            && let Some(most) = bytes.addr().checked_sub(1)
        {
            let length = log.len().min(most);
            ptr::copy_nonoverlapping(log.as_ptr(), buffer.cast(), length);
            buffer.cast::<u8>().add(length).write(0);
        }
        module.write(handle);
        code
    }
}

#[unsafe(no_mangle)]
unsafe extern "C" fn cuModuleGetFunction(function: *mut u64, module: u64, name: *const c_char) -> c_int {
    // SAFETY: as above.
    sure(unsafe { client().function(function, module, name) })
}

#[unsafe(no_mangle)]
unsafe extern "C" fn cuModuleGetGlobal_v2(
    address: *mut u64,
    bytes: *mut usize,
    module: u64,
    name: *const c_char,
) -> c_int {
    // SAFETY: as above; both places may be null.
    unsafe {
        match sure(client().global(module, name)) {
            Ok((place, size)) => {
                if let Some(address) = address.as_mut() {
                    *address = place;
                }
                if let Some(bytes) = bytes.as_mut() {
                    *bytes = size;
                }
                0
            }
            Err(code) => code,
        }
    }
}

#[unsafe(no_mangle)]
unsafe extern "C" fn cuFuncGetParamInfo(function: u64, at: usize, offset: *mut usize, bytes: *mut usize) -> c_int {
    let Some((start, size)) = client().parameter(function, at) else {
        return Error::INVALID_VALUE.0;
    };
    // SAFETY: as above.
    unsafe {
        offset.write(start);
        bytes.write(size);
    }
    0
}

#[unsafe(no_mangle)]
unsafe extern "C" fn cuLaunchKernel(
    function: u64,
    grid_x: u32,
    grid_y: u32,
    grid_z: u32,
    block_x: u32,
    block_y: u32,
    block_z: u32,
    shared: u32,
    stream: u64,
    parameters: *const *const c_void,
    extra: *const *const c_void,
) -> c_int {
    if !extra.is_null() {
        return Error::INVALID_VALUE.0;
    }
    let sizes = [grid_x, grid_y, grid_z, block_x, block_y, block_z, shared];
    // SAFETY: as above.
    unsafe { launch(false, function, sizes, stream, parameters) }
}

#[unsafe(no_mangle)]
unsafe extern "C" fn cuLaunchCooperativeKernel(
    function: u64,
    grid_x: u32,
    grid_y: u32,
    grid_z: u32,
    block_x: u32,
    block_y: u32,
    block_z: u32,
    shared: u32,
    stream: u64,
    parameters: *const *const c_void,
) -> c_int {
    let sizes = [grid_x, grid_y, grid_z, block_x, block_y, block_z, shared];
    // SAFETY: as above.
    unsafe { launch(true, function, sizes, stream, parameters) }
}

/// Launches a function, with the sizes of the grid, of its blocks, and of their dynamic shared memory.
///
/// # Safety
/// `parameters` is as the driver requires it for the function.
unsafe fn launch(
    is_cooperative: bool,
    function: u64,
    sizes: [u32; 7],
    stream: u64,
    parameters: *const *const c_void,
) -> c_int {
    let [gx, gy, gz, bx, by, bz, bytes] = sizes.map(u64::from);
    let launch = Launch { is_cooperative, function, shape: [gx, gy, gz, bx, by, bz, bytes, stream] };
    // SAFETY: guaranteed by the caller.
    sure(unsafe { client().launch(&launch, parameters) })
}

/// Writes the result of a call to `to`, and returns a driver's code.
///
/// # Safety
/// `to` is the caller's place for it.
unsafe fn write<T>(to: *mut T, given: Result<T, c_int>) -> c_int {
    match given {
        Ok(value) => {
            // SAFETY: guaranteed by the caller.
            unsafe { to.write(value) };
            0
        }
        Err(code) => code,
    }
}

#[unsafe(no_mangle)]
unsafe extern "C" fn cuMemHostAlloc(to: *mut usize, bytes: usize, flags: u32) -> c_int {
    // SAFETY: as above.
    unsafe { write(to, sure(client().allocate_pinned(bytes, flags.into()))) }
}

#[unsafe(no_mangle)]
unsafe extern "C" fn cuMemFreeHost(address: usize) -> c_int {
    sure(client().free_pinned(address))
}

#[unsafe(no_mangle)]
unsafe extern "C" fn cuMemAllocManaged(to: *mut u64, bytes: usize, flags: u32) -> c_int {
    // SAFETY: as above.
    unsafe { write(to, sure(client().allocate_managed(bytes, flags.into()))) }
}

#[unsafe(no_mangle)]
unsafe extern "C" fn cuMemFree_v2(address: u64) -> c_int {
    sure(client().free(address))
}

#[unsafe(no_mangle)]
unsafe extern "C" fn cuModuleUnload(module: u64) -> c_int {
    sure(client().unload(module))
}

/// The text returned by the machine's function `name`; null on a GPU.
fn told(name: &str) -> *mut c_char {
    let text = CString::new(sure(client().tell(name))).unwrap_or_default();
    if text.is_empty() { ptr::null_mut() } else { text.into_raw() }
}

#[unsafe(no_mangle)]
extern "C" fn simt_report_json() -> *mut c_char {
    told("simt_report_json")
}

#[unsafe(no_mangle)]
extern "C" fn simt_leaks_json() -> *mut c_char {
    told("simt_leaks_json")
}

#[unsafe(no_mangle)]
extern "C" fn simt_profiles() -> *const c_char {
    told("simt_profiles")
}

#[unsafe(no_mangle)]
extern "C" fn simt_version() -> *const c_char {
    told("simt_version")
}

#[unsafe(no_mangle)]
unsafe extern "C" fn simt_string_free(text: *mut c_char) {
    if !text.is_null() {
        // SAFETY: one of the functions above has returned it.
        drop(unsafe { CString::from_raw(text) });
    }
}

#[unsafe(no_mangle)]
unsafe extern "C" fn simt_configure(json: *const c_char) -> c_int {
    // SAFETY: the caller passes a NUL-terminated text.
    sure(client().configure(unsafe { CStr::from_ptr(json) }.to_bytes()))
}
