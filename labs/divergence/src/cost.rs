//! What divergence costs: time against the ways that a warp splits into, and one kernel against two.
use cudarc::driver::{CudaSlice, PushKernelArg};
use harness::{
    Case, Check, Coverage, Error, Recorder, Result, Run, Sizes, Times, launch_1d, poison,
};

use crate::reference::{digits, paths};

/// The ways that are tried; others by `--ways`.
const WAYS: [u32; 6] = [1, 2, 4, 8, 16, 32];

/// Elements at most: the kernels of this lab count them in 32 bits, as those of the texts do, and `apart_odd` doubles
/// the thread's number.
const MOST: usize = 1 << 30;

/// Both experiments.
pub(crate) fn run(run: &Run) -> Result<()> {
    let device = &run.session().device;
    if let Some(n) = run.options().n
        && (n > MOST || (2 * size_of::<f32>() * n) as u64 > device.total_bytes)
    {
        return Err(Error::usage(format!(
            "--n {n}: the kernels count elements in 32 bits, {MOST} at most, and two vectors of floats must fit the {} bytes of {}",
            device.total_bytes, device.name
        )));
    }
    ways(run)?;
    split(run)
}

/// The same work on 1, 2, 4, ... 32 ways through the code.
fn ways(run: &Run) -> Result<()> {
    if !run.wants("ways") {
        return Ok(());
    }
    let n = run.size(Sizes {
        gpu: 1 << 20,
        emulated: 1 << 13,
        quick: 1 << 10,
    });
    let rounds = run.pick(Sizes {
        gpu: 2048,
        emulated: 64,
        quick: 16,
    }) as u32;
    let launch = run.launch_for(n, 256, Coverage::OnePerThread)?;
    let input = digits(n);
    let kernel = run.function("cost.cu", "ways")?;
    let chosen: Vec<u32> = match run.args().get_one::<u32>("ways") {
        Some(&ways) => vec![ways],
        None => WAYS.to_vec(),
    };
    let mut one_way: Option<Cost> = None;
    for ways in chosen {
        let case = Case::new("ways")
            .label(format!("{ways} ways"))
            .n(n)
            .launch(launch);
        run.case(case, |case| {
            let stream = run.stream();
            let on_device = stream.clone_htod(&input)?;
            let threads = launch.block_dim.0 as usize;
            let expected = paths(&input, rounds, |i| (i % threads) as u32 % 32 % ways);
            let n = n as i32;
            // SAFETY: poisoned before each launch.
            let mut output = unsafe { stream.alloc::<f32>(input.len()) }?;
            let times = case.measure(
                &mut output,
                |output| poison(run, output),
                |output| {
                    // SAFETY: the kernel reads and writes n floats.
                    unsafe {
                        stream
                            .launch_builder(&kernel)
                            .arg(&on_device)
                            .arg(output)
                            .arg(&n)
                            .arg(&ways)
                            .arg(&rounds)
                            .launch(launch)
                    }?;
                    Ok(())
                },
                |output| Ok(check(&stream.clone_dtoh(output)?, &expected)),
            )?;
            let cost = Cost::of(run, case, times);
            case.set("ways", ways);
            case.set("rounds", rounds);
            cost.record(case);
            if ways == 1 {
                one_way = Some(cost);
            }
            cost.relative(case, one_way);
            Ok(())
        })?;
    }
    Ok(())
}

/// Even and odd elements in one kernel, where each warp splits in two, and in two kernels without.
fn split(run: &Run) -> Result<()> {
    if !run.wants("together") && !run.wants("apart") {
        return Ok(());
    }
    let n = run.size(Sizes {
        gpu: 1 << 22,
        emulated: 1 << 13,
        quick: 1 << 10,
    });
    let mut pays_from = None;
    for rounds in [1, 4, 16, 64, 256, 1024] {
        if run.is_emulated() && rounds > 64 {
            break; // The count of instructions grows as the rounds do, and nothing else is measured.
        }
        let one = branches(run, "together", &["together"], n, rounds)?;
        let two = branches(run, "apart", &["apart_even", "apart_odd"], n, rounds)?;
        if let (Some(one), Some(two)) = (one, two)
            && two < one
            && pays_from.is_none()
        {
            pays_from = Some((rounds, one / two));
        }
    }
    if run.is_emulated() {
        return Ok(());
    }
    match pays_from {
        Some((rounds, factor)) => run.say(&format!(
            "\nTwo kernels are faster than one from {rounds} multiply-adds a branch on ({factor:.2} times there), n = {n}"
        )),
        None => run.say("\nTwo kernels were never faster than one"),
    }
    Ok(())
}

