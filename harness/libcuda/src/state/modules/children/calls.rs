//! Requests that running kernels make of the driver, for runtime.cu: launches and copies to be performed once they have
//! ended, and queries about the device and its functions.
//!
//! Requested work runs after the kernel, in the order of its blocks and, within a block, in the order in which its
//! threads made the requests; work for the tail comes last. This is one of the orders that CUDA allows, and the one
//! that was observed on an H100. Streams and events therefore only need to exist, and have no further effect.
//!
//! Fills use the requested value, as CUDA's documentation says. (CUDA 13.0 was observed to fill with zeros on an H100,
//! regardless of the value.)

use crate::abi::constants::{limit, memory_type};
use crate::abi::error::{Error, Result};
use crate::abi::types::{Copy3D, Handle};
use crate::state::contexts::context::Context;
use crate::state::device::attributes;
use crate::state::device::driver::driver;
use crate::state::device::sync::lock;
use crate::state::memory::copy::MemoryCopy;
use crate::state::memory::described::described;
use crate::state::memory::fill::Fill;
use crate::state::modules::function;
use crate::state::modules::launch::KernelLaunch;
use crate::state::modules::module::{Function, Module, find_function};
use crate::state::modules::occupancy::resident_blocks;
use simt::kernel::Geometry;
use simt::machine::{Caller, Runtime, WORDS};
use std::collections::HashMap;
use std::sync::{Arc, Mutex};

/// The calls, numbered as in runtime.cu.
mod call {
    pub const NOTE_ERROR: u32 = 0;
    pub const LAST_ERROR: u32 = 1;
    pub const PREPARE: u32 = 2;
    pub const LAUNCH: u32 = 3;
    pub const COPY: u32 = 4;
    pub const FILL: u32 = 5;
    pub const CREATE_STREAM: u32 = 6;
    pub const DESTROY_STREAM: u32 = 7;
    pub const CREATE_EVENT: u32 = 8;
    pub const FIND_EVENT: u32 = 9;
    pub const DEVICE_ATTRIBUTE: u32 = 10;
    pub const LIMIT: u32 = 11;
    pub const FUNCTION_ATTRIBUTE: u32 = 12;
    pub const OCCUPANCY: u32 = 13;
}

/// Error numbers of the runtime, where the driver's differ.
mod error {
    use cuda_abi::runtime::Error;

    pub const INVALID_CONFIGURATION: u32 = Error::INVALID_CONFIGURATION.0 as u32;
    pub const LAUNCH_PENDING_COUNT_EXCEEDED: u32 = Error::LAUNCH_PENDING_COUNT_EXCEEDED.0 as u32;
    pub const INVALID_DEVICE_FUNCTION: u32 = Error::INVALID_DEVICE_FUNCTION.0 as u32;
    pub const UNKNOWN: u32 = Error::UNKNOWN.0 as u32;
}

/// The answer to a query after an error, which has been recorded.
const FAILED: u64 = u64::MAX;
/// The stream whose work runs at the tail.
const TAIL: u64 = 3;
/// The highest number of a predefined stream: `cudaStreamFireAndForget`.
const LAST_STREAM: u64 = 4;
/// Handles that kernels create are multiples of this number.
const HANDLE: u64 = 1 << 12;
/// The maximum number of threads whose errors are stored in the host's memory.
const MOST: usize = 1 << 20;
/// The maximum host memory for the work that the kernels of one launch request, in bytes.
const MOST_BYTES: usize = 256 << 20;
/// The host memory for a piece of work, in bytes, in addition to a kernel's parameters.
const PIECE: usize = 256;

/// Work to run once the kernel that requested it has ended.
pub enum Work {
    /// A launch.
    Kernel(Arc<KernelLaunch>),
    /// A copy.
    Copy(Box<MemoryCopy>),
    /// A fill of slices of memory.
    Fill(Slices),
}

