//! The calculator compared with the driver: every block size, over registers and shared memory.
use cudarc::driver::sys::CUfunction_attribute_enum::CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES;
use cudarc::driver::sys::CUresult;
use harness::{Case, Check, Result, Run};

use crate::calculator::{Limits, occupancy};
use crate::device::limits;

/// The sweep's kernels, registers_16 and so on. Each uses at most that many registers.
const REGISTERS: [u32; 11] = [16, 24, 32, 40, 48, 64, 80, 96, 128, 168, 255];

/// Bytes of dynamic shared memory of the sweep: sizes around the units and the usual limits, up to the most that a
/// block may have.
fn shared_sizes(limits: &Limits) -> Vec<u32> {
    let mut sizes = vec![0, 1, 127, 128, 129, 1000, 1024, 2048, 3000, 4096, 6144, 7777, 8192, 10240, 12288, 16384];
    sizes.extend([20000, 24576, 32768, 33333, 40960, 49151, 49152, 65536, 81920, 98304, 100_000, 102_400, 116_000]);
    sizes.extend([131_072, 163_840, 166_912, 200_000]);
    sizes.retain(|s| *s < limits.shared_per_block);
    sizes.push(limits.shared_per_block);
    sizes
}

pub(crate) fn run(run: &Run) -> Result<()> {
    let limits = limits(run);
    let step = if run.options().quick { 32 } else { 1 };
    for kernel in REGISTERS.map(|registers| format!("registers_{registers}")) {
        run.case(Case::new("calculator").label(kernel.as_str()), |case| {
            let function = run.function("occupancy.cu", &kernel)?;
            let (registers, fixed) = (function.num_regs()?.max(0) as u32, function.shared_size_bytes()?.max(0) as u32);
            let most = limits.shared_per_block.saturating_sub(fixed) as i32;
            function.set_attribute(CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES, most)?;
            let mut compared = 0;
            let mut differ = Vec::new();
            for shared in shared_sizes(&limits) {
                let dynamic = shared.saturating_sub(fixed);
                for threads in (32..=limits.threads_per_block).step_by(step) {
                    let ours = occupancy(&limits, threads, registers, fixed + dynamic).blocks;
                    let theirs =
                        function.occupancy_max_active_blocks_per_multiprocessor(threads, dynamic as usize, None);
                    let theirs = match theirs {
                        // The kernel cannot be launched with such a block.
                        Err(e) if e.0 == CUresult::CUDA_ERROR_INVALID_VALUE => 0,
                        other => other?,
                    };
                    compared += 1;
                    if ours != theirs {
                        differ.push(format!(
                            "{threads} threads, {registers} registers, {} bytes: calculator {ours}, driver {theirs}",
                            fixed + dynamic
                        ));
                    }
                }
            }
            case.set("registers", registers);
            case.set("compared", compared);
            let first = differ[..differ.len().min(4)].join("; ");
            case.check(Check::that(differ.is_empty(), format!("{} of {compared} differ: {first}", differ.len())));
            case.note(format!(
                "{compared} block sizes and shared sizes at {registers} registers compared with the driver"
            ));
            Ok(())
        })?;
    }
    Ok(())
}
