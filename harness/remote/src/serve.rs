//! The worker: executes the judge's requests with the driver's library, until the judge disconnects.
use std::{
    ffi::{CStr, CString, c_char, c_int, c_void},
    io::{self, BufReader, BufWriter, Write},
    os::{
        fd::{AsRawFd, OwnedFd},
        unix::net::UnixStream,
    },
    ptr, slice,
};

use cuda_abi::driver::Error;

use crate::{
    calls::{self, ArgumentKind, Call, MOST, config, other},
    frame::{get, get_bytes, put, put_bytes},
    shared,
};

/// The content of an argument.
enum Given {
    Value(u64),
    /// Bytes that the call reads.
    Bytes(Vec<u8>),
    /// Bytes that the call writes and that are sent back.
    Wanted,
}

/// A buffer for the driver's output. It is aligned to 64 bytes, as tensor maps must be.
struct Written {
    room: Vec<u8>,
    start: usize,
    length: usize,
}

impl Written {
    const ALIGNED: usize = 64;

    fn new(length: usize) -> Self {
        let room = vec![0; length + Self::ALIGNED];
        let start = room.as_ptr().align_offset(Self::ALIGNED);
        Self { room, start, length }
    }

    fn bytes(&mut self) -> &mut [u8] {
        &mut self.room[self.start..self.start + self.length]
    }
}

/// The received configuration of a launch, with the address of its attributes, which follow it, in this process.
fn configured(mut bytes: Vec<u8>) -> io::Result<Vec<u8>> {
    let behind = bytes.len().checked_sub(config::BYTES).ok_or_else(strange)?;
    let count = behind / config::ATTRIBUTE;
    // Moving the vector does not move the bytes.
    let place = if count == 0 { 0 } else { bytes.as_ptr() as u64 + config::BYTES as u64 };
    bytes[config::ATTRIBUTES..][..8].copy_from_slice(&place.to_ne_bytes());
    bytes[config::COUNT..][..4].copy_from_slice(&(count as u32).to_ne_bytes());
    Ok(bytes)
}

/// A driver's library, as a function that finds functions by name.
pub struct Worker<F> {
    find: F,
    socket: UnixStream,
    from: BufReader<UnixStream>,
    to: BufWriter<UnixStream>,
}

/// Serves the judge at the other end of `socket`, with functions that `find` finds by name, until it disconnects.
///
/// # Errors
/// Errors of the socket; malformed requests.
///
/// # Safety
/// `find` returns functions of the driver API, or null.
pub unsafe fn serve<F: Fn(&str) -> *const c_void>(socket: UnixStream, find: F) -> io::Result<()> {
    let (from, to) = (BufReader::new(socket.try_clone()?), BufWriter::new(socket.try_clone()?));
    let mut worker = Worker { find, socket, from, to };
    loop {
        let number = match get(&mut worker.from) {
            Err(error) if error.kind() == io::ErrorKind::UnexpectedEof => return Ok(()),
            number => number?,
        };
        worker.answer(number)?;
        // The judge waits for the reply to the last request that it has sent.
        if worker.from.buffer().is_empty() {
            worker.to.flush()?;
        }
    }
}

fn strange() -> io::Error {
    io::ErrorKind::InvalidData.into()
}

impl<F: Fn(&str) -> *const c_void> Worker<F> {
    fn answer(&mut self, number: u64) -> io::Result<()> {
        match number {
            other::LAUNCH => self.launch(),
            other::LOG => self.log(),
            other::MAP => self.map(),
            other::UNMAP => {
                let (address, bytes) = (self.number()?, self.number()?);
                shared::unmap(address as usize, bytes as usize);
                self.code(0)
            }
            other::POKE => {
                let address = self.number()?;
                let bytes = self.bytes()?;
                // SAFETY: the judge names managed memory that it has allocated.
                unsafe {
                    ptr::copy_nonoverlapping(
                        bytes.as_ptr(),
                        ptr::with_exposed_provenance_mut(address as usize),
                        bytes.len(),
                    );
                };
                Ok(())
            }
            other::PEEK => {
                let (address, length) = (self.number()?, self.number()?);
                // SAFETY: as above; nothing runs on the device.
                let bytes =
                    unsafe { slice::from_raw_parts(ptr::with_exposed_provenance(address as usize), length as usize) };
                self.to.write_all(bytes)
            }
            other::TELL => self.tell(),
            other::OUTPUT => {
                let file = self.descriptor()?;
                // SAFETY: calls on descriptors that this process owns; earlier output is flushed to the old one.
                let status = unsafe {
                    libc::fflush(ptr::null_mut());
                    libc::dup2(file.as_raw_fd(), 1)
                };
                self.code(c_int::from(status < 0))
            }
            other::CONFIGURE => {
                let json = CString::new(self.bytes()?)?;
                let code = self.invoke("simt_configure", &[json.as_ptr() as u64]);
                self.code(code)
            }
            _ => self.plain(calls::call(number).ok_or_else(strange)?),
        }
    }

