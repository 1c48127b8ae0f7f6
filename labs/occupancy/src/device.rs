//! The limits of the current device, and the occupancy of its kernels.
use cudarc::driver::CudaFunction;
use cudarc::driver::sys::CUdevice_attribute_enum::CU_DEVICE_ATTRIBUTE_RESERVED_SHARED_MEMORY_PER_BLOCK;
use harness::{Recorder, Result, Run};

use crate::calculator::{Limits, Occupancy, Waves, occupancy, waves};

/// The limits of a run's device. The driver reports all but three granularities. Those are the same for all GPUs since
/// compute capability 5.2, except for the unit of shared memory, which was 256 bytes before 8.0.
pub fn limits(run: &Run) -> Limits {
    let session = run.session();
    let device = &session.device;
    // CUDA 11 introduced this attribute. An older driver serves only GPUs that reserve nothing.
    let reserved = session.context.attribute(CU_DEVICE_ATTRIBUTE_RESERVED_SHARED_MEMORY_PER_BLOCK).unwrap_or(0);
    Limits {
        warp_size: device.warp_size,
        threads_per_block: device.max_threads_per_block,
        threads: device.max_threads_per_multiprocessor,
        blocks: device.max_blocks_per_multiprocessor,
        registers: device.registers_per_multiprocessor,
        registers_per_block: device.registers_per_block,
        registers_per_thread: 255,
        register_unit: 256,
        partitions: 4,
        shared: device.shared_bytes_per_multiprocessor,
        shared_per_block: device.shared_bytes_per_block_optin.max(device.shared_bytes_per_block),
        shared_reserved: reserved.max(0) as u32,
        shared_unit: if device.compute_capability.0 >= 8 { 128 } else { 256 },
    }
}

/// A kernel's registers per thread, and its occupancy with blocks of `threads` threads and `dynamic` bytes of shared
/// memory.
pub(crate) fn of_kernel(
    limits: &Limits,
    kernel: &CudaFunction,
    threads: u32,
    dynamic: u32,
) -> Result<(u32, Occupancy)> {
    let registers = kernel.num_regs()?.max(0) as u32;
    let fixed = kernel.shared_size_bytes()?.max(0) as u32;
    Ok((registers, occupancy(limits, threads, registers, fixed.saturating_add(dynamic))))
}

/// Fills the columns with a kernel's occupancy.
pub(crate) fn describe(case: &mut Recorder<'_>, registers: u32, occupancy: Occupancy) {
    case.set("registers", registers);
    case.set("blocks_per_sm", occupancy.blocks);
    case.set("warps_per_sm", occupancy.warps);
    case.set("theoretical_percent", occupancy.percent);
    case.set("limiter", occupancy.limiter.to_string());
}

/// Fills the columns about the waves in which `blocks` blocks run, with `resident` of them on a multiprocessor. Returns
/// `None` when no block can be resident.
pub(crate) fn describe_waves(run: &Run, case: &mut Recorder<'_>, blocks: u32, resident: u32) -> Option<Waves> {
    let waves = waves(u64::from(blocks), run.session().device.multiprocessors, resident)?;
    case.set("waves", waves.count());
    case.set("tail_percent", waves.tail_percent());
    Some(waves)
}
