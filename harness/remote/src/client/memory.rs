//! Memory that the host can access too: pinned memory, which both processes map, and managed memory, of which the judge
//! has a copy.
use std::{
    ffi::c_int,
    io,
    os::fd::{AsFd, OwnedFd},
};

use cuda_abi::driver::Error;

use super::{Client, state::State};
use crate::{
    calls::{self, other},
    frame::put,
    shared,
};

impl Client {
    /// `cuMemHostAlloc`: memory shared by both processes and registered with the driver. It is not write-combined.
    ///
    /// # Errors
    /// As [`Client::call`].
    pub fn allocate_pinned(&self, bytes: usize, flags: u64) -> io::Result<Result<usize, c_int>> {
        const WRITE_COMBINED: u64 = 4;
        let mut state = self.lock();
        if bytes == 0 {
            return Ok(Err(Error::INVALID_VALUE.0));
        }
        let Some((address, length)) = state.map(bytes)? else {
            return Ok(Err(Error::OUT_OF_MEMORY.0));
        };
        let register = [address as u64, bytes as u64, flags & !WRITE_COMBINED];
        // SAFETY: these are plain values.
        match unsafe { state.call(calls::number("cuMemHostRegister_v2"), &register) }? {
            0 => {
                state.pinned.insert(address, length);
                Ok(Ok(address))
            }
            code => {
                state.unmap(address, length)?;
                Ok(Err(code))
            }
        }
    }

    /// `cuMemFreeHost`.
    ///
    /// # Errors
    /// As [`Client::call`].
    pub fn free_pinned(&self, address: usize) -> io::Result<c_int> {
        let mut state = self.lock();
        let Some(length) = state.pinned.remove(&address) else {
            return Ok(if address == 0 { 0 } else { Error::INVALID_VALUE.0 });
        };
        // SAFETY: this is a plain value.
        let code = unsafe { state.call(calls::number("cuMemHostUnregister"), &[address as u64]) }?;
        state.unmap(address, length)?;
        Ok(code)
    }

    /// `cuMemAllocManaged`: the worker's memory, of which the judge has a copy at the same address.
    ///
    /// # Errors
    /// As [`Client::call`].
    pub fn allocate_managed(&self, bytes: usize, flags: u64) -> io::Result<Result<u64, c_int>> {
        let mut state = self.lock();
        let mut address = 0_u64;
        let arguments = [&raw mut address as u64, bytes as u64, flags];
        // SAFETY: the address is live.
        match unsafe { state.call(calls::number("cuMemAllocManaged"), &arguments) }? {
            0 => state.managed.add(address as usize, bytes).map(|()| Ok(address)),
            code => Ok(Err(code)),
        }
    }

    /// `cuMemFree`.
    ///
    /// # Errors
    /// As [`Client::call`].
    pub fn free(&self, address: u64) -> io::Result<c_int> {
        let mut state = self.lock();
        state.managed.remove(address as usize);
        // SAFETY: this is a plain value.
        unsafe { state.call(calls::number("cuMemFree_v2"), &[address]) }
    }
}

impl State {
    /// Maps at least `bytes` bytes in both processes; `None` if one has no room.
    fn map(&mut self, bytes: usize) -> io::Result<Option<(usize, usize)>> {
        const TRIES: usize = 8;
        const STEP: usize = 1 << 40;
        let length = bytes.next_multiple_of(shared::PAGE);
        'tries: for _ in 0..TRIES {
            let address = self.next;
            if shared::reserve(address, length).is_err() {
                self.next += STEP;
                continue;
            }
            for at in (0..length).step_by(shared::PIECE) {
                let part = shared::PIECE.min(length - at);
                let mapped = shared::piece(part).and_then(|piece| {
                    shared::map_piece(address + at, part, &piece, true)?;
                    Ok(piece)
                });
                let Ok(piece) = mapped else {
                    self.unmap(address, length)?;
                    return Ok(None);
                };
                if !self.send(address + at, part, &piece)? {
                    // Only the pieces that exist here were mapped by the worker.
                    shared::unmap(address, length);
                    self.next += STEP;
                    continue 'tries;
                }
            }
            self.next += length;
            return Ok(Some((address, length)));
        }
        Ok(None)
    }

    /// Makes the worker map a piece; returns whether it has.
    fn send(&mut self, address: usize, bytes: usize, piece: &OwnedFd) -> io::Result<bool> {
        put(&mut self.line.to, other::MAP)?;
        put(&mut self.line.to, address as u64)?;
        put(&mut self.line.to, bytes as u64)?;
        Ok(self.hand_over(piece.as_fd())? == 0)
    }

    fn unmap(&mut self, address: usize, length: usize) -> io::Result<()> {
        shared::unmap(address, length);
        put(&mut self.line.to, other::UNMAP)?;
        put(&mut self.line.to, address as u64)?;
        put(&mut self.line.to, length as u64)?;
        self.line.code().map(|_| ())
    }
}
