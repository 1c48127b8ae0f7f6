//! Both directions of the socket, with pipelined calls.
use std::{
    ffi::c_int,
    io::{self, BufReader, BufWriter, Write},
    os::unix::net::UnixStream,
};

use crate::frame::get;

/// Both directions of the socket.
pub(crate) struct Connection {
    pub(crate) from: BufReader<UnixStream>,
    pub(crate) to: BufWriter<UnixStream>,
    /// The number of calls that were written but whose replies were not read yet.
    pending: usize,
    /// The code of the first of these that failed, until it is reported to a caller.
    refused: c_int,
}

/// The most pipelined calls: the sockets have room for this many, so that neither side blocks until the other reads.
const MOST_PENDING: usize = 64;

impl Connection {
    /// Creates the line over this socket.
    ///
    /// # Errors
    /// Errors of the socket.
    pub(crate) fn over(socket: &UnixStream) -> io::Result<Self> {
        Ok(Self {
            from: BufReader::new(socket.try_clone()?),
            to: BufWriter::new(socket.try_clone()?),
            pending: 0,
            refused: 0,
        })
    }

    /// Sends the written calls, and reads the code of the last reply.
    pub(crate) fn code(&mut self) -> io::Result<c_int> {
        self.settle()?;
        self.read_code()
    }

    /// Leaves the written call to be sent with the next one; its reply is also read then.
    pub(crate) fn later(&mut self) -> io::Result<()> {
        self.pending += 1;
        if self.pending < MOST_PENDING { Ok(()) } else { self.settle() }
    }

    /// Sends the written calls, and reads the pending replies: the next one to be read belongs to the last call.
    pub(crate) fn settle(&mut self) -> io::Result<()> {
        self.to.flush()?;
        for _ in 0..std::mem::take(&mut self.pending) {
            let code = self.read_code()?;
            if self.refused == 0 {
                self.refused = code;
            }
        }
        Ok(())
    }

    /// Returns `code`, or the code of a pending earlier error, which is reported once.
    pub(crate) fn told(&mut self, code: c_int) -> c_int {
        if code == 0 { std::mem::take(&mut self.refused) } else { code }
    }

    fn read_code(&mut self) -> io::Result<c_int> {
        let code = get(&mut self.from)?;
        u32::try_from(code).map(|code| code as c_int).map_err(|_| strange("a code of more than 32 bits"))
    }
}

/// Protocol error: the worker sent a malformed reply.
pub(crate) fn strange(what: &str) -> io::Error {
    io::Error::new(io::ErrorKind::InvalidData, what)
}
