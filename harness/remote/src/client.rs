//! The judge's side: passes the driver's calls on, and takes the answers.
use std::{
    collections::{BTreeMap, HashMap, HashSet},
    ffi::{CStr, CString, c_char, c_int, c_void},
    io::{self, BufReader, BufWriter, Read, Write},
    os::{
        fd::{AsFd, BorrowedFd, OwnedFd},
        unix::net::UnixStream,
    },
    ptr, slice,
    sync::{Mutex, MutexGuard, PoisonError},
};

use crate::{
    calls::{self, Kind, other},
    frame::{get, get_bytes, put, put_bytes},
    managed::Managed,
    parameters::{self, Parameters},
    shared,
};

/// The longest text that a worker may give, in bytes.
const LONGEST: u64 = 1 << 28;

/// The driver's error codes that the judge's side gives itself.
pub mod code {
    /// An argument is wrong.
    pub const INVALID_VALUE: i32 = 1;
    /// There is no room.
    pub const OUT_OF_MEMORY: i32 = 2;
    /// There is no such function.
    pub const NOT_FOUND: i32 = 500;
}

/// The connection to a worker.
pub struct Client {
    state: Mutex<State>,
}

struct State {
    socket: UnixStream,
    line: Line,
    /// Pinned memory, which the worker has too: address and bytes.
    pinned: BTreeMap<usize, usize>,
    /// Where the next pinned memory may lie.
    next: usize,
    managed: Managed,
    modules: HashMap<u64, Module>,
    /// The module and the parameters of each function.
    functions: HashMap<u64, (u64, Parameters)>,
    /// Constant texts of the driver's, by call and code.
    said: HashMap<(u64, u64), CString>,
}

/// What the judge knows of a module, from its PTX.
struct Module {
    kernels: HashMap<String, Parameters>,
    /// The names of its managed variables.
    managed: HashSet<String>,
    /// Where those are that were asked for.
    places: HashSet<usize>,
}

/// Both directions of the socket.
pub(crate) struct Line {
    pub(crate) from: BufReader<UnixStream>,
    pub(crate) to: BufWriter<UnixStream>,
}

impl Line {
    /// Sends what was written, and reads the code of the answer.
    fn code(&mut self) -> io::Result<c_int> {
        self.to.flush()?;
        let code = get(&mut self.from)?;
        u32::try_from(code).map(|code| code as c_int).map_err(|_| strange("a code of more than 32 bits"))
    }
}

fn strange(what: &str) -> io::Error {
    io::Error::new(io::ErrorKind::InvalidData, what)
}

/// A launch, as `cuLaunchKernel` has it.
#[derive(Debug, Clone, Copy)]
pub struct Launch {
    /// Whether all blocks are resident at once.
    pub is_cooperative: bool,
    /// The function.
    pub function: u64,
    /// Grid, block, dynamic shared bytes, and the stream.
    pub shape: [u64; 8],
}

