//! The sums: their launches, their tolerances and their times.
use std::collections::BTreeSet;

use cudarc::driver::{CudaFunction, DevicePtrMut, DeviceRepr, LaunchConfig, PushKernelArg, ValidAsZeroBits};
use harness::{
    Case, CaseContext, Check, Error, HostVisible, Launch, Number, Peak, Recorder, Result, Row, Run, Tolerance,
    launch_1d,
};

use crate::{
    MISTAKES, SUMS,
    reference::{Rule, relative_tolerance},
    wrapper::{self, Runs},
};

/// A method of adding up on the device.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Sum {
    /// The kernel file.
    pub(crate) file: &'static str,
    pub(crate) kernel: &'static str,
    /// The launch of the timed row.
    pub(crate) grid: Grid,
    /// The launch for a small n.
    pub(crate) small: fn(&Run, u64) -> LaunchConfig,
    /// The longest chain of additions, by the number of points.
    pub(crate) additions: fn(u64, LaunchConfig) -> u64,
    pub(crate) only_whole_warps: bool,
    /// Whether this kernel may never end on a GPU, so that it runs only emulated.
    pub(crate) may_hang: bool,
    /// The function that makes its rows: [`rows`], for the types of its points and of its sum.
    pub(crate) rows: fn(&Run, &Row<Sum>, Rule) -> Result<()>,
}

/// The launch of a timed row.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Grid {
    /// Determined by this rule and the options.
    By(Launch),
    /// One point per thread, in blocks of this many threads, whatever the options say.
    Blocks(u32),
}

/// Like `like`, but with another kernel.
pub(crate) const fn sum(kernel: &'static str, like: Sum) -> Sum {
    Sum { kernel, ..like }
}

impl Sum {
    /// The tolerance of the sum of `n` points of type `A`, given the longest chain of additions.
    fn tolerance<A: Real>(&self, launch: LaunchConfig, n: u64) -> Tolerance {
        tolerance((self.additions)(n, launch), A::EPSILON)
    }
}

fn tolerance(chain: u64, epsilon: f64) -> Tolerance {
    Tolerance { absolute: 0.0, relative: relative_tolerance(chain, epsilon) }
}

/// A grid with one thread for each of `n` points, in blocks of `threads` threads.
pub(crate) fn covering(n: u64, threads: u32) -> LaunchConfig {
    launch_1d(n.div_ceil(threads.into()) as u32, threads)
}

/// The longest chain of additions of a sum that goes up a tree in each block: a thread's own points, at most 10 steps,
/// and the blocks' atomics.
pub(crate) fn tree(n: u64, launch: LaunchConfig) -> u64 {
    let (blocks, threads) = (u64::from(launch.grid_dim.0), u64::from(launch.block_dim.0));
    n.div_ceil(blocks * threads) + 10 + blocks
}

/// Refuses blocks with partial warps, because most kernels add up whole warps.
pub(crate) fn check_threads(run: &Run) -> Result<()> {
    let names: Vec<_> =
        run.rows(SUMS).chain(run.rows(MISTAKES)).filter(|row| row.only_whole_warps).map(Row::name).collect();
    match run.options().threads {
        Some(threads) if threads % 32 != 0 && !names.is_empty() => Err(Error::usage(format!(
            "--threads {threads}: {} add up whole warps; choose a multiple of 32, or only --variant atomic",
            names.join(", ")
        ))),
        _ => Ok(()),
    }
}

/// The rule on one core of the CPU, whatever the device.
pub(crate) fn serial(run: &Run, rule: Rule) -> Result<()> {
    run.case(Case::new("serial").n(rule.n as usize), |case| {
        let mut value = 0.0_f32;
        let runs = if run.is_emulated() { Runs::exactly(5) } else { Runs::from_run(run) };
        let times = wrapper::time(runs, || {
            value = std::hint::black_box(rule).serial_f32();
            Ok(())
        })?;
        case.times(&times);
        case.note("on the host's CPU");
        wrapper::columns(case, &times);
        finish(case, value, rule, tolerance(rule.n, f32::EPSILON.into()));
        Ok(())
    })?;
    Ok(())
}

/// Runs a variant at the rule's n and at several small n, for which the tolerance is so tight that one lost or doubled
/// point shows. `A` is the type of the points, `S` that of the sum.
pub(crate) fn rows<A: Real, S: Real>(run: &Run, row: &Row<Sum>, rule: Rule) -> Result<()> {
    let n = rule.n as usize;
    let case = Case::new(row.name()).n(n).kernel(row.file, row.kernel);
    let case = match row.grid {
        Grid::By(rule) => case.launch(rule),
        Grid::Blocks(threads) => {
            let blocks = n.div_ceil(threads as usize);
            let too_many =
                |_| Error::usage(format!("{n} points need {blocks} blocks of {threads} threads; choose a smaller --n"));
            case.launch(launch_1d(u32::try_from(blocks).map_err(too_many)?, threads))
        }
    };
    let can_run = || {
        if row.may_hang && !run.is_emulated() {
            return Err(Error::skip("on a GPU this kernel may never end; the emulated device ends it"));
        }
        Ok(())
    };
    run.case(case, |case| can_run().and_then(|()| timed::<A, S>(run, case, row, rule)))?;
    let case = Case::new(row.name()).label("small n").kernel(row.file, row.kernel);
    run.case(case, |case| can_run().and_then(|()| small::<A, S>(run, case, row, rule)))?;
    Ok(())
}

