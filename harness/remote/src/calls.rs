//! The calls that the judge forwards to the worker, with the kinds of their arguments.

use self::ArgumentKind::{Config, In, List, Name, Out, Read, Said, Text, Value, Write};

/// The kind of an argument, which says what bytes it refers to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ArgumentKind {
    /// A number, or a handle or address in the worker.
    Value,
    /// A pointer through which this number of bytes is written; may be null.
    Out(usize),
    /// A pointer through which this number of bytes is read; may be null.
    In(usize),
    /// A NUL-terminated text.
    Text,
    /// A pointer through which a pointer to a constant text is written.
    Said,
    /// Host memory that is read; its length in bytes is the argument with this index.
    Read(usize),
    /// Host memory that is written, with its length as for `Read`.
    Write(usize),
    /// Host memory that is written, with a length in 32 bits.
    Name(usize),
    /// A list that is read: the index of the argument with its length (32 bits), a number to subtract from that length,
    /// and the bytes of each element.
    List(usize, usize, usize),
    /// A launch's configuration, in the layout of [`config`], with its attributes.
    Config,
}

/// The layout of `CUlaunchConfig`, which is sent with its attributes appended.
pub mod config {
    use cuda_abi::driver::types::{LaunchAttribute, LaunchConfig};
    use std::mem::offset_of;

    /// Its size in bytes.
    pub const BYTES: usize = size_of::<LaunchConfig>();
    /// The offset of the address of its attributes.
    pub const ATTRIBUTES: usize = offset_of!(LaunchConfig, attrs);
    /// The offset of their number, in 32 bits.
    pub const COUNT: usize = offset_of!(LaunchConfig, num_attrs);
    /// The size of an attribute in bytes.
    pub const ATTRIBUTE: usize = size_of::<LaunchAttribute>();
    /// The most attributes that are sent: more than there are kinds of attributes.
    pub const MOST: usize = 64;
}

/// A call of the table.
#[derive(Debug, Clone, Copy)]
pub struct Call {
    /// Its name in the driver's library.
    pub name: &'static str,
    /// Its arguments.
    pub kinds: &'static [ArgumentKind],
}

/// The most arguments of a call.
pub const MOST: usize = 12;

/// Requests besides the calls of the table; their numbers are above the table's.
pub mod other {
    /// A launch: whether it is cooperative, function, grid, block, shared bytes, stream, parameters.
    pub const LAUNCH: u64 = 1 << 32;
    /// Loads a module, and returns the log if it is refused.
    pub const LOG: u64 = LAUNCH + 1;
    /// Maps memory at an address; its descriptor is sent along.
    pub const MAP: u64 = LAUNCH + 2;
    /// Unmaps memory.
    pub const UNMAP: u64 = LAUNCH + 3;
    /// Writes managed memory as the host does.
    pub const POKE: u64 = LAUNCH + 4;
    /// Reads managed memory as the host does.
    pub const PEEK: u64 = LAUNCH + 5;
    /// The text that a function of the machine returns.
    pub const TELL: u64 = LAUNCH + 6;
    /// The machine's settings.
    pub const CONFIGURE: u64 = LAUNCH + 7;
    /// Changes the standard output, to which kernels print; its descriptor is sent along.
    pub const OUTPUT: u64 = LAUNCH + 8;
}

