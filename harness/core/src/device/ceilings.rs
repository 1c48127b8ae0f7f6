//! Ceilings: limits measured on this device at the start of a run, with which rows are compared.
use std::{sync::Arc, time::Instant};

use cudarc::{
    driver::{CudaContext, CudaStream, LaunchConfig, PushKernelArg, sys::CUevent_flags},
    nvrtc::Ptx,
};
use serde::{Deserialize, Serialize};

use crate::{error::Result, stats};

/// The measured limits of a GPU.
#[expect(clippy::unsafe_derive_deserialize, reason = "the unsafe calls measure; they rely on no field")]
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
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

/// The ceiling with which a case's GB/s is compared.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub enum Ceiling {
    /// Device memory.
    #[default]
    DeviceCopy,
    /// The link, towards the device.
    HostToDevice,
    /// The link, towards the host.
    DeviceToHost,
    /// This rate in GB/s, which the lab derived from the measured ones.
    Rate(f64),
    /// No ceiling applies.
    None,
}

/// A kernel that does nothing, for the oldest target and PTX version that any driver here reads.
const EMPTY: &str =
    ".version 6.0\n.target sm_50\n.address_size 64\n.visible .entry empty(.param .u32 unused)\n{\n ret;\n}\n";

const ONE_THREAD: LaunchConfig = LaunchConfig { grid_dim: (1, 1, 1), block_dim: (1, 1, 1), shared_mem_bytes: 0 };

impl Ceilings {
    /// Measures the ceilings on `stream`: each is the median of ten samples, with copies of 256 MiB (three samples and
    /// 64 MiB with `quick`), or of an eighth of the free memory if that is less.
    ///
    /// # Errors
    /// The driver's errors.
    pub(crate) fn measure(context: &Arc<CudaContext>, stream: &Arc<CudaStream>, quick: bool) -> Result<Self> {
        let (free, _) = context.mem_get_info()?;
        let bytes = (if quick { 64 << 20 } else { 256 << 20 }).min(free / 8).max(1 << 20);
        let samples = if quick { 3 } else { 10 };
        let start = context.new_event(Some(CUevent_flags::CU_EVENT_DEFAULT))?;
        let end = context.new_event(Some(CUevent_flags::CU_EVENT_DEFAULT))?;
        // Median milliseconds of what `work` puts on the stream, without the first sample.
        let median = |work: &mut dyn FnMut() -> Result<()>| -> Result<f64> {
            let mut times = Vec::new();
            for i in 0..=samples {
                start.record(stream)?;
                work()?;
                end.record(stream)?;
                stream.synchronize()?;
                if i > 0 {
                    times.push(f64::from(start.elapsed_ms(&end)?));
                }
            }
            Ok(stats::times(&times, 0).map_or(f64::NAN, |t| t.median))
        };
        let rate = |bytes: usize, ms: f64| bytes as f64 / ms / 1e6;

        let a = stream.alloc_zeros::<u8>(bytes)?;
        let mut b = stream.alloc_zeros::<u8>(bytes)?;
        // SAFETY: bytes of any value are valid u8s; filled by the first copy that reads it.
        let mut host = unsafe { context.alloc_pinned_with_flags::<u8>(bytes, 0) }?;
        host.as_mut_slice()?.fill(0);
        let copy_ms = median(&mut || Ok(stream.memcpy_dtod(&a, &mut b)?))?;
        let h2d_ms = median(&mut || Ok(stream.memcpy_htod(&host, &mut b)?))?;
        let d2h_ms = median(&mut || Ok(stream.memcpy_dtoh(&a, &mut host)?))?;

        let empty = context.load_module(Ptx::from_src(EMPTY))?.load_function("empty")?;
        let mut launches = Vec::new();
        for i in 0..10 * samples {
            let began = Instant::now();
            // SAFETY: the kernel takes one integer and touches nothing.
            unsafe { stream.launch_builder(&empty).arg(&0_u32).launch(ONE_THREAD) }?;
            stream.synchronize()?;
            if i > 0 {
                launches.push(began.elapsed().as_secs_f64() * 1e3);
            }
        }
        Ok(Self {
            device_copy_gb_per_s: rate(2 * bytes, copy_ms),
            h2d_gb_per_s: rate(bytes, h2d_ms),
            d2h_gb_per_s: rate(bytes, d2h_ms),
            empty_launch_ms: stats::times(&launches, 0).map_or(f64::NAN, |t| t.median),
        })
    }

    /// The ceiling in GB/s.
    pub fn gb_per_s(&self, ceiling: Ceiling) -> Option<f64> {
        match ceiling {
            Ceiling::DeviceCopy => Some(self.device_copy_gb_per_s),
            Ceiling::HostToDevice => Some(self.h2d_gb_per_s),
            Ceiling::DeviceToHost => Some(self.d2h_gb_per_s),
            Ceiling::Rate(rate) => Some(rate),
            Ceiling::None => None,
        }
    }
}
