//! `--launch BLOCKS,THREADS`: whether a configuration runs on the device, and how.
use cudarc::driver::{CudaFunction, LaunchConfig, PushKernelArg};
use harness::{Case, Check, Error, Result, Run, Tolerance, Trial, launch_1d, poison};

use crate::{
    calculator::{Limits, Occupancy},
    device::{describe, describe_waves, limits, of_kernel},
};

/// Parses `BLOCKS,THREADS`.
///
/// # Errors
/// What is wrong with the text.
pub fn parse(text: &str) -> Result<LaunchConfig, String> {
    let (blocks, threads) = text.split_once(',').ok_or("write BLOCKS,THREADS, for instance 100,1000")?;
    Ok(launch_1d(harness::parse_u32(blocks)?, harness::parse_u32(threads)?))
}

pub(crate) fn run(run: &Run) -> Result<()> {
    let launch: LaunchConfig = *run.args().get_one("launch").expect("it has a default");
    let (blocks, threads) = (launch.grid_dim.0, launch.block_dim.0);
    // The case is not told its launch: here an impossible launch is an answer, not a mistake.
    run.case(Case::new("launch").label(format!("{blocks} blocks of {threads} threads")), |case| {
        let limits = limits(run);
        let function = run.function("occupancy.cu", "vecadd")?;
        let (registers, occupancy) = of_kernel(&limits, &function, threads, 0)?;
        describe(case, registers, occupancy);
        match run.session().device.check_launch(launch) {
            Ok(()) => {
                try_it(run, case, &function, launch)?;
                runs(run, case, launch, &limits, occupancy);
                Ok(())
            }
            Err(reason) => does_not_run(run, case, &function, launch, &limits, &reason),
        }
    })?;
    Ok(())
}

/// Doubles one word for each thread. Checks the result, and returns whether the driver launched the kernel.
fn try_it(run: &Run, case: &mut Trial<'_>, function: &CudaFunction, launch: LaunchConfig) -> Result<()> {
    let stream = run.stream();
    let threads = u64::from(launch.grid_dim.0) * u64::from(launch.block_dim.0);
    // Takes at most a quarter of the free memory; the remaining threads have nothing to do.
    let (free, _) = run.session().context.mem_get_info()?;
    let n = threads.min(1 << 24).min(free as u64 / 48).max(1) as usize;
    let x = run.inputs("launch").u32(n, 0..1 << 30);
    let (dx, count) = (stream.clone_htod(&x)?, n as u64);
    // SAFETY: poisoned before the launch, and read only after.
    let mut z = unsafe { stream.alloc::<u32>(n) }?;
    poison(stream, &mut z)?;
    let mut builder = stream.launch_builder(function);
    builder.arg(&dx).arg(&dx).arg(&mut z).arg(&count);
    // SAFETY: these are the kernel's parameters, and each vector holds n words.
    unsafe { builder.launch(launch) }?;
    let doubled: Vec<u32> = x.iter().map(|x| 2 * x).collect();
    case.check(Check::compare(&stream.clone_dtoh(&z)?, &doubled, Tolerance::EXACT));
    Ok(())
}

/// Reports how a launch within the device's limits runs.
fn runs(run: &Run, case: &mut Trial<'_>, launch: LaunchConfig, limits: &Limits, occupancy: Occupancy) {
    let (blocks, threads) = (launch.grid_dim.0, launch.block_dim.0);
    let idle = occupancy.warps.max(1) * limits.warp_size / occupancy.blocks.max(1) - threads;
    if let Some(waves) = describe_waves(run, case, blocks, occupancy.blocks) {
        case.note(format!(
            "runs: {} threads, {idle} lanes idle in each block; {} blocks an SM ({}) on {} SMs, \
             {} of up to {} blocks, the last {:.0}% full",
            u64::from(blocks) * u64::from(threads),
            occupancy.blocks,
            occupancy.limiter,
            run.session().device.multiprocessors,
            if waves.count() == 1 { "1 wave".into() } else { format!("{} waves", waves.count()) },
            waves.wave,
            waves.tail_percent(),
        ));
    }
}

/// Reports a launch that exceeds the device's limits for `reason`.
fn does_not_run(
    run: &Run,
    case: &mut Trial<'_>,
    function: &CudaFunction,
    launch: LaunchConfig,
    limits: &Limits,
    reason: &Error,
) -> Result<()> {
    let (refused, what) = if run.is_emulated() {
        // The embedded machine would report a launch beyond the limits as the kernel's bug. The driver's own number of
        // resident blocks gives the same answer without that.
        let threads = launch.block_dim.0;
        let resident = function.occupancy_max_active_blocks_per_multiprocessor(threads, 0, None);
        case.note(format!("does not run: {reason}"));
        let none = threads <= limits.threads_per_block || resident.is_ok_and(|r| r == 0);
        (none, "the driver reports resident blocks for it, although it cannot run".into())
    } else {
        let refused = match try_it(run, case, function, launch) {
            Err(Error::Driver(error)) => {
                case.note(format!("does not run: {reason}; the driver: {}", harness::describe(&error)));
                true
            }
            other => other.map(|()| false)?,
        };
        (refused, format!("the device ran it, but by its limits it should not: {reason}"))
    };
    case.check(Check::that(refused, what));
    Ok(())
}
