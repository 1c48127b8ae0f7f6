//! Pools that other processes import: an unnamed file identifies the pool, and a ticket opens its memory.

use super::allocation::with_owned;
use super::opened;
use super::pool::{self, Foreign, Pool};
use crate::abi::constants::handle_type;
use crate::abi::error::{Error, Result};
use crate::abi::types::Handle;
use crate::state::contexts::context::Context;
use crate::state::device::exported;
use crate::state::device::ticket::{Ticket, Use};
use simt::memory::MemoryKind;
use std::ffi::CStr;
use std::os::unix::fs::FileExt;
use std::sync::Arc;

/// The name that Linux shows for the file.
const LABEL: &CStr = c"warplab memory pool";

fn number(pool: &Arc<Pool>) -> u64 {
    pool.handle() as u64
}

/// Returns a new file descriptor for a pool.
///
/// # Errors
/// `CUDA_ERROR_INVALID_VALUE` for a pool that was not created for export, `CUDA_ERROR_OUT_OF_MEMORY`.
pub fn export(pool: &Arc<Pool>) -> Result<i32> {
    if pool.handle_types & handle_type::POSIX_FILE_DESCRIPTOR == 0 {
        return Err(Error::INVALID_VALUE);
    }
    let mut words = [0; 16];
    words[..8].copy_from_slice(&u64::from(std::process::id()).to_ne_bytes());
    words[8..].copy_from_slice(&number(pool).to_ne_bytes());
    let file = simt::memory::unnamed_file(LABEL, words.len() as u64).ok_or(Error::OUT_OF_MEMORY)?;
    file.write_all_at(&words, 0).map_err(|_| Error::OUT_OF_MEMORY)?;
    exported::descriptor(&file)
}

/// Imports the pool of a file descriptor, and returns its handle.
///
/// # Errors
/// As [`exported::opened`].
pub fn import(descriptor: i32) -> Result<Handle> {
    let file = exported::opened(descriptor, LABEL)?;
    let mut words = [0; 16];
    file.read_exact_at(&mut words, 0).map_err(|_| Error::INVALID_VALUE)?;
    let word = |at: usize| u64::from_ne_bytes(words[at..at + 8].try_into().expect("eight bytes"));
    Ok(pool::import((word(0) as u32, word(8))))
}

/// Returns the ticket with which another process opens an allocation of a pool.
///
/// # Errors
/// `CUDA_ERROR_INVALID_VALUE` for an address that is not the start of an allocation that can be exported.
pub fn ticket(address: u64) -> Result<Ticket> {
    let pool = with_owned(address, |owned| owned.pool.clone()).flatten().ok_or(Error::INVALID_VALUE)?;
    if pool.handle_types & handle_type::POSIX_FILE_DESCRIPTOR == 0 {
        return Err(Error::INVALID_VALUE);
    }
    // Only the start of an allocation is accepted.
    let mut ticket = opened::ticket(Use::PoolMemory, MemoryKind::Pool, address)?;
    ticket.pool = number(&pool);
    Ok(ticket)
}

/// Opens an allocation of an imported pool. While it is open, it has a single address.
///
/// # Errors
/// `CUDA_ERROR_INVALID_VALUE` for a pool that is not imported, or for memory of another pool; the errors of
/// [`opened::open`].
pub fn open(context: &Context, pool: &Pool, ticket: &Ticket) -> Result<u64> {
    let of: Foreign = (ticket.process(), ticket.pool);
    if !ticket.is_for(Use::PoolMemory) || pool.foreign != Some(of) {
        return Err(Error::INVALID_VALUE);
    }
    opened::open(context, ticket, true, "cuMemPoolImportPointer")
}
