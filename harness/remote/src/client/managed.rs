//! Managed memory: it belongs to the worker, and the judge has a copy at the same address. Pages that the host has
//! written are sent to the worker before any work that may read them; all is copied back when the host has waited for
//! the work.
use std::{
    collections::{BTreeMap, BTreeSet},
    io::{self, Read},
    ptr, slice,
};

use super::connection::Connection;
use crate::{
    calls::other,
    frame::{put, put_bytes},
    shared,
};

/// The unit that is compared and sent, in bytes. Pages that the host has not changed are not sent: they would count as
/// migrated.
const PAGE: usize = 4096;

/// The managed memory of a judge.
#[derive(Default)]
pub(crate) struct Managed {
    /// The worker's contents, by address.
    known: BTreeMap<usize, Vec<u8>>,
    /// The pages of variables.
    pages: BTreeSet<usize>,
    /// Whether work was started since the last copy back.
    is_stale: bool,
}

/// The bytes in the judge's own memory.
fn here<'m>(address: usize, bytes: usize) -> &'m mut [u8] {
    // SAFETY: `Managed::add` has mapped them, and `remove` has not unmapped them yet.
    unsafe { slice::from_raw_parts_mut(ptr::with_exposed_provenance_mut(address), bytes) }
}

impl Managed {
    /// Adds an allocation of the worker's: whole pages of zeros.
    ///
    /// # Errors
    /// When the judge uses that address otherwise, or it is invalid.
    pub(crate) fn add(&mut self, address: usize, bytes: usize) -> io::Result<()> {
        shared::reserve(address, bytes)?;
        self.known.insert(address, vec![0; bytes]);
        Ok(())
    }

    /// Adds a variable of the worker's, with its content. Its page may contain others.
    ///
    /// # Errors
    /// As [`Managed::add`]; errors of the socket.
    pub(crate) fn add_variable(&mut self, address: usize, bytes: usize, line: &mut Connection) -> io::Result<()> {
        const LARGEST: usize = 1 << 30;
        let is_variable = self.pages.contains(&(address / PAGE * PAGE));
        if bytes == 0 || is_variable && self.known.get(&address).is_some_and(|known| known.len() == bytes) {
            return Ok(());
        }
        if bytes > LARGEST || address.checked_add(bytes).is_none() {
            return Err(io::ErrorKind::InvalidData.into());
        }
        for page in (address / PAGE * PAGE..address + bytes).step_by(PAGE) {
            if self.pages.insert(page)
                && let Err(error) = shared::reserve(page, PAGE)
            {
                self.pages.remove(&page);
                return Err(error);
            }
        }
        self.known.insert(address, vec![0; bytes]);
        self.is_stale = true;
        self.pull(line)
    }

    /// Whether the address lies in managed memory.
    pub(crate) fn has(&self, address: usize) -> bool {
        let known = self.known.range(..=address).next_back();
        known.is_some_and(|(start, bytes)| address - start < bytes.len())
    }

    /// Removes an allocation, or a variable; the page of a variable stays mapped.
    pub(crate) fn remove(&mut self, address: usize) {
        if let Some(known) = self.known.remove(&address)
            && !self.pages.contains(&(address / PAGE * PAGE))
        {
            shared::unmap(address, known.len());
        }
    }

    /// Sends the pages that the host has changed.
    pub(crate) fn push(&mut self, line: &mut Connection) -> io::Result<()> {
        for (address, known) in &mut self.known {
            let now = here(*address, known.len());
            for (page, (known, now)) in known.chunks_mut(PAGE).zip(now.chunks(PAGE)).enumerate() {
                if known != now {
                    known.copy_from_slice(now);
                    put(&mut line.to, other::POKE)?;
                    put(&mut line.to, (address + page * PAGE) as u64)?;
                    put_bytes(&mut line.to, now)?;
                }
            }
        }
        self.is_stale = !self.known.is_empty();
        Ok(())
    }

    /// Copies the worker's contents back.
    pub(crate) fn pull(&mut self, line: &mut Connection) -> io::Result<()> {
        if !std::mem::take(&mut self.is_stale) {
            return Ok(());
        }
        for (address, known) in &mut self.known {
            put(&mut line.to, other::PEEK)?;
            put(&mut line.to, *address as u64)?;
            put(&mut line.to, known.len() as u64)?;
            line.settle()?;
            line.from.read_exact(known)?;
            here(*address, known.len()).copy_from_slice(known);
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use std::os::unix::net::UnixStream;

    use super::*;

    #[test]
    fn a_variable_is_put_over_no_allocation() {
        let (judge, _worker) = UnixStream::pair().unwrap();
        let mut line = Connection::over(&judge).unwrap();
        // An unused address.
        let place = 0x3000_0000_0000;
        let mut managed = Managed::default();
        managed.add(place, PAGE).unwrap();
        for bytes in [8, PAGE, 2 * PAGE] {
            assert!(managed.add_variable(place, bytes, &mut line).is_err(), "{bytes}");
        }
        managed.add_variable(place, 0, &mut line).unwrap();
        assert!(managed.has(place + PAGE - 1));
        managed.remove(place);
    }
}
