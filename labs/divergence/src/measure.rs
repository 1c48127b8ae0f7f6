//! The exercises on the device: as they are, for the machine's own counter, and counted by ballots.
use cudarc::driver::{DevicePtrMut, DeviceRepr, LaunchConfig, PushKernelArg};
use harness::{Case, Check, Recorder, Result, Run, Tolerance};

use crate::{
    counting::{self, Launch},
    exercises::{self, Branch, Exercise},
    machine,
};

/// The file with the exercises' kernels.
pub(crate) const FILE: &str = "divergence.cu";

/// All exercises, a row for each branch.
pub(crate) fn run(run: &Run) -> Result<()> {
    run.say("\nDiverged pairs (warp, branch): published, by arithmetic, by ballots, by the machine's counter");
    run.say(&line(
        "exercise: branch",
        "warps",
        ["publ.", "arith.", "ballots", "machine"],
    ));
    let mut told = Vec::new();
    for exercise in exercises::all(run.options().quick, |variant| run.wants(variant)) {
        let mut seen = None;
        for branch in &exercise.branches {
            let case = Case::new(exercise.variant)
                .label(format!("{}: {}", exercise.case, branch.name))
                .launch(config(exercise.launch));
            run.case(case, |case| {
                // The launches are shared by the rows of the exercise; the first makes them.
                if seen.is_none() {
                    seen = Some(observe(run, case, &exercise)?);
                }
                if let Some(seen) = &seen {
                    row(run, case, &exercise, branch, seen);
                    // Many rows have the same reason: it is given once.
                    if !told.contains(&branch.why) {
                        told.push(branch.why);
                        run.say(&format!("      {}", branch.why));
                    }
                }
                Ok(())
            })?;
        }
    }
    wide_warp(run)
}

/// What the device had to say about an exercise.
struct Seen {
    /// The check of both outputs.
    outputs: Check,
    /// For each branch: warps that reached it, and that disagreed at it.
    ballots: Vec<[u64; 2]>,
    /// The same from the machine, per line of the kernel file; empty on a GPU.
    machine: machine::Lines,
}

/// The argument of the counting kernels: `struct Counted` of `divergence.cuh`.
#[repr(C)]
#[derive(Clone, Copy)]
struct Counted {
    reached: u64,
    split: u64,
    warps: u32,
}
// SAFETY: plain numbers, laid out as the kernel's struct.
unsafe impl DeviceRepr for Counted {}

/// Runs both kernels of the exercise.
fn observe(run: &Run, case: &mut Recorder<'_>, exercise: &Exercise) -> Result<Seen> {
    let stream = run.stream();
    let warps = exercise.launch.warps(32);
    let cells = exercise.branches.len() * warps as usize;
    let mut reached = stream.alloc_zeros::<u32>(cells)?;
    let mut split = stream.alloc_zeros::<u32>(cells)?;

    let plain = launch(run, exercise, "plain", None)?;
    let machine = machine::branches(case, exercise.kernel);
    let counted = {
        let (reached, _reached) = reached.device_ptr_mut(stream);
        let (split, _split) = split.device_ptr_mut(stream);
        let argument = Counted {
            reached,
            split,
            warps: warps as u32,
        };
        launch(run, exercise, "counted", Some(argument))?
    };

    let bits = |values: &[f32]| values.iter().map(|v| v.to_bits()).collect::<Vec<_>>();
    let expected = bits(&exercise.after);
    let mut outputs = Check::equal(&bits(&plain), &expected);
    outputs.merge(Check::equal(&bits(&counted), &expected));

    let (reached, split) = (stream.clone_dtoh(&reached)?, stream.clone_dtoh(&split)?);
    let nonzero = |cells: &[u32]| cells.iter().filter(|&&times| times > 0).count() as u64;
    let ballots = reached
        .chunks(warps as usize)
        .zip(split.chunks(warps as usize))
        .map(|(reached, split)| [nonzero(reached), nonzero(split)])
        .collect();
    Ok(Seen {
        outputs,
        ballots,
        machine,
    })
}

