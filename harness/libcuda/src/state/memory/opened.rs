//! Memory for other processes, and memory of other processes, which is opened by a [`Ticket`] and later closed.

use super::allocation::{adopt, is_live, release};
use crate::abi::error::{Error, Result};
use crate::state::contexts::context::{Context, synchronize_device};
use crate::state::device::driver::driver;
use crate::state::device::sync::lock;
use crate::state::device::ticket::{Ticket, Use};
use simt::memory::MemoryKind;
use std::collections::BTreeMap;
use std::sync::Mutex;

/// Open memory: its address in this process, and the number of times it was opened.
struct Opened {
    address: u64,
    times: usize,
}

/// The open memory, by the file's identity.
static OPENED: Mutex<BTreeMap<(u32, u64), Opened>> = Mutex::new(BTreeMap::new());

/// Creates a ticket for the allocation around an address. Its bytes are moved to a file that another process can open,
/// for which the device must be idle.
///
/// # Errors
/// `CUDA_ERROR_INVALID_VALUE` for memory that is not of `kind`, `CUDA_ERROR_OUT_OF_MEMORY`.
pub fn ticket(purpose: Use, kind: MemoryKind, address: u64) -> Result<Ticket> {
    let memory = &driver()?.memory;
    let found = memory.find(address).filter(|found| found.kind == kind && is_live(found.start));
    let found = found.ok_or(Error::INVALID_VALUE)?;
    synchronize_device();
    let shared = memory.share(found.start).ok_or(Error::OUT_OF_MEMORY)?;
    let mut ticket = Ticket::from_file(purpose, &shared.file);
    (ticket.offset, ticket.bytes) = (shared.offset, shared.bytes);
    Ok(ticket)
}

/// Opens the memory of a ticket; memory that is already open keeps its address. `ordered`: it is freed in a stream's
/// order.
///
/// # Errors
/// `CUDA_ERROR_INVALID_HANDLE` for memory that no longer exists, `CUDA_ERROR_INVALID_VALUE` for an invalid ticket,
/// `CUDA_ERROR_OUT_OF_MEMORY`.
pub fn open(context: &Context, ticket: &Ticket, ordered: bool, call: &str) -> Result<u64> {
    let memory = &driver()?.memory;
    let mut all = lock(&OPENED);
    // Memory that was freed with its context is no longer open.
    all.retain(|_, opened| {
        let found = memory.find(opened.address);
        found.is_some_and(|found| found.start == opened.address && found.kind == MemoryKind::Opened)
    });
    if let Some(opened) = all.get_mut(&ticket.identity()) {
        opened.times += 1;
        return Ok(opened.address);
    }
    let file = ticket.open("memory")?;
    let opened = memory.open_shared(file, ticket.offset, ticket.bytes, call);
    let address = opened.map_err(super::allocation::refused)?;
    adopt(context, address, ordered);
    all.insert(ticket.identity(), Opened { address, times: 1 });
    Ok(address)
}

/// Closes memory that was opened; the last close frees its address.
///
/// # Errors
/// `CUDA_ERROR_INVALID_VALUE` for an address at which nothing was opened.
pub fn close(address: u64) -> Result {
    let last = {
        let mut all = lock(&OPENED);
        let known = all.iter_mut().find(|(_, opened)| opened.address == address);
        let (identity, opened) = known.ok_or(Error::INVALID_VALUE)?;
        opened.times -= 1;
        let identity = *identity;
        opened.times == 0 && all.remove(&identity).is_some()
    };
    if last {
        synchronize_device();
        release(address);
    }
    Ok(())
}
