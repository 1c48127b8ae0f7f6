//! The C ABI: the entry points' wrapper, the types and the structures that cross it.

#![allow(missing_docs, reason = "names and layouts are those of cuda.h")]

use crate::error::{Error, Result};
use std::ffi::{CStr, c_char, c_int, c_uint, c_void};
use std::sync::OnceLock;

pub type Device = c_int;
pub type DevicePtr = u64;
/// A handle: a number that stands in one of the driver's tables.
pub type Handle = usize;
pub type HostFn = Option<unsafe extern "C" fn(*mut c_void)>;

/// Gives functions their C names, each caught should it panic, and lists them for `cuGetProcAddress`.
macro_rules! entry_points {
    ($($(#[$doc:meta])* $name:ident($($arg:ident: $type:ty),* $(,)?) = $function:ident;)*) => {
        $(
            #[allow(non_snake_case, reason = "the C name")]
            $(#[$doc])*
            #[unsafe(no_mangle)]
            unsafe extern "C" fn $name($($arg: $type),*) -> i32 {
                $crate::abi::guard(stringify!($name), || self::$function($($arg),*))
            }
        )*
        pub(crate) const ENTRIES: &[(&str, $crate::abi::Symbol)] =
            &[$((stringify!($name), $crate::abi::Symbol($name as *const ::std::ffi::c_void))),*];
        /// What the fuzzer must know of each argument.
        #[cfg(test)]
        pub(crate) const ARGUMENTS: &[(&str, &[&str])] = &[$((stringify!($name), &[$(stringify!($type)),*])),*];
    };
}

/// An entry point's address.
#[derive(Clone, Copy)]
pub struct Symbol(pub *const c_void);
// SAFETY: the address of a function.
unsafe impl Send for Symbol {}
// SAFETY: as above.
unsafe impl Sync for Symbol {}

/// Whether each call and its result is written to standard error: `WARPLAB_TRACE` is set.
fn traced() -> bool {
    static TRACED: OnceLock<bool> = OnceLock::new();
    *TRACED.get_or_init(|| std::env::var_os("WARPLAB_TRACE").is_some_and(|value| !value.is_empty()))
}

/// Runs an entry point's body; a panic in it becomes `CUDA_ERROR_UNKNOWN` and a finding.
pub fn guard(name: &'static str, body: impl FnOnce() -> Result) -> i32 {
    let result = match std::panic::catch_unwind(std::panic::AssertUnwindSafe(body)) {
        Ok(result) => result,
        Err(panic) => {
            crate::report::internal(name, &crate::report::panic_text(&*panic));
            Err(Error::UNKNOWN)
        }
    };
    if traced() {
        eprintln!("{name}: {result:?}");
    }
    result.map_or_else(|error| error.0, |()| 0)
}

/// Writes a result through a pointer of the caller's, which must not be null.
pub fn put<T>(out: *mut T, value: T) -> Result {
    if out.is_null() {
        return Err(Error::INVALID_VALUE);
    }
    // SAFETY: the caller of the C function promises that a pointer that is not null is good.
    unsafe { out.write_unaligned(value) };
    Ok(())
}

/// The same, where null means that the caller does not want it.
pub fn put_optional<T>(out: *mut T, value: T) {
    if !out.is_null() {
        // SAFETY: as in `put`.
        unsafe { out.write_unaligned(value) };
    }
}

/// Whether there is somewhere to write a result: checked before work that would be lost.
pub fn need<T>(out: *const T) -> Result {
    if out.is_null() {
        Err(Error::INVALID_VALUE)
    } else {
        Ok(())
    }
}

/// Reads a value or structure of the caller's.
pub fn get<T: Copy>(from: *const T) -> Result<T> {
    need(from)?;
    // SAFETY: as in `put`.
    Ok(unsafe { from.read_unaligned() })
}

/// Reads an array of the caller's.
pub fn get_all<T: Copy>(from: *const T, count: usize) -> Result<Vec<T>> {
    if count == 0 {
        return Ok(Vec::new());
    }
    // More than this is no array of handles or options but a number gone wrong.
    if count > 1 << 20 {
        return Err(Error::INVALID_VALUE);
    }
    need(from)?;
    // SAFETY: as in `put`.
    Ok((0..count)
        .map(|i| unsafe { from.add(i).read_unaligned() })
        .collect())
}

/// Reads a C string of the caller's.
pub fn text(from: *const c_char) -> Result<String> {
    need(from)?;
    // SAFETY: as in `put`.
    Ok(unsafe { CStr::from_ptr(from) }
        .to_string_lossy()
        .into_owned())
}

/// Writes text and its terminator into a buffer of `len` bytes, cut where it does not fit.
pub fn put_text(out: *mut c_char, len: usize, text: &str) -> Result {
    need(out)?;
    if len == 0 {
        return Err(Error::INVALID_VALUE);
    }
    let bytes = &text.as_bytes()[..text.len().min(len - 1)];
    // SAFETY: as in `put`; `bytes` and the terminator fit in `len`.
    unsafe {
        std::ptr::copy_nonoverlapping(bytes.as_ptr().cast(), out, bytes.len());
        out.add(bytes.len()).write(0);
    }
    Ok(())
}

/// Writes at most as many handles as there is room for, and their true number, as the driver's list queries do: with no list,
/// only the number is given; what of the list is left over becomes null.
pub fn put_list(list: *mut Handle, count: *mut usize, handles: &[Handle]) -> Result {
    let room = get(count)?;
    put(count, handles.len())?;
    if list.is_null() {
        return Ok(());
    }
    for i in 0..room.min(1 << 20) {
        // SAFETY: as in `put`, `room` handles long.
        unsafe {
            list.add(i)
                .write_unaligned(handles.get(i).copied().unwrap_or(0));
        };
    }
    put(count, handles.len().min(room))
}

#[repr(C)]
#[derive(Clone, Copy)]
pub struct Uuid(pub [u8; 16]);

#[repr(C)]
#[derive(Clone, Copy)]
pub struct DeviceProperties {
    pub max_threads_per_block: c_int,
    pub max_block: [c_int; 3],
    pub max_grid: [c_int; 3],
    pub shared_per_block: c_int,
    pub const_bytes: c_int,
    pub warp_size: c_int,
    pub mem_pitch: c_int,
    pub regs_per_block: c_int,
    pub clock_khz: c_int,
    pub texture_align: c_int,
}

/// `CUmemLocation`.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct Location {
    pub kind: c_int,
    pub id: c_int,
}
impl Location {
    pub const DEVICE: c_int = 1;
    pub const HOST: c_int = 2;
    pub const HOST_NUMA: c_int = 3;
    pub const HOST_NUMA_CURRENT: c_int = 4;
}

/// `CUmemAccessDesc`.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct AccessDesc {
    pub location: Location,
    pub flags: c_int,
}

/// `CUmemPoolProps`.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct PoolProps {
    pub alloc_type: c_int,
    pub handle_types: c_int,
    pub location: Location,
    pub security: *mut c_void,
    pub max_size: usize,
    pub usage: u16,
    pub reserved: [u8; 54],
}

