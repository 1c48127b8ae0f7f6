//! Tickets, with which one process allows another to open one of its files: the process, and the descriptor of the file
//! there. Linux allows a process of the same user to open the file by these (`/proc/PID/fd/N`), as long as the first
//! process has it open.

use super::driver::tell;
use crate::abi::error::{Error, Result};
use std::fs::File;
use std::os::fd::AsRawFd;
use std::os::unix::fs::MetadataExt;
use std::path::Path;

/// The purpose of a ticket.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u64)]
pub enum Use {
    Memory = 0x7761_7270_6970_6d01,
    Event = 0x7761_7270_6970_6502,
    PoolMemory = 0x7761_7270_6970_7003,
}

/// The 64 bytes of `CUipcMemHandle`, `CUipcEventHandle` and `CUmemPoolPtrExportData`.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Ticket {
    purpose: u64,
    /// The process, and the descriptor of the file there.
    process: u32,
    descriptor: i32,
    /// The system's number for the file, which distinguishes it from another file that was opened later under the same
    /// descriptor.
    file: u64,
    /// The part of the file.
    pub offset: u64,
    pub bytes: u64,
    /// The pool that the memory is from, by its number in its process.
    pub pool: u64,
    rest: [u64; 2],
}
const _: () = assert!(size_of::<Ticket>() == 64);

impl Ticket {
    /// Creates a ticket for a file of this process, which must stay open.
    pub fn from_file(purpose: Use, file: &File) -> Ticket {
        Ticket {
            purpose: purpose as u64,
            process: std::process::id(),
            descriptor: file.as_raw_fd(),
            file: file.metadata().map_or(0, |of| of.ino()),
            offset: 0,
            bytes: 0,
            pool: 0,
            rest: [0; 2],
        }
    }

    /// Returns whether the bytes are a ticket for this purpose.
    pub fn is_for(&self, purpose: Use) -> bool {
        self.purpose == purpose as u64
    }

    /// Returns whether this process created the ticket.
    pub fn is_own(&self) -> bool {
        self.process == std::process::id()
    }

    /// Returns the process that created the ticket.
    pub fn process(&self) -> u32 {
        self.process
    }

    /// Returns a unique identity of the file.
    pub fn identity(&self) -> (u32, u64) {
        (self.process, self.file)
    }

    /// Opens the file; `what` names it in messages.
    ///
    /// # Errors
    /// `CUDA_ERROR_INVALID_HANDLE`, with an explanation.
    pub fn open(&self, what: &str) -> Result<File> {
        let process = format!("/proc/{}", self.process);
        let path = format!("{process}/fd/{}", self.descriptor);
        let same = |file: &File| file.metadata().is_ok_and(|of| of.ino() == self.file);
        let why = match File::options().read(true).write(true).open(path) {
            Ok(file) if same(&file) => return Ok(file),
            Ok(_) => format!("process {} has freed it", self.process),
            Err(_) if !cfg!(target_os = "linux") => "processes can share memory on Linux only".to_owned(),
            Err(_) if !Path::new(&process).exists() => format!("process {} has ended", self.process),
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => {
                format!("process {} has freed it", self.process)
            }
            Err(error) => format!("process {}: {error}", self.process),
        };
        tell(|observer| observer.explain_error(&format!("{what} of another process cannot be opened: {why}")));
        Err(Error::INVALID_HANDLE)
    }
}
