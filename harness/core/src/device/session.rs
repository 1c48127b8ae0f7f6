//! The session: the open device, with its properties and measured ceilings.
use std::{ffi::CStr, sync::Arc};

use cudarc::driver::{CudaContext, CudaStream, sys};
use record::{Ceilings, DeviceInfo, Snapshot};

use crate::{
    device::{
        blocking_kernel::LoadedBlockingKernel,
        ceilings,
        choice::{self, DeviceChoice},
        driver::{self, Device},
        memory,
        nvml::Monitor,
        staging::Staging,
    },
    error::Result,
};

/// An open device. Shared by all labs of a run.
#[derive(Debug)]
pub struct Session {
    /// The primary context.
    pub context: Arc<CudaContext>,
    /// The stream that the harness times; a lab launches on this stream, or joins it.
    pub stream: Arc<CudaStream>,
    /// The device's properties.
    pub device: DeviceInfo,
    /// Why this device was chosen.
    pub reason: String,
    /// This GPU's measured ceilings; `None` if the device is emulated or they were not requested.
    pub ceilings: Option<Ceilings>,
    /// NVML, or why it is not available.
    pub(crate) monitor: std::result::Result<Monitor, String>,
    /// The host memory to which outputs are copied.
    pub(crate) staging: Staging,
    /// The kernel that keeps the device busy before a sample.
    pub(crate) busy: LoadedBlockingKernel,
}

impl Session {
    /// Opens the device of `choice`.
    ///
    /// # Errors
    /// [`crate::Error::CannotRun`] when the device does not exist; the driver's errors.
    pub fn open(choice: &DeviceChoice) -> Result<Self> {
        let opened = driver::open(choice)?;
        let (ordinal, profile) = match &opened.device {
            Device::Gpu(ordinal) => (*ordinal, None),
            Device::Emulated(profile) => (0, Some(profile.as_str())),
        };
        let context = CudaContext::new(ordinal)?;
        let stream = context.new_stream()?;
        // cudarc would record an event for every argument of every launch, within the timed section. Work on `stream`
        // is ordered automatically; a lab that uses more streams orders them with `join`. SAFETY: no buffer has been
        // allocated yet, and later ones are freed on the stream that allocated them.
        unsafe { context.disable_event_tracking() };
        memory::keep_freed(&context);
        let device = choice::query_device(&context, profile)?;
        let monitor = if device.is_emulated {
            Err("NVML: not on the emulated device".into())
        } else {
            bus_id(&context)
                .ok_or_else(|| "NVML: the driver gives no bus address".to_string())
                .and_then(|id| Monitor::open(&id))
        };
        Ok(Self {
            context,
            stream,
            device,
            reason: opened.reason,
            ceilings: None,
            monitor,
            staging: Staging::default(),
            busy: LoadedBlockingKernel::default(),
        })
    }

    /// Measures this GPU's ceilings; does nothing on the emulated device.
    ///
    /// # Errors
    /// The driver's errors.
    pub fn measure_ceilings(&mut self, quick: bool) -> Result<()> {
        if !self.device.is_emulated {
            self.ceilings = Some(ceilings::measure(self, quick)?);
        }
        Ok(())
    }

    /// Returns the GPU's current clocks, power, link and more; `None` without NVML.
    pub fn snapshot(&self) -> Option<Snapshot> {
        self.monitor.as_ref().ok().map(Monitor::snapshot)
    }

    /// Returns why NVML is not available; `None` if it is.
    pub fn no_nvml(&self) -> Option<&str> {
        self.monitor.as_ref().err().map(String::as_str)
    }

    /// Returns the device and why it was chosen, one line each, however long.
    pub fn banner(&self) -> String {
        let d = &self.device;
        let (major, minor) = d.compute_capability;
        let gib = d.total_bytes as f64 / f64::from(1 << 30);
        let part = format!("compute capability {major}.{minor}, {} SMs, {gib:.1} GiB", d.multiprocessors);
        if d.is_emulated {
            format!(
                "Device: emulated:{}, {}: {part}.\nWhy: {}. Times are the emulation's own and say nothing about a GPU.",
                d.profile, d.name, self.reason
            )
        } else {
            format!("Device: cuda:{}, {}: {part}.\nWhy: {}.", d.ordinal, d.name, self.reason)
        }
    }
}

/// Returns the GPU's PCI address, by which NVML identifies it (their ordinals differ).
fn bus_id(context: &CudaContext) -> Option<String> {
    let mut text = [0; 32];
    // SAFETY: the buffer has the length that is passed, and the call terminates the text with NUL within it.
    unsafe {
        sys::cuDeviceGetPCIBusId(text.as_mut_ptr(), text.len() as i32, context.cu_device()).result().ok()?;
        Some(CStr::from_ptr(text.as_ptr()).to_string_lossy().into_owned())
    }
}
