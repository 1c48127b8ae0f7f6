//! What divergence costs: the time by the number of ways that a warp splits into, and one kernel against two.
use cudarc::driver::{CudaFunction, PushKernelArg};
use harness::{Case, Check, Error, Launch, Result, Row, Run, Sizes, Trial};

use crate::{
    COSTS,
    reference::{digits, paths},
};

/// The numbers of ways that are tried unless `--ways` gives others.
const WAYS: [u32; 6] = [1, 2, 4, 8, 16, 32];

/// The largest number of elements. The kernels of this lab count elements in 32 bits, as those of the texts do, and
/// `apart_odd` doubles the thread's number.
const MOST: usize = 1 << 30;

/// Both experiments.
pub(crate) fn run(run: &Run) -> Result<()> {
    if let Some(n) = run.options().n {
        if n > MOST {
            return Err(Error::usage(format!("--n is {n}; the kernels count elements in 32 bits, {MOST} at most")));
        }
        run.needs(Some(2 * size_of::<f32>() * n), &format!("two vectors of {n} floats"), "--n")?;
    }
    let [by_ways, together, apart] = &COSTS;
    if run.wants(by_ways.name()) {
        ways(run, by_ways)?;
    }
    if run.wants(together.name()) || run.wants(apart.name()) {
        split(run, together, apart)?;
    }
    Ok(())
}

/// The same work on 1, 2, 4, ... 32 ways through the code.
fn ways(run: &Run, row: &Row<&[&str]>) -> Result<()> {
    let n = run.size(Sizes { gpu: 1 << 20, emulated: 1 << 13, quick: 1 << 10 });
    let rounds = run.pick(Sizes { gpu: 2048, emulated: 64, quick: 16 }) as u32;
    let input = digits(n);
    let mut of_one_way = None;
    for ways in run.count("ways").map_or(WAYS.to_vec(), |ways| vec![ways]) {
        let case = Case::new(row.name()).label(format!("{ways} ways")).n(n);
        run.case(case.launch(Launch::covering(256)), |case| {
            let threads = case.launch().block_dim.0 as usize;
            let expected = paths(&input, rounds, |i| (i % threads) as u32 % 32 % ways);
            case.set("ways", ways);
            let cost = cost(run, case, row, &input, &expected, &[ways, rounds])?;
            if ways == 1 {
                of_one_way = cost;
            }
            if let (Some(cost), Some(of_one_way)) = (cost, of_one_way) {
                let ratio = cost / of_one_way;
                case.set("cost_of_one_way", ratio);
                let unit = if run.is_emulated() { "instructions" } else { "time" };
                case.note(format!("{ratio:.2} times the {unit} of one way"));
            }
            Ok(())
        })?;
    }
    Ok(())
}

/// Even and odd elements in one kernel, where each warp splits in two, and in two kernels, where no warp splits.
fn split(run: &Run, together: &Row<&[&str]>, apart: &Row<&[&str]>) -> Result<()> {
    let n = run.size(Sizes { gpu: 1 << 22, emulated: 1 << 13, quick: 1 << 10 });
    // On the emulated device the number of instructions grows with the rounds, and nothing else is measured.
    let most = if run.is_emulated() { 64 } else { 1024 };
    let mut pays_from = None;
    for rounds in [1, 4, 16, 64, 256, 1024].into_iter().filter(|&rounds| rounds <= most) {
        let (one, two) = (branches(run, together, n, rounds)?, branches(run, apart, n, rounds)?);
        let faster = one.zip(two).filter(|(one, two)| two < one);
        pays_from = pays_from.or(faster.map(|(one, two)| (rounds, one / two)));
    }
    match pays_from {
        _ if run.is_emulated() => {}
        Some((rounds, factor)) => run.say(&format!(
            "\nTwo kernels are faster than one from {rounds} multiply-adds a branch on ({factor:.2} times there), n = {n}"
        )),
        None => run.say("\nTwo kernels were never faster than one"),
    }
    Ok(())
}

/// One row of even and odd elements, and its [`cost`].
fn branches(run: &Run, row: &Row<&[&str]>, n: usize, rounds: u32) -> Result<Option<f64>> {
    let case = Case::new(row.name()).label(format!("{rounds} FMA")).n(n);
    let mut a_sample = None;
    run.case(case.launch(Launch::covering(256).each(row.with.len())), |case| {
        let input = digits(n);
        let expected = paths(&input, rounds, |i| (i % 2) as u32);
        case.bytes(2 * size_of::<f32>() * n);
        case.flop(2 * n as u64 * u64::from(rounds));
        a_sample = cost(run, case, row, &input, &expected, &[rounds])?;
        Ok(())
    })?;
    Ok(a_sample)
}

/// Launches the row's kernels one after the other, each with the `further` arguments, the last of which is the number
/// of rounds. Returns the cost of a sample: milliseconds on a GPU, warp instructions on the emulated device if it
/// counted any.
fn cost(
    run: &Run,
    case: &mut Trial<'_>,
    row: &Row<&[&str]>,
    input: &[f32],
    expected: &[u32],
    further: &[u32],
) -> Result<Option<f64>> {
    let load = |kernel: &&str| run.function("cost.cu", kernel);
    let kernels = row.with.iter().map(load).collect::<Result<Vec<CudaFunction>>>()?;
    let (stream, launch, n) = (run.stream(), case.launch(), expected.len() as i32);
    let input = stream.clone_htod(input)?;
    // SAFETY: poisoned before each launch.
    let mut output = unsafe { stream.alloc::<f32>(expected.len()) }?;
    let times = case.time(
        &mut output,
        |output| {
            for kernel in &kernels {
                let mut builder = stream.launch_builder(kernel);
                builder.arg(&input).arg(&mut *output).arg(&n);
                for argument in further {
                    builder.arg(argument);
                }
                // SAFETY: each kernel reads and writes its share of n floats.
                unsafe { builder.launch(launch) }?;
            }
            Ok(())
        },
        |output| {
            let bits: Vec<u32> = output.iter().map(|x| x.to_bits()).collect();
            Check::equal(&bits, expected)
        },
    )?;
    case.set("rounds", further[further.len() - 1]);
    if !run.is_emulated() {
        return Ok(Some(times.median));
    }
    let report = case.machine()?;
    let all = report.total(|t| t.instructions) as f64;
    if all == 0.0 {
        return Ok(None);
    }
    let efficiency = 100.0 * (report.total(|t| t.thread_instructions) as f64 / (32.0 * all));
    // The samples here are not preceded by a warm-up.
    let a_sample = all / f64::from(times.samples);
    case.set("warp_instructions", a_sample);
    case.set("warp_efficiency_percent", efficiency);
    case.note(format!("{a_sample} warp instructions, {efficiency:.0} % of their lanes on"));
    Ok(Some(a_sample))
}

/// Parses `--ways`.
pub(crate) fn parse_ways(text: &str) -> Result<u32, String> {
    match harness::parse_u32(text)? {
        ways @ 1..=32 => Ok(ways),
        _ => Err("a warp of 32 lanes goes 1 to 32 ways".into()),
    }
}
