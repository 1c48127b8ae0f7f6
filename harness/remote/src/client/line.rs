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
    /// How many calls were written whose answers nobody has waited for.
    pending: usize,
    /// What the first of these that failed has answered, until a caller is told.
    refused: c_int,
}

/// The most calls that wait for their answers: the sockets have room for so many, so that neither side waits for the
/// other to read.
const MOST_PENDING: usize = 64;

impl Line {
    /// The line over this socket.
    ///
    /// # Errors
    /// The socket's.
    pub(crate) fn over(socket: &UnixStream) -> io::Result<Self> {
        Ok(Self {
            from: BufReader::new(socket.try_clone()?),
            to: BufWriter::new(socket.try_clone()?),
            pending: 0,
            refused: 0,
        })
    }

    /// Sends what was written, and reads the code of the answer.
    pub(crate) fn code(&mut self) -> io::Result<c_int> {
        self.settle()?;
        self.read_code()
    }

    /// The call that was written goes with the next one, and so does its answer.
    pub(crate) fn later(&mut self) -> io::Result<()> {
        self.pending += 1;
        if self.pending < MOST_PENDING { Ok(()) } else { self.settle() }
    }

    /// Sends what was written, and takes the answers that nobody has waited for: what is read next belongs to the last
    /// call.
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

    /// What the caller is told whose call has answered `code`: what failed before it counts, once.
    pub(crate) fn told(&mut self, code: c_int) -> c_int {
        if code == 0 { std::mem::take(&mut self.refused) } else { code }
    }

    fn read_code(&mut self) -> io::Result<c_int> {
        let code = get(&mut self.from)?;
        u32::try_from(code).map(|code| code as c_int).map_err(|_| strange("a code of more than 32 bits"))
    }
}

/// What a worker says that is no answer.
pub(crate) fn strange(what: &str) -> io::Error {
    io::Error::new(io::ErrorKind::InvalidData, what)
}
