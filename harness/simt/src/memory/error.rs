//! Errors for allocations that are refused, pointers that cannot be freed, and addresses that cannot be accessed.

use super::view::Diagnosis;
use std::sync::Arc;

/// Why an allocation was refused.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum MemoryError {
    /// Not enough memory is free.
    #[error("{asked} bytes asked for, {free} of the device's {total} bytes are free: allocate less, or free first")]
    OutOfMemory {
        /// Bytes requested.
        asked: u64,
        /// Bytes free.
        free: u64,
        /// Total bytes.
        total: u64,
    },
    /// Zero bytes, or an alignment that is not a power of two.
    #[error("{bytes} bytes aligned to {align}: a size must be at least 1 and an alignment a power of two")]
    Invalid {
        /// Bytes requested.
        bytes: u64,
        /// Alignment requested.
        align: u64,
    },
    /// The host is out of memory for the backing.
    #[error("the host cannot back {asked} bytes")]
    Host {
        /// Bytes requested.
        asked: u64,
    },
    /// The range to register overlaps an allocation or another registration.
    #[error("{addr:#x} overlaps an allocation or registration at {start:#x}")]
    Overlaps {
        /// Start of the range to register.
        addr: u64,
        /// Start of the range it overlaps.
        start: u64,
    },
}

/// Why an address could not be freed.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum FreeError {
    /// It was an allocation that has already been freed.
    #[error("double free: {addr:#x} ({label}, {bytes} bytes) is freed already")]
    DoubleFree {
        /// The address.
        addr: u64,
        /// Its size when it was live.
        bytes: u64,
        /// Its label.
        label: Arc<str>,
    },
    /// It lies inside an allocation.
    #[error("{addr:#x} lies {offset} bytes inside the allocation at {start:#x}: free that address")]
    Inside {
        /// The address.
        addr: u64,
        /// Start of the allocation.
        start: u64,
        /// Distance from its start.
        offset: u64,
    },
    /// Nothing was ever allocated there.
    #[error("{addr:#x} is not an allocation of this device")]
    Unknown {
        /// The address.
        addr: u64,
    },
}

/// Why a range of device addresses cannot be accessed.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{len} bytes at {addr:#x} are not in one live allocation: {diagnosis}")]
pub struct AccessError {
    /// Start of the range.
    pub addr: u64,
    /// Its length in bytes.
    pub len: u64,
    /// The surroundings of the address.
    pub diagnosis: Box<Diagnosis>,
}
