//! Copies of all kinds: between host and device, in one, two and three dimensions.

use crate::abi::constants::memory_type;
use crate::abi::error::{Error, Result};
use crate::abi::types::Copy3D;
use crate::state::contexts::context::Context;
use crate::state::device::driver::{driver, tell};
use crate::state::device::observer::{CopyEnd, Direction};
use simt::memory::{MemoryKind, Reached};
use std::sync::Arc;

/// Copies of at most this number of bytes run on the calling thread.
const BRIEF: usize = 64 << 10;

/// One end of a copy.
#[derive(Clone)]
pub enum End {
    /// An address that the device can access.
    Device(u64),
    /// The host program's memory.
    Host(u64),
    /// Pageable host memory as it was when the copy was requested.
    Staged(Arc<[u8]>),
}

/// The rows at one end of a copy.
#[derive(Clone)]
pub(super) struct Side {
    pub end: End,
    /// Bytes from row to row.
    pub pitch: usize,
    /// Bytes from slice to slice.
    pub slice: usize,
}

/// A copy of `depth` slices of `height` rows of `width` bytes.
#[derive(Clone)]
pub struct MemoryCopy {
    pub(super) dst: Side,
    pub(super) src: Side,
    pub(super) width: usize,
    pub(super) height: usize,
    pub(super) depth: usize,
    /// Whether the caller always waits for it.
    pub waited: bool,
    /// Whether the lifetime of its source may end when the call returns.
    pub source_ends_with_call: bool,
    /// The caller's description, for `cuGraphMemcpyNodeGetParams`.
    pub described: Copy3D,
}

impl Side {
    fn linear(end: End) -> Self {
        Side { end, pitch: 0, slice: 0 }
    }
    /// Returns the number of bytes from the first byte to one past the last.
    fn span(&self, width: usize, height: usize, depth: usize) -> Option<usize> {
        let rows = self.pitch.checked_mul(height - 1)?;
        self.slice.checked_mul(depth - 1)?.checked_add(rows)?.checked_add(width)
    }
    /// Returns whether it is host memory that is not registered with the driver.
    fn is_pageable(&self) -> bool {
        match self.end {
            End::Host(address) => driver().is_ok_and(|driver| driver.memory.find(address).is_none()),
            End::Staged(_) => true,
            End::Device(_) => false,
        }
    }
    fn is_host(&self) -> bool {
        match self.end {
            End::Host(_) | End::Staged(_) => true,
            End::Device(address) => driver().is_ok_and(|driver| {
                let found = driver.memory.find(address);
                found.is_some_and(|found| matches!(found.kind, MemoryKind::Pinned { .. } | MemoryKind::Registered))
            }),
        }
    }
    /// Returns the kind of its memory, for the telemetry.
    fn place(&self) -> CopyEnd {
        let address = match self.end {
            End::Staged(_) => return CopyEnd::Pageable,
            End::Host(address) | End::Device(address) => address,
        };
        let found = driver().ok().and_then(|driver| driver.memory.find(address));
        match found.map(|found| found.kind) {
            None => CopyEnd::Pageable,
            Some(MemoryKind::Managed) => CopyEnd::Managed,
            Some(MemoryKind::Pinned { .. } | MemoryKind::Registered) => CopyEnd::Pinned,
            Some(_) => CopyEnd::Device,
        }
    }
    /// Returns the host address of its bytes, if `span` bytes exist, and keeps them mapped if the driver could free
    /// them.
    fn resolve(&self, span: usize) -> Result<Reached> {
        let memory = &driver()?.memory;
        match &self.end {
            End::Device(address) => memory.reach(*address, span as u64).map_err(|error| {
                tell(|observer| observer.bad_access(&error));
                Error::INVALID_VALUE
            }),
            End::Host(address) => {
                if memory.owns(*address) || !simt::memory::is_host_range(*address, span as u64) {
                    return Err(Error::INVALID_VALUE);
                }
                Ok(Reached::own(*address as *mut u8))
            }
            End::Staged(bytes) => Ok(Reached::own(bytes.as_ptr().cast_mut())),
        }
    }
}

impl MemoryCopy {
    /// Creates a copy of contiguous bytes.
    pub fn linear(dst: End, src: End, bytes: usize) -> Self {
        let described = describe(&dst, &src, bytes);
        let (dst, src) = (Side::linear(dst), Side::linear(src));
        MemoryCopy {
            dst,
            src,
            width: bytes,
            height: 1,
            depth: 1,
            waited: false,
            source_ends_with_call: false,
            described,
        }
    }

