//! The judge's state of its worker, and forwarding of a single driver call: its arguments are sent, and its outputs
//! come back.
use std::{
    collections::{BTreeMap, HashMap},
    ffi::{CStr, CString, c_int},
    io::{self, Read},
    os::{fd::BorrowedFd, unix::net::UnixStream},
    ptr, slice,
};

use super::{
    connection::{Connection, strange},
    host::Host,
    managed::Managed,
    modules::Modules,
};
use crate::{
    calls::{self, ArgumentKind, config},
    frame::{put, put_bytes},
    shared,
};

/// Calls that put work on a stream and return nothing: the ones next to a launch in a timed region.
const LATER: [&str; 3] = ["cuEventRecord", "cuStreamWaitEvent", "cuMemsetD8Async"];

/// The first address of pinned memory.
const PINNED: usize = 0x2000_0000_0000;

/// The judge's state of its worker.
pub(super) struct State {
    socket: UnixStream,
    pub(super) line: Connection,
    /// Pinned memory, which the worker shares: address and bytes.
    pub(super) pinned: BTreeMap<usize, usize>,
    /// The next free address for pinned memory.
    pub(super) next: usize,
    pub(super) managed: Managed,
    pub(super) modules: Modules,
    pub(super) host: Host,
    /// The worker's current context, if it is known.
    context: Option<u64>,
    /// Constant texts of the driver's, by call and code.
    pub(super) said: HashMap<(u64, u64), CString>,
}

impl State {
    /// The initial state of a worker at the other end of `socket`.
    ///
    /// # Errors
    /// Errors of the socket.
    pub(super) fn new(socket: UnixStream) -> io::Result<Self> {
        Ok(Self {
            line: Connection::over(&socket)?,
            socket,
            pinned: BTreeMap::new(),
            next: PINNED,
            managed: Managed::default(),
            modules: Modules::default(),
            host: Host::default(),
            context: None,
            said: HashMap::new(),
        })
    }

    /// Forwards the call of this number, and returns the driver's code.
    ///
    /// A call of [`LATER`] is sent with the next one, which also returns its code. Otherwise the worker would wait for
    /// the judge between the records before and after a launch, and times on a GPU would include the latency between
    /// the two processes. For the same reason the current context, which a host queries before each call, is cached
    /// here.
    ///
    /// # Safety
    /// The arguments are those of the driver's function.
    pub(super) unsafe fn call(&mut self, number: u64, arguments: &[u64]) -> io::Result<c_int> {
        let call = calls::call(number).ok_or_else(|| strange("no such call"))?;
        if let ("cuCtxGetCurrent", [place, ..], Some(context)) = (call.name, arguments, self.context)
            && *place != 0
        {
            // SAFETY: guaranteed by the caller: there is room for a handle.
            unsafe { address::<u64>(*place).cast_mut().write_unaligned(context) };
            return Ok(0);
        }
        let is_copy = call.name.starts_with("cuMemcpy");
        if is_copy || ["cuMemPrefetchAsync", "cuGraphLaunch", "cuMemsetD8Async"].contains(&call.name) {
            self.managed.push(&mut self.line)?;
        }
        put(&mut self.line.to, number)?;
        for (kind, argument) in call.kinds.iter().zip(arguments) {
            // SAFETY: guaranteed by the caller.
            unsafe { self.put(*kind, *argument, arguments) }?;
        }
        if LATER.contains(&call.name) {
            return self.line.later().map(|()| 0);
        }
        let code = self.line.code()?;
        match call.name {
            "cuCtxSetCurrent" => self.context = (code == 0).then(|| arguments[0]),
            "cuDevicePrimaryCtxRelease_v2" => self.context = None,
            // The machine gives freed addresses out again then. Pinned memory has its addresses from here.
            "cuMemPoolTrimTo" if arguments[1] == 0 => {
                self.next = self.pinned.last_key_value().map_or(PINNED, |(start, bytes)| start + bytes);
            }
            _ => {}
        }
        if code == 0 {
            for (kind, argument) in call.kinds.iter().zip(arguments) {
                // SAFETY: guaranteed by the caller.
                unsafe { self.take(*kind, *argument, arguments) }?;
            }
        }
        if is_copy || call.name.ends_with("Synchronize") {
            self.managed.pull(&mut self.line)?;
        }
        Ok(self.line.told(code))
    }