/// One row: `kernels` one after the other; the median time on a GPU.
fn branches(
    run: &Run,
    variant: &str,
    kernels: &[&str],
    n: usize,
    rounds: u32,
) -> Result<Option<f64>> {
    let threads = run.options().threads.unwrap_or(256);
    let per_kernel = n.div_ceil(kernels.len());
    let launch = launch_1d(per_kernel.div_ceil(threads as usize) as u32, threads);
    let case = Case::new(variant)
        .label(format!("{rounds} FMA"))
        .n(n)
        .launch(launch);
    let mut median = None;
    run.case(case, |case| {
        let stream = run.stream();
        let kernels = kernels.iter().map(|name| run.function("cost.cu", name));
        let kernels = kernels.collect::<Result<Vec<_>>>()?;
        let input = digits(n);
        let expected = paths(&input, rounds, |i| (i % 2) as u32);
        let on_device = stream.clone_htod(&input)?;
        // SAFETY: poisoned before each launch.
        let mut output = unsafe { stream.alloc::<f32>(n) }?;
        let count = n as i32;
        let launch_all = |output: &mut CudaSlice<f32>| {
            for kernel in &kernels {
                // SAFETY: each kernel reads and writes its share of n floats.
                unsafe {
                    stream
                        .launch_builder(kernel)
                        .arg(&on_device)
                        .arg(&mut *output)
                        .arg(&count)
                        .arg(&rounds)
                        .launch(launch)
                }?;
            }
            Ok(())
        };
        case.bytes(2 * size_of::<f32>() * n);
        case.flop(2 * n as u64 * u64::from(rounds));
        let times = case.measure(
            &mut output,
            |output| poison(run, output),
            launch_all,
            |output| Ok(check(&stream.clone_dtoh(output)?, &expected)),
        )?;
        case.set("rounds", rounds);
        Cost::of(run, case, times).record(case);
        median = (!run.is_emulated()).then_some(times.median);
        Ok(())
    })?;
    Ok(median)
}

fn check(actual: &[f32], expected: &[u32]) -> Check {
    let bits: Vec<u32> = actual.iter().map(|x| x.to_bits()).collect();
    Check::equal(&bits, expected)
}

/// What a row cost: time on a GPU, instructions on the embedded machine.
#[derive(Debug, Clone, Copy)]
enum Cost {
    Milliseconds(f64),
    Counted { instructions: f64, efficiency: f64 },
    Unknown,
}

impl Cost {
    fn of(run: &Run, case: &mut Recorder<'_>, times: Times) -> Self {
        if !run.is_emulated() {
            return Self::Milliseconds(times.median);
        }
        let report = case.machine();
        let instructions = report.total("/totals/instructions");
        let by_threads = report.total("/totals/thread_instructions");
        if instructions == 0.0 {
            return Self::Unknown;
        }
        Self::Counted {
            // No warm-up comes before the samples here.
            instructions: instructions / f64::from(times.samples),
            efficiency: by_threads / (32.0 * instructions),
        }
    }

    fn record(self, case: &mut Recorder<'_>) {
        if let Self::Counted {
            instructions,
            efficiency,
        } = self
        {
            case.set("warp_instructions", instructions);
            case.set("warp_efficiency_percent", 100.0 * efficiency);
            case.note(format!(
                "{instructions} warp instructions, {:.0} % of their lanes on",
                100.0 * efficiency
            ));
        }
    }

    /// In the device's own unit.
    fn amount(self) -> Option<f64> {
        match self {
            Self::Milliseconds(amount)
            | Self::Counted {
                instructions: amount,
                ..
            } => Some(amount),
            Self::Unknown => None,
        }
    }

    /// The cost beside that of one way, in the same unit.
    fn relative(self, case: &mut Recorder<'_>, one_way: Option<Self>) {
        let Some(ratio) = self
            .amount()
            .zip(one_way.and_then(Self::amount))
            .map(|(now, one)| now / one)
        else {
            return;
        };
        case.set("cost_of_one_way", ratio);
        let unit = if matches!(self, Self::Milliseconds(_)) {
            "time"
        } else {
            "instructions"
        };
        case.note(format!("{ratio:.2} times the {unit} of one way"));
    }
}

/// Parses `--ways`.
pub(crate) fn parse_ways(text: &str) -> Result<u32, String> {
    match harness::parse_u32(text)? {
        ways @ 1..=32 => Ok(ways),
        _ => Err("a warp of 32 lanes goes 1 to 32 ways".into()),
    }
}
