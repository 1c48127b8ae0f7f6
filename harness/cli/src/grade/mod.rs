//! `warplab grade`: runs a kernel file in place of a lab's own, under every check, with several orders of warps and
//! blocks, and at several sizes. It reports what is right, what is wrong and where, and how the counters compare with
//! those of the lab's own kernels.
//!
//! Every variant at every size runs in its own process, which is `warplab run` itself, under limits: a kernel that
//! faults, never ends or floods its output does not affect the other runs. The seed and two of the sizes are new each
//! time, and nothing that was not judged counts as right.

mod child;
mod judge;
mod remarks;
mod report;
#[cfg(test)]
mod sample;
mod sizes;
mod task;

use std::{
    collections::BTreeSet,
    io::{IsTerminal, Write},
    process::ExitCode,
    sync::atomic::{AtomicUsize, Ordering},
};

use clap::ArgMatches;
use harness::{Error, Session};

use child::Tried;
use judge::Grade;
use task::Task;
pub use task::command;

pub fn run(matches: &ArgMatches) -> Result<ExitCode, Error> {
    let (mut task, source) = Task::read(matches)?;
    // The file is compiled here first, so that its errors are reported once and the runs find its PTX in the cache.
    let capability = Session::open(&task.choice)?.device.compute_capability;
    let warnings = kernels::ptx_for(&source, capability)?.warnings;
    // A variant that does not use the file at the first size is not run at the others.
    let mut first = Vec::new();
    for (variant, runs) in try_all(&task, &task.variants, &task.sizes[..1])? {
        if child::uses(&task, variant, &runs[0])? {
            first.push((variant, runs));
        }
    }
    let variants: Vec<&'static str> = first.iter().map(|(variant, _)| *variant).collect();
    if !task.names_sizes {
        let long = harness::parallel(variants.len(), |v| child::is_long(&task, variants[v]));
        let is_long = long.into_iter().collect::<Result<Vec<_>, _>>()?.contains(&true);
        task.sizes = sizes::sizes(task.seed, is_long);
    }
    let rest = try_all(&task, &variants, &task.sizes[1..])?;
    let grades: Vec<Grade> = std::iter::zip(first, rest)
        .filter_map(|((variant, mut runs), (_, more))| {
            runs.extend(more);
            let mut grade = Grade::of(variant, &runs, task.names_sizes)?;
            // The counters of a kernel with a planted mistake are no measure for a mended one.
            if task.is_planted(variant) {
                grade.remarks.clear();
            }
            Some(grade)
        })
        .collect();
    if grades.iter().all(Grade::is_missing) {
        return Err(Error::usage(nothing_to_grade(&task, &source, &grades)));
    }
    let exit = judge::exit(&grades, task.named());
    if matches.get_flag("json") {
        let json = report::as_json(&task, &grades, &warnings, exit);
        harness::print(&serde_json::to_string_pretty(&json).unwrap_or_default());
    } else {
        harness::print(&report::as_text(&task, &grades, &warnings));
    }
    let is_there = |variant: &&&str| grades.iter().any(|g| g.variant == **variant && !g.is_missing());
    let absent: Vec<&str> = task.variants.iter().filter(|v| !is_there(v)).copied().collect();
    if task.names_variants && !absent.is_empty() {
        harness::print_error(&format!("error: not in {}: {}", task.kernel.display(), absent.join(", ")));
    }
    Ok(exit.into())
}

/// Runs each variant at each size, and returns the runs by variant.
fn try_all(
    task: &Task,
    variants: &[&'static str],
    sizes: &[Option<usize>],
) -> Result<Vec<(&'static str, Vec<Tried>)>, Error> {
    let jobs = variants.len() * sizes.len();
    let done = AtomicUsize::new(0);
    let tried = harness::parallel(jobs, |i| {
        let tried = child::run(task, variants[i / sizes.len()], sizes[i % sizes.len()]);
        progress(done.fetch_add(1, Ordering::Relaxed) + 1, jobs);
        tried
    });
    let mut tried = tried.into_iter();
    let of = |variant: &&'static str| Ok((*variant, tried.by_ref().take(sizes.len()).collect::<Result<_, Error>>()?));
    variants.iter().map(of).collect()
}

/// Why there is nothing to grade, and what could be graded.
fn nothing_to_grade(task: &Task, source: &kernels::KernelSource, grades: &[Grade]) -> String {
    let file = task.kernel.display();
    let lab = task.lab.name;
    if grades.is_empty() {
        let name = &source.name;
        return if task.names_variants {
            format!("{file} stands in for {name} of lab {lab}, which no variant that is named uses")
        } else {
            format!("{file} stands in for {name} of lab {lab}, which no variant that should be right uses by default")
        };
    }
    let wanted: BTreeSet<&str> = grades.iter().flat_map(Grade::missing).collect();
    let has = source.kernels();
    if let Some(name) = has.iter().find(|name| wanted.contains(*name)) {
        return format!(
            "kernel `{name}` of {file} cannot be found by its name: declare it extern \"C\" __global__ void {name}(...)"
        );
    }
    let has = if has.is_empty() { "no kernel".to_string() } else { has.join(", ") };
    let wanted = wanted.into_iter().collect::<Vec<_>>().join(", ");
    format!(
        "{file} holds none of the kernels that lab {lab} looks for ({wanted}); it has {has}. \
         Each must be declared extern \"C\" __global__ void NAME(...)"
    )
}

/// Shows the progress to a waiting user; the last call clears the line.
fn progress(done: usize, all: usize) {
    let mut error = std::io::stderr();
    if error.is_terminal() {
        let _ =
            if done < all { write!(error, "\rgrading: {done} of {all} runs") } else { write!(error, "\r{:40}\r", "") };
    }
}
