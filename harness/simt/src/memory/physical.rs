//! Physical memory, and the addresses it can be mapped at.

use super::backing::Backing;
use std::ffi::CStr;
use std::fs::File;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

/// Reservations, physical memory and mappings have sizes and addresses that are multiples of this.
pub const GRANULARITY: u64 = 2 << 20;

/// What Linux shows for the files of physical memory.
pub const PHYSICAL_LABEL: &CStr = c"warplab physical memory";

/// Who may use mapped memory.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Access {
    /// Nobody: so it is when it has just been mapped.
    #[default]
    None,
    /// Kernels and copies may read it.
    Read,
    /// They may write it too.
    ReadWrite,
}

/// Memory of the device that has no address of its own. It is freed when nothing maps it and nobody holds it.
#[derive(Debug)]
pub struct Physical {
    pub(super) file: File,
    pub(super) bytes: u64,
    /// What all such memory takes of the device.
    pub(super) used: Arc<AtomicU64>,
}

impl Physical {
    /// The file that it is.
    pub fn file(&self) -> &File {
        &self.file
    }

    /// Its size.
    pub fn bytes(&self) -> u64 {
        self.bytes
    }
}

impl Drop for Physical {
    fn drop(&mut self) {
        self.used.fetch_sub(self.bytes, Ordering::Relaxed);
    }
}

/// What a mapped range maps, and who may use it.
#[derive(Clone, Debug)]
pub(super) struct Mapped {
    pub physical: Arc<Physical>,
    pub access: Access,
}

/// Reserved addresses.
#[derive(Debug)]
pub(super) struct Reservation {
    pub bytes: u64,
    /// Up to here the host's memory behind it goes on, so that another reservation can follow.
    pub limit: u64,
    pub delta: i64,
    pub backing: Arc<Backing>,
}
