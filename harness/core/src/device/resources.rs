//! Queries what a kernel takes of a multiprocessor.
use cudarc::driver::{CudaFunction, LaunchConfig, sys::CUfunction_attribute_enum::CU_FUNC_ATTRIBUTE_NUM_REGS};
use record::{DeviceInfo, RegisterSource, Resources};

/// Returns the resources of `kernel` with this launch; `None` if the driver does not report them, as after a fault.
pub(crate) fn resources(
    (kernel, source): (&CudaFunction, RegisterSource),
    launch: Option<LaunchConfig>,
    device: &DeviceInfo,
) -> Option<Resources> {
    let registers = u32::try_from(kernel.get_attribute(CU_FUNC_ATTRIBUTE_NUM_REGS).ok()?).ok()?;
    let occupancy_percent = launch.and_then(|launch| {
        let (x, y, z) = launch.block_dim;
        let (threads, shared) = (x * y * z, launch.shared_mem_bytes as usize);
        let blocks = kernel.occupancy_max_active_blocks_per_multiprocessor(threads, shared, None).ok()?;
        let warps = |threads: u32| f64::from(threads.div_ceil(device.warp_size));
        Some(100.0 * f64::from(blocks) * warps(threads) / warps(device.max_threads_per_multiprocessor))
    });
    Some(Resources { registers, occupancy_percent, registers_from: Some(source) })
}

#[cfg(test)]
mod tests {
    use cudarc::nvrtc::Ptx;

    use super::*;
    use crate::device::session::Session;

    #[test]
    fn a_kernels_resources_are_those_that_the_driver_gives() {
        let session = Session::open(&"emulated".parse().unwrap()).unwrap();
        let text = ".version 6.0\n.target sm_50\n.address_size 64\n.visible .entry empty()\n{\n ret;\n}\n";
        let module = session.context.load_module(Ptx::from_src(text)).unwrap();
        let kernel = module.load_function("empty").unwrap();
        let of = |launch| resources((&kernel, RegisterSource::Estimated), launch, &session.device).unwrap();
        // An SM of an H200 holds 64 warps, but at most 32 blocks.
        for (threads, percent) in [(1024, 100.0), (128, 100.0), (32, 50.0), (33, 100.0), (768, 75.0)] {
            let launch = LaunchConfig { grid_dim: (1, 1, 1), block_dim: (threads, 1, 1), shared_mem_bytes: 0 };
            assert_eq!(of(Some(launch)).occupancy_percent, Some(percent), "{threads} threads");
        }
        // Four blocks with 48 KiB of shared memory each, and 1 KiB for each that the system reserves.
        let shared = LaunchConfig { grid_dim: (1, 1, 1), block_dim: (32, 1, 1), shared_mem_bytes: 49152 };
        assert_eq!(of(Some(shared)).occupancy_percent, Some(6.25));
        assert_eq!(of(None).occupancy_percent, None);
    }
}