/// A fill of several slices.
pub struct Slices {
    /// The fill of the first slice.
    first: Fill,
    /// The distance between the starts of slices.
    apart: u64,
    /// The number of slices. A kernel may pass any number.
    depth: u64,
}

impl Slices {
    /// Returns the fills, generated one by one.
    pub fn each(&self) -> impl Iterator<Item = Fill> {
        let depth = if self.first.width == 0 || self.first.height == 0 { 0 } else { self.depth };
        (0..depth).map(|z| Fill { dst: self.first.dst.wrapping_add(self.apart.wrapping_mul(z)), ..self.first })
    }
}

/// The requests of the kernels of one launch.
#[derive(Default)]
struct RequestedWork {
    /// For each block, the work that its threads requested.
    work: HashMap<u64, Vec<Work>>,
    /// The work for the tail.
    tail: HashMap<u64, Vec<Work>>,
    /// The number of pieces of work for the tail.
    tails: usize,
    /// The host memory that all the work uses, in bytes.
    bytes: usize,
    /// The threads whose last call failed, with the error.
    errors: HashMap<Caller, u32>,
    /// The numbers of handles created for streams and events.
    handles: [u64; 2],
}

/// The kinds of handles.
const STREAM: usize = 0;
const EVENT: usize = 1;

/// The runtime calls of one launch.
pub struct Calls {
    /// The module of the kernel, the kernels of which can be launched.
    module: Arc<Module>,
    context: Option<Arc<Context>>,
    asked: Mutex<RequestedWork>,
}

impl Calls {
    /// Creates the calls of a launch of a function.
    pub fn new(function: &Function, context: Option<&Arc<Context>>) -> Self {
        Calls { module: Arc::clone(&function.module), context: context.cloned(), asked: Mutex::default() }
    }

    /// Returns the work to run, in order, now that the launch has ended.
    pub fn end(self) -> Vec<Work> {
        let asked = self.asked.into_inner().unwrap_or_else(std::sync::PoisonError::into_inner);
        [asked.work, asked.tail].into_iter().flat_map(in_order).collect()
    }

    /// Returns the handle of the kernel to which a pointer in device code points.
    fn handle(&self, address: u64) -> std::result::Result<Handle, u32> {
        let name = self.module.machine.kernel_at(address).ok_or(error::INVALID_DEVICE_FUNCTION)?;
        self.module.function(name).map_err(code)
    }

    /// Returns the kernel to which a pointer in device code points.
    fn function(&self, address: u64) -> std::result::Result<Arc<Function>, u32> {
        find_function(self.handle(address)?).map_err(code)
    }

    /// Creates the launch of the kernel, with the geometry, given in `words`.
    fn launch(&self, words: &[u64; WORDS], params: Vec<u8>) -> std::result::Result<Arc<KernelLaunch>, u32> {
        let handle = self.handle(words[0])?;
        let [grid_xy, grid_z_block_x, block_yz] =
            [words[1], words[2], words[3]].map(|word| [word as u32, (word >> 32) as u32]);
        let geometry = Geometry {
            dynamic_shared: words[4] as u32,
            ..Geometry::new([grid_xy[0], grid_xy[1], grid_z_block_x[0]], [grid_z_block_x[1], block_yz[0], block_yz[1]])
        };
        // The runtime reports every launch that exceeds a limit with this error.
        KernelLaunch::new(handle, geometry, |_| Ok(params)).map_err(|_| error::INVALID_CONFIGURATION)
    }

