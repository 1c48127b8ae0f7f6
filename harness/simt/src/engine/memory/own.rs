//! The host memory of a block and of its threads. Besides [`super::resolve`], this is the only way for instructions to
//! get pointers into it. Each pointer comes with a bounds check.

use crate::engine::warp::Warp;

/// The same range of bytes in each lane's local memory.
#[derive(Clone, Copy)]
pub(crate) struct LocalRows {
    first: *mut u8,
    stride: usize,
}

impl LocalRows {
    /// Returns the bytes of a lane.
    #[inline(always)]
    pub fn lane(self, lane: usize) -> *mut u8 {
        self.first.wrapping_add(lane * self.stride)
    }

    /// Returns the rows `bytes` further on. The caller must have requested at least that many bytes more.
    #[inline(always)]
    pub fn skip(self, bytes: usize) -> LocalRows {
        LocalRows { first: self.first.wrapping_add(bytes), ..self }
    }
}

/// The words of a block's shared memory up to a checked offset.
#[derive(Clone, Copy)]
pub(crate) struct SharedWords(*mut u8);

impl SharedWords {
    /// Returns the word at an offset.
    #[inline(always)]
    pub fn at(self, offset: u32) -> *mut u32 {
        self.0.wrapping_add(offset as usize).cast()
    }
}

/// Pieces of a block's shared memory, all of which are in bounds.
pub(crate) struct SharedPieces<'p, const SIZE: usize> {
    shared: *const u8,
    places: &'p [u64],
}

impl<const SIZE: usize> SharedPieces<'_, SIZE> {
    /// Reads the bytes of the piece with this number.
    #[inline(always)]
    pub fn read(&self, number: usize) -> [u8; SIZE] {
        let at = self.places[number] as usize;
        // SAFETY: each piece was found to lie inside the block's shared memory.
        unsafe { self.shared.add(at).cast::<[u8; SIZE]>().read() }
    }
}

impl Warp<'_> {
    /// Returns `bytes` bytes of each lane's local memory from `offset` on, if they are in bounds.
    #[inline(always)]
    pub(crate) fn local_rows(&self, offset: u64, bytes: u64) -> Option<LocalRows> {
        if offset >= self.local_len || self.local_len - offset < bytes {
            return None;
        }
        Some(LocalRows { first: self.local.wrapping_add(offset as usize), stride: self.local_stride })
    }

    /// Returns the words of the block's shared memory up to the one at `last`, if that is in bounds.
    #[inline(always)]
    pub(crate) fn shared_words(&self, last: u64) -> Option<SharedWords> {
        if last >= self.shared_len || self.shared_len - last < 4 {
            return None;
        }
        Some(SharedWords(self.shared))
    }

    /// Returns the pieces of the block's shared memory at these offsets, or the first offset whose piece is out of
    /// bounds.
    #[inline(always)]
    pub(crate) fn shared_pieces<'p, const SIZE: usize>(
        &self,
        places: &'p [u64],
    ) -> Result<SharedPieces<'p, SIZE>, u64> {
        let room = self.shared_len.checked_sub(SIZE as u64);
        match places.iter().find(|&&place| room.is_none_or(|room| place > room)) {
            Some(&outside) => Err(outside),
            None => Ok(SharedPieces { shared: self.shared, places }),
        }
    }

    /// Returns whether a host address lies in the block's own shared memory.
    #[inline(always)]
    pub(crate) fn is_own_shared(&self, host: u64) -> bool {
        (self.shared as u64..self.shared as u64 + self.shared_len).contains(&host)
    }

    /// Returns the shared-memory offset of a host address that lies in shared memory.
    #[inline(always)]
    pub(crate) fn shared_offset(&self, host: u64) -> u64 {
        host.wrapping_sub(self.shared as u64)
    }
}
