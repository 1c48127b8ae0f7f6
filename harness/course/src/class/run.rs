//! Grades a class on this computer: each submission in its own process, as many in parallel as there are cores.
use std::{
    panic::{self, AssertUnwindSafe},
    process::Command,
    sync::atomic::{AtomicUsize, Ordering},
    thread,
};

use harness::{
    DeviceChoice, Error, Result,
    process_limits::{self, ChildEnd, Limits},
};

use super::{entry::Entry, grade::Class, record::Record};

/// Runs of the lab for each part and size: the lab's own kernels and the submission's, on the emulated device and on a
/// GPU, and once more to be timed.
const RUNS: u64 = 5;
/// The most bytes that a grading process may print; it prints only errors.
const OUTPUT: u64 = 16 << 20;

/// The indices of the submissions that must be graded.
///
/// # Errors
/// Why one of them cannot be read.
pub fn due(class: &Class) -> Result<Vec<usize>> {
    let is_due = |index: usize| {
        // A panic while reading a submission must end only the process that grades it.
        let is_due = panic::catch_unwind(AssertUnwindSafe(|| class.is_due(&class.entries[index])));
        is_due.unwrap_or(Ok(true))
    };
    let is_due = harness::parallel(class.entries.len(), is_due);
    let mut due = Vec::new();
    for (index, is_due) in is_due.into_iter().enumerate() {
        if is_due? {
            due.push(index);
        }
    }
    Ok(due)
}

/// Grades the submissions `due` with the command that `command` gives for each, and calls `progress` with the number
/// done. A crash of one grading process does not affect the others.
///
/// # Errors
/// [`Error::Interrupted`]; [`Error::Io`] when no process can be started or no record written.
pub fn here(
    class: &Class,
    due: &[usize],
    command: &(dyn Fn(usize) -> Result<Command> + Sync),
    progress: &(dyn Fn(usize) + Sync),
) -> Result<()> {
    let done = AtomicUsize::new(0);
    let cores = thread::available_parallelism().map_or(1, usize::from);
    // On a GPU the next one would only wait for the lock.
    let at_once = match class.choice()? {
        DeviceChoice::Cuda(_) => 1,
        _ => cores.min(due.len()).max(1),
    };
    let within = cores / at_once;
    let share = within.to_string();
    let grade = |index: usize| {
        let mut command = command(index)?;
        command.env(harness::CORES, &share).env("WARPLAB_WORKERS", &share);
        let graded = one(class, &class.entries[index], command, within);
        progress(done.fetch_add(1, Ordering::Relaxed) + 1);
        graded
    };
    if at_once == 1 {
        return due.iter().try_for_each(|index| grade(*index));
    }
    harness::parallel(due.len(), |place| grade(due[place])).into_iter().collect()
}

/// Grades one submission in its own process, with up to `at_once` of its runs in parallel. If that leaves no record,
/// the record says why.
fn one(class: &Class, entry: &Entry, mut command: Command, at_once: usize) -> Result<()> {
    let settings = &class.settings;
    let sizes = class.rubric.sizes.known().len() + class.rubric.sizes.hidden;
    let variants: usize = class.rubric.exercises.iter().map(|part| part.variants.len()).sum();
    let limits = Limits {
        seconds: settings.limit_seconds.saturating_mul(RUNS * (sizes * variants) as u64 + RUNS),
        // Each of its runs may use that much memory, and this process supervises them.
        memory: settings.limit_memory.saturating_mul(at_once as u64 + 1),
        output: OUTPUT,
    };
    let ended = process_limits::run(&mut command, &limits).map_err(|source| Error::Io {
        action: "start",
        path: command.get_program().into(),
        source,
    })?;
    match ended.status.code() {
        Some(0) => Ok(()),
        Some(130) => Err(Error::Interrupted),
        _ if ended.stopped.is_some() && is_marked(class, entry, &reason(&ended)) => Ok(()),
        _ => class.store.write(entry, &Record { problem: Some(reason(&ended)), ..Record::new(entry) }),
    }
}

/// Whether a submission whose grading was stopped got final marks.
fn is_marked(class: &Class, entry: &Entry, why: &str) -> bool {
    matches!(panic::catch_unwind(AssertUnwindSafe(|| class.stopped(entry, why))), Ok(Ok(())))
}

fn reason(ended: &ChildEnd) -> String {
    let words = ended.error.trim();
    match &ended.stopped {
        Some(stopped) => stopped.to_string(),
        None if words.is_empty() => format!("its process ended with {}", ended.status),
        None => words.trim_start_matches("error: ").into(),
    }
}
