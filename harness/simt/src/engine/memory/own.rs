//! The memory of a block and of its threads as the host has it: the only way from the instructions to pointers into it,
//! besides [`super::resolve`]. Each pointer comes with a check of how far it reaches.

use crate::engine::warp::Warp;

/// The same bytes of each lane's local memory.
#[derive(Clone, Copy)]
pub(crate) struct LocalRows {
    first: *mut u8,
    stride: usize,
}

impl LocalRows {
    /// Those of a lane.
    #[inline(always)]
    pub fn lane(self, lane: usize) -> *mut u8 {
        self.first.wrapping_add(lane * self.stride)
    }

    /// Those so many bytes further on; the caller has asked for as many more.
    #[inline(always)]
    pub fn skip(self, bytes: usize) -> LocalRows {
        LocalRows { first: self.first.wrapping_add(bytes), ..self }
    }
}

/// The words of a block's shared memory up to a place.
#[derive(Clone, Copy)]
pub(crate) struct SharedWords(*mut u8);

impl SharedWords {
    /// The word at an offset.
    #[inline(always)]
    pub fn at(self, offset: u32) -> *mut u32 {
        self.0.wrapping_add(offset as usize).cast()
    }
}

/// Pieces of a block's shared memory, all of which lie inside.
pub(crate) struct SharedPieces<'p, const SIZE: usize> {
    shared: *const u8,
    places: &'p [u64],
}

impl<const SIZE: usize> SharedPieces<'_, SIZE> {
    /// The bytes of the piece with this number.
    #[inline(always)]
    pub fn read(&self, number: usize) -> [u8; SIZE] {
        let at = self.places[number] as usize;
        // SAFETY: each piece was found to lie inside the block's shared memory.
        unsafe { self.shared.add(at).cast::<[u8; SIZE]>().read() }
    }
}

impl Warp<'_> {
    /// `bytes` bytes of each lane's local memory from an offset on, if they lie inside.
    #[inline(always)]
    pub(crate) fn local_rows(&self, offset: u64, bytes: u64) -> Option<LocalRows> {
        if offset >= self.local_len || self.local_len - offset < bytes {
            return None;
        }
        Some(LocalRows { first: self.local.wrapping_add(offset as usize), stride: self.local_stride })
    }

    /// The words of the block's shared memory up to the one at `last`, if that lies inside.
    #[inline(always)]
    pub(crate) fn shared_words(&self, last: u64) -> Option<SharedWords> {
        if last >= self.shared_len || self.shared_len - last < 4 {
            return None;
        }
        Some(SharedWords(self.shared))
    }

    /// Pieces of the block's shared memory at these offsets, or the first offset of one that does not lie inside.
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

    /// Whether an address of the host lies in the block's own shared memory.
    #[inline(always)]
    pub(crate) fn is_own_shared(&self, host: u64) -> bool {
        (self.shared as u64..self.shared as u64 + self.shared_len).contains(&host)
    }

    /// The offset in shared memory of an address of the host that lies in it.
    #[inline(always)]
    pub(crate) fn shared_offset(&self, host: u64) -> u64 {
        host.wrapping_sub(self.shared as u64)
    }
}
