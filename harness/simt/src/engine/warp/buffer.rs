//! Zeroed memory with an alignment for vectors.

use std::alloc::{Layout, alloc_zeroed, dealloc, handle_alloc_error};
use std::ptr::NonNull;

/// Bytes aligned to 64, initially zero.
pub(crate) struct Buffer {
    at: NonNull<u8>,
    layout: Layout,
}

// SAFETY: it owns its bytes.
unsafe impl Send for Buffer {}

impl Buffer {
    /// A buffer of `bytes` zeros (at least 64 bytes).
    pub fn new(bytes: usize) -> Buffer {
        let size = bytes.max(1).next_multiple_of(64);
        let layout = Layout::from_size_align(size, 64).unwrap_or(Layout::new::<[u64; 8]>());
        // SAFETY: the layout has a size above zero.
        let at = unsafe { alloc_zeroed(layout) };
        match NonNull::new(at) {
            Some(at) => Buffer { at, layout },
            None => handle_alloc_error(layout),
        }
    }
    /// The first byte.
    pub fn ptr(&self) -> *mut u8 {
        self.at.as_ptr()
    }
}

impl Drop for Buffer {
    fn drop(&mut self) {
        // SAFETY: allocated with this layout, and no longer used.
        unsafe { dealloc(self.at.as_ptr(), self.layout) }
    }
}
