//! Addresses of the judge's own memory passed to a launch. They are a mistake of the host code, but nothing is mapped
//! there in the worker, so the machine could not distinguish them from any other invalid address. It is therefore sent
//! them.
use std::{io, ops::Range, ptr};

use super::connection::Connection;
use crate::{
    calls::other,
    frame::{put, put_bytes},
};

/// The unit of mapping.
const PAGE: usize = 4096;
/// The most bytes that are announced from such an address on: a kernel adds an index to it.
const FAR: usize = 1 << 20;

/// The ranges announced to the machine.
#[derive(Default)]
pub(super) struct Host(Vec<Range<usize>>);

impl Host {
    /// Announces the judge's memory at `address` to the machine, if there is any and it is not announced yet. A GPU's
    /// driver does not use this.
    ///
    /// # Errors
    /// Errors of the socket.
    pub(super) fn tell(&mut self, address: usize, line: &mut Connection) -> io::Result<()> {
        let page = address / PAGE * PAGE;
        if page == 0 || self.0.iter().any(|known| known.contains(&address)) || !is_mapped(page, PAGE) {
            return Ok(());
        }
        let mut bytes = PAGE;
        while bytes < FAR && is_mapped(page, 2 * bytes) {
            bytes *= 2;
        }
        self.0.push(page..page + bytes);
        put(&mut line.to, other::CONFIGURE)?;
        put_bytes(&mut line.to, format!("{{\"host\":[[{page},{}]]}}", page + bytes).as_bytes())?;
        line.code()?;
        Ok(())
    }
}

/// Whether each of these pages is mapped in this process.
fn is_mapped(page: usize, bytes: usize) -> bool {
    // SAFETY: msync with MS_ASYNC changes nothing; it fails where a page is not mapped.
    unsafe { libc::msync(ptr::without_provenance_mut(page), bytes, libc::MS_ASYNC) == 0 }
}
