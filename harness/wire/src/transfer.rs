//! What was moved, and what memory is in use: copies, fills, managed memory, the device's memory.

use serde::{Deserialize, Serialize};

/// Copies in one direction. A copy counts once, under managed memory if one of its ends is managed, else under pageable
/// memory if one is pageable, else under pinned memory.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Copied {
    /// How many.
    pub count: u64,
    /// How many bytes in all.
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
    /// How many.
    pub count: u64,
    /// How many bytes in all.
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

/// Managed memory that moved. The machine moves it by blocks, and counts it by pages too: a block is `block_bytes` long
/// (64 KiB), a page `page_bytes` (4 KiB).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Managed {
    /// Bytes of a block: what moves together.
    pub block_bytes: u64,
    /// Bytes that went to the device.
    pub to_device_bytes: u64,
    /// Bytes that came to the host.
    pub to_host_bytes: u64,
    /// Bytes of a page, which is not a block: the unit of the two counts below.
    pub page_bytes: u64,
    /// Pages that went to the device.
    pub to_device_pages: u64,
    /// Pages that came to the host.
    pub to_host_pages: u64,
    /// Prefetches that were asked for.
    pub prefetches: u64,
    /// Pieces of advice that were given.
    pub advice: u64,
}

/// The device's memory.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Memory {
    /// Bytes that are allocated.
    pub used_bytes: u64,
    /// Bytes in all.
    pub total_bytes: u64,
}

impl Copied {
    /// Adds what was copied later.
    pub fn add(&mut self, later: &Copied) {
        self.count += later.count;
        self.bytes += later.bytes;
        self.pageable_bytes += later.pageable_bytes;
        self.pinned_bytes += later.pinned_bytes;
        self.managed_bytes += later.managed_bytes;
    }
}

impl Copies {
    /// Adds what was copied and filled later.
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
    /// Adds what moved later; the sizes of blocks and pages are the later ones.
    pub fn add(&mut self, later: &Managed) {
        (self.block_bytes, self.page_bytes) = (later.block_bytes, later.page_bytes);
        self.to_device_bytes += later.to_device_bytes;
        self.to_host_bytes += later.to_host_bytes;
        self.to_device_pages += later.to_device_pages;
        self.to_host_pages += later.to_host_pages;
        self.prefetches += later.prefetches;
        self.advice += later.advice;
    }

    /// The same sizes of blocks and pages, and nothing that moved.
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
