//! Grades a class on a cluster: a Slurm job array with one submission per task.
use std::{fmt::Write, fs, path::Path, process::Stdio};

use harness::{DeviceChoice, Error, Result};

use super::grade::Class;
use crate::export::file;

/// The most tasks of an array: Slurm's default `MaxArraySize` is 1001, and indices are below it.
const MOST: usize = 1000;

/// Submits the submissions `due`, and waits until all tasks have ended. A task runs `words` followed by the index of
/// its submission. `options` are further options of `sbatch`; `out` is the folder of the class, which all computers can
/// access.
///
/// # Errors
/// [`Error::CannotRun`] when Slurm cannot be used; [`Error::Io`].
pub fn grade(class: &Class, out: &Path, due: &[usize], words: &[String], options: &[String]) -> Result<()> {
    let folder = out.join("slurm");
    fs::create_dir_all(&folder).map_err(|source| Error::Io { action: "create", path: folder.clone(), source })?;
    let is_gpu = matches!(class.choice()?, DeviceChoice::Cuda(_));
    let mut jobs = Vec::new();
    for array in due.chunk_by(|one, next| one / MOST == next / MOST) {
        let first = array[0] / MOST * MOST;
        let script = folder.join(format!("from-{first}.sh"));
        file::write(&script, &text(words, first))?;
        let places: Vec<usize> = array.iter().map(|index| index - first).collect();
        let mut command = kernels::program::named("sbatch");
        command.arg("--wait").arg(format!("--array={}", ranges(&places)));
        command.arg(format!("--job-name=warplab-{}", class.lab.name)).arg("--cpus-per-task=1");
        command.arg(format!("--output={}", folder.join("%A_%a.txt").display()));
        if is_gpu {
            command.arg("--gres=gpu:1");
        }
        // Slurm's output is not a result of this program.
        command.args(options).arg(&script).stdin(Stdio::null()).stdout(std::io::stderr());
        jobs.push(command.spawn().map_err(|error| {
            Error::CannotRun(format!("sbatch, which submits jobs to Slurm, cannot be started: {error}"))
        })?);
    }
    let mut failed = Vec::new();
    for job in &mut jobs {
        let status = job.wait().map_err(|error| Error::CannotRun(format!("sbatch cannot be waited for: {error}")))?;
        // sbatch ends with the exit status of its worst task; submissions without marks are reported below.
        failed.extend((!status.success()).then_some(status));
    }
    let is_missing = |index: &&usize| class.is_due(&class.entries[**index]).unwrap_or(true);
    let missing = if class.again.is_empty() { due.iter().filter(is_missing).count() } else { 0 };
    match failed.first() {
        Some(status) if missing > 0 || !class.again.is_empty() => Err(Error::CannotRun(format!(
            "sbatch ended with {status}, and {missing} submissions have no marks: see {}, and run the same command again",
            folder.display()
        ))),
        _ => Ok(()),
    }
}

/// The script of an array whose first task grades the submission at index `first`.
fn text(words: &[String], first: usize) -> String {
    let mut text = String::from("#!/bin/sh\n");
    text += "export WARPLAB_CORES=\"${SLURM_CPUS_PER_TASK:-1}\" WARPLAB_WORKERS=\"${SLURM_CPUS_PER_TASK:-1}\"\n";
    text += "exec";
    for word in words {
        let _ = write!(text, " '{}'", word.replace('\'', "'\\''"));
    }
    let _ = write!(text, " --only $(({first} + SLURM_ARRAY_TASK_ID))");
    text
}

/// Numbers as Slurm writes them: `0-3,7`.
fn ranges(numbers: &[usize]) -> String {
    let each = numbers.chunk_by(|one, next| one + 1 == *next).map(|range| match range {
        [only] => only.to_string(),
        _ => format!("{}-{}", range[0], range[range.len() - 1]),
    });
    each.collect::<Vec<_>>().join(",")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_written_as_ranges() {
        assert_eq!(ranges(&[0, 1, 2, 3, 7, 9, 10]), "0-3,7,9-10");
        assert_eq!(ranges(&[5]), "5");
    }

    #[test]
    fn a_script_quotes_its_words() {
        let text = text(&["/a b/warplab".into(), "it's".into()], 1000);
        assert!(text.starts_with("#!/bin/sh\n"), "{text}");
        assert!(text.ends_with("exec '/a b/warplab' 'it'\\''s' --only $((1000 + SLURM_ARRAY_TASK_ID))"), "{text}");
    }
}
