//! The variants on the device: their launches, their tolerances, their times.
use cudarc::driver::{
    CudaFunction, CudaSlice, DeviceRepr, LaunchConfig, PushKernelArg, ValidAsZeroBits,
};
use harness::{Case, Check, Coverage, Error, Number, Recorder, Result, Run, Tolerance, launch_1d};

use crate::{
    reference::{Rule, relative_tolerance},
    table::{PUBLISHED_KERNELS, TEXT},
    wrapper::{self, Managed},
};

/// How a kernel wants to be launched.
#[derive(Clone, Copy, PartialEq)]
enum Shape {
    /// One point a thread, any block.
    Threads,
    /// One point a thread, one warp a block.
    OneWarp,
    /// One point a thread, whole warps.
    Warps,
    /// Many points a thread, whole warps.
    Stride,
}

/// Whether the terms are float or double, and the sum.
#[derive(Clone, Copy, PartialEq)]
enum Arithmetic {
    Float,
    Compensated,
    Double,
}

struct Sum {
    variant: &'static str,
    kernel: &'static str,
    shape: Shape,
    arithmetic: Arithmetic,
}

const fn sum(variant: &'static str, kernel: &'static str, shape: Shape) -> Sum {
    Sum {
        variant,
        kernel,
        shape,
        arithmetic: Arithmetic::Float,
    }
}

const SUMS: [Sum; 12] = [
    sum("atomic", "trap_atomic", Shape::Threads),
    sum("shuffle-32", "trap_shuffle_32", Shape::OneWarp),
    sum("shared-32", "trap_shared_32", Shape::OneWarp),
    sum("shuffle", "trap_shuffle", Shape::Warps),
    sum("shared", "trap_shared", Shape::Warps),
    sum("race", "trap_race", Shape::Warps),
    sum("two-barriers", "trap_two_barriers", Shape::Warps),
    sum("own-first", "trap_own_first", Shape::Warps),
    sum("lockstep", "trap_lockstep", Shape::OneWarp),
    sum("grid-stride", "trap_grid_stride", Shape::Stride),
    Sum {
        variant: "compensated",
        kernel: "trap_grid_stride_compensated",
        shape: Shape::Stride,
        arithmetic: Arithmetic::Compensated,
    },
    Sum {
        variant: "f64",
        kernel: "trap_grid_stride_f64",
        shape: Shape::Stride,
        arithmetic: Arithmetic::Double,
    },
];

/// Every variant at the rule's n, and each at a handful of small n, where the tolerance is so tight
/// that one lost or doubled point shows.
pub(crate) fn run(run: &Run, rule: Rule) -> Result<()> {
    check_threads(run)?;
    serial(run, rule)?;
    for sum in &SUMS {
        if !run.wants(sum.variant) {
            continue;
        }
        let kernel = run.function("trapezoid.cu", sum.kernel)?;
        let launch = sum.launch(run, &kernel, rule.n as usize)?;
        let case = Case::new(sum.variant).n(rule.n as usize).launch(launch);
        run.case(case, |case| match sum.arithmetic {
            Arithmetic::Float => timed::<f32, f32>(run, case, sum, &kernel, launch, rule),
            Arithmetic::Compensated => timed::<f32, f64>(run, case, sum, &kernel, launch, rule),
            Arithmetic::Double => timed::<f64, f64>(run, case, sum, &kernel, launch, rule),
        })?;
        run.case(Case::new(sum.variant).label("small n"), |case| {
            match sum.arithmetic {
                Arithmetic::Float => small::<f32, f32>(run, case, sum, &kernel, rule),
                Arithmetic::Compensated => small::<f32, f64>(run, case, sum, &kernel, rule),
                Arithmetic::Double => small::<f64, f64>(run, case, sum, &kernel, rule),
            }
        })?;
    }
    Ok(())
}

/// Most kernels add up whole warps.
fn check_threads(run: &Run) -> Result<()> {
    let Some(threads) = run.options().threads.filter(|t| t % 32 != 0) else {
        return Ok(());
    };
    let whole: Vec<_> = SUMS
        .iter()
        .filter(|s| matches!(s.shape, Shape::Warps | Shape::Stride) && run.wants(s.variant))
        .map(|s| s.variant)
        .collect();
    if whole.is_empty() {
        return Ok(());
    }
    Err(Error::usage(format!(
        "--threads {threads}: {} add up whole warps; choose a multiple of 32, or only --variant atomic",
        whole.join(", ")
    )))
}

/// The rule on one core of the CPU, whichever the device.
fn serial(run: &Run, rule: Rule) -> Result<()> {
    run.case(Case::new("serial").n(rule.n as usize), |case| {
        let mut value = 0.0_f32;
        let runs = if run.is_emulated() {
            5
        } else {
            wrapper::runs(run)
        };
        let times = wrapper::time(runs, || {
            value = std::hint::black_box(rule).serial_f32();
            Ok(())
        })?;
        case.times(&times);
        case.note("on the host's CPU");
        finish(
            case,
            "serial",
            value,
            rule,
            relative_tolerance(rule.n, f32::EPSILON.into()),
        );
        wrapper_columns(case, &times);
        Ok(())
    })?;
    Ok(())
}