    fn number(&mut self) -> io::Result<u64> {
        get(&mut self.from)
    }

    fn bytes(&mut self) -> io::Result<Vec<u8>> {
        get_bytes(&mut self.from, u64::MAX)
    }

    fn code(&mut self, code: c_int) -> io::Result<()> {
        put(&mut self.to, u64::from(code as u32))
    }

    /// Calls a function with integers and pointers, as the C ABI of 64-bit Linux passes them: surplus arguments do no
    /// harm.
    fn invoke(&self, name: &str, given: &[u64]) -> c_int {
        type Any = unsafe extern "C" fn(u64, u64, u64, u64, u64, u64, u64, u64, u64, u64, u64, u64) -> c_int;
        let function = (self.find)(name);
        if function.is_null() {
            return Error::NOT_FOUND.0;
        }
        let mut a = [0; MOST];
        a[..given.len()].copy_from_slice(given);
        // SAFETY: a function of the driver's, which takes no floating-point numbers, with the arguments of its type.
        unsafe {
            let call = std::mem::transmute::<*const c_void, Any>(function);
            call(a[0], a[1], a[2], a[3], a[4], a[5], a[6], a[7], a[8], a[9], a[10], a[11])
        }
    }

    /// A call of the table.
    fn plain(&mut self, call: &Call) -> io::Result<()> {
        let mut given = Vec::new();
        for kind in call.kinds {
            given.push(self.given(*kind)?);
        }
        let value = |at: usize| if let Given::Value(value) = given[at] { value } else { 0 };
        // Outputs to send back, at their final addresses.
        let mut outs: Vec<Written> = Vec::new();
        for (kind, given) in call.kinds.iter().zip(&given) {
            let length = match kind {
                ArgumentKind::Out(bytes) => *bytes,
                ArgumentKind::Said => 8,
                ArgumentKind::Write(at) => value(*at) as usize,
                ArgumentKind::Name(at) => value(*at) as u32 as usize,
                _ => 0,
            };
            outs.push(Written::new(if matches!(given, Given::Wanted) { length } else { 0 }));
        }
        let mut arguments = Vec::new();
        for (given, out) in given.iter().zip(&mut outs) {
            arguments.push(match given {
                Given::Value(value) => *value,
                Given::Bytes(bytes) => bytes.as_ptr() as u64,
                Given::Wanted => out.bytes().as_mut_ptr() as u64,
            });
        }
        let mut code = self.invoke(call.name, &arguments);
        // Data copied from or to pageable memory is in a local buffer, so the copy must end before the buffer is freed.
        let is_staged = given.iter().zip(call.kinds).any(|(given, kind)| {
            matches!(kind, ArgumentKind::Read(_) | ArgumentKind::Write(_)) && !matches!(given, Given::Value(_))
        });
        if code == 0 && is_staged && call.name.contains("Async") {
            code = self.invoke("cuStreamSynchronize", &arguments[arguments.len() - 1..]);
        }
        self.code(code)?;
        if code != 0 {
            return Ok(());
        }
        for ((kind, given), out) in call.kinds.iter().zip(&given).zip(&mut outs) {
            let out = out.bytes();
            match (given, kind) {
                (Given::Wanted, ArgumentKind::Said) => {
                    self.said(u64::from_ne_bytes(out[..8].try_into().expect("8 bytes")))?;
                }
                (Given::Wanted, _) => self.to.write_all(out)?,
                _ => {}
            }
        }
        Ok(())
    }

    /// Reads an argument: a value, or whether it is null, present, or in shared memory.
    fn given(&mut self, kind: ArgumentKind) -> io::Result<Given> {
        if kind == ArgumentKind::Value {
            return Ok(Given::Value(self.number()?));
        }
        Ok(match self.number()? {
            0 => Given::Value(0),
            1 => match kind {
                ArgumentKind::Out(_) | ArgumentKind::Said | ArgumentKind::Write(_) | ArgumentKind::Name(_) => {
                    Given::Wanted
                }
                ArgumentKind::Config => Given::Bytes(configured(self.bytes()?)?),
                _ => Given::Bytes(self.bytes()?),
            },
            _ => Given::Value(self.number()?),
        })
    }

