//! The device itself: which part it stands for, and how it is used. A library for monitoring asks for it.

use serde::{Deserialize, Serialize};

use crate::version::{self, ReadError, VERSION};

/// The device as it is now, whether or not the process has called `cuInit`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Device {
    /// [`VERSION`].
    pub version: u32,
    /// Its name as `cuDeviceGetName` says it, marked as emulated.
    pub name: String,
    /// As `cuDeviceGetUuid` says it.
    pub uuid: [u8; 16],
    /// As `cuDeviceGetPCIBusId` says it.
    pub bus_id: String,
    /// As `cuDriverGetVersion` says it: 1000 times the major version of CUDA, and 10 times the minor one.
    pub driver_version: u32,
    /// Compute capability, (major, minor).
    pub compute_capability: (u32, u32),
    /// Streaming multiprocessors.
    pub multiprocessors: u32,
    /// The highest clock of the part's SMs, in kHz. The machine itself has no clock.
    pub clock_khz: u32,
    /// The part's memory clock, in kHz.
    pub memory_clock_khz: u32,
    /// Width of the memory bus in bits.
    pub bus_bits: u32,
    /// Whether the part's memory has ECC.
    pub ecc: bool,
    /// Device memory in bytes.
    pub total_bytes: u64,
    /// The device memory that this process has allocated, in bytes.
    pub used_bytes: u64,
    /// Whether this process has called `cuInit`.
    pub is_started: bool,
    /// For how many microseconds at least one kernel of this process has been running.
    pub busy_us: u64,
}

impl Device {
    /// As JSON on one line.
    pub fn to_json(&self) -> String {
        crate::json(self)
    }

    /// From [`Device::to_json`].
    ///
    /// # Errors
    /// [`ReadError`], when the version is unknown or a field is missing.
    pub fn read(text: &str) -> Result<Self, ReadError> {
        version::read(text)
    }

    /// The version to write.
    pub const VERSION: u32 = VERSION;
}
