//! The device of a run: its properties, its state, and its peak rates.
use serde::{Deserialize, Serialize};

use crate::kernel::Peak;

/// The properties that the device reports. Sizes are in bytes, clocks in kHz.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(default)]
#[allow(missing_docs)] // Each field is the driver attribute of its name.
pub struct DeviceInfo {
    pub name: String,
    /// Whether this is the embedded machine, whose times are not those of a GPU.
    pub is_emulated: bool,
    /// The emulated profile; empty on a GPU.
    pub profile: String,
    pub ordinal: usize,
    pub compute_capability: (i32, i32),
    pub driver_version: i32,
    pub multiprocessors: u32,
    pub warp_size: u32,
    pub max_threads_per_block: u32,
    pub max_block_dim: [u32; 3],
    pub max_grid_dim: [u32; 3],
    pub max_threads_per_multiprocessor: u32,
    pub max_blocks_per_multiprocessor: u32,
    pub shared_bytes_per_block: u32,
    pub shared_bytes_per_block_optin: u32,
    pub shared_bytes_per_multiprocessor: u32,
    pub registers_per_block: u32,
    pub registers_per_multiprocessor: u32,
    pub constant_bytes: u32,
    pub l2_bytes: u64,
    pub total_bytes: u64,
    pub clock_khz: u32,
    pub memory_clock_khz: u32,
    pub memory_bus_bits: u32,
    pub copy_engines: u32,
    pub unified_addressing: bool,
    pub managed_memory: bool,
    pub concurrent_managed_access: bool,
    pub can_map_host_memory: bool,
    pub cooperative_launch: bool,
    pub memory_pools: bool,
    pub integrated: bool,
}

impl DeviceInfo {
    /// Returns `cuda` or `emulated`: the CSV's device column.
    pub fn kind(&self) -> &'static str {
        if self.is_emulated { "emulated" } else { "cuda" }
    }

    /// Returns the peak rate of this unit in GFLOP/s, from the clock and the number of multiprocessors; `None` if the
    /// device has no such unit, its rate is unknown, or the device is the embedded machine.
    pub fn peak_gflop_per_s(&self, peak: Peak) -> Option<f64> {
        let per_clock = peak.per_clock(self.compute_capability)?;
        let ghz = f64::from(self.clock_khz) / 1e6;
        (!self.is_emulated && ghz > 0.0).then(|| per_clock * f64::from(self.multiprocessors) * ghz)
    }
}

/// The GPU's current state; a field is `None` if this GPU does not report it.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(default)]
#[allow(missing_docs)] // Each field is NVML's quantity of its name, its unit at the end.
pub struct Snapshot {
    pub driver_version: Option<String>,
    pub uuid: Option<String>,
    pub bus_id: String,
    pub sm_clock_mhz: Option<u32>,
    pub sm_clock_max_mhz: Option<u32>,
    pub memory_clock_mhz: Option<u32>,
    pub memory_clock_max_mhz: Option<u32>,
    pub throttle_reasons: Option<String>,
    pub power_w: Option<f64>,
    pub power_limit_w: Option<f64>,
    pub temperature_c: Option<u32>,
    pub link_generation: Option<u32>,
    pub link_generation_max: Option<u32>,
    pub link_width: Option<u32>,
    pub link_width_max: Option<u32>,
    pub numa_node: Option<u32>,
    pub ecc: Option<bool>,
    pub memory_used_bytes: Option<u64>,
    pub processes: Option<usize>,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_peak_of_an_h200_is_that_of_its_data_sheet() {
        let device = DeviceInfo {
            compute_capability: (9, 0),
            multiprocessors: 132,
            clock_khz: 1_980_000,
            ..DeviceInfo::default()
        };
        // 67 TFLOP/s: NVIDIA H200 data sheet, FP32.
        assert!((device.peak_gflop_per_s(Peak::Single).unwrap() - 66_909.0).abs() < 1.0);
        assert_eq!(DeviceInfo { is_emulated: true, ..device }.peak_gflop_per_s(Peak::Single), None);
    }
}
