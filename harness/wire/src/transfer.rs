//! Transfers and memory in use: copies, fills, managed memory, the device's memory.

use serde::{Deserialize, Serialize};

/// Copies in one direction. A copy counts once: as managed if one of its ends is managed, else as pageable if one is
/// pageable, else as pinned.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Copied {
    /// The number of copies.
    pub count: u64,
    /// Their total size in bytes.
    pub bytes: u64,
    /// Bytes from or to pageable memory, which the driver has to lock page by page.
    pub pageable_bytes: u64,
    /// Bytes from or to page-locked or registered memory.
    pub pinned_bytes: u64,
    /// Bytes from or to managed memory.
    pub managed_bytes: u64,
}

/// Fills of the device's memory.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Filled {
    /// The number of fills.
    pub count: u64,
    /// Their total size in bytes.
    pub bytes: u64,
}

/// Copies by direction, and fills.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Copies {
    /// From the host to the device.
    pub host_to_device: Copied,
    /// From the device to the host.
    pub device_to_host: Copied,
    /// Within the device.
    pub device_to_device: Copied,
    /// Within the host's memory.
    pub host_to_host: Copied,
    /// Fills.
    pub fill: Filled,
}

/// Migrations of managed memory. The machine migrates it in blocks, and also counts pages: a block has `block_bytes`
/// bytes (64 KiB), a page `page_bytes` (4 KiB).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Managed {
    /// Bytes of a block, the unit of migration.
    pub block_bytes: u64,
    /// Bytes that went to the device.
    pub to_device_bytes: u64,
    /// Bytes that came to the host.
    pub to_host_bytes: u64,
    /// Bytes of a page (not of a block): the unit of the two counts below.
    pub page_bytes: u64,
    /// Pages that went to the device.
    pub to_device_pages: u64,
    /// Pages that came to the host.
    pub to_host_pages: u64,
    /// The number of prefetches.
    pub prefetches: u64,
    /// The number of advice calls.
    pub advice: u64,
}

/// The device's memory.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Memory {
    /// Allocated bytes.
    pub used_bytes: u64,
    /// Total bytes.
    pub total_bytes: u64,
}

impl Copied {
    /// Adds later copies.
    pub fn add(&mut self, later: &Copied) {
        self.count += later.count;
        self.bytes += later.bytes;
        self.pageable_bytes += later.pageable_bytes;
        self.pinned_bytes += later.pinned_bytes;
        self.managed_bytes += later.managed_bytes;
    }
}

impl Copies {
    /// Adds later copies and fills.
    pub fn add(&mut self, later: &Copies) {
        self.host_to_device.add(&later.host_to_device);
        self.device_to_host.add(&later.device_to_host);
        self.device_to_device.add(&later.device_to_device);
        self.host_to_host.add(&later.host_to_host);
        self.fill.count += later.fill.count;
        self.fill.bytes += later.fill.bytes;
    }
}

impl Managed {
    /// Adds later migrations; the sizes of blocks and pages are the later ones.
    pub fn add(&mut self, later: &Managed) {
        (self.block_bytes, self.page_bytes) = (later.block_bytes, later.page_bytes);
        self.to_device_bytes += later.to_device_bytes;
        self.to_host_bytes += later.to_host_bytes;
        self.to_device_pages += later.to_device_pages;
        self.to_host_pages += later.to_host_pages;
        self.prefetches += later.prefetches;
        self.advice += later.advice;
    }

    /// Returns zero counts with the same sizes of blocks and pages.
    #[must_use]
    pub fn none(&self) -> Managed {
        Managed { block_bytes: self.block_bytes, page_bytes: self.page_bytes, ..Managed::default() }
    }

    /// The number of whole blocks in `bytes`.
    fn blocks(&self, bytes: u64) -> u64 {
        bytes / self.block_bytes.max(1)
    }

    /// Blocks that went to the device.
    pub fn to_device_blocks(&self) -> u64 {
        self.blocks(self.to_device_bytes)
    }

    /// Blocks that came to the host.
    pub fn to_host_blocks(&self) -> u64 {
        self.blocks(self.to_host_bytes)
    }
}