/// A type in which a kernel takes points or adds up.
pub(crate) trait Real: Number + DeviceRepr + ValidAsZeroBits + Unpin + 'static {
    /// The baseline of its operations.
    const PEAK: Option<Peak>;
    /// The distance from 1 to the next number.
    const EPSILON: f64;
    fn from_f64(value: f64) -> Self;
}

impl Real for f32 {
    const PEAK: Option<Peak> = Some(Peak::Single);
    const EPSILON: f64 = Self::EPSILON as f64;
    fn from_f64(value: f64) -> Self {
        value as Self
    }
}

impl Real for f64 {
    const PEAK: Option<Peak> = None;
    const EPSILON: f64 = Self::EPSILON;
    fn from_f64(value: f64) -> Self {
        value
    }
}

/// Adds the rule's inner points to the sum at the device address `sum`.
///
/// # Safety
/// `sum` must point to a number of the kernel's type until the launch is done, and the kernel's points must be of type
/// `A`.
unsafe fn add<A: Real>(run: &Run, kernel: &CudaFunction, launch: LaunchConfig, rule: Rule, sum: u64) -> Result<()> {
    let (a, h, n) = (A::from_f64(rule.a), A::from_f64(rule.h()), rule.n as i64);
    let mut builder = run.stream().launch_builder(kernel);
    builder.arg(&a).arg(&h).arg(&n).arg(&sum);
    // SAFETY: the arguments are the kernel's; the caller vouches for the sum.
    unsafe { builder.launch(launch) }?;
    Ok(())
}

/// Times the kernel alone by events, then the wrapper by the host's clock.
fn timed<A: Real, S: Real>(run: &Run, case: &mut CaseContext<'_>, row: &Row<Sum>, rule: Rule) -> Result<()> {
    let (stream, kernel, launch) = (run.stream(), case.kernel()?, case.launch());
    let ends = S::from_f64(rule.ends());
    let tolerance = row.tolerance::<A>(launch, rule.n);
    let scale = |sum: S| rule.h() * sum.to_f64();

    let mut sum = stream.alloc_zeros::<S>(1)?;
    let address = sum.device_ptr_mut(stream).0;
    // Counts a multiply and an addition for f, the same for x, and one addition into the sum.
    case.flop(5 * rule.n);
    if let Some(peak) = A::PEAK {
        case.peak(peak);
    }
    case.measure(
        &mut sum,
        |sum| Ok(stream.memcpy_htod(&[ends], sum)?),
        // SAFETY: the address is that of a number of type S, which outlives the launch.
        |_| unsafe { add::<A>(run, &kernel, launch, rule, address) },
        |sum| Ok(check("the integral", scale(stream.clone_dtoh(sum)?[0]), rule, tolerance)),
    )?;

    let mut value = scale(stream.clone_dtoh(&sum)?[0]);
    match HostVisible::managed(run.session(), ends) {
        Ok(mut sum) => {
            let times = wrapper::time(Runs::from_run(run), || {
                sum.write(ends);
                // SAFETY: as above; the number outlives the launch, which is waited for.
                unsafe { add::<A>(run, &kernel, launch, rule, sum.address()) }?;
                stream.synchronize()?;
                value = scale(sum.read());
                Ok(())
            })?;
            wrapper::columns(case, &times);
        }
        Err(Error::Skip(reason)) => case.note(format!("wrapper not timed: {reason}")),
        Err(error) => return Err(error),
    }
    finish(case, value, rule, tolerance);
    Ok(())
}

/// The value, and its check.
fn finish(case: &mut Recorder<'_>, value: impl Number, rule: Rule, tolerance: Tolerance) {
    case.set("value", value.to_f64());
    case.set("integral", rule.integral());
    case.check(check("the integral", value, rule, tolerance));
}

fn check(name: &str, value: impl Number, rule: Rule, tolerance: Tolerance) -> Check {
    Check::scalar(name, value, rule.value(), tolerance)
}

/// The sizes of the small case: sizes around the warp and the block, and primes.
fn small_sizes(threads: u64) -> BTreeSet<u64> {
    let around = [threads - 1, threads, threads + 1, 2 * threads + 5];
    [1, 2, 3, 7, 31, 32, 33, 97].into_iter().chain(around).filter(|&n| n > 0).collect()
}

/// Checks the same kernel, untimed, at sizes for which one point more or less is far outside the tolerance.
fn small<A: Real, S: Real>(run: &Run, case: &mut CaseContext<'_>, row: &Row<Sum>, rule: Rule) -> Result<()> {
    let (stream, kernel) = (run.stream(), case.kernel()?);
    let threads = (row.small)(run, 1).block_dim.0;
    for n in small_sizes(threads.into()) {
        let (launch, rule) = ((row.small)(run, n), Rule { n, ..rule });
        let mut sum = stream.clone_htod(&[S::from_f64(rule.ends())])?;
        let address = sum.device_ptr_mut(stream).0;
        // SAFETY: the address is that of a number of type S, which outlives the launch.
        unsafe { add::<A>(run, &kernel, launch, rule, address) }?;
        let value = rule.h() * stream.clone_dtoh(&sum)?[0].to_f64();
        case.check(check(&format!("n = {n}"), value, rule, row.tolerance::<A>(launch, n)));
    }
    Ok(())
}
