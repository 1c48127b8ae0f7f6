//! Runs the exercises on the device: unchanged, with the machine's own counter, and with branches counted by ballots.
use std::fmt::Display;

use cudarc::driver::{DevicePtrMut, DeviceRepr, PushKernelArg};
use harness::{Case, CaseContext, Check, Result, Run, Tolerance};

use crate::{
    EXERCISES, arithmetic,
    counting::{self, Count},
    exercises::{Branch, Exercise, Published, WARP},
    machine::{self, FILE},
    mistakes, steps,
};

/// Runs all exercises. Each branch gets a row of the CSV.
pub(crate) fn run(run: &Run) -> Result<()> {
    run.say("\nDiverged pairs (warp, branch): published, by arithmetic, by ballots, by the machine's counter");
    run.say(&line("exercise: branch", [&"warps", &"publ.", &"arith.", &"ballots", &"machine"]));
    let mut told = Vec::new();
    for row in run.rows(EXERCISES).filter(|row| !(row.is_large && run.options().quick)) {
        for exercise in (row.make)() {
            one(run, row.name(), &exercise, &mut told)?;
        }
    }
    arithmetic::run(run)?;
    steps::run(run)?;
    mistakes::run(run)
}

/// A row for each branch. A reason that several branches share is printed only once.
fn one(run: &Run, variant: &str, exercise: &Exercise, told: &mut Vec<&str>) -> Result<()> {
    let mut seen = None;
    for (index, branch) in exercise.branches.iter().enumerate() {
        let label = format!("{}: {}", exercise.case, branch.name);
        run.case(Case::new(variant).label(label.as_str()).launch(exercise.launch), |case| {
            // The launches are shared by the rows of the exercise; the first makes them.
            if seen.is_none() {
                seen = Some(observe(run, case, &variant.replace('-', "_"), exercise)?);
            }
            let seen = seen.as_ref().expect("it was just set");
            case.check(seen.outputs.clone());
            row(run, case, &format!("{variant} {label}"), branch, seen.ballots[index], seen.machine[index]);
            if !told.contains(&branch.why) {
                told.push(branch.why);
                run.say(&format!("      {}", branch.why));
            }
            Ok(())
        })?;
    }
    Ok(())
}

