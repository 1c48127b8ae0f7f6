//! The cost of divergence: the time by the number of ways into which a warp splits, and one kernel compared with two.
use cudarc::driver::{CudaFunction, CudaSlice, PushKernelArg};
use harness::{Case, CaseContext, Check, Error, Launch, Result, Row, Run, Sizes};

use crate::{
    COSTS,
    reference::{costly_below_one, digits, path, paths},
};

/// The default numbers of ways, unless `--ways` is given.
const WAYS: [u32; 6] = [1, 2, 4, 8, 16, 32];

/// The largest number of elements. The kernels of this lab count elements in 32 bits, like those of the texts, and
/// `apart_odd` doubles the thread's number.
const MOST: usize = 1 << 30;

/// The numbers of active lanes to try, with all of them first.
const LANES: [usize; 4] = [32, 8, 2, 1];

/// Makes a row for a number of elements and of multiply-adds, and returns its [`cost`].
type Making = fn(&Run, &Row<&[&str]>, usize, u32) -> Result<Option<f64>>;

/// All experiments.
pub(crate) fn run(run: &Run) -> Result<()> {
    if let Some(n) = run.options().n {
        if n > MOST {
            return Err(Error::usage(format!("--n is {n}; the kernels count elements in 32 bits, {MOST} at most")));
        }
        run.needs(Some(2 * size_of::<f32>() * n), &format!("two vectors of {n} floats"), "--n")?;
    }
    let [by_ways, few, together, apart, by_data, filtered] = &COSTS;
    if run.wants(by_ways.name()) {
        ways(run, by_ways)?;
    }
    if run.wants(few.name()) {
        lone(run, few)?;
    }
    split(run, together, apart, branches)?;
    split(run, by_data, filtered, data)
}

/// Multiply-adds on each way. A smaller number than on a GPU is reported.
fn rounds(run: &Run) -> u32 {
    let sizes = Sizes { gpu: 2048, emulated: 64, quick: 16 };
    let rounds = run.pick(sizes);
    if rounds != sizes.gpu {
        run.say(&format!(
            "{rounds} multiply-adds a way here, {} on a GPU: instructions are counted, not timed",
            sizes.gpu
        ));
    }
    rounds as u32
}

