//! The judge's side: forwards the driver's calls, and reads the replies.
mod connection;
mod host;
mod managed;
mod memory;
mod modules;
mod state;

use std::{
    ffi::{CString, c_char, c_int},
    io,
    os::{fd::BorrowedFd, unix::net::UnixStream},
    sync::{Mutex, MutexGuard, PoisonError},
};

use state::State;

use crate::{
    calls::other,
    frame::{get_bytes, put, put_bytes},
};

pub use modules::Launch;

/// The longest text that a worker may send, in bytes.
const LONGEST: u64 = 1 << 28;

/// A connection to a worker.
pub struct Client {
    state: Mutex<State>,
}

impl Client {
    /// Creates a client of the worker at the other end of `socket`.
    ///
    /// # Errors
    /// Errors of the socket.
    pub fn new(socket: UnixStream) -> io::Result<Self> {
        Ok(Self { state: Mutex::new(State::new(socket)?) })
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Forwards the call of this number, and returns the driver's code.
    ///
    /// # Errors
    /// When the worker has exited, or sends a malformed reply.
    ///
    /// # Safety
    /// The arguments are those of the driver's function.
    pub unsafe fn call(&self, number: u64, arguments: &[u64]) -> io::Result<c_int> {
        // SAFETY: guaranteed by the caller.
        unsafe { self.lock().call(number, arguments) }
    }

    /// The text returned by the machine's function of this name; empty on a GPU.
    ///
    /// # Errors
    /// As [`Client::call`].
    pub fn tell(&self, name: &str) -> io::Result<Vec<u8>> {
        let line = &mut self.lock().line;
        put(&mut line.to, other::TELL)?;
        put_bytes(&mut line.to, name.as_bytes())?;
        line.settle()?;
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

    /// Redirects the output of kernels to this file.
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
        // The text itself does not move when the map grows.
        Ok(Ok(state.said.entry((number, code)).or_insert(text).as_ptr()))
    }
}
