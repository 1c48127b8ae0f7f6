//! The lab's own kernels, with which each file is compared. What comes of them depends on this program and on what it
//! is asked for, and not on the file: it is found out once, and kept.
use std::{
    collections::HashMap,
    env, fs,
    path::PathBuf,
    process::Command,
    sync::{Arc, Mutex, PoisonError},
};

use harness::{DeviceChoice, Error};

use super::{
    child::{Ended, Outcome, command, this_program},
    task::Task,
};
use crate::hash::Hash;

/// The folder of what is known, in a cache.
pub const OWN: &str = "own";

/// Variables whose values say where and how fast something runs, and not what comes of it.
const WITHOUT_EFFECT: [&str; 3] = [harness::CORES, "WARPLAB_WORKERS", "WARPLAB_CACHE"];

/// What is known of the lab's own kernels.
#[derive(Debug, Default)]
pub struct Known {
    found: Mutex<HashMap<String, Outcome>>,
    /// Where it outlives this process.
    folder: Option<PathBuf>,
}

impl Known {
    /// As long as this process lives: nobody else has a hand in it.
    pub fn here() -> Arc<Self> {
        Arc::default()
    }

    /// In `folder` too, which other processes share.
    pub fn shared(folder: PathBuf) -> Arc<Self> {
        Arc::new(Self { folder: Some(folder), ..Self::default() })
    }

    /// In warplab's own cache too, which the user can write: for help, and not for marks.
    pub fn cached() -> Arc<Self> {
        let folder = kernels::cache_folder().map(|cache| cache.join(OWN));
        Arc::new(Self { folder, ..Self::default() })
    }

    /// What is known by `key`, or what `find` finds out, with whether that is so at each time. A file that is damaged
    /// is taken for absent, and written anew. `is_shared` says whether it is the same on other computers.
    fn or_find(
        &self,
        key: &str,
        is_shared: bool,
        find: impl FnOnce() -> Result<(Outcome, bool), Error>,
    ) -> Result<Outcome, Error> {
        let found = || self.found.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(known) = found().get(key) {
            return Ok(known.clone());
        }
        let file = self.folder.as_ref().filter(|_| is_shared).map(|folder| folder.join(key));
        let kept = file.as_ref().and_then(|file| kernels::kept::read::<Outcome>(file));
        let outcome = match kept {
            Some(outcome) => outcome,
            None => {
                let (outcome, is_lasting) = find()?;
                if !is_lasting {
                    return Ok(outcome);
                }
                if let Some(file) = &file {
                    // Where the folder is full or cannot be written, it is found out again.
                    let _ = kernels::kept::write(file, &outcome);
                }
                outcome
            }
        };
        found().insert(key.into(), outcome.clone());
        Ok(outcome)
    }
}

/// What comes of the lab's own kernels as `variant` at this size.
///
/// # Errors
/// What keeps the run from starting or being read.
pub fn own(task: &Task, variant: &'static str, size: Option<usize>) -> Result<Outcome, Error> {
    let command = command(task, &[variant], size)?;
    let find = |command| {
        let ended = Ended::of(command, &task.limits)?;
        let is_lasting = ended.is_lasting();
        Ok((ended.own(task.replaces())?, is_lasting))
    };
    let is_shared = matches!(task.choice, DeviceChoice::Emulated(_));
    match key(&command, task) {
        Some(key) => task.known.or_find(&key, is_shared, || find(command)),
        None => find(command).map(|(outcome, _)| outcome),
    }
}

/// Warp instructions of the case that takes the most.
pub fn instructions(own: &Outcome) -> u64 {
    let Outcome::Ran { rows, .. } = own else {
        return 0;
    };
    let all = rows.iter().filter_map(|r| r.counter("instructions"));
    all.fold(0.0, f64::max) as u64
}