    /// Its ends that the device reaches.
    pub fn addresses(&self) -> impl Iterator<Item = u64> + '_ {
        let ends = [&self.src.end, &self.dst.end];
        ends.into_iter().filter_map(|end| if let End::Device(address) = end { Some(*address) } else { None })
    }

    /// The number of bytes that it moves.
    fn bytes(&self) -> usize {
        self.width * self.height * self.depth
    }

    /// Returns whether the copy may run on the calling thread.
    pub fn is_brief(&self) -> bool {
        self.waited || self.bytes() <= BRIEF || self.src.is_pageable() || self.dst.is_pageable()
    }

    fn is_empty(&self) -> bool {
        self.width == 0 || self.height == 0 || self.depth == 0
    }

    fn ends(&self) -> Result<(Reached, Reached)> {
        let span = |side: &Side| {
            let span = side.span(self.width, self.height, self.depth).ok_or(Error::INVALID_VALUE)?;
            side.resolve(span)
        };
        Ok((span(&self.dst)?, span(&self.src)?))
    }

    /// Checks that both ends are currently valid.
    ///
    /// # Errors
    /// `CUDA_ERROR_INVALID_VALUE` if an end is not memory of its kind over its full length.
    pub fn check(&self) -> Result {
        if self.is_empty() { Ok(()) } else { self.ends().map(drop) }
    }

    /// Runs the copy. If an end was freed since the call, the context gets the error of a kernel with a bad address.
    pub fn run(&self, context: Option<&Arc<Context>>) {
        if self.is_empty() {
            return;
        }
        let Ok((dst, src)) = self.ends() else {
            if let Some(context) = context {
                context.fail(Error::ILLEGAL_ADDRESS);
            }
            return;
        };
        self.look_for_unset();
        for z in 0..self.depth {
            for y in 0..self.height {
                // SAFETY: both ends were checked over their whole span; they may overlap, which `copy` allows. Kernels
                // may use the same bytes, as on a device.
                unsafe {
                    let to = dst.pointer.add(z * self.dst.slice + y * self.dst.pitch);
                    let from = src.pointer.add(z * self.src.slice + y * self.src.pitch);
                    std::ptr::copy(from, to, self.width);
                }
                self.note(z, y);
            }
        }
        let direction = match (self.src.is_host(), self.dst.is_host()) {
            (true, true) => Direction::HostToHost,
            (true, false) => Direction::HostToDevice,
            (false, true) => Direction::DeviceToHost,
            (false, false) => Direction::DeviceToDevice,
        };
        let ends = [self.src.place(), self.dst.place()];
        tell(|observer| observer.copied(direction, ends, self.bytes() as u64));
    }

    /// Returns whether the target is pageable, so that the call must wait.
    pub fn is_to_pageable(&self) -> bool {
        self.dst.is_pageable()
    }

    /// Returns whether the source is pageable, so that the program may change it as soon as the call returns.
    pub fn is_from_pageable(&self) -> bool {
        self.src.is_pageable()
    }

    /// Returns whether the source is the device's own memory, which the program can only change through the streams.
    pub fn is_from_device(&self) -> bool {
        self.src.place() == CopyEnd::Device
    }

    /// Replaces the source by a copy of its current bytes.
    ///
    /// # Errors
    /// `CUDA_ERROR_INVALID_VALUE` if the source does not exist over its full length.
    pub fn stage(&mut self) -> Result {
        if self.is_empty() {
            return Ok(());
        }
        let span = self.src.span(self.width, self.height, self.depth).ok_or(Error::INVALID_VALUE)?;
        let from = self.src.resolve(span)?;
        // SAFETY: `resolve` has checked `span` bytes.
        self.src.end = End::Staged(unsafe { std::slice::from_raw_parts(from.pointer, span) }.into());
        Ok(())
    }

    /// Reports bytes of the device that no one has written and that go to the host, for the check for uninitialised
    /// reads.
    fn look_for_unset(&self) {
        let (End::Device(src), Ok(driver)) = (&self.src.end, driver()) else { return };
        if !self.dst.is_host() {
            return;
        }
        let rows = (0..self.depth).flat_map(|z| (0..self.height).map(move |y| z * self.src.slice + y * self.src.pitch));
        let mut unset = rows.filter_map(|row| driver.memory.unset(src + row as u64, self.width as u64));
        if let Some((first, bytes)) = unset.next() {
            let all = unset.fold(bytes, |all, (_, bytes)| all + bytes);
            tell(|observer| observer.unset(first, all, self.bytes() as u64));
        }
    }

    /// Notifies the memory of what row `y` of slice `z` has written, for the check for uninitialised reads.
    fn note(&self, z: usize, y: usize) {
        let (End::Device(dst), Ok(driver)) = (&self.dst.end, driver()) else {
            return;
        };
        let row = |side: &Side| (z * side.slice + y * side.pitch) as u64;
        let (to, width) = (dst + row(&self.dst), self.width as u64);
        match &self.src.end {
            End::Device(src) => driver.memory.copied(to, src + row(&self.src), width),
            _ => driver.memory.wrote(to, width),
        }
    }
}

/// Returns the description of a copy of contiguous bytes.
fn describe(dst: &End, src: &End, bytes: usize) -> Copy3D {
    let parts = |end: &End| match end {
        End::Device(address) => (memory_type::DEVICE, 0, *address),
        End::Host(address) => (memory_type::HOST, *address, 0),
        End::Staged(_) => (memory_type::HOST, 0, 0),
    };
    let ((dst_memory_type, dst_host, dst_device), (src_memory_type, src_host, src_device)) = (parts(dst), parts(src));
    Copy3D {
        dst_memory_type,
        dst_host,
        dst_device,
        src_memory_type,
        src_host,
        src_device,
        width_in_bytes: bytes,
        height: 1,
        depth: 1,
        ..Copy3D::default()
    }
}