/// Passes the table to a macro: each call with its arguments.
#[macro_export]
macro_rules! calls {
    ($with:ident) => {
        $with! {
            cuInit(flags: Value);
            cuDriverGetVersion(version: Out(4));
            cuGetErrorName(code: Value, text: Said);
            cuGetErrorString(code: Value, text: Said);
            cuDeviceGet(device: Out(4), ordinal: Value);
            cuDeviceGetCount(count: Out(4));
            cuDeviceGetName(name: Name(1), length: Value, device: Value);
            cuDeviceGetPCIBusId(text: Name(1), length: Value, device: Value);
            cuDeviceGetUuid(uuid: Out(16), device: Value);
            cuDeviceGetUuid_v2(uuid: Out(16), device: Value);
            cuDeviceTotalMem_v2(bytes: Out(8), device: Value);
            cuDeviceGetAttribute(value: Out(4), attribute: Value, device: Value);
            cuDeviceGetDefaultMemPool(pool: Out(8), device: Value);
            cuDeviceGetMemPool(pool: Out(8), device: Value);
            cuDevicePrimaryCtxRetain(context: Out(8), device: Value);
            cuDevicePrimaryCtxRelease_v2(device: Value);
            cuCtxSetCurrent(context: Value);
            cuCtxGetCurrent(context: Out(8));
            cuCtxSynchronize();
            cuCtxSetLimit(limit: Value, value: Value);
            cuCtxGetLimit(value: Out(8), limit: Value);
            cuCtxGetStreamPriorityRange(least: Out(4), greatest: Out(4));
            cuCtxSetCacheConfig(config: Value);
            cuCtxGetCacheConfig(config: Out(4));
            cuCtxSetFlags(flags: Value);
            cuFuncGetAttribute(value: Out(4), attribute: Value, function: Value);
            cuFuncSetAttribute(function: Value, attribute: Value, value: Value);
            cuFuncSetCacheConfig(function: Value, config: Value);
            cuOccupancyMaxActiveBlocksPerMultiprocessor(
                blocks: Out(4), function: Value, threads: Value, shared: Value);
            cuOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(
                blocks: Out(4), function: Value, threads: Value, shared: Value, flags: Value);
            cuOccupancyAvailableDynamicSMemPerBlock(bytes: Out(8), function: Value, blocks: Value, threads: Value);
            cuOccupancyMaxActiveClusters(clusters: Out(4), function: Value, launch: Config);
            cuMemGetInfo_v2(free: Out(8), total: Out(8));
            cuMemAlloc_v2(address: Out(8), bytes: Value);
            cuMemAllocAsync(address: Out(8), bytes: Value, stream: Value);
            cuMemFreeAsync(address: Value, stream: Value);
            cuMemPoolTrimTo(pool: Value, bytes: Value);
            cuMemPoolSetAttribute(pool: Value, attribute: Value, value: In(8));
            cuMemPoolGetAttribute(pool: Value, attribute: Value, value: Out(8));
            cuMemHostGetDevicePointer_v2(address: Out(8), host: Value, flags: Value);
            cuMemcpyHtoD_v2(to: Value, from: Read(2), bytes: Value);
            cuMemcpyDtoH_v2(to: Write(2), from: Value, bytes: Value);
            cuMemcpyDtoD_v2(to: Value, from: Value, bytes: Value);
            cuMemcpyHtoDAsync_v2(to: Value, from: Read(2), bytes: Value, stream: Value);
            cuMemcpyDtoHAsync_v2(to: Write(2), from: Value, bytes: Value, stream: Value);
            cuMemcpyDtoDAsync_v2(to: Value, from: Value, bytes: Value, stream: Value);
            cuMemsetD8_v2(to: Value, byte: Value, count: Value);
            cuMemsetD8Async(to: Value, byte: Value, count: Value, stream: Value);
            cuMemPrefetchAsync(address: Value, bytes: Value, device: Value, stream: Value);
            cuMemAdvise(address: Value, bytes: Value, advice: Value, device: Value);
            cuStreamCreate(stream: Out(8), flags: Value);
            cuStreamCreateWithPriority(stream: Out(8), flags: Value, priority: Value);
            cuStreamDestroy_v2(stream: Value);
            cuStreamSynchronize(stream: Value);
            cuStreamQuery(stream: Value);
            cuStreamWaitEvent(stream: Value, event: Value, flags: Value);
            cuStreamIsCapturing(stream: Value, status: Out(4));
            cuStreamBeginCapture_v2(stream: Value, mode: Value);
            cuStreamEndCapture(stream: Value, graph: Out(8));
            cuStreamAttachMemAsync(stream: Value, address: Value, bytes: Value, flags: Value);
            cuGraphInstantiateWithFlags(executable: Out(8), graph: Value, flags: Value);
            cuGraphUpload(executable: Value, stream: Value);
            cuGraphLaunch(executable: Value, stream: Value);
            cuGraphExecDestroy(executable: Value);
            cuGraphDestroy(graph: Value);
            cuEventCreate(event: Out(8), flags: Value);
            cuEventDestroy_v2(event: Value);
            cuEventRecord(event: Value, stream: Value);
            cuEventQuery(event: Value);
            cuEventSynchronize(event: Value);
            cuEventElapsedTime(milliseconds: Out(4), from: Value, to: Value);
            cuEventElapsedTime_v2(milliseconds: Out(4), from: Value, to: Value);
            cuTensorMapEncodeTiled(
                map: Out(128), kind: Value, rank: Value, address: Value, dimensions: List(2, 0, 8),
                strides: List(2, 1, 8), tile: List(2, 0, 4), steps: List(2, 0, 4), interleave: Value,
                swizzle: Value, promotion: Value, fill: Value);
        }
    };
}

/// The calls of the table that the judge's side wraps in functions of its own.
#[macro_export]
macro_rules! wrapped_calls {
    ($with:ident) => {
        $with! {
            cuModuleLoadData(module: Out(8), image: Text);
            cuModuleGetFunction(function: Out(8), module: Value, name: Text);
            cuMemAllocManaged(address: Out(8), bytes: Value, flags: Value);
            cuMemFree_v2(address: Value);
            cuModuleGetGlobal_v2(address: Out(8), bytes: Out(8), module: Value, name: Text);
            cuModuleUnload(module: Value);
            cuMemHostRegister_v2(host: Value, bytes: Value, flags: Value);
            cuMemHostUnregister(host: Value);
        }
    };
}

macro_rules! table {
    ($($name:ident($($argument:ident: $kind:expr),*);)*) => {
        [$(Call { name: stringify!($name), kinds: &[$($kind),*] }),*]
    };
}

/// The calls that are forwarded unchanged.
pub static PLAIN: &[Call] = &calls!(table);

/// The calls used by the wrappers on the judge's side.
pub static WRAPPED: &[Call] = &wrapped_calls!(table);

/// The call of this number.
pub fn call(number: u64) -> Option<&'static Call> {
    PLAIN.iter().chain(WRAPPED).nth(usize::try_from(number).ok()?)
}

/// The number of the call of this name.
///
/// # Panics
/// When the table has no such call.
pub fn number(name: &str) -> u64 {
    let place = PLAIN.iter().chain(WRAPPED).position(|call| call.name == name);
    place.unwrap_or_else(|| panic!("no call {name} in the table")) as u64
}