impl Client {
    /// A client of the worker at the other end of `socket`.
    ///
    /// # Errors
    /// The socket's.
    pub fn new(socket: UnixStream) -> io::Result<Self> {
        let line = Line { from: BufReader::new(socket.try_clone()?), to: BufWriter::new(socket.try_clone()?) };
        let state = State {
            socket,
            line,
            pinned: BTreeMap::new(),
            next: 0x2000_0000_0000,
            managed: Managed::default(),
            modules: HashMap::new(),
            functions: HashMap::new(),
            said: HashMap::new(),
        };
        Ok(Self { state: Mutex::new(state) })
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Passes on the call of this number, and returns the driver's code.
    ///
    /// # Errors
    /// When the worker is gone, or answers what is no answer.
    ///
    /// # Safety
    /// The arguments are those of the driver's function.
    pub unsafe fn call(&self, number: u64, arguments: &[u64]) -> io::Result<c_int> {
        // SAFETY: the caller's.
        unsafe { self.lock().call(number, arguments) }
    }

    /// `cuModuleLoadData`.
    ///
    /// # Errors
    /// As [`Client::call`].
    ///
    /// # Safety
    /// `module` can be written, and the image is a text that NUL ends.
    pub unsafe fn load(&self, module: *mut u64, image: *const c_char) -> io::Result<c_int> {
        let mut state = self.lock();
        // SAFETY: the caller's.
        unsafe {
            let code = state.call(calls::number("cuModuleLoadData"), &[module as u64, image as u64])?;
            if code == 0 {
                let ptx = CStr::from_ptr(image).to_string_lossy();
                let (kernels, managed) = (parameters::of(&ptx), parameters::managed(&ptx));
                state.modules.insert(*module, Module { kernels, managed, places: HashSet::new() });
            }
            Ok(code)
        }
    }

    /// Loads a module for its log: the code, the module, and the log.
    ///
    /// # Errors
    /// As [`Client::call`].
    pub fn log(&self, image: &CStr) -> io::Result<(c_int, u64, Vec<u8>)> {
        let line = &mut self.lock().line;
        put(&mut line.to, other::LOG)?;
        put_bytes(&mut line.to, image.to_bytes())?;
        let code = line.code()?;
        Ok((code, get(&mut line.from)?, get_bytes(&mut line.from, 1 << 16)?))
    }

    /// `cuModuleGetFunction`. The function's parameters are those of the PTX.
    ///
    /// # Errors
    /// As [`Client::call`]; a function that is another one already.
    ///
    /// # Safety
    /// `function` can be written, and the name is a text that NUL ends.
    pub unsafe fn function(&self, function: *mut u64, module: u64, name: *const c_char) -> io::Result<c_int> {
        let mut state = self.lock();
        // SAFETY: the caller's.
        let (code, name) = unsafe {
            let code = state.call(calls::number("cuModuleGetFunction"), &[function as u64, module, name as u64])?;
            (code, CStr::from_ptr(name).to_string_lossy())
        };
        if code != 0 {
            return Ok(code);
        }
        let Some(parameters) = state.modules.get(&module).and_then(|known| known.kernels.get(name.as_ref())).cloned()
        else {
            return Ok(code::NOT_FOUND);
        };
        // SAFETY: the call has written it.
        let handle = unsafe { *function };
        let is_other = |known: &(u64, Parameters)| *known != (module, parameters.clone());
        if state.functions.get(&handle).is_some_and(is_other) {
            return Err(strange("one handle for two functions"));
        }
        state.functions.insert(handle, (module, parameters));
        Ok(0)
    }

    /// `cuModuleGetGlobal`. A managed variable can be read and written by the host.
    ///
    /// # Errors
    /// As [`Client::call`].
    ///
    /// # Safety
    /// The name is a text that NUL ends.
    pub unsafe fn global(&self, module: u64, name: *const c_char) -> io::Result<Result<(u64, usize), c_int>> {
        let mut state = self.lock();
        let (mut address, mut bytes) = (0_u64, 0_usize);
        let arguments = [&raw mut address as u64, &raw mut bytes as u64, module, name as u64];
        // SAFETY: the places are live, and the name is the caller's.
        let (code, name) = unsafe {
            (state.call(calls::number("cuModuleGetGlobal_v2"), &arguments)?, CStr::from_ptr(name).to_string_lossy())
        };
        if code != 0 {
            return Ok(Err(code));
        }
        let State { line, managed, modules, .. } = &mut *state;
        if let Some(module) = modules.get_mut(&module).filter(|module| module.managed.contains(name.as_ref())) {
            managed.add_variable(address as usize, bytes, line)?;
            module.places.insert(address as usize);
        }
        Ok(Ok((address, bytes)))
    }

    /// `cuModuleUnload`.
    ///
    /// # Errors
    /// As [`Client::call`].
    pub fn unload(&self, module: u64) -> io::Result<c_int> {
        let mut state = self.lock();
        let places = state.modules.remove(&module).map(|known| known.places);
        places.into_iter().flatten().for_each(|place| state.managed.remove(place));
        state.functions.retain(|_, (of, _)| *of != module);
        // SAFETY: a call without pointers.
        unsafe { state.call(calls::number("cuModuleUnload"), &[module]) }
    }

    /// Offset and size of a function's parameter of this number, if it has so many.
    pub fn parameter(&self, function: u64, number: usize) -> Option<(usize, usize)> {
        self.lock().functions.get(&function)?.1.get(number).copied()
    }

    /// Launches a function.
    ///
    /// # Errors
    /// As [`Client::call`].
    ///
    /// # Safety
    /// `parameters` is as long as the function's parameters, and each points to as many bytes.
    pub unsafe fn launch(&self, launch: &Launch, parameters: *const *const c_void) -> io::Result<c_int> {
        let mut state = self.lock();
        let State { line, managed, functions, .. } = &mut *state;
        let Some((_, sizes)) = functions.get(&launch.function) else {
            return Ok(code::INVALID_VALUE);
        };
        if parameters.is_null() && !sizes.is_empty() {
            return Ok(code::INVALID_VALUE);
        }
        managed.push(line)?;
        put(&mut line.to, other::LAUNCH)?;
        put(&mut line.to, u64::from(launch.is_cooperative))?;
        put(&mut line.to, launch.function)?;
        for number in launch.shape {
            put(&mut line.to, number)?;
        }
        put(&mut line.to, sizes.len() as u64)?;
        for (place, (_, bytes)) in sizes.iter().enumerate() {
            // SAFETY: the caller's.
            put_bytes(&mut line.to, unsafe { slice::from_raw_parts((*parameters.add(place)).cast::<u8>(), *bytes) })?;
        }
        line.code()
    }

    /// `cuMemHostAlloc`: memory that both processes have, registered with the driver. It is not write-combined.
    ///
    /// # Errors
    /// As [`Client::call`].
    pub fn allocate_pinned(&self, bytes: usize, flags: u64) -> io::Result<Result<usize, c_int>> {
        const WRITE_COMBINED: u64 = 4;
        let mut state = self.lock();
        if bytes == 0 {
            return Ok(Err(code::INVALID_VALUE));
        }
        let Some((address, length)) = state.map(bytes)? else {
            return Ok(Err(code::OUT_OF_MEMORY));
        };
        let register = [address as u64, bytes as u64, flags & !WRITE_COMBINED];
        // SAFETY: these are values.
        match unsafe { state.call(calls::number("cuMemHostRegister_v2"), &register) }? {
            0 => {
                state.pinned.insert(address, length);
                Ok(Ok(address))
            }
            code => {
                state.unmap(address, length)?;
                Ok(Err(code))
            }
        }
    }

    /// `cuMemFreeHost`.
    ///
    /// # Errors
    /// As [`Client::call`].
    pub fn free_pinned(&self, address: usize) -> io::Result<c_int> {
        let mut state = self.lock();
        let Some(length) = state.pinned.remove(&address) else {
            return Ok(if address == 0 { 0 } else { code::INVALID_VALUE });
        };
        // SAFETY: a value.
        let code = unsafe { state.call(calls::number("cuMemHostUnregister"), &[address as u64]) }?;
        state.unmap(address, length)?;
        Ok(code)
    }

    /// `cuMemAllocManaged`: the worker's memory, of which the judge has a copy at the same address.
    ///
    /// # Errors
    /// As [`Client::call`].
    pub fn allocate_managed(&self, bytes: usize, flags: u64) -> io::Result<Result<u64, c_int>> {
        let mut state = self.lock();
        let mut address = 0_u64;
        let arguments = [&raw mut address as u64, bytes as u64, flags];
        // SAFETY: the address is live.
        match unsafe { state.call(calls::number("cuMemAllocManaged"), &arguments) }? {
            0 => state.managed.add(address as usize, bytes).map(|()| Ok(address)),
            code => Ok(Err(code)),
        }
    }

    /// `cuMemFree`.
    ///
    /// # Errors
    /// As [`Client::call`].
    pub fn free(&self, address: u64) -> io::Result<c_int> {
        let mut state = self.lock();
        state.managed.remove(address as usize);
        // SAFETY: a value.
        unsafe { state.call(calls::number("cuMemFree_v2"), &[address]) }
    }

    /// What the machine's function of this name tells; nothing on a GPU.
    ///
    /// # Errors
    /// As [`Client::call`].
    pub fn tell(&self, name: &str) -> io::Result<Vec<u8>> {
        let line = &mut self.lock().line;
        put(&mut line.to, other::TELL)?;
        put_bytes(&mut line.to, name.as_bytes())?;
        line.to.flush()?;
        get_bytes(&mut line.from, LONGEST)
    }

    /// Changes the machine's settings.
    ///
    /// # Errors
    /// As [`Client::call`].
    pub fn configure(&self, json: &[u8]) -> io::Result<c_int> {
        let line = &mut self.lock().line;
        put(&mut line.to, other::CONFIGURE)?;
        put_bytes(&mut line.to, json)?;
        line.code()
    }

    /// Has kernels print to this file.
    ///
    /// # Errors
    /// As [`Client::call`].
    pub fn print_to(&self, file: BorrowedFd<'_>) -> io::Result<c_int> {
        let mut state = self.lock();
        put(&mut state.line.to, other::OUTPUT)?;
        state.hand_over(file)
    }

    /// A constant text of the driver's, which lives as long as the client.
    ///
    /// # Errors
    /// As [`Client::call`].
    pub fn said(&self, number: u64, code: u64) -> io::Result<Result<*const c_char, c_int>> {
        let mut state = self.lock();
        if let Some(known) = state.said.get(&(number, code)) {
            return Ok(Ok(known.as_ptr()));
        }
        let line = &mut state.line;
        put(&mut line.to, number)?;
        put(&mut line.to, code)?;
        put(&mut line.to, 1)?;
        match line.code()? {
            0 => {}
            refused => return Ok(Err(refused)),
        }
        let text = CString::new(get_bytes(&mut line.from, 1 << 16)?)?;
        // The text itself stays where it is when the map grows.
        Ok(Ok(state.said.entry((number, code)).or_insert(text).as_ptr()))
    }
}

impl State {
    unsafe fn call(&mut self, number: u64, arguments: &[u64]) -> io::Result<c_int> {
        let call = calls::call(number).ok_or_else(|| strange("no such call"))?;
        let is_copy = call.name.starts_with("cuMemcpy");
        if is_copy || ["cuMemPrefetchAsync", "cuGraphLaunch", "cuMemsetD8Async"].contains(&call.name) {
            self.managed.push(&mut self.line)?;
        }
        put(&mut self.line.to, number)?;
        for (kind, argument) in call.kinds.iter().zip(arguments) {
            // SAFETY: the caller's.
            unsafe { self.put(*kind, *argument, arguments) }?;
        }
        let code = self.line.code()?;
        if code == 0 {
            for (kind, argument) in call.kinds.iter().zip(arguments) {
                // SAFETY: the caller's.
                unsafe { self.take(*kind, *argument, arguments) }?;
            }
        }
        if is_copy || call.name.ends_with("Synchronize") {
            self.managed.pull(&mut self.line)?;
        }
        Ok(code)
    }

