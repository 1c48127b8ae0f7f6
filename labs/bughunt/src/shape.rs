//! The kernels with a wrong launch. The host takes the launch from the kernel file: the kernel whose name ends in
//! `_shape` computes it, like the code between `<<<` and `>>>`.
use cudarc::driver::{LaunchConfig, PushKernelArg};
use harness::{CaseContext, Check, Number, Result, Run, Tolerance, launch_1d};

use crate::{FILE, answered, device::Job, reference};

pub(crate) fn wrong_launch(run: &Run, case: &mut CaseContext<'_>, n: usize) -> Result<()> {
    let x = run.inputs("wrong-launch").f32(n, -2.0..2.0);
    let expected: Vec<f32> = x.iter().map(|x| x.clamp(-1.0, 1.0)).collect();
    shaped(Job::<_, f32, _>::exact(n, x, expected), run, case, "clamp_shape", n)
}

pub(crate) fn small_shared(run: &Run, case: &mut CaseContext<'_>, n: usize) -> Result<()> {
    let x = run.inputs("small-shared").f32(n, -1.0..1.0);
    let expected = reference::smooth(&x);
    let job = Job::<_, f32, _>::exact(n, x, expected).within(Tolerance::sum(1, 2.0, f64::from(f32::EPSILON)));
    shaped(job, run, case, "smooth_shape", n)
}

/// Runs `job` with the launch that the kernel `shape` gives for `n` elements.
fn shaped<E: Number>(
    job: Job<f32, f32, E>,
    run: &Run,
    case: &mut CaseContext<'_>,
    shape: &str,
    n: usize,
) -> Result<()> {
    let launch = shape_of(run, shape, n)?;
    let (grid, block) = (launch.grid_dim.0, launch.block_dim.0);
    if let Err(error) = run.check_launch(launch) {
        // The device would refuse this launch, and the kernel would not run at all.
        answered(case, Check::that(false, format!("{shape} chose {grid} blocks of {block} threads: {error}")));
        return Ok(());
    }
    case.launches_as(launch);
    case.note(format!(
        "{shape} chose {grid} blocks of {block} threads, {} bytes of shared memory",
        launch.shared_mem_bytes
    ));
    job.launched(run, case)
}

/// The launch that the kernel `shape` writes for `n` elements.
fn shape_of(run: &Run, shape: &str, n: usize) -> Result<LaunchConfig> {
    let (stream, kernel, n) = (run.stream(), run.function(FILE, shape)?, n as u64);
    let mut words = stream.alloc_zeros::<u32>(3)?;
    // SAFETY: these are the kernel's parameters: a size, and three words for it to write.
    unsafe { stream.launch_builder(&kernel).arg(&n).arg(&mut words).launch(launch_1d(1, 1)) }?;
    let words = stream.clone_dtoh(&words)?;
    Ok(LaunchConfig { shared_mem_bytes: words[2], ..launch_1d(words[0], words[1]) })
}