    /// Whether the worker shares this host memory.
    pub(super) fn is_shared(&self, address: u64) -> bool {
        let address = address as usize;
        let known = self.pinned.range(..=address).next_back();
        known.is_some_and(|(start, bytes)| address - start < *bytes)
    }

    /// Announces the judge's own memory at an address that is passed to a kernel, if there is any.
    pub(super) fn tell_of(&mut self, address: usize) -> io::Result<()> {
        if self.is_shared(address as u64) || self.managed.has(address) {
            return Ok(());
        }
        self.host.tell(address, &mut self.line)
    }

    unsafe fn put(&mut self, kind: ArgumentKind, argument: u64, all: &[u64]) -> io::Result<()> {
        let is_shared = matches!(kind, ArgumentKind::Read(_) | ArgumentKind::Write(_)) && self.is_shared(argument);
        let to = &mut self.line.to;
        if kind == ArgumentKind::Value {
            return put(to, argument);
        }
        if argument == 0 {
            return put(to, 0);
        }
        if is_shared {
            put(to, 2)?;
            return put(to, argument);
        }
        put(to, 1)?;
        if kind == ArgumentKind::Config {
            // SAFETY: guaranteed by the caller.
            return put_bytes(to, &unsafe { configuration(argument) });
        }
        let bytes = match kind {
            ArgumentKind::In(bytes) => bytes,
            ArgumentKind::Read(at) => all[at] as usize,
            ArgumentKind::List(at, fewer, element) => (all[at] as u32 as usize).saturating_sub(fewer).min(5) * element,
            // SAFETY: guaranteed by the caller.
            ArgumentKind::Text => unsafe { CStr::from_ptr(address(argument)) }.to_bytes().len() + 1,
            ArgumentKind::Value
            | ArgumentKind::Out(_)
            | ArgumentKind::Said
            | ArgumentKind::Write(_)
            | ArgumentKind::Name(_)
            | ArgumentKind::Config => return Ok(()),
        };
        // SAFETY: guaranteed by the caller.
        put_bytes(to, unsafe { slice::from_raw_parts(address::<u8>(argument), bytes) })
    }

    /// Reads the worker's output for an argument: exactly the expected number of bytes.
    unsafe fn take(&mut self, kind: ArgumentKind, argument: u64, all: &[u64]) -> io::Result<()> {
        let bytes = match kind {
            ArgumentKind::Out(bytes) => bytes,
            ArgumentKind::Write(at) if !self.is_shared(argument) => all[at] as usize,
            ArgumentKind::Name(at) => all[at] as u32 as usize,
            _ => return Ok(()),
        };
        if argument == 0 {
            return Ok(());
        }
        // SAFETY: guaranteed by the caller.
        let to = unsafe { slice::from_raw_parts_mut(address::<u8>(argument).cast_mut(), bytes) };
        self.line.from.read_exact(to)?;
        if let (ArgumentKind::Name(_), Some(last)) = (kind, to.last_mut()) {
            *last = 0;
        }
        Ok(())
    }

    /// Sends a file descriptor when the worker is ready for it, and returns the reply.
    pub(super) fn hand_over(&mut self, file: BorrowedFd<'_>) -> io::Result<c_int> {
        if self.line.code()? != 0 {
            return Err(strange("it takes no file"));
        }
        shared::send(&self.socket, file)?;
        self.line.code()
    }
}

/// The bytes of the launch configuration at this address, followed by those of its attributes.
///
/// # Safety
/// There is a `CUlaunchConfig`.
unsafe fn configuration(place: u64) -> Vec<u8> {
    // SAFETY: guaranteed by the caller.
    let mut bytes = unsafe { slice::from_raw_parts(address::<u8>(place), config::BYTES) }.to_vec();
    let list = u64::from_ne_bytes(bytes[config::ATTRIBUTES..][..8].try_into().expect("8 bytes"));
    let count = u32::from_ne_bytes(bytes[config::COUNT..][..4].try_into().expect("4 bytes"));
    let count = (count as usize).min(config::MOST);
    if list != 0 && count != 0 {
        // SAFETY: as above: it has `count` attributes there.
        bytes.extend_from_slice(unsafe { slice::from_raw_parts(address(list), count * config::ATTRIBUTE) });
    }
    bytes
}

/// An argument as a pointer.
fn address<T>(argument: u64) -> *const T {
    ptr::with_exposed_provenance(argument as usize)
}
