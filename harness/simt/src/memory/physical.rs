//! Physical memory, and the addresses it can be mapped at.

use super::backing::Backing;
use std::ffi::CStr;
use std::fs::File;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

/// Reservations, physical memory and mappings have sizes and addresses that are multiples of this.
pub const GRANULARITY: u64 = 2 << 20;

/// The name that Linux shows for the files of physical memory.
pub const PHYSICAL_LABEL: &CStr = c"warplab physical memory";

/// The access rights of mapped memory.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Access {
    /// No access. This is the state right after mapping.
    #[default]
    None,
    /// Kernels and copies may read it.
    Read,
    /// Kernels and copies may read and write it.
    ReadWrite,
}

/// Device memory without an address. It is freed when it is neither mapped nor held.
#[derive(Debug)]
pub struct Physical {
    pub(super) file: File,
    pub(super) bytes: u64,
    /// The bytes of device memory that all physical memory uses.
    pub(super) used: Arc<AtomicU64>,
}

impl Physical {
    /// Returns its file.
    pub fn file(&self) -> &File {
        &self.file
    }

    /// Returns its size.
    pub fn bytes(&self) -> u64 {
        self.bytes
    }
}

impl Drop for Physical {
    fn drop(&mut self) {
        self.used.fetch_sub(self.bytes, Ordering::Relaxed);
    }
}

/// The memory that a mapped range maps, and the access rights.
#[derive(Clone, Debug)]
pub(super) struct Mapped {
    pub physical: Arc<Physical>,
    pub access: Access,
}

/// Reserved addresses.
#[derive(Debug)]
pub(super) struct Reservation {
    pub bytes: u64,
    /// The host memory behind the reservation extends to this address, so that another reservation can follow.
    pub limit: u64,
    pub delta: i64,
    pub backing: Arc<Backing>,
}