    /// Stores work to run when the kernel has ended.
    fn ask(&self, caller: Caller, stream: u64, work: Work) -> std::result::Result<(), u32> {
        let mut asked = lock(&self.asked);
        let bytes = PIECE + if let Work::Kernel(launch) = &work { launch.parameter_bytes() } else { 0 };
        if asked.bytes + bytes > MOST_BYTES {
            return Err(error::LAUNCH_PENDING_COUNT_EXCEEDED);
        }
        if stream == TAIL {
            let most = self
                .context
                .as_ref()
                .and_then(|context| lock(&context.limits).get(limit::DEV_RUNTIME_PENDING_LAUNCH_COUNT).ok());
            if most.is_some_and(|most| asked.tails >= most) {
                return Err(error::LAUNCH_PENDING_COUNT_EXCEEDED);
            }
            asked.tails += 1;
        }
        asked.bytes += bytes;
        let list = if stream == TAIL { &mut asked.tail } else { &mut asked.work };
        list.entry(caller.block).or_default().push(work);
        Ok(())
    }

    /// Launches a kernel whose parameters lie in device memory.
    fn launch_prepared(&self, caller: Caller, words: &[u64; WORDS]) -> std::result::Result<(), u32> {
        let (address, stream) = (words[5], words[6]);
        self.known(STREAM, stream).map_err(code)?;
        let bytes = self.function(words[0])?.kernel().param_bytes as usize;
        let mut params = vec![0; bytes];
        if bytes > 0 {
            let memory = &driver().map_err(code)?.memory;
            let from = memory.reach(address, bytes as u64).map_err(|_| code(Error::INVALID_VALUE))?;
            // SAFETY: `bytes` bytes were found there, and are kept mapped. The running kernel has written them.
            unsafe { params.as_mut_ptr().copy_from_nonoverlapping(from.pointer, bytes) };
        }
        self.ask(caller, stream, Work::Kernel(self.launch(words, params)?))
    }

    /// Copies memory of the device.
    fn copy(&self, caller: Caller, words: &[u64; WORDS]) -> std::result::Result<(), u32> {
        let [stream, to, to_pitch, to_rows, from, from_pitch, from_rows, width, height, depth, ..] = *words;
        self.known(STREAM, stream).map_err(|_| error::UNKNOWN)?;
        let copy = described(&Copy3D {
            dst_memory_type: memory_type::DEVICE,
            dst_device: to,
            dst_pitch: to_pitch as usize,
            dst_height: to_rows as usize,
            src_memory_type: memory_type::DEVICE,
            src_device: from,
            src_pitch: from_pitch as usize,
            src_height: from_rows as usize,
            width_in_bytes: width as usize,
            height: height as usize,
            depth: depth as usize,
            ..Copy3D::default()
        });
        self.ask(caller, stream, Work::Copy(Box::new(copy.map_err(code)?)))
    }

    /// Fills memory with a byte.
    fn fill(&self, caller: Caller, words: &[u64; WORDS]) -> std::result::Result<(), u32> {
        let [stream, to, pitch, rows, value, width, height, depth, ..] = *words;
        self.known(STREAM, stream).map_err(|_| error::UNKNOWN)?;
        // Slices that overlap could make a fill endless.
        let slice = height.saturating_sub(1).checked_mul(pitch).and_then(|rows| rows.checked_add(width));
        let apart = pitch.checked_mul(rows);
        if depth > 1 && (slice.is_none() || apart < slice) {
            return Err(code(Error::INVALID_VALUE));
        }
        let first = Fill {
            dst: to,
            pitch: pitch as usize,
            value: value as u32,
            element: 1,
            width: width as usize,
            height: height as usize,
        };
        self.ask(caller, stream, Work::Fill(Slices { first, apart: apart.unwrap_or(0), depth }))
    }

    /// Creates a handle.
    fn create(&self, kind: usize) -> u64 {
        let made = &mut lock(&self.asked).handles[kind];
        *made += 1;
        *made * HANDLE
    }

    /// Checks that there is a stream or an event with this handle. Destroyed ones are still valid, as on a device.
    fn known(&self, kind: usize, handle: u64) -> Result {
        let always = kind == STREAM && handle <= LAST_STREAM;
        let made =
            || handle.is_multiple_of(HANDLE) && (1..=lock(&self.asked).handles[kind]).contains(&(handle / HANDLE));
        if always || made() { Ok(()) } else { Err(Error::INVALID_VALUE) }
    }

