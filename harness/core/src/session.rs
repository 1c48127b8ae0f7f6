//! The session: the device in use, open, with what it reports of itself.
use std::sync::Arc;

use cudarc::driver::{CudaContext, CudaStream};

use crate::{DeviceInfo, ceilings::Ceilings};

/// An open device. Shared by all labs of a run.
#[derive(Debug)]
pub struct Session {
    /// The primary context.
    pub context: Arc<CudaContext>,
    /// The stream that the harness times on: launch on this one, or join it.
    pub stream: Arc<CudaStream>,
    /// What the device reports.
    pub device: DeviceInfo,
    /// What this GPU was seen to reach; none when emulated.
    pub ceilings: Option<Ceilings>,
}
