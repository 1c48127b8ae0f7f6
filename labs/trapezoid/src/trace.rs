//! `--trace`: the sums step by step, as a textbook draws them.
use cudarc::driver::PushKernelArg;
use harness::{Case, Check, Result, Run, Tolerance, launch_1d};

/// Prints and checks the tables of all sums.
pub(crate) fn run(run: &Run) -> Result<()> {
    let lanes = run.count("lanes").unwrap_or(8);
    atomics(run, lanes, 1, "trace")?;
    atomics(run, lanes, 0, "trace, thread 0 adds too")?;
    steps(run, "shuffle-32", "trace", "trace_shuffle", lanes, tree)?;
    steps(run, "shuffle-32", "trace, by xor", "trace_xor", lanes, butterfly)?;
    steps(run, "shared-32", "trace", "trace_dissemination", lanes, dissemination)
}

/// The additions to one sum, in the order in which they happened: f(x) = 2x + 1 on [0, n], with the threads from
/// `first` to n - 1.
fn atomics(run: &Run, n: u32, first: u32, label: &str) -> Result<()> {
    let case = Case::new("atomic").label(label).n(n as usize);
    run.case(case.kernel("trace.cu", "trace_atomics").launch(launch_1d(1, n)), |case| {
        let f = |x: u32| (2 * x + 1) as f32;
        let ends = f32::midpoint(f(0), f(n));
        let (kernel, stream) = (case.kernel()?, run.stream());
        let mut sum = stream.clone_htod(&[ends])?;
        let mut found = stream.clone_htod(&vec![f32::NAN; n as usize])?;
        let mut builder = stream.launch_builder(&kernel);
        builder.arg(&0.0_f32).arg(&1.0_f32).arg(&first).arg(&n).arg(&mut sum).arg(&mut found);
        // SAFETY: the kernel writes to `sum` and, below n, to `found`.
        unsafe { builder.launch(case.launch()) }?;
        let (sum, found) = (stream.clone_dtoh(&sum)?[0], stream.clone_dtoh(&found)?);
        let before = |thread: u32| found[thread as usize];

        let mut order: Vec<u32> = (first..n).collect();
        order.sort_by(|&i, &j| before(i).total_cmp(&before(j)));
        let counted = "thread 0 adds too, which counts f(0) twice over";
        let who = if first == 0 { counted } else { "the kernel's guard keeps thread 0 out" };
        run.say(&format!("\nOne atomicAdd a thread, f(x) = 2x + 1 on [0, {n}]: {who}"));
        run.say("  thread    x   adds   sum before   sum after");
        run.say(&format!("  start                               {ends:>7}"));
        // The values are exact, because they are small integers. Each sum found must be the one that the previous
        // addition left.
        let mut check = |name: &str, actual: f32, expected: f32| {
            case.check(Check::scalar(name, actual, expected, Tolerance::EXACT));
        };
        let mut running = ends;
        for i in order {
            let (before, adds) = (before(i), f(i));
            run.say(&format!("  {i:>6} {i:>4} {adds:>6} {before:>12} {:>11}", before + adds));
            check(&format!("the sum that thread {i} found"), before, running);
            running += adds;
        }
        check("the sum", sum, running);
        let integral = (n * n + n) as f32;
        check("the sum", sum, if first == 1 { integral } else { integral + 1.0 });
        case.note(match (first, n) {
            (1, _) => format!("{sum}, exact"),
            (_, 8) => format!("{sum} where {integral} is exact; the text's table ends so"),
            _ => format!("{sum} where {integral} is exact"),
        });
        Ok(())
    })?;
    Ok(())
}

/// The values of every lane before the first step and after each, computed from those before the first.
type Steps = fn(&[f32]) -> Vec<Vec<f32>>;

/// Prints, lane by lane, the values before the first step of a sum inside a warp and after each step. Lane l begins
/// with l.
fn steps(run: &Run, variant: &str, label: &str, kernel: &str, lanes: u32, reference: Steps) -> Result<()> {
    let n = lanes as usize;
    let case = Case::new(variant).label(label).n(n).kernel("trace.cu", kernel).launch(launch_1d(1, lanes));
    run.case(case, |case| {
        let inputs: Vec<f32> = (0..lanes).map(|lane| lane as f32).collect();
        let expected = reference(&inputs);
        let (kernel, stream) = (case.kernel()?, run.stream());
        let mut values = vec![f32::NAN; expected.len() * n];
        values[..n].copy_from_slice(&inputs);
        let mut values = stream.clone_htod(&values)?;
        let mut builder = stream.launch_builder(&kernel);
        builder.arg(&mut values).arg(&lanes);
        // SAFETY: `values` has room for the lanes' values before the first step and after each.
        unsafe { builder.launch(case.launch()) }?;
        let values = stream.clone_dtoh(&values)?;

        run.say(&format!("\n{variant}, {label}: each lane's sum before the first step and after each, {lanes} lanes"));
        let distances = (0..expected.len()).map(|step| match step {
            0 => " start".to_string(),
            _ => format!("{:>6}", format!("+{}", n >> step)),
        });
        run.say(&format!("  lane {}", distances.collect::<Vec<_>>().join(" ")));
        for lane in 0..n {
            let row = values[lane..].iter().step_by(n).map(|value| format!("{value:>6}"));
            run.say(&format!("  {lane:>4} {}", row.collect::<Vec<_>>().join(" ")));
        }
        case.check(Check::compare(&values, &expected.concat(), Tolerance::EXACT).in_rows(n));
        Ok(())
    })?;
    Ok(())
}

/// The values of the shuffle tree: lane l adds the value of lane l + distance, if there is one. The shuffle returns its
/// own value to a lane without a partner. Row 0 is `values`; each step adds a row.
pub fn tree(values: &[f32]) -> Vec<Vec<f32>> {
    run_steps(values, |before, lane, distance| before[lane] + before.get(lane + distance).unwrap_or(&before[lane]))
}

/// The values of the sum by xor: as in [`tree`], but lanes l and l ^ distance exchange theirs, so that every lane ends
/// with the whole sum.
pub fn butterfly(values: &[f32]) -> Vec<Vec<f32>> {
    run_steps(values, |before, lane, distance| before[lane] + before[lane ^ distance])
}

/// The values of the dissemination sum: as in [`tree`], but partners wrap around, so every lane ends with the whole
/// sum.
pub fn dissemination(values: &[f32]) -> Vec<Vec<f32>> {
    run_steps(values, |before, lane, distance| before[lane] + before[(lane + distance) % before.len()])
}

fn run_steps(values: &[f32], step: impl Fn(&[f32], usize, usize) -> f32) -> Vec<Vec<f32>> {
    let mut rows = vec![values.to_vec()];
    let mut distance = values.len() / 2;
    while distance > 0 {
        let before = &rows[rows.len() - 1];
        rows.push((0..values.len()).map(|lane| step(before, lane, distance)).collect());
        distance /= 2;
    }
    rows
}

/// Parses `--lanes`.
pub(crate) fn parse_lanes(text: &str) -> Result<u32, String> {
    match harness::parse_u32(text)? {
        lanes @ (2 | 4 | 8 | 16 | 32) => Ok(lanes),
        _ => Err("choose 2, 4, 8, 16 or 32: a warp's lanes, halved at each step".into()),
    }
}
