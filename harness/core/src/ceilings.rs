//! Ceilings: limits measured on this device at the start of a run, against which rows are set.
use serde::Serialize;

/// The measured limits of a GPU.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Ceilings {
    /// Device-to-device copy, read and write counted, GB/s.
    pub device_copy_gb_per_s: f64,
    /// Pinned host memory to device, GB/s.
    pub h2d_gb_per_s: f64,
    /// Device to pinned host memory, GB/s.
    pub d2h_gb_per_s: f64,
    /// An empty kernel launched and waited for, milliseconds.
    pub empty_launch_ms: f64,
}

/// Which ceiling a case's GB/s is a per cent of.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Ceiling {
    /// Device memory.
    #[default]
    DeviceCopy,
    /// The link, towards the device.
    HostToDevice,
    /// The link, towards the host.
    DeviceToHost,
    /// No ceiling applies.
    None,
}

impl Ceilings {
    /// The ceiling in GB/s.
    pub fn gb_per_s(&self, ceiling: Ceiling) -> Option<f64> {
        match ceiling {
            Ceiling::DeviceCopy => Some(self.device_copy_gb_per_s),
            Ceiling::HostToDevice => Some(self.h2d_gb_per_s),
            Ceiling::DeviceToHost => Some(self.d2h_gb_per_s),
            Ceiling::None => None,
        }
    }
}