/// The same work on 1, 2, 4, ... 32 ways through the code.
fn ways(run: &Run, row: &Row<&[&str]>) -> Result<()> {
    let n = run.size(Sizes { gpu: 1 << 20, emulated: 1 << 13, quick: 1 << 10 });
    let rounds = rounds(run);
    let input = digits(n);
    let mut of_one_way = None;
    for ways in run.count("ways").map_or(WAYS.to_vec(), |ways| vec![ways]) {
        let case = Case::new(row.name()).label(format!("{ways} ways")).n(n);
        run.case(case.launch(Launch::covering(256)), |case| {
            let threads = case.launch().block_dim.0 as usize;
            let expected = paths(&input, rounds, |i| (i % threads) as u32 % 32 % ways);
            case.set("ways", ways);
            let cost = kernels(run, case, row, &input, &expected, &[ways, rounds])?;
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

/// The same work in 32, 8, 2 and 1 lanes of each warp; the other lanes are idle.
fn lone(run: &Run, row: &Row<&[&str]>) -> Result<()> {
    let n = run.size(Sizes { gpu: 1 << 20, emulated: 1 << 13, quick: 1 << 10 });
    let rounds = rounds(run);
    let input = digits(n);
    let mut of_all = None;
    for lanes in LANES {
        let case = Case::new(row.name()).label(format!("{lanes} lanes")).n(n);
        run.case(case.launch(Launch::covering(256)), |case| {
            let threads = case.launch().block_dim.0 as usize;
            let works = |i: usize| i % threads % 32 < lanes;
            let ends: Vec<f32> = (0..8).map(|x| path(0, x as f32, rounds)).collect();
            let end = |(i, &x): (usize, &f32)| if works(i) { ends[x as usize] } else { x }.to_bits();
            let expected: Vec<u32> = input.iter().enumerate().map(end).collect();
            case.set("working_lanes", lanes as u64);
            let cost = kernels(run, case, row, &input, &expected, &[lanes as u32, rounds])?;
            of_all = of_all.or(cost);
            if let (Some(cost), Some(of_all)) = (cost, of_all) {
                case.set("cost_of_all_lanes", cost / of_all);
            }
            Ok(())
        })?;
    }
    Ok(())
}

/// One kernel in which warps split, and kernels in which none does; `of` makes a row with a given number of
/// multiply-adds.
fn split(run: &Run, one: &Row<&[&str]>, several: &Row<&[&str]>, of: Making) -> Result<()> {
    if !run.wants(one.name()) && !run.wants(several.name()) {
        return Ok(());
    }
    let n = run.size(Sizes { gpu: 1 << 22, emulated: 1 << 13, quick: 1 << 10 });
    // On the emulated device the number of instructions grows with the rounds, and nothing else is measured.
    let most = if run.is_emulated() { 64 } else { 1024 };
    let mut pays_from = None;
    for rounds in [1, 4, 16, 64, 256, 1024].into_iter().filter(|&rounds| rounds <= most) {
        let (whole, parts) = (of(run, one, n, rounds)?, of(run, several, n, rounds)?);
        let faster = whole.zip(parts).filter(|(whole, parts)| parts < whole);
        pays_from = pays_from.or(faster.map(|(whole, parts)| (rounds, whole / parts)));
    }
    let (one, several) = (one.name(), several.name());
    match pays_from {
        _ if run.is_emulated() => {}
        Some((rounds, factor)) => run.say(&format!(
            "\n{several} is faster than {one} from {rounds} multiply-adds a branch on ({factor:.2} times there), n = {n}"
        )),
        None => run.say(&format!("\n{several} was never faster than {one}")),
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
        a_sample = kernels(run, case, row, &input, &expected, &[rounds])?;
        Ok(())
    })?;
    Ok(a_sample)
}

/// One row of elements, about one in eight of which has work, and its [`cost`].
fn data(run: &Run, row: &Row<&[&str]>, n: usize, rounds: u32) -> Result<Option<f64>> {
    let case = Case::new(row.name()).label(format!("{rounds} FMA")).n(n);
    let mut a_sample = None;
    run.case(case.launch(Launch::covering(256)), |case| {
        let input = digits(n);
        let expected = costly_below_one(&input, rounds);
        a_sample = match row.with {
            [_] => kernels(run, case, row, &input, &expected, &[rounds])?,
            names => three_kernels(run, case, names, &input, &expected, rounds)?,
        };
        Ok(())
    })?;
    Ok(a_sample)
}

/// Launches the filter, and a kernel for each of its lists.
fn three_kernels(
    run: &Run,
    case: &mut CaseContext<'_>,
    names: &[&str],
    input: &[f32],
    expected: &[u32],
    rounds: u32,
) -> Result<Option<f64>> {
    let (stream, launch, n) = (run.stream(), case.launch(), expected.len() as i32);
    let load = |kernel: &&str| run.function("cost.cu", kernel);
    let kernels = names.iter().map(load).collect::<Result<Vec<CudaFunction>>>()?;
    let input = run.upload("in", input)?;
    let mut lists = stream.alloc_zeros::<i32>(2 * expected.len())?;
    let mut counts = stream.alloc_zeros::<i32>(2)?;
    cost(run, case, expected, rounds, |output| {
        stream.memset_zeros(&mut counts)?;
        let mut builder = stream.launch_builder(&kernels[0]);
        builder.arg(&*input).arg(&n).arg(&mut lists).arg(&mut counts);
        // SAFETY: the filter reads n floats, and writes n indices in all and two counts.
        unsafe { builder.launch(launch) }?;
        for kernel in &kernels[1..] {
            let mut builder = stream.launch_builder(kernel);
            builder.arg(&*input).arg(&mut *output).arg(&n).arg(&lists).arg(&counts).arg(&rounds);
            // SAFETY: each kernel reads and writes the floats of its list.
            unsafe { builder.launch(launch) }?;
        }
        Ok(())
    })
}

/// Launches the row's kernels one after the other, each with the `further` arguments, the last of which is the number
/// of rounds, and returns their [`cost`].
fn kernels(
    run: &Run,
    case: &mut CaseContext<'_>,
    row: &Row<&[&str]>,
    input: &[f32],
    expected: &[u32],
    further: &[u32],
) -> Result<Option<f64>> {
    let load = |kernel: &&str| run.function("cost.cu", kernel);
    let kernels = row.with.iter().map(load).collect::<Result<Vec<CudaFunction>>>()?;
    let (stream, launch, n) = (run.stream(), case.launch(), expected.len() as i32);
    let input = run.upload("in", input)?;
    cost(run, case, expected, further[further.len() - 1], |output| {
        for kernel in &kernels {
            let mut builder = stream.launch_builder(kernel);
            builder.arg(&*input).arg(&mut *output).arg(&n);
            for argument in further {
                builder.arg(argument);
            }
            // SAFETY: each kernel reads and writes its share of n floats.
            unsafe { builder.launch(launch) }?;
        }
        Ok(())
    })
}

/// The cost of a sample of `work`: milliseconds on a GPU, warp instructions on the emulated device if it counted any.
fn cost(
    run: &Run,
    case: &mut CaseContext<'_>,
    expected: &[u32],
    rounds: u32,
    work: impl FnMut(&mut CudaSlice<f32>) -> Result<()>,
) -> Result<Option<f64>> {
    // SAFETY: poisoned before each launch.
    let mut output = unsafe { run.stream().alloc::<f32>(expected.len()) }?;
    let times = case.time(&mut output, work, |output| {
        let bits: Vec<u32> = output.iter().map(|x| x.to_bits()).collect();
        Check::equal(&bits, expected)
    })?;
    case.set("rounds", rounds);
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
