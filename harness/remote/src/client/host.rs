//! Addresses of the judge's own memory that a launch is given: a mistake of the host's, which the machine cannot tell
//! from any other wrong address, for nothing is mapped there in its process. So it is told.
use std::{io, ops::Range, ptr};

use super::line::Line;
use crate::{
    calls::other,
    frame::{put, put_bytes},
};

/// What is mapped as a whole.
const PAGE: usize = 4096;
/// How far behind such an address the machine is told of memory: a kernel adds an index to it.
const FAR: usize = 1 << 20;

/// What the machine was told of.
#[derive(Default)]
pub(super) struct Host(Vec<Range<usize>>);

impl Host {
    /// Tells the machine of the judge's memory at `address`, if there is some that it has not been told of. A GPU's
    /// driver has no use for it.
    ///
    /// # Errors
    /// The socket's.
    pub(super) fn tell(&mut self, address: usize, line: &mut Line) -> io::Result<()> {
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
