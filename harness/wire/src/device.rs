//! The device itself: its GPU model, and its current use. Read by monitoring libraries.

use serde::{Deserialize, Serialize};

use crate::version::{self, ReadError, VERSION};

/// The current state of the device, whether or not the process has called `cuInit`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Device {
    /// [`VERSION`].
    pub version: u32,
    /// The name that `cuDeviceGetName` returns, which marks the device as emulated.
    pub name: String,
    /// The UUID that `cuDeviceGetUuid` returns.
    pub uuid: [u8; 16],
    /// The bus ID that `cuDeviceGetPCIBusId` returns.
    pub bus_id: String,
    /// The version that `cuDriverGetVersion` returns: 1000 times the major version of CUDA, and 10 times the minor one.
    pub driver_version: u32,
    /// Compute capability, (major, minor).
    pub compute_capability: (u32, u32),
    /// Streaming multiprocessors.
    pub multiprocessors: u32,
    /// The maximum SM clock of the GPU model, in kHz. The machine itself has no clock.
    pub clock_khz: u32,
    /// The memory clock of the GPU model, in kHz.
    pub memory_clock_khz: u32,
    /// Width of the memory bus in bits.
    pub bus_bits: u32,
    /// Whether the GPU model's memory has ECC.
    pub ecc: bool,
    /// Device memory in bytes.
    pub total_bytes: u64,
    /// The device memory that this process has allocated, in bytes.
    pub used_bytes: u64,
    /// Whether this process has called `cuInit`.
    pub is_started: bool,
    /// The time, in microseconds, during which at least one kernel of this process has been running.
    pub busy_us: u64,
}

impl Device {
    /// Returns the device as JSON on one line.
    pub fn to_json(&self) -> String {
        crate::json(self)
    }

    /// Parses the JSON of [`Device::to_json`].
    ///
    /// # Errors
    /// [`ReadError`], when the version is unknown or a field is missing.
    pub fn read(text: &str) -> Result<Self, ReadError> {
        version::read(text)
    }

    /// The version to write.
    pub const VERSION: u32 = VERSION;
}
