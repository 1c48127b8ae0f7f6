//! `--launch BLOCKS,THREADS`: whether a configuration runs on the device, and how.
use cudarc::driver::{CudaFunction, LaunchConfig, PushKernelArg};
use harness::{Case, CaseContext, Check, Error, Result, Run, Tolerance, poison};

use crate::{
    calculator::{Limits, Occupancy},
    device::{describe, describe_waves, limits, of_kernel},
};

/// Parses `BLOCKS,THREADS`, each of one, two or three numbers with an x between them.
///
/// # Errors
/// What is wrong with the text.
pub fn parse(text: &str) -> Result<LaunchConfig, String> {
    let (blocks, threads) = text.split_once(',').ok_or("write BLOCKS,THREADS, for instance 100,1000 or 4x4,16x16")?;
    let dim = |text: &str| {
        let mut sides = [1; 3];
        for (d, side) in text.split('x').enumerate() {
            *sides.get_mut(d).ok_or("a grid or a block has three dimensions at most")? = harness::parse_u32(side)?;
        }
        Ok::<_, String>(sides.into())
    };
    Ok(LaunchConfig { grid_dim: dim(blocks)?, block_dim: dim(threads)?, shared_mem_bytes: 0 })
}

/// The product of the sides; the largest number if it is larger.
fn product((x, y, z): (u32, u32, u32)) -> u32 {
    x.saturating_mul(y).saturating_mul(z)
}

/// The sides as text, without trailing ones.
fn sides((x, y, z): (u32, u32, u32)) -> String {
    match (y, z) {
        (1, 1) => x.to_string(),
        (_, 1) => format!("{x}x{y}"),
        _ => format!("{x}x{y}x{z}"),
    }
}

pub(crate) fn run(run: &Run) -> Result<()> {
    for launch in run.args().get_many::<LaunchConfig>("launch").expect("it has a default") {
        one(run, *launch)?;
    }
    Ok(())
}

fn one(run: &Run, launch: LaunchConfig) -> Result<()> {
    let (blocks, threads) = (sides(launch.grid_dim), sides(launch.block_dim));
    // The launch is not set in the case: an impossible launch is an answer here, not a mistake.
    run.case(Case::new("launch").label(format!("{blocks} blocks of {threads} threads")), |case| {
        let limits = limits(run);
        let function = run.function("occupancy.cu", "doubled")?;
        let (registers, occupancy) = of_kernel(&limits, &function, product(launch.block_dim), 0)?;
        describe(case, registers, occupancy);
        match run.check_launch(launch) {
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
fn try_it(run: &Run, case: &mut CaseContext<'_>, function: &CudaFunction, launch: LaunchConfig) -> Result<()> {
    let stream = run.stream();
    let threads = u64::from(product(launch.grid_dim)) * u64::from(product(launch.block_dim));
    // Takes at most a quarter of the free memory; the remaining threads are idle.
    let free = run.session().free_bytes()?;
    let n = threads.min(1 << 24).min(free as u64 / 48).max(1) as usize;
    let x = run.inputs("launch").u32(n, 0..1 << 30);
    let (dx, count) = (run.upload("x", &x)?, n as u64);
    // SAFETY: poisoned before the launch, and read only after.
    let mut z = unsafe { stream.alloc::<u32>(n) }?;
    poison(stream, &mut z)?;
    let mut builder = stream.launch_builder(function);
    builder.arg(&*dx).arg(&mut z).arg(&count);
    // SAFETY: these are the kernel's parameters, and each vector holds n words.
    unsafe { builder.launch(launch) }?;
    let doubled: Vec<u32> = x.iter().map(|x| 2 * x).collect();
    case.check(Check::compare(&stream.clone_dtoh(&z)?, &doubled, Tolerance::EXACT));
    Ok(())
}

/// Reports how a launch within the device's limits runs.
fn runs(run: &Run, case: &mut CaseContext<'_>, launch: LaunchConfig, limits: &Limits, occupancy: Occupancy) {
    let (blocks, threads) = (product(launch.grid_dim), product(launch.block_dim));
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
    case: &mut CaseContext<'_>,
    function: &CudaFunction,
    launch: LaunchConfig,
    limits: &Limits,
    reason: &Error,
) -> Result<()> {
    let (refused, what) = if run.is_emulated() {
        // The embedded machine would report a launch beyond the limits as the kernel's bug. The driver's own number of
        // resident blocks gives the same answer without that.
        let threads = product(launch.block_dim);
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