    /// Whether the worker has this host memory too.
    fn is_shared(&self, address: u64) -> bool {
        let address = address as usize;
        let known = self.pinned.range(..=address).next_back();
        known.is_some_and(|(start, bytes)| address - start < *bytes)
    }

    unsafe fn put(&mut self, kind: Kind, argument: u64, all: &[u64]) -> io::Result<()> {
        let is_shared = matches!(kind, Kind::Read(_) | Kind::Write(_)) && self.is_shared(argument);
        let to = &mut self.line.to;
        if kind == Kind::Value {
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
        let bytes = match kind {
            Kind::In(bytes) => bytes,
            Kind::Read(at) => all[at] as usize,
            Kind::List(at, fewer, element) => (all[at] as u32 as usize).saturating_sub(fewer).min(5) * element,
            // SAFETY: the caller's.
            Kind::Text => unsafe { CStr::from_ptr(address(argument)) }.to_bytes().len() + 1,
            Kind::Value | Kind::Out(_) | Kind::Said | Kind::Write(_) | Kind::Name(_) => return Ok(()),
        };
        // SAFETY: the caller's.
        put_bytes(to, unsafe { slice::from_raw_parts(address::<u8>(argument), bytes) })
    }

    /// Reads what the worker has written for an argument: as many bytes as were asked for.
    unsafe fn take(&mut self, kind: Kind, argument: u64, all: &[u64]) -> io::Result<()> {
        let bytes = match kind {
            Kind::Out(bytes) => bytes,
            Kind::Write(at) if !self.is_shared(argument) => all[at] as usize,
            Kind::Name(at) => all[at] as u32 as usize,
            _ => return Ok(()),
        };
        if argument == 0 {
            return Ok(());
        }
        // SAFETY: the caller's.
        let to = unsafe { slice::from_raw_parts_mut(address::<u8>(argument).cast_mut(), bytes) };
        self.line.from.read_exact(to)?;
        if let (Kind::Name(_), Some(last)) = (kind, to.last_mut()) {
            *last = 0;
        }
        Ok(())
    }

    /// Maps so many bytes in both processes; `None` where one has no room.
    fn map(&mut self, bytes: usize) -> io::Result<Option<(usize, usize)>> {
        const TRIES: usize = 8;
        const STEP: usize = 1 << 40;
        let length = bytes.next_multiple_of(shared::PAGE);
        'tries: for _ in 0..TRIES {
            let address = self.next;
            if shared::reserve(address, length).is_err() {
                self.next += STEP;
                continue;
            }
            for at in (0..length).step_by(shared::PIECE) {
                let part = shared::PIECE.min(length - at);
                let mapped = shared::piece(part).and_then(|piece| {
                    shared::map_piece(address + at, part, &piece, true)?;
                    Ok(piece)
                });
                let Ok(piece) = mapped else {
                    self.unmap(address, length)?;
                    return Ok(None);
                };
                if !self.send(address + at, part, &piece)? {
                    // Only what is there was mapped by the worker for us.
                    shared::unmap(address, length);
                    self.next += STEP;
                    continue 'tries;
                }
            }
            self.next += length;
            return Ok(Some((address, length)));
        }
        Ok(None)
    }

    /// Has the worker map a piece; whether it has.
    fn send(&mut self, address: usize, bytes: usize, piece: &OwnedFd) -> io::Result<bool> {
        put(&mut self.line.to, other::MAP)?;
        put(&mut self.line.to, address as u64)?;
        put(&mut self.line.to, bytes as u64)?;
        Ok(self.hand_over(piece.as_fd())? == 0)
    }

    /// Hands a file over when the worker is ready for it, and returns its answer.
    fn hand_over(&mut self, file: BorrowedFd<'_>) -> io::Result<c_int> {
        if self.line.code()? != 0 {
            return Err(strange("it takes no file"));
        }
        shared::send(&self.socket, file)?;
        self.line.code()
    }

    fn unmap(&mut self, address: usize, length: usize) -> io::Result<()> {
        shared::unmap(address, length);
        put(&mut self.line.to, other::UNMAP)?;
        put(&mut self.line.to, address as u64)?;
        put(&mut self.line.to, length as u64)?;
        self.line.code().map(|_| ())
    }
}

/// An argument as a pointer.
fn address<T>(argument: u64) -> *const T {
    ptr::with_exposed_provenance(argument as usize)
}
