//! Managed memory: the worker's, of which the judge has a copy at the same address. What the host has written goes to
//! the worker before work that may read it; all comes back when the host has waited for the work.
use std::{
    collections::{BTreeMap, BTreeSet},
    io::{self, Read},
    ptr, slice,
};

use super::line::Line;
use crate::{
    calls::other,
    frame::{put, put_bytes},
    shared,
};

/// The unit that is compared and sent, in bytes. What the host has not touched is not sent: it would count as migrated.
const PAGE: usize = 4096;

/// The managed memory of a judge.
#[derive(Default)]
pub(crate) struct Managed {
    /// What the worker has, by address.
    known: BTreeMap<usize, Vec<u8>>,
    /// The pages of variables.
    pages: BTreeSet<usize>,
    /// Whether work was begun since it came back last.
    is_stale: bool,
}

/// The judge's own bytes.
fn here<'m>(address: usize, bytes: usize) -> &'m mut [u8] {
    // SAFETY: `Managed::add` has mapped them, and `remove` has not unmapped them yet.
    unsafe { slice::from_raw_parts_mut(ptr::with_exposed_provenance_mut(address), bytes) }
}

impl Managed {
    /// Takes in an allocation of the worker's: whole pages of zeros.
    ///
    /// # Errors
    /// When the judge has something else at that address, or the address is none.
    pub(crate) fn add(&mut self, address: usize, bytes: usize) -> io::Result<()> {
        shared::reserve(address, bytes)?;
        self.known.insert(address, vec![0; bytes]);
        Ok(())
    }

    /// Takes in a variable of the worker's, with what is in it. Its page may have others.
    ///
    /// # Errors
    /// As [`Managed::add`]; the socket's.
    pub(crate) fn add_variable(&mut self, address: usize, bytes: usize, line: &mut Line) -> io::Result<()> {
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

    /// Whether the address lies in it.
    pub(crate) fn has(&self, address: usize) -> bool {
        let known = self.known.range(..=address).next_back();
        known.is_some_and(|(start, bytes)| address - start < bytes.len())
    }

    /// Forgets an allocation, or a variable; the page of a variable stays mapped.
    pub(crate) fn remove(&mut self, address: usize) {
        if let Some(known) = self.known.remove(&address)
            && !self.pages.contains(&(address / PAGE * PAGE))
        {
            shared::unmap(address, known.len());
        }
    }

    /// Sends what the host has written.
    pub(crate) fn push(&mut self, line: &mut Line) -> io::Result<()> {
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

    /// Takes back what the worker has.
    pub(crate) fn pull(&mut self, line: &mut Line) -> io::Result<()> {
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
        let mut line = Line::over(&judge).unwrap();
        // A place where nothing is.
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