    /// Returns the answer to a query.
    fn answer(&self, call: u32, words: &[u64; WORDS]) -> std::result::Result<u64, u32> {
        let driver = driver().map_err(code)?;
        match call {
            call::PREPARE => {
                // The parameters are not known yet.
                let launch = self.launch(words, Vec::new())?;
                Ok(launch.function.kernel().param_bytes.into())
            }
            call::DEVICE_ATTRIBUTE => {
                let value = attributes::device(driver.profile, words[0] as i32);
                value.map(unsigned).ok_or(code(Error::INVALID_VALUE))
            }
            call::LIMIT => {
                let context = self.context.as_ref().ok_or(code(Error::INVALID_CONTEXT))?;
                let value = lock(&context.limits).get(words[0] as i32);
                value.map(|value| value as u64).map_err(|_| code(Error::INVALID_VALUE))
            }
            call::FUNCTION_ATTRIBUTE => {
                let function = self.function(words[0]).map_err(|_| code(Error::INVALID_VALUE))?;
                function::attribute(&function, words[1] as i32).map(unsigned).map_err(code)
            }
            call::OCCUPANCY => {
                let function = self.function(words[0])?;
                let [threads, shared] = [words[1], words[2]].map(|word| u32::try_from(word).unwrap_or(u32::MAX));
                resident_blocks(&function, threads, shared).map(u64::from).map_err(code)
            }
            _ => Err(error::UNKNOWN),
        }
    }
}

impl Runtime for Calls {
    fn call(&self, caller: Caller, call: u32, words: &[u64; WORDS]) -> u64 {
        let note = |error: u32| {
            let errors = &mut lock(&self.asked).errors;
            if errors.len() < MOST || errors.contains_key(&caller) {
                errors.insert(caller, error);
            }
        };
        // A command: it succeeds, or its error is the answer.
        let done = |result: std::result::Result<(), u32>| match result {
            Ok(()) => 0,
            Err(error) => {
                note(error);
                error.into()
            }
        };
        match call {
            call::NOTE_ERROR => done(Err(words[0] as u32)),
            call::LAST_ERROR => {
                let errors = &mut lock(&self.asked).errors;
                let last = if words[0] != 0 { errors.remove(&caller) } else { errors.get(&caller).copied() };
                last.unwrap_or(0).into()
            }
            call::LAUNCH => done(self.launch_prepared(caller, words)),
            call::COPY => done(self.copy(caller, words)),
            call::FILL => done(self.fill(caller, words)),
            call::CREATE_STREAM => self.create(STREAM),
            call::CREATE_EVENT => self.create(EVENT),
            call::DESTROY_STREAM => {
                let made = self.known(STREAM, words[0]).map_err(code);
                done(if words[0] <= LAST_STREAM { Err(code(Error::INVALID_VALUE)) } else { made })
            }
            call::FIND_EVENT => {
                done(self.known(EVENT, words[0]).and_then(|()| self.known(STREAM, words[1])).map_err(code))
            }
            _ => self.answer(call, words).unwrap_or_else(|error| {
                note(error);
                FAILED
            }),
        }
    }
}

/// Returns the runtime's number for an error of the driver. They are the same for all errors that kernels can get.
fn code(error: Error) -> u32 {
    error.0 as u32
}

/// Converts an answer of type `int`: negative ones also differ from [`FAILED`].
fn unsigned(value: i32) -> u64 {
    u64::from(value as u32)
}

/// Returns the requests of the blocks, in the order of the blocks.
fn in_order(asked: HashMap<u64, Vec<Work>>) -> Vec<Work> {
    let mut blocks: Vec<_> = asked.into_iter().collect();
    blocks.sort_unstable_by_key(|(block, _)| *block);
    blocks.into_iter().flat_map(|(_, work)| work).collect()
}
