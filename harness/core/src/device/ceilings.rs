//! Measures the ceilings: limits of this device, to which rows are compared.
use std::{sync::Arc, time::Instant};

use cudarc::{
    driver::{CudaContext, CudaStream, LaunchConfig, PushKernelArg, sys::CUevent_flags},
    nvrtc::Ptx,
};
use record::Ceilings;

use crate::{
    device::{
        bandwidth::{self, Bandwidth},
        session::Session,
    },
    error::Result,
};

/// An empty kernel, for the oldest target and PTX version that any supported driver reads.
const EMPTY: &str =
    ".version 6.0\n.target sm_50\n.address_size 64\n.visible .entry empty(.param .u32 unused)\n{\n ret;\n}\n";

const ONE_THREAD: LaunchConfig = LaunchConfig { grid_dim: (1, 1, 1), block_dim: (1, 1, 1), shared_mem_bytes: 0 };

/// Measures the ceilings on the session's stream. Each is the median of ten samples, with 4 GiB on the device and
/// 256 MiB over the link (three samples, 256 and 64 MiB with `quick`), or with an eighth of the free memory if that
/// is less.
///
/// # Errors
/// The driver's errors.
pub(crate) fn measure(session: &Session, quick: bool) -> Result<Ceilings> {
    let (free, _) = session.context.mem_get_info()?;
    let sizes = if quick { [256, 64] } else { [4096, 256] };
    let sizes = sizes.map(|mib: usize| (mib << 20).min(free / 8).next_multiple_of(bandwidth::TILE));
    with(session, sizes, if quick { 3 } else { 10 })
}

/// Measures with `on_device` bytes on the device, a whole number of tiles, and `over_link` bytes over the link,
/// which are not more.
fn with(session: &Session, [on_device, over_link]: [usize; 2], samples: usize) -> Result<Ceilings> {
    let (context, stream) = (&session.context, &session.stream);
    let clock = Clock { stream, samples };
    let mut a = stream.alloc_zeros::<u8>(on_device)?;
    let mut b = stream.alloc_zeros::<u8>(on_device)?;
    let copy_ms = clock.median(&mut || Ok(stream.memcpy_dtod(&a, &mut b)?))?;
    // Takes the fastest of several grids and of the driver's own memory fill: a ceiling is the best reachable rate.
    let mut kernels = Bandwidth::new(context, stream)?;
    let mut read_ms = f64::INFINITY;
    let mut write_ms = clock.median(&mut || Ok(stream.memset_zeros(&mut a)?))?;
    for blocks in [8, 16, 32].map(|each| each * session.device.multiprocessors) {
        read_ms = read_ms.min(clock.median(&mut || kernels.read(&b, blocks))?);
        write_ms = write_ms.min(clock.median(&mut || kernels.write(&mut a, blocks))?);
    }
    // SAFETY: bytes of any value are valid u8s; the memory is filled before the first copy reads it.
    let mut host = unsafe { context.alloc_pinned_with_flags::<u8>(over_link, 0) }?;
    host.as_mut_slice()?.fill(0);
    let mut there = b.slice_mut(..over_link);
    let h2d_ms = clock.median(&mut || Ok(stream.memcpy_htod(&host, &mut there)?))?;
    let d2h_ms = clock.median(&mut || Ok(stream.memcpy_dtoh(&there, &mut host)?))?;
    let rate = |bytes: usize, ms: f64| bytes as f64 / ms / 1e6;
    Ok(Ceilings {
        device_copy_gb_per_s: rate(2 * on_device, copy_ms),
        device_read_gb_per_s: Some(rate(on_device, read_ms)),
        device_write_gb_per_s: Some(rate(on_device, write_ms)),
        h2d_gb_per_s: rate(over_link, h2d_ms),
        d2h_gb_per_s: rate(over_link, d2h_ms),
        empty_launch_ms: clock.empty_launch(context)?,
    })
}

/// The stream and the number of samples for timing ceilings.
struct Clock<'s> {
    stream: &'s Arc<CudaStream>,
    samples: usize,
}

impl Clock<'_> {
    /// Returns the median milliseconds of the work that `work` enqueues, without the first sample.
    fn median(&self, work: &mut dyn FnMut() -> Result<()>) -> Result<f64> {
        let event = || self.stream.context().new_event(Some(CUevent_flags::CU_EVENT_DEFAULT));
        let (start, end) = (event()?, event()?);
        let mut times = Vec::new();
        for i in 0..=self.samples {
            start.record(self.stream)?;
            work()?;
            end.record(self.stream)?;
            self.stream.synchronize()?;
            if i > 0 {
                times.push(f64::from(start.elapsed_ms(&end)?));
            }
        }
        Ok(middle(&times))
    }

    /// Returns the median milliseconds of launching an empty kernel and waiting for it, by the host's clock.
    fn empty_launch(&self, context: &Arc<CudaContext>) -> Result<f64> {
        let empty = context.load_module(Ptx::from_src(EMPTY))?.load_function("empty")?;
        let mut times = Vec::new();
        for i in 0..10 * self.samples {
            let began = Instant::now();
            // SAFETY: the kernel takes one integer and touches nothing.
            unsafe { self.stream.launch_builder(&empty).arg(&0_u32).launch(ONE_THREAD) }?;
            self.stream.synchronize()?;
            if i > 0 {
                times.push(began.elapsed().as_secs_f64() * 1e3);
            }
        }
        Ok(middle(&times))
    }
}

fn middle(times: &[f64]) -> f64 {
    record::times(times, 0).map_or(f64::NAN, |t| t.median)
}

#[cfg(test)]
mod tests {
    use record::Ceiling;

    use super::*;

    /// Runs on the machine, whose times are meaningless, but whose launches are checked.
    #[test]
    fn all_ceilings_are_measured() {
        let session = Session::open(&"emulated".parse().unwrap()).unwrap();
        let found = with(&session, [64 * bandwidth::TILE, 3 * bandwidth::TILE], 2).unwrap();
        for one in [Ceiling::DeviceCopy, Ceiling::DeviceRead, Ceiling::HostToDevice, Ceiling::DeviceToHost] {
            assert!(found.gb_per_s(one).is_some_and(|rate| rate > 0.0), "{one:?}");
        }
        assert!(found.device_write_gb_per_s.is_some_and(|rate| rate > 0.0));
    }
}