impl Sum {
    /// The launch for n trapezoids. A block of one warp is the variant's nature: `--threads` and
    /// `--blocks` are for the others.
    fn launch(&self, run: &Run, kernel: &CudaFunction, n: usize) -> Result<LaunchConfig> {
        match self.shape {
            Shape::Threads | Shape::Warps => run.launch_for(
                n,
                1024.min(run.session().device.max_threads_per_block),
                Coverage::OnePerThread,
            ),
            Shape::OneWarp => {
                let blocks = n.div_ceil(32);
                let blocks = u32::try_from(blocks).map_err(|_| {
                    Error::usage(format!(
                        "{n} points need {blocks} blocks of one warp; choose a smaller --n"
                    ))
                })?;
                Ok(launch_1d(blocks, 32))
            }
            Shape::Stride => {
                let threads = run.options().threads.unwrap_or(256);
                let blocks = if let Some(blocks) = run.options().blocks {
                    blocks
                } else {
                    // As many as the device holds at once, or as there are points for.
                    let resident =
                        kernel.occupancy_max_active_blocks_per_multiprocessor(threads, 0, None)?;
                    let most = run.session().device.multiprocessors * resident.max(1);
                    n.div_ceil(threads as usize).min(most as usize) as u32
                };
                let launch = launch_1d(blocks, threads);
                run.session().device.check_launch(launch)?;
                Ok(launch)
            }
        }
    }

    /// How far the result may be off, as a fraction: by the longest chain of additions.
    fn tolerance(&self, launch: LaunchConfig, n: u64) -> f64 {
        let blocks = u64::from(launch.grid_dim.0);
        let threads = u64::from(launch.block_dim.0);
        let serial = match self.shape {
            Shape::Stride => n.div_ceil(blocks * threads),
            _ => 1,
        };
        let single = f64::from(f32::EPSILON);
        match (self.arithmetic, self.shape) {
            (Arithmetic::Float, Shape::Threads) => relative_tolerance(n, single),
            (Arithmetic::Float, _) => relative_tolerance(serial + 10 + blocks, single),
            // Kahan's sum rounds as if once or twice, whatever its length.
            (Arithmetic::Compensated, _) => relative_tolerance(4, single),
            (Arithmetic::Double, _) => relative_tolerance(serial + 10 + blocks, f64::EPSILON),
        }
    }
}

/// A type that a kernel takes or adds up in.
trait Real: Number + DeviceRepr + ValidAsZeroBits + Unpin + 'static {
    fn of(value: f64) -> Self;
}
impl Real for f32 {
    fn of(value: f64) -> Self {
        value as Self
    }
}
impl Real for f64 {
    fn of(value: f64) -> Self {
        value
    }
}

/// A kernel bound to its rule: `A` is the type of its points, its sum's address is given at launch.
struct Bound<'a, A> {
    run: &'a Run,
    kernel: &'a CudaFunction,
    launch: LaunchConfig,
    a: A,
    h: A,
    n: i64,
}

impl<'a, A: Real> Bound<'a, A> {
    fn new(run: &'a Run, kernel: &'a CudaFunction, launch: LaunchConfig, rule: Rule) -> Self {
        Self {
            run,
            kernel,
            launch,
            a: A::of(rule.a),
            h: A::of(rule.h()),
            n: rule.n as i64,
        }
    }

    /// Adds to a sum in a device buffer.
    fn add_to_buffer<S: Real>(&self, sum: &mut CudaSlice<S>) -> Result<()> {
        // SAFETY: the arguments are the kernel's; it adds to one number of type S.
        unsafe {
            self.run
                .stream()
                .launch_builder(self.kernel)
                .arg(&self.a)
                .arg(&self.h)
                .arg(&self.n)
                .arg(sum)
                .launch(self.launch)
        }?;
        Ok(())
    }

    /// Adds to a sum in managed memory.
    fn add_to_managed(&self, sum: &Managed) -> Result<()> {
        let address = sum.address();
        // SAFETY: as above; the managed number outlives the launch, because the caller waits for it.
        unsafe {
            self.run
                .stream()
                .launch_builder(self.kernel)
                .arg(&self.a)
                .arg(&self.h)
                .arg(&self.n)
                .arg(&address)
                .launch(self.launch)
        }?;
        Ok(())
    }
}