/// `CUDA_MEMCPY2D`.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct Copy2D {
    pub src_x: usize,
    pub src_y: usize,
    pub src_type: c_int,
    pub src_host: u64,
    pub src_device: DevicePtr,
    pub src_array: usize,
    pub src_pitch: usize,
    pub dst_x: usize,
    pub dst_y: usize,
    pub dst_type: c_int,
    pub dst_host: u64,
    pub dst_device: DevicePtr,
    pub dst_array: usize,
    pub dst_pitch: usize,
    pub width: usize,
    pub height: usize,
}

/// `CUDA_MEMCPY3D`, and `CUDA_MEMCPY3D_PEER`, whose contexts lie where the former has reserved words.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Copy3D {
    pub src_x: usize,
    pub src_y: usize,
    pub src_z: usize,
    pub src_lod: usize,
    pub src_type: c_int,
    pub src_host: u64,
    pub src_device: DevicePtr,
    pub src_array: usize,
    pub src_context: Handle,
    pub src_pitch: usize,
    pub src_height: usize,
    pub dst_x: usize,
    pub dst_y: usize,
    pub dst_z: usize,
    pub dst_lod: usize,
    pub dst_type: c_int,
    pub dst_host: u64,
    pub dst_device: DevicePtr,
    pub dst_array: usize,
    pub dst_context: Handle,
    pub dst_pitch: usize,
    pub dst_height: usize,
    pub width: usize,
    pub height: usize,
    pub depth: usize,
}

/// `CUlaunchConfig`.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct LaunchConfig {
    pub grid: [c_uint; 3],
    pub block: [c_uint; 3],
    pub shared: c_uint,
    pub stream: Handle,
    pub attributes: *const LaunchAttribute,
    pub count: c_uint,
}

/// `CUlaunchAttribute`.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct LaunchAttribute {
    pub id: c_int,
    pub pad: [u8; 4],
    pub value: [u32; 16],
}

/// `CUDA_LAUNCH_PARAMS`.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct LaunchParams {
    pub function: Handle,
    pub grid: [c_uint; 3],
    pub block: [c_uint; 3],
    pub shared: c_uint,
    pub stream: Handle,
    pub params: *mut *mut c_void,
}

/// `CUDA_KERNEL_NODE_PARAMS_v1`.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct KernelNode {
    pub function: Handle,
    pub grid: [c_uint; 3],
    pub block: [c_uint; 3],
    pub shared: c_uint,
    pub params: *mut *mut c_void,
    pub extra: *mut *mut c_void,
}

/// `CUDA_KERNEL_NODE_PARAMS_v2`.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct KernelNode2 {
    pub first: KernelNode,
    pub kernel: Handle,
    pub context: Handle,
}

/// `CUDA_MEMSET_NODE_PARAMS`.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FillNode {
    pub dst: DevicePtr,
    pub pitch: usize,
    pub value: c_uint,
    pub element: c_uint,
    pub width: usize,
    pub height: usize,
}

/// `CUDA_HOST_NODE_PARAMS`.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct HostNode {
    pub function: HostFn,
    pub data: *mut c_void,
}

/// `CUDA_MEM_ALLOC_NODE_PARAMS`.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct AllocNode {
    pub pool: PoolProps,
    pub access: *const AccessDesc,
    pub access_count: usize,
    pub bytes: usize,
    pub dptr: DevicePtr,
}

/// `CUDA_GRAPH_INSTANTIATE_PARAMS`.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct InstantiateParams {
    pub flags: u64,
    pub upload_stream: Handle,
    pub error_node: Handle,
    pub result: c_int,
}

/// `CUgraphExecUpdateResultInfo`.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct UpdateResult {
    pub result: c_int,
    pub error_node: Handle,
    pub error_from_node: Handle,
}

/// `CUctxCreateParams`.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct ContextParams {
    pub affinity: *mut c_void,
    pub affinity_count: c_int,
    pub graphics: *mut c_void,
}

/// `CUgraphEdgeData`.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct EdgeData(pub [u8; 8]);
