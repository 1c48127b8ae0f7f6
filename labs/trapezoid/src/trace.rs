//! `--trace`: the sums step by step, as a text draws them.
use cudarc::driver::PushKernelArg;
use harness::{Case, Check, Error, Result, Run, Tolerance, launch_1d};

/// The tables of all three sums, checked.
pub(crate) fn run(run: &Run) -> Result<()> {
    let lanes = run.args().get_one::<u32>("lanes").copied().unwrap_or(8);
    atomics(run, lanes)?;
    let inputs: Vec<f32> = (0..lanes).map(|lane| lane as f32).collect();
    steps(run, "shuffle-32", "trace_shuffle", &inputs, tree)?;
    steps(
        run,
        "shared-32",
        "trace_dissemination",
        &inputs,
        dissemination,
    )?;
    Ok(())
}

/// The additions to one sum, in the order in which they happened: f(x) = 2x + 1 on [0, n] with n threads.
fn atomics(run: &Run, n: u32) -> Result<()> {
    for (first, label) in [(1, "trace"), (0, "trace, thread 0 adds too")] {
        let case = Case::new("atomic")
            .label(label)
            .n(n as usize)
            .launch(launch_1d(1, n));
        run.case(case, |case| {
            let f = |x: u32| (2 * x + 1) as f32;
            let ends = f32::midpoint(f(0), f(n));
            let stream = run.stream();
            let mut sum = stream.clone_htod(&[ends])?;
            let mut found = stream.clone_htod(&vec![f32::NAN; n as usize])?;
            let kernel = run.function("trace.cu", "trace_atomics")?;
            // SAFETY: the kernel writes `sum` and, below n, `found`.
            unsafe {
                stream
                    .launch_builder(&kernel)
                    .arg(&0.0_f32)
                    .arg(&1.0_f32)
                    .arg(&first)
                    .arg(&n)
                    .arg(&mut sum)
                    .arg(&mut found)
                    .launch(launch_1d(1, n))
            }?;
            let (sum, found) = (stream.clone_dtoh(&sum)?[0], stream.clone_dtoh(&found)?);

            let mut order: Vec<u32> = (first..n).collect();
            order.sort_by(|&i, &j| found[i as usize].total_cmp(&found[j as usize]));
            let who = if first == 0 {
                "thread 0 adds too, which counts f(0) twice over"
            } else {
                "the kernel's guard keeps thread 0 out"
            };
            run.say(&format!(
                "\nOne atomicAdd a thread, f(x) = 2x + 1 on [0, {n}]: {who}"
            ));
            run.say("  thread    x   adds   sum before   sum after");
            run.say(&format!("  start                               {ends:>7}"));
            for &i in &order {
                let (before, adds) = (found[i as usize], f(i));
                run.say(&format!(
                    "  {i:>6} {i:>4} {adds:>6} {before:>12} {:>11}",
                    before + adds
                ));
            }

            // Exact: small integers. Each sum found must be the one that the addition before it left.
            let mut running = ends;
            for &i in &order {
                let name = format!("the sum that thread {i} found");
                case.check(Check::scalar(
                    &name,
                    found[i as usize],
                    running,
                    Tolerance::EXACT,
                ));
                running += f(i);
            }
            case.check(Check::scalar("the sum", sum, running, Tolerance::EXACT));
            let integral = f64::from(n) * f64::from(n) + f64::from(n);
            if first == 1 {
                case.check(Check::scalar("the sum", sum, integral, Tolerance::EXACT));
                case.note(format!("{sum}, exact"));
            } else {
                case.check(Check::scalar(
                    "the sum",
                    sum,
                    integral + 1.0,
                    Tolerance::EXACT,
                ));
                let text = if n == 8 {
                    "; the text's table ends so"
                } else {
                    ""
                };
                case.note(format!("{sum} where {integral} is exact{text}"));
            }
            Ok(())
        })?;
    }
    Ok(())
}

/// Lane by lane: the values before the first step of a sum inside a warp, and after each.
fn steps(
    run: &Run,
    variant: &str,
    kernel: &str,
    inputs: &[f32],
    reference: fn(&[f32]) -> Vec<Vec<f32>>,
) -> Result<()> {
    let lanes = inputs.len();
    let launch = launch_1d(1, lanes as u32);
    let case = Case::new(variant).label("trace").n(lanes).launch(launch);
    run.case(case, |case| {
        let expected = reference(inputs);
        let stream = run.stream();
        let mut values = vec![f32::NAN; expected.len() * lanes];
        values[..lanes].copy_from_slice(inputs);
        let mut values = stream.clone_htod(&values)?;
        let function = run.function("trace.cu", kernel)?;
        let count = lanes as i32;
        // SAFETY: `values` has room for the lanes' values before the first step and after each.
        unsafe {
            stream
                .launch_builder(&function)
                .arg(&mut values)
                .arg(&count)
                .launch(launch)
        }?;
        let values = stream.clone_dtoh(&values)?;

        run.say(&format!(
            "\n{variant}: each lane's sum before the first step and after each, {lanes} lanes"
        ));
        let distances = (0..expected.len()).map(|step| match step {
            0 => "start".to_string(),
            _ => format!("+{}", lanes >> step),
        });
        let head: Vec<String> = distances.map(|d| format!("{d:>6}")).collect();
        run.say(&format!("  lane {}", head.join(" ")));
        for lane in 0..lanes {
            let row: Vec<String> = values[lane..]
                .iter()
                .step_by(lanes)
                .map(|v| format!("{v:>6}"))
                .collect();
            run.say(&format!("  {lane:>4} {}", row.join(" ")));
        }
        case.check(Check::compare(
            &values,
            &expected.concat(),
            Tolerance::EXACT,
        ));
        Ok(())
    })?;
    Ok(())
}

/// What the shuffle tree gives: lane l adds the value of lane l + distance, where there is one; the
/// shuffle gives a lane without a partner its own value back. Row 0 is `values`; then one row a step.
pub fn tree(values: &[f32]) -> Vec<Vec<f32>> {
    run_steps(values, |before, lane, distance| {
        before[lane] + before.get(lane + distance).unwrap_or(&before[lane])
    })
}

/// What the dissemination sum gives: as [`tree`], but partners wrap around, so that every lane ends
/// with the whole sum.
pub fn dissemination(values: &[f32]) -> Vec<Vec<f32>> {
    run_steps(values, |before, lane, distance| {
        before[lane] + before[(lane + distance) % before.len()]
    })
}

fn run_steps(values: &[f32], step: impl Fn(&[f32], usize, usize) -> f32) -> Vec<Vec<f32>> {
    let lanes = values.len();
    let mut rows = vec![values.to_vec()];
    let mut distance = lanes / 2;
    while distance > 0 {
        let before = rows.last().expect("one row at least");
        let after = (0..lanes)
            .map(|lane| step(before, lane, distance))
            .collect();
        rows.push(after);
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

/// `--trace` draws one warp: other sizes have no picture.
pub(crate) fn refuse_sizes(run: &Run) -> Result<()> {
    let options = run.options();
    if options.n.is_some() || options.blocks.is_some() || options.threads.is_some() {
        return Err(Error::usage(
            "--trace draws one small sum; choose its size by --lanes, without --n, --blocks and --threads",
        ));
    }
    Ok(())
}
