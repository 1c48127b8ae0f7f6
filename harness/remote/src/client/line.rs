//! Both directions of the socket, and what ends the judge.
use std::{
    ffi::c_int,
    io::{self, BufReader, BufWriter, Write},
    os::unix::net::UnixStream,
};

use crate::frame::get;

/// Both directions of the socket.
pub(crate) struct Line {
    pub(crate) from: BufReader<UnixStream>,
    pub(crate) to: BufWriter<UnixStream>,
}

impl Line {
    /// The line over this socket.
    ///
    /// # Errors
    /// The socket's.
    pub(crate) fn over(socket: &UnixStream) -> io::Result<Self> {
        Ok(Self { from: BufReader::new(socket.try_clone()?), to: BufWriter::new(socket.try_clone()?) })
    }

    /// Sends what was written, and reads the code of the answer.
    pub(crate) fn code(&mut self) -> io::Result<c_int> {
        self.to.flush()?;
        let code = get(&mut self.from)?;
        u32::try_from(code).map(|code| code as c_int).map_err(|_| strange("a code of more than 32 bits"))
    }
}

/// What a worker says that is no answer.
pub(crate) fn strange(what: &str) -> io::Error {
    io::Error::new(io::ErrorKind::InvalidData, what)
}
