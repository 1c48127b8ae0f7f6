//! The kinds of memory, and the description of an allocation.

use std::fs::File;
use std::sync::Arc;

/// Where memory lives, and how it was allocated.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MemoryKind {
    /// Device memory.
    Device,
    /// Managed memory: one address for host and device.
    Managed,
    /// Page-locked host memory. With unified addressing every device can access it at the host's address.
    Pinned {
        /// It was requested as mapped.
        mapped: bool,
        /// It was requested as write-combined.
        write_combined: bool,
    },
    /// The host's own memory, registered with the device. It is never freed here.
    Registered,
    /// A module's variable; `true` if it is read-only for kernels (`.const`).
    Global(bool),
    /// Device memory of a pool (stream-ordered allocation).
    Pool,
    /// Physical memory of the device that is mapped into reserved addresses.
    Mapped,
    /// Memory that another process has allocated and this one has opened.
    Opened,
    /// The heap from which kernels allocate: a [`super::Heap`], which decides which of its bytes may be accessed.
    Heap,
}

impl MemoryKind {
    /// Returns whether host and device access it at the same address.
    pub fn is_host(self) -> bool {
        matches!(self, MemoryKind::Managed | MemoryKind::Pinned { .. } | MemoryKind::Registered)
    }
    /// Returns whether it counts against the device's memory. Managed memory uses device memory only once it has
    /// migrated, but it is counted from the start.
    pub(super) fn is_charged(self) -> bool {
        !matches!(self, MemoryKind::Pinned { .. } | MemoryKind::Registered | MemoryKind::Opened)
    }
}

/// A live allocation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Allocation {
    /// First address.
    pub start: u64,
    /// Requested size in bytes.
    pub bytes: u64,
    /// The kind of memory.
    pub kind: MemoryKind,
    /// Its label in findings.
    pub label: Arc<str>,
    /// Unique among all allocations of this memory.
    pub id: u32,
}

/// The location of an allocation that is shared with another process.
#[derive(Debug)]
pub struct Shared {
    /// The allocation's first address here.
    pub start: u64,
    /// Its size in bytes.
    pub bytes: u64,
    /// The file that holds it.
    pub file: Arc<File>,
    /// Its offset in the file.
    pub offset: u64,
}