    /// Sends the text at an address of the driver's.
    fn said(&mut self, address: u64) -> io::Result<()> {
        if address == 0 {
            return put_bytes(&mut self.to, &[]);
        }
        // SAFETY: the driver has given the address of a text.
        let text = unsafe { CStr::from_ptr(ptr::with_exposed_provenance::<c_char>(address as usize)) };
        put_bytes(&mut self.to, text.to_bytes())
    }

    fn launch(&mut self) -> io::Result<()> {
        let is_cooperative = self.number()? != 0;
        let mut arguments = Vec::new();
        for _ in 0..9 {
            arguments.push(self.number()?);
        }
        let count = self.number()?;
        let mut parameters = Vec::new();
        for _ in 0..count {
            parameters.push(self.bytes()?);
        }
        if !self.takes(arguments[0], &parameters) {
            return self.code(Error::INVALID_VALUE.0);
        }
        let mut addresses: Vec<*mut u8> = parameters.iter_mut().map(Vec::as_mut_ptr).collect();
        arguments.push(addresses.as_mut_ptr() as u64);
        let name = if is_cooperative { "cuLaunchCooperativeKernel" } else { "cuLaunchKernel" };
        let code = self.invoke(name, &arguments);
        self.code(code)
    }

    /// Whether these are a function's parameters, of which the driver reads as many bytes as the function has. The
    /// judge parsed them from an untrusted text. With a driver that cannot report them (before CUDA 12.4), the judge's
    /// sizes are trusted.
    fn takes(&self, function: u64, parameters: &[Vec<u8>]) -> bool {
        const QUESTION: &str = "cuFuncGetParamInfo";
        let size = |at: usize| {
            let (mut offset, mut bytes) = (0_usize, 0_usize);
            let given = [function, at as u64, &raw mut offset as u64, &raw mut bytes as u64];
            (self.invoke(QUESTION, &given) == 0).then_some(bytes)
        };
        let are_right = || parameters.iter().enumerate().all(|(at, given)| size(at) == Some(given.len()));
        (self.find)(QUESTION).is_null() || (are_right() && size(parameters.len()).is_none())
    }

    fn log(&mut self) -> io::Result<()> {
        const ERROR_LOG: [u32; 2] = [5, 6];
        let image = CString::new(self.bytes()?)?;
        let (mut module, mut buffer) = (0_u64, vec![0_u8; 8192]);
        let mut values = [buffer.as_mut_ptr() as u64, buffer.len() as u64];
        let code = self.invoke(
            "cuModuleLoadDataEx",
            &[&raw mut module as u64, image.as_ptr() as u64, 2, ERROR_LOG.as_ptr() as u64, values.as_mut_ptr() as u64],
        );
        self.code(code)?;
        put(&mut self.to, module)?;
        let end = buffer.iter().position(|byte| *byte == 0).unwrap_or(0);
        put_bytes(&mut self.to, &buffer[..end])
    }

    fn map(&mut self) -> io::Result<()> {
        let (address, bytes) = (self.number()?, self.number()?);
        let piece = self.descriptor()?;
        let mapped = shared::map_piece(address as usize, bytes as usize, &piece, false);
        self.code(c_int::from(mapped.is_err()))
    }

    /// Receives a descriptor, at a point where the judge knows that nothing was read ahead: it comes with the next
    /// byte.
    fn descriptor(&mut self) -> io::Result<OwnedFd> {
        if !self.from.buffer().is_empty() {
            return Err(strange());
        }
        self.code(0)?;
        self.to.flush()?;
        shared::receive(&self.socket)
    }

    fn tell(&mut self) -> io::Result<()> {
        type Tell = unsafe extern "C" fn() -> *mut c_char;
        type Free = unsafe extern "C" fn(*mut c_char);
        let name = String::from_utf8(self.bytes()?).map_err(|_| strange())?;
        let (tell, free) = ((self.find)(&name), (self.find)("simt_string_free"));
        if tell.is_null() || free.is_null() {
            return put_bytes(&mut self.to, &[]);
        }
        // SAFETY: functions of the machine, with these types; the memory is freed by the library that allocated it.
        unsafe {
            let text = std::mem::transmute::<*const c_void, Tell>(tell)();
            if text.is_null() {
                return put_bytes(&mut self.to, &[]);
            }
            let sent = put_bytes(&mut self.to, CStr::from_ptr(text).to_bytes());
            if name.ends_with("_json") {
                std::mem::transmute::<*const c_void, Free>(free)(text);
            }
            sent
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_the_driver_writes_begins_at_a_multiple_of_64_bytes() {
        let mut all: Vec<Written> = (0..200).map(Written::new).collect();
        for (length, written) in all.iter_mut().enumerate() {
            assert_eq!((written.bytes().len(), written.bytes().as_ptr() as usize % 64), (length, 0));
        }
    }
}
