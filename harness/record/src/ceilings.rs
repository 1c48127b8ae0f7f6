//! Ceilings: limits measured on a device at the start of a run, to which rows are compared.
use serde::{Deserialize, Serialize};

/// The measured limits of a GPU.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Ceilings {
    /// Bandwidth of a device-to-device copy, counting reads and writes, in GB/s.
    pub device_copy_gb_per_s: f64,
    /// Read bandwidth of device memory, in GB/s; older programs did not measure it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub device_read_gb_per_s: Option<f64>,
    /// Write bandwidth of device memory, in GB/s; older programs did not measure it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub device_write_gb_per_s: Option<f64>,
    /// Bandwidth from pinned host memory to the device, in GB/s.
    pub h2d_gb_per_s: f64,
    /// Bandwidth from the device to pinned host memory, in GB/s.
    pub d2h_gb_per_s: f64,
    /// Time to launch an empty kernel and wait for it, in milliseconds.
    pub empty_launch_ms: f64,
}

/// The ceiling to which a case's GB/s is compared.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub enum Ceiling {
    /// Device memory, with about as many reads as writes.
    #[default]
    DeviceCopy,
    /// Device memory, with reads only, apart from a comparatively small result.
    DeviceRead,
    /// The link from host to device.
    HostToDevice,
    /// The link from device to host.
    DeviceToHost,
    /// A rate in GB/s that the lab derived from the measured ones.
    Rate(f64),
    /// No ceiling applies.
    None,
}

impl Ceilings {
    /// Returns the ceiling in GB/s; `None` if none applies, or if it was not measured, as in runs of older programs.
    pub fn gb_per_s(&self, ceiling: Ceiling) -> Option<f64> {
        match ceiling {
            Ceiling::DeviceCopy => Some(self.device_copy_gb_per_s),
            Ceiling::DeviceRead => self.device_read_gb_per_s,
            Ceiling::HostToDevice => Some(self.h2d_gb_per_s),
            Ceiling::DeviceToHost => Some(self.d2h_gb_per_s),
            Ceiling::Rate(rate) => Some(rate),
            Ceiling::None => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The ceilings from a run of an older program, which measured the copy only.
    const OLD: &str =
        r#"{"d2h_gb_per_s": 55.0, "device_copy_gb_per_s": 4038.0, "empty_launch_ms": 0.0086, "h2d_gb_per_s": 55.5}"#;

    #[test]
    fn a_ceiling_that_was_not_measured_is_none_and_not_another_one() {
        let old: Ceilings = serde_json::from_str(OLD).unwrap();
        assert_eq!(old.gb_per_s(Ceiling::DeviceCopy), Some(4038.0));
        assert_eq!((old.gb_per_s(Ceiling::DeviceRead), old.device_write_gb_per_s), (None, None));
        let new = Ceilings { device_read_gb_per_s: Some(4595.0), device_write_gb_per_s: Some(4402.0), ..old };
        let again: Ceilings = serde_json::from_str(&serde_json::to_string(&new).unwrap()).unwrap();
        assert_eq!(again, new);
        assert_eq!(new.gb_per_s(Ceiling::DeviceRead), Some(4595.0));
    }
}