/// The kernel alone by events, then the wrapper by the host's clock.
fn timed<A: Real, S: Real>(
    run: &Run,
    case: &mut Recorder<'_>,
    sum: &Sum,
    kernel: &CudaFunction,
    launch: LaunchConfig,
    rule: Rule,
) -> Result<()> {
    let stream = run.stream();
    let bound = Bound::<A>::new(run, kernel, launch, rule);
    let ends = S::of(rule.ends());
    let tolerance = sum.tolerance(launch, rule.n);
    let check = |value: f64| {
        Check::scalar(
            "the integral",
            value,
            rule.value(),
            Tolerance {
                absolute: 0.0,
                relative: tolerance,
            },
        )
    };
    let scale = |sum: S| rule.h() * sum.to_f64();

    let mut on_device = stream.alloc_zeros::<S>(1)?;
    // A multiply and an addition for f, as many for x, and one into the sum.
    case.flop(5 * rule.n);
    case.measure(
        &mut on_device,
        |d| Ok(stream.memcpy_htod(&[ends], d)?),
        |d| bound.add_to_buffer(d),
        |d| Ok(check(scale(stream.clone_dtoh(d)?[0]))),
    )?;

    if !run.is_emulated() && rule.n == 1 << 20 && run.session().device.name.contains("H200") {
        let published = PUBLISHED_KERNELS.iter().find(|(v, _)| *v == sum.variant);
        case.set("published_kernel_ms", published.map(|(_, ms)| *ms));
    }

    let mut value = scale(stream.clone_dtoh(&on_device)?[0]);
    match Managed::new(run) {
        Ok(mut managed) => {
            let times = wrapper::time(wrapper::runs(run), || {
                managed.write(ends);
                bound.add_to_managed(&managed)?;
                stream.synchronize()?;
                value = scale(managed.read::<S>());
                Ok(())
            })?;
            wrapper_columns(case, &times);
        }
        Err(Error::Skip(reason)) => case.note(format!("wrapper not timed: {reason}")),
        Err(error) => return Err(error),
    }
    finish(case, sum.variant, value, rule, tolerance);
    if sum.shape == Shape::OneWarp
        && (run.options().threads.is_some() || run.options().blocks.is_some())
    {
        case.note("always one warp a block, whatever --threads and --blocks say");
    }
    Ok(())
}

/// The last value, its check, and what the text has to say.
fn finish<V: Number>(case: &mut Recorder<'_>, variant: &str, value: V, rule: Rule, tolerance: f64) {
    case.set("value", value.to_f64());
    case.set("integral", rule.integral());
    case.set(
        "text_ms",
        TEXT.iter().find(|t| t.variant == variant).map(|t| t.ms),
    );
    let tolerance = Tolerance {
        absolute: 0.0,
        relative: tolerance,
    };
    case.check(Check::scalar(
        "the integral",
        value,
        rule.value(),
        tolerance,
    ));
}

fn wrapper_columns(case: &mut Recorder<'_>, times: &[f64]) {
    let [min, median, mean] = wrapper::summary(times);
    case.set("wrapper_runs", times.len());
    case.set("wrapper_min_ms", min);
    case.set("wrapper_median_ms", median);
    case.set("wrapper_mean_ms", mean);
}

/// The sizes of the small case: around the warp and the block, and primes.
fn small_sizes(threads: u64) -> Vec<u64> {
    let mut sizes = vec![
        1,
        2,
        3,
        7,
        31,
        32,
        33,
        97,
        threads - 1,
        threads,
        threads + 1,
        2 * threads + 5,
    ];
    sizes.retain(|&n| n > 0);
    sizes.sort_unstable();
    sizes.dedup();
    sizes
}

/// Not timed: the same kernel at sizes where one point more or less is far outside the tolerance.
fn small<A: Real, S: Real>(
    run: &Run,
    case: &mut Recorder<'_>,
    sum: &Sum,
    kernel: &CudaFunction,
    rule: Rule,
) -> Result<()> {
    let stream = run.stream();
    let threads = match sum.shape {
        Shape::OneWarp => 32,
        Shape::Threads | Shape::Warps => run.options().threads.unwrap_or(256),
        Shape::Stride => 64,
    };
    let sizes = small_sizes(u64::from(threads));
    for &n in &sizes {
        let blocks = match sum.shape {
            Shape::Stride => 2,
            _ => n.div_ceil(u64::from(threads)) as u32,
        };
        let launch = launch_1d(blocks, threads);
        let rule = Rule { n, ..rule };
        let mut on_device = stream.clone_htod(&[S::of(rule.ends())])?;
        Bound::<A>::new(run, kernel, launch, rule).add_to_buffer(&mut on_device)?;
        let value = rule.h() * stream.clone_dtoh(&on_device)?[0].to_f64();
        let tolerance = Tolerance {
            absolute: 0.0,
            relative: sum.tolerance(launch, n),
        };
        case.check(Check::scalar(
            &format!("n = {n}"),
            value,
            rule.value(),
            tolerance,
        ));
    }
    Ok(())
}