/// The device's counts and outputs of an exercise.
struct Seen {
    /// The check of both outputs.
    outputs: Check,
    /// For each branch, the number of warps that reached it and the number that diverged at it.
    ballots: Vec<[u64; 2]>,
    /// The same counts from the machine.
    machine: Vec<Option<[u64; 2]>>,
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
fn observe(run: &Run, case: &mut CaseContext<'_>, kernel: &str, exercise: &Exercise) -> Result<Seen> {
    let (stream, branches) = (run.stream(), exercise.branches.len());
    let warps = counting::warps(exercise.launch, WARP);
    let cells = branches * warps as usize;
    let mut reached = stream.alloc_zeros::<u32>(cells)?;
    let mut split = stream.alloc_zeros::<u32>(cells)?;

    let plain = launch(run, exercise, &format!("{kernel}_plain"), None)?;
    let machine = machine::counts(run, case, kernel, branches)?;
    let counted = {
        let (reached, _reached) = reached.device_ptr_mut(stream);
        let (split, _split) = split.device_ptr_mut(stream);
        let argument = Counted { reached, split, warps: warps as u32 };
        launch(run, exercise, &format!("{kernel}_counted"), Some(argument))?
    };

    let bits = |values: &[f32]| values.iter().map(|v| v.to_bits()).collect::<Vec<_>>();
    let expected = bits(&exercise.after);
    let mut outputs = Check::equal(&bits(&plain), &expected);
    outputs.merge(Check::equal(&bits(&counted), &expected));

    let (reached, split) = (stream.clone_dtoh(&reached)?, stream.clone_dtoh(&split)?);
    let nonzero = |cells: &[u32]| cells.iter().filter(|&&times| times > 0).count() as u64;
    let of_branches = reached.chunks(warps as usize).zip(split.chunks(warps as usize));
    let ballots = of_branches.map(|(reached, split)| [nonzero(reached), nonzero(split)]).collect();
    Ok(Seen { outputs, ballots, machine })
}

/// Launches one build of the exercise's kernel and returns its output.
fn launch(run: &Run, exercise: &Exercise, kernel: &str, counted: Option<Counted>) -> Result<Vec<f32>> {
    let stream = run.stream();
    let kernel = run.function(FILE, kernel)?;
    let inputs = exercise
        .inputs
        .iter()
        .zip(["x", "y"])
        .map(|(input, name)| run.upload(name, input))
        .collect::<Result<Vec<_>>>()?;
    let mut output = stream.clone_htod(&exercise.before)?;
    let mut builder = stream.launch_builder(&kernel);
    if let Some(counted) = &counted {
        builder.arg(counted);
    }
    for input in &inputs {
        builder.arg(&**input);
    }
    builder.arg(&mut output);
    for integer in &exercise.integers {
        builder.arg(integer);
    }
    // SAFETY: the arguments are the kernel's, in its order, and its arrays are as long as its launch needs.
    unsafe { builder.launch(exercise.launch) }?;
    Ok(stream.clone_dtoh(&output)?)
}

/// One row, whose counts must agree. `ballots` and `machine` hold the warps that reached the branch and those that
/// diverged.
fn row(
    run: &Run,
    case: &mut CaseContext<'_>,
    name: &str,
    branch: &Branch,
    ballots: [u64; 2],
    machine: Option<[u64; 2]>,
) {
    let count = branch.count;
    case.set("branch", branch.name);
    case.set("warps", count.warps);
    case.set("diverged_function", count.diverged);
    case.set("diverged_ballots", ballots[1]);
    agree(case, "by ballots", ballots, count);
    if let Some(machine) = machine {
        case.set("diverged_machine", machine[1]);
        agree(case, "by the machine's counter", machine, count);
    } else if run.is_emulated() {
        case.check(Check::that(false, "the machine counted no branch on this line of the kernel file"));
    }
    if let Some(published) = branch.published {
        publish(case, published, count, branch.why);
    }
    case.set("why", branch.why);
    let published = branch.published.map(|published| published.diverged);
    let [published, machine] = [published, machine.map(|[_, diverged]| diverged)]
        .map(|count| count.map_or_else(|| "-".to_owned(), |diverged| diverged.to_string()));
    run.say(&line(name, [&count.warps, &published, &count.diverged, &ballots[1], &machine]));
}

/// Checks counts that were obtained in one way, [reached, diverged], against arithmetic.
fn agree(case: &mut CaseContext<'_>, by: &str, [reached, diverged]: [u64; 2], count: Count) {
    case.check(Check::scalar(&format!("diverged {by}"), diverged, count.diverged, Tolerance::EXACT));
    case.check(Check::scalar(&format!("warps at the branch {by}"), reached, count.reached, Tolerance::EXACT));
}

/// A line of the table that is printed.
fn line(name: &str, [warps, published, arithmetic, ballots, machine]: [&dyn Display; 5]) -> String {
    format!("  {name:<58}{warps:>7}{published:>7}{arithmetic:>8}{ballots:>9}{machine:>9}")
}

/// Records a text's statement about a branch next to the right counts; if they differ, the note says `why`.
pub(crate) fn publish(case: &mut CaseContext<'_>, published: Published, right: Count, why: &str) {
    let Published { text, warps, diverged } = published;
    case.set("published_in", text);
    case.set("published_warps", warps);
    case.set("published_diverged", diverged);
    if (warps, diverged) != (right.warps, right.diverged) {
        let [count, of] = [right.diverged, right.warps];
        case.note(format!("{text} says {diverged} of {warps} warps; right is {count} of {of}: {why}"));
    }
}
