//! Runs of the lab's own kernels, with which each file is compared.
use std::{env, fs, process::Command};

use harness::{Counter, DeviceChoice, Error, Verdict};

use super::{
    command::{self, this_program},
    outcome::Outcome,
    process::EndedRun,
    runner::Runner,
};
use crate::{
    hash::Hash,
    judge::plan::{JudgeRequest, Round},
};

/// Variables that affect where and how fast something runs, but not its results.
const WITHOUT_EFFECT: [&str; 3] = [harness::CORES, "WARPLAB_WORKERS", "WARPLAB_CACHE"];

impl Runner {
    /// The outcome of the lab's own kernels as `variant` at this size.
    ///
    /// # Errors
    /// Why the run cannot be started or read.
    pub fn own(&self, request: &JudgeRequest, variant: &'static str, size: Option<usize>) -> Result<Outcome, Error> {
        if !request.lab.has_own_kernels() {
            return Ok(Outcome::Absent);
        }
        let command = command::own(request, &[variant], size)?;
        let find = |command| {
            let ended = EndedRun::run(command, &self.limits)?;
            let is_lasting = ended.is_lasting();
            Ok((ended.own(self.replaces(request.lab))?, is_lasting))
        };
        let is_shared = matches!(request.choice, DeviceChoice::Emulated(_));
        match self.key(&command, self.replaces(request.lab)) {
            Some(key) => self.baseline.or_find(&key, is_shared, || find(command)),
            None => find(command).map(|(outcome, _)| outcome),
        }
    }

    /// Runs the lab's own kernels in these rounds, for what they leave behind. The inner error says why they fail.
    ///
    /// # Errors
    /// Why the run cannot be started or read.
    pub fn own_rounds(&self, request: &JudgeRequest, rounds: &[Round]) -> Result<Result<(), String>, Error> {
        let ended = EndedRun::run(Self::own_in_rounds(request, rounds)?, &self.limits)?;
        let rows = match ended.all_rows("the run of its kernels") {
            Ok(rows) => rows,
            Err(Error::CannotRun(why)) => return Ok(Err(why)),
            Err(error) => return Err(error),
        };
        let wrong = rows.iter().find(|row| row.verdict != Verdict::Pass);
        Ok(wrong.map_or(Ok(()), |row| Err(format!("{}: {}", row.case, row.note))))
    }

    /// The cache key: a hash of all that the outcome of `command`, a run of the lab's own kernels, depends on; `None`
    /// if that is unknown.
    fn key(&self, command: &Command, replaces: &str) -> Option<String> {
        let mut hash = Hash::new();
        hash.add(&program()?);
        hash.add(
            &kernels::nvrtc()
                .ok()?
                .map(|nvrtc| format!("{} {}", nvrtc.identity(), nvrtc.path().display()))
                .unwrap_or_default(),
        );
        hash.add(replaces);
        hash.add(&format!("{:?}", self.limits));
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
}

/// The warp instructions of the case with the most.
pub(super) fn instructions(own: &Outcome) -> u64 {
    let Outcome::Ran { rows, .. } = own else {
        return 0;
    };
    let all = rows.iter().filter_map(|r| r.counters.get(Counter::Instructions));
    all.fold(0.0, f64::max) as u64
}

/// Identifies this build of the program: its file's size, modification time and change time.
fn program() -> Option<String> {
    let data = fs::metadata(this_program().ok()?).ok()?;
    let identity = format!("{} {:?}", data.len(), data.modified().ok()?);
    #[cfg(unix)]
    let identity = {
        use std::os::unix::fs::MetadataExt;
        // Unpacking an archive can set the modification time, but not this one.
        format!("{identity} {} {}", data.ctime(), data.ctime_nsec())
    };
    Some(identity)
}
