//! A cache of what the lab's own kernels show. Their results depend on this program and the requested run, but not on
//! the file, so they are computed once.
use std::{
    collections::HashMap,
    path::PathBuf,
    sync::{Arc, Mutex, PoisonError},
};

use harness::Error;

use super::outcome::Outcome;

/// The folder of the baseline results in a cache.
pub const OWN: &str = "own";

/// A cache of the results of the lab's own kernels.
#[derive(Debug, Default)]
pub struct BaselineCache {
    found: Mutex<HashMap<String, Outcome>>,
    /// The folder of entries that outlive this process.
    folder: Option<PathBuf>,
}

impl BaselineCache {
    /// An in-memory cache, private to this process.
    pub fn here() -> Arc<Self> {
        Arc::default()
    }

    /// A cache that is also stored in `folder`, which other processes share.
    pub fn shared(folder: PathBuf) -> Arc<Self> {
        Arc::new(Self { folder: Some(folder), ..Self::default() })
    }

    /// A cache that is also stored in warplab's own cache folder, which the user can write: for help, not for marks.
    pub fn cached() -> Arc<Self> {
        let folder = kernels::cache_folder().map(|cache| cache.join(OWN));
        Arc::new(Self { folder, ..Self::default() })
    }

    /// Looks up `key`, or calls `find` for the outcome and whether it is reproducible. A damaged file is treated as
    /// missing and rewritten. `is_shared` says whether the outcome is the same on other computers.
    pub(super) fn or_find(
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
        let kept = file.as_ref().and_then(|file| kernels::checked_cache::read::<Outcome>(file));
        let outcome = match kept {
            Some(outcome) => outcome,
            None => {
                let (outcome, is_lasting) = find()?;
                if !is_lasting {
                    return Ok(outcome);
                }
                if let Some(file) = &file {
                    // If the folder is full or read-only, the outcome is computed again next time.
                    let _ = kernels::checked_cache::write(file, &outcome);
                }
                outcome
            }
        };
        found().insert(key.into(), outcome.clone());
        Ok(outcome)
    }
}

#[cfg(test)]
mod tests {
    use std::{cell::Cell, fs};

    use harness::Verdict;

    use super::*;
    use crate::judge::verdict::sample::record;

    fn ran(note: &str) -> Outcome {
        let row = harness::Record { note: note.into(), ..record(Verdict::Pass) };
        Outcome::Ran { rows: vec![row], missing: Vec::new() }
    }

    /// Looks up `key`, and returns the outcome's note and whether it had to be computed; then `found` was.
    fn ask(baseline: &BaselineCache, key: &str, is_shared: bool, found: (&str, bool)) -> (String, bool) {
        let asked = Cell::new(false);
        let outcome = baseline.or_find(key, is_shared, || {
            asked.set(true);
            Ok((ran(found.0), found.1))
        });
        let Outcome::Ran { rows, .. } = outcome.unwrap() else { panic!("another outcome") };
        (rows[0].note.clone(), asked.get())
    }

    #[test]
    fn an_outcome_is_found_out_once_and_one_that_does_not_last_each_time() {
        let cache = BaselineCache::here();
        assert_eq!(ask(&cache, "a", true, ("first", true)), ("first".into(), true));
        assert_eq!(ask(&cache, "a", true, ("second", true)), ("first".into(), false));
        assert_eq!(ask(&cache, "b", true, ("out of memory", false)), ("out of memory".into(), true));
        assert_eq!(ask(&cache, "b", true, ("right", true)), ("right".into(), true));
        assert_eq!(ask(&BaselineCache::here(), "a", true, ("third", true)), ("third".into(), true));
    }

    #[test]
    fn other_processes_share_a_folder_but_not_what_a_gpu_gave_nor_a_damaged_file() {
        let folder = tempfile::tempdir().unwrap();
        let shared = || BaselineCache::shared(folder.path().join("own"));
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