/// Launches one build of the exercise's kernel and returns its output.
fn launch(
    run: &Run,
    exercise: &Exercise,
    build: &str,
    counted: Option<Counted>,
) -> Result<Vec<f32>> {
    let stream = run.stream();
    let kernel = run.function(FILE, &format!("{}_{build}", exercise.kernel))?;
    let inputs = exercise
        .inputs
        .iter()
        .map(|input| stream.clone_htod(input))
        .collect::<std::result::Result<Vec<_>, _>>()?;
    let mut output = match &exercise.before {
        Some(before) => stream.clone_htod(before)?,
        None => stream.clone_htod(&vec![crate::reference::UNWRITTEN; exercise.after.len()])?,
    };
    let mut builder = stream.launch_builder(&kernel);
    if let Some(counted) = &counted {
        builder.arg(counted);
    }
    for input in &inputs {
        builder.arg(input);
    }
    builder.arg(&mut output);
    for integer in &exercise.integers {
        builder.arg(integer);
    }
    // SAFETY: the arguments are the kernel's, in its order, and its arrays are as long as its launch needs.
    unsafe { builder.launch(config(exercise.launch)) }?;
    Ok(stream.clone_dtoh(&output)?)
}

fn config(launch: Launch) -> LaunchConfig {
    let tuple = |[x, y, z]: [u32; 3]| (x, y, z);
    LaunchConfig {
        grid_dim: tuple(launch.grid),
        block_dim: tuple(launch.block),
        shared_mem_bytes: 0,
    }
}

/// One row: the columns must agree.
fn row(run: &Run, case: &mut Recorder<'_>, exercise: &Exercise, branch: &Branch, seen: &Seen) {
    let count = branch.count;
    case.check(seen.outputs.clone());
    case.set("branch", branch.name);
    case.set("warps", count.warps);
    case.set("diverged_function", count.diverged);

    let [reached, diverged] = seen.ballots[branch.index as usize];
    case.set("diverged_ballots", diverged);
    same(case, "diverged by ballots", diverged, count.diverged);
    same(
        case,
        "warps at the branch by ballots",
        reached,
        count.reached,
    );

    let mut counter = String::from("-");
    if run.is_emulated() {
        let found = machine::line_of(run, exercise.kernel, branch.index)
            .and_then(|line| seen.machine.at(line));
        if let Some([reached, diverged]) = found {
            case.set("diverged_machine", diverged);
            counter = diverged.to_string();
            same(
                case,
                "diverged by the machine's counter",
                diverged,
                count.diverged,
            );
            same(
                case,
                "warps at the branch by the machine's counter",
                reached,
                count.reached,
            );
        } else {
            case.check(Check::that(
                false,
                "the machine counted no branch on this line of the kernel file",
            ));
        }
    }

    if let Some([warps, diverged]) = branch.published {
        case.set("published_warps", warps);
        case.set("published_diverged", diverged);
        if [warps, diverged] != [count.warps, count.diverged] {
            case.note(format!(
                "published: {diverged} of {warps} warps, which is refuted"
            ));
        }
    }
    case.set("why", branch.why);
    let published = branch
        .published
        .map_or_else(|| "-".into(), |[_, d]| d.to_string());
    run.say(&line(
        &format!("{} {}: {}", exercise.variant, exercise.case, branch.name),
        &count.warps.to_string(),
        [
            &published,
            &count.diverged.to_string(),
            &diverged.to_string(),
            &counter,
        ],
    ));
}

/// A line of the table that is printed.
fn line(name: &str, warps: &str, [published, arithmetic, ballots, machine]: [&str; 4]) -> String {
    format!("  {name:<58}{warps:>7}{published:>7}{arithmetic:>8}{ballots:>9}{machine:>9}")
}

fn same(case: &mut Recorder<'_>, what: &str, seen: u64, expected: u64) {
    case.check(Check::scalar(what, seen, expected, Tolerance::EXACT));
}

/// The question asked with a warp of 64, which no NVIDIA GPU has: arithmetic alone.
fn wide_warp(run: &Run) -> Result<()> {
    let launch = Launch::covering([1000, 1000, 1], [16, 16, 1]);
    let case = Case::new("matmul").label("1000x1000, 16x16: bounds, were a warp 64 wide");
    run.case(case, |case| {
        let count = counting::bounds(1000, 1000, launch, 64);
        case.set("branch", "bounds");
        case.set("warps", count.warps);
        case.set("diverged_function", count.diverged);
        case.set("published_warps", 15876);
        case.set("published_diverged", 250);
        case.check(Check::equal(&[count.warps, count.diverged], &[15876, 250]));
        case.note("by arithmetic alone: no device here has such warps");
        Ok(())
    })?;
    Ok(())
}