/// All that the outcome of `command` depends on; `None` where that is not known.
fn key(command: &Command, task: &Task) -> Option<String> {
    let mut hash = Hash::new();
    hash.add(&program()?);
    hash.add(
        &kernels::nvrtc()
            .ok()?
            .map(|nvrtc| format!("{} {}", nvrtc.identity(), nvrtc.path().display()))
            .unwrap_or_default(),
    );
    hash.add(task.replaces());
    hash.add(&format!("{:?}", task.limits));
    for argument in command.get_args() {
        hash.add(argument.as_encoded_bytes());
    }
    let mut variables: Vec<_> = env::vars_os()
        .filter(|(name, _)| name.to_str().is_some_and(|name| name.starts_with("WARPLAB_")))
        .filter(|(name, _)| !WITHOUT_EFFECT.iter().any(|known| name == known))
        .collect();
    variables.sort();
    for (name, value) in variables {
        hash.add("variable");
        hash.add(name.as_encoded_bytes());
        hash.add(value.as_encoded_bytes());
    }
    Some(hash.end())
}

/// What tells this build of the program from others: its file's size, and when that was written and put there.
fn program() -> Option<String> {
    let data = fs::metadata(this_program().ok()?).ok()?;
    let identity = format!("{} {:?}", data.len(), data.modified().ok()?);
    #[cfg(unix)]
    let identity = {
        use std::os::unix::fs::MetadataExt;
        // Whoever unpacks an archive can set the other time, but not this one.
        format!("{identity} {} {}", data.ctime(), data.ctime_nsec())
    };
    Some(identity)
}

#[cfg(test)]
mod tests {
    use std::cell::Cell;

    use harness::Verdict;

    use super::{super::sample::record, *};

    fn ran(note: &str) -> Outcome {
        let row = harness::Record { note: note.into(), ..record(Verdict::Pass) };
        Outcome::Ran { rows: vec![row], missing: Vec::new() }
    }

    /// The note of what is known by `key`, and whether it had to be found out; then `found` was.
    fn ask(known: &Known, key: &str, is_shared: bool, found: (&str, bool)) -> (String, bool) {
        let asked = Cell::new(false);
        let outcome = known.or_find(key, is_shared, || {
            asked.set(true);
            Ok((ran(found.0), found.1))
        });
        let Outcome::Ran { rows, .. } = outcome.unwrap() else { panic!("another outcome") };
        (rows[0].note.clone(), asked.get())
    }

    #[test]
    fn an_outcome_is_found_out_once_and_one_that_does_not_last_each_time() {
        let known = Known::here();
        assert_eq!(ask(&known, "a", true, ("first", true)), ("first".into(), true));
        assert_eq!(ask(&known, "a", true, ("second", true)), ("first".into(), false));
        assert_eq!(ask(&known, "b", true, ("out of memory", false)), ("out of memory".into(), true));
        assert_eq!(ask(&known, "b", true, ("right", true)), ("right".into(), true));
        assert_eq!(ask(&Known::here(), "a", true, ("third", true)), ("third".into(), true));
    }

    #[test]
    fn other_processes_share_a_folder_but_not_what_a_gpu_gave_nor_a_damaged_file() {
        let folder = tempfile::tempdir().unwrap();
        let shared = || Known::shared(folder.path().join("own"));
        assert_eq!(ask(&shared(), "a", true, ("first", true)), ("first".into(), true));
        assert_eq!(ask(&shared(), "a", true, ("second", true)), ("first".into(), false));
        assert_eq!(ask(&shared(), "gpu", false, ("first", true)), ("first".into(), true));
        assert_eq!(ask(&shared(), "gpu", false, ("second", true)), ("second".into(), true));
        let file = folder.path().join("own/a");
        let whole = fs::read_to_string(&file).unwrap();
        for damaged in [whole.replace("first", "worse"), whole[..whole.len() - 1].to_string(), String::new()] {
            fs::write(&file, damaged).unwrap();
            assert_eq!(ask(&shared(), "a", true, ("first", true)), ("first".into(), true));
            assert_eq!(fs::read_to_string(&file).unwrap(), whole);
        }
    }
}
