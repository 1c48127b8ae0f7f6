//! Judges a kernel file by running it in place of a lab's own, under every check, with several orders of warps and
//! blocks, and at several sizes: what is right, what is wrong and where, and how the counters compare with those of the
//! lab's own kernels.
//!
//! Every variant at every size runs in its own process, which is `warplab run` itself, under limits: a kernel that
//! faults, never ends or floods its output does not affect the other runs. What was not judged never counts as right.

pub mod atomics;
mod baseline;
pub mod bounds;
mod child;
mod failure;
pub mod grade;
mod printed;
mod reference;
mod remarks;
#[cfg(test)]
pub(crate) mod sample;
pub mod sizes;
mod sweep;
pub mod task;
pub mod work;

use std::sync::atomic::{AtomicUsize, Ordering};

use harness::{Result, Session};
use kernels::Warning;

pub use baseline::{BaselineCache, OWN};
pub use bounds::Bounds;
use child::Tried;
pub use child::{predicted_rows, this_program, timed};
use grade::Grade;
pub use printed::Printed;
pub use reference::reference;
pub use sweep::{Swept, sweep};
pub use task::Task;

/// Called with the number of runs that have ended, and the number planned.
pub type Progress<'a> = &'a (dyn Fn(usize, usize) + Sync);

/// The judgement of a file.
#[derive(Debug)]
pub struct Judgement {
    /// A grade for each variant that uses the file.
    pub grades: Vec<Grade>,
    /// The sizes that were tried: the known ones, then the hidden ones.
    pub sizes: Vec<Option<usize>>,
    /// The compiler's warnings.
    pub warnings: Vec<Warning>,
    /// The PTX; empty if it was compiled elsewhere.
    pub ptx: String,
}

/// Judges the file, and calls `progress` with the number of runs that have ended, and the number planned.
///
/// # Errors
/// [`harness::Error::Kernel`] when the file does not compile; why runs cannot be started or read.
pub fn judge(task: &Task, progress: Progress) -> Result<Judgement> {
    // The file is compiled here first, so that its errors are reported once and the runs find its PTX in the cache.
    let capability = Session::open(&task.choice)?.device.compute_capability;
    let kernels::Compiled { warnings, ptx, .. } = kernels::ptx_for(&task.source, capability)?;
    Ok(Judgement { warnings, ptx, ..judge_elsewhere(task, progress)? })
}

/// Like [`judge`], but this process does not open the device, since it has opened another one. The file is known to
/// compile.
///
/// # Errors
/// Why runs cannot be started or read.
pub fn judge_elsewhere(task: &Task, progress: Progress) -> Result<Judgement> {
    // A variant that does not use the file at the first size is not run at the others.
    let none = Swept::default();
    let first = used(task, try_all(task, &task.variants, &task.sizes[..1], false, &none, progress)?)?;
    let variants: Vec<&'static str> = first.iter().map(|(variant, _)| *variant).collect();
    let hidden = hidden_sizes(task, &variants)?;
    let known = try_all(task, &variants, &task.sizes[1..], false, &none, progress)?;
    let unknown = try_all(task, &variants, &hidden, true, &none, progress)?;
    let mut grades = Vec::new();
    for ((variant, mut runs), more) in first.into_iter().zip(known.into_iter().zip(unknown)) {
        runs.extend(more.0.1.into_iter().chain(more.1.1));
        grades.extend(grade_of(task, variant, &runs));
    }
    let sizes = task.sizes.iter().copied().chain(hidden).collect();
    Ok(Judgement { grades, sizes, warnings: Vec::new(), ptx: String::new() })
}

/// Grades the task's variants at a single, known size. Variants in `swept` are not run again. The file is known to
/// compile.
///
/// # Errors
/// Why runs cannot be started or read.
pub fn judge_at(task: &Task, size: Option<usize>, swept: &Swept) -> Result<Vec<Grade>> {
    let tried = used(task, try_all(task, &task.variants, &[size], false, swept, &|_, _| ())?)?;
    Ok(tried.iter().filter_map(|(variant, runs)| grade_of(task, variant, runs)).collect())
}

/// A variant with its runs.
type Runs = (&'static str, Vec<Tried>);

/// Keeps the variants that use the file, judged by their first runs.
fn used(task: &Task, tried: Vec<Runs>) -> Result<Vec<Runs>> {
    let mut used = Vec::new();
    for (variant, runs) in tried {
        if child::uses(task, variant, &runs[0])? {
            used.push((variant, runs));
        }
    }
    Ok(used)
}

/// Grades the runs of `variant`, if it uses the file.
fn grade_of(task: &Task, variant: &'static str, runs: &[Tried]) -> Option<Grade> {
    let mut grade = Grade::from_runs(variant, runs, task.needs_sizes)?;
    if !task.lab.takes("n", variant) {
        grade.without_sizes();
    }
    // The counters of a kernel with a planted mistake are not a baseline for a fixed one.
    if task.is_planted(variant) {
        grade.remarks.clear();
        grade.rows.iter_mut().for_each(|judged| judged.work = None);
    }
    Some(grade)
}

/// The sizes drawn from the seed; small ones if one of `variants` takes long.
///
/// # Errors
/// Why runs of the lab's own kernels cannot be started or read.
pub fn hidden_sizes(task: &Task, variants: &[&'static str]) -> Result<Vec<Option<usize>>> {
    if task.hidden == 0 {
        return Ok(Vec::new());
    }
    let long = harness::parallel(variants.len(), |v| child::is_long(task, variants[v]));
    let is_long = long.into_iter().collect::<Result<Vec<_>>>()?.contains(&true);
    Ok(sizes::hidden(task.seed, task.hidden, is_long).into_iter().map(Some).collect())
}

/// Runs each variant at each size, and returns the runs by variant.
fn try_all(
    task: &Task,
    variants: &[&'static str],
    sizes: &[Option<usize>],
    is_hidden: bool,
    swept: &Swept,
    progress: Progress,
) -> Result<Vec<Runs>> {
    let jobs = variants.len() * sizes.len();
    let done = AtomicUsize::new(0);
    let tried = harness::parallel(jobs, |i| {
        let tried = child::run(task, variants[i / sizes.len()], sizes[i % sizes.len()], is_hidden, swept);
        progress(done.fetch_add(1, Ordering::Relaxed) + 1, jobs);
        tried
    });
    let mut tried = tried.into_iter();
    let of = |variant: &&'static str| Ok((*variant, tried.by_ref().take(sizes.len()).collect::<Result<_>>()?));
    variants.iter().map(of).collect()
}
