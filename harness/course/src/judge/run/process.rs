//! A process that has ended, and what its end means: for the lab's own kernels, and for a submitted file.
use std::{
    env,
    path::PathBuf,
    process::{Command, ExitStatus},
};

use harness::{
    Error, Exit, Record, Verdict,
    process_limits::{self, Limits, Stopped},
};
use record::LabRun;

use super::outcome::Outcome;

/// The results of a run that has ended.
pub(super) struct EndedRun {
    status: ExitStatus,
    /// Why it was stopped, if it was.
    pub(super) stopped: Option<Stopped>,
    /// What it wrote to standard error.
    words: String,
    /// The beginning of its standard output: what kernels print, since the run itself is quiet.
    printed: String,
    /// A run that is refused has no rows.
    pub(super) rows: Vec<Record>,
    /// How the lab ended, according to `session.json`.
    lab: LabRun,
}

impl EndedRun {
    /// Runs `command` to its end.
    pub(super) fn run(mut command: Command, limits: &Limits) -> Result<Self, Error> {
        let io = |action, path: PathBuf| move |source| Error::Io { action, path, source };
        let folder = tempfile::tempdir().map_err(io("create a folder in", env::temp_dir()))?;
        command.arg("--out").arg(folder.path());
        // The only folder in which a confined run may write.
        command.env("TMPDIR", folder.path());
        // Marks do not depend on what else is installed, and ptxas does not run sandboxed.
        command.env(harness::PTXAS, "off");
        let records = folder.path().join("records");
        command.arg("--records").arg(&records).envs(kernels::for_children());
        command.args(kernels::copy_for_children().into_iter().flat_map(|copy| ["--kernel-copy".into(), copy]));
        let ended = process_limits::run(&mut command, limits).map_err(io("start", command.get_program().into()))?;
        let rows = harness::records(&std::fs::read_to_string(&records).unwrap_or_default())?;
        let lab = record::sessions_in(folder.path())
            .unwrap_or_default()
            .pop()
            .and_then(|session| session.labs.into_iter().next());
        Ok(Self {
            status: ended.status,
            stopped: ended.stopped,
            printed: ended.output,
            words: ended.error.trim().trim_start_matches("error: ").to_string(),
            rows,
            lab: lab.unwrap_or_default(),
        })
    }

    /// Returns the error of a run that ended before its first case because of its environment, such as a full disk or
    /// too little memory: then nothing is known about any kernel.
    fn in_vain(&self) -> Option<Error> {
        let code = self.status.code()?;
        let is_unable = code == i32::from(Exit::CannotRun.code()) && self.rows.is_empty();
        is_unable.then(|| Error::CannotRun(self.words.clone()))
    }

    /// Whether this result of the lab's own kernels is reproducible: not caused by a lack of time, memory or a device.
    pub(super) fn is_lasting(&self) -> bool {
        let is_refused = self.status.code() == Some(i32::from(Exit::Usage.code()));
        let is_whole = self.status.success() && self.rows.iter().all(|row| row.verdict != Verdict::Skip);
        self.stopped.is_none() && (is_refused || is_whole)
    }

    /// The output of kernels.
    pub(super) fn printed(&self) -> String {
        self.printed.clone()
    }

    /// The rows of a run for `what` that is to give some.
    ///
    /// # Errors
    /// [`Error::CannotRun`] when it gives none, with its error message.
    pub(super) fn all_rows(self, what: &str) -> Result<Vec<Record>, Error> {
        match self.stopped {
            Some(stopped) => Err(Error::CannotRun(format!("{what} was {stopped}"))),
            None if self.rows.is_empty() => Err(Error::CannotRun(self.words)),
            None => Ok(self.rows),
        }
    }

    /// All rows of a run of several variants, if it was completed.
    pub(super) fn whole(self) -> Option<Vec<Record>> {
        (self.stopped.is_none() && matches!(self.status.code(), Some(0 | 1))).then_some(self.rows)
    }

    /// The outcome of the lab's own kernels, of which the file `replaced` is to be judged.
    pub(super) fn own(self, replaced: &str) -> Result<Outcome, Error> {
        Ok(match (self.status.code(), self.stopped) {
            (Some(130), _) => return Err(Error::Interrupted),
            (Some(0 | 1), None) if !self.lab.ptx.contains_key(replaced) => Outcome::Elsewhere,
            (Some(0 | 1), None) => Outcome::Ran { rows: self.rows, missing: Vec::new() },
            (Some(_), None) => Outcome::Refused(self.words),
            (_, Some(stopped)) => Outcome::Refused(format!("the lab's own kernels were {stopped}")),
            (None, None) => Outcome::Refused(format!("the run of the lab's own kernels crashed with {}", self.status)),
        })
    }

    /// The outcome of the submitted file.
    pub(super) fn submitted(self) -> Result<Outcome, Error> {
        let in_vain = self.in_vain();
        let Self { status, stopped, words, rows, lab, .. } = self;
        // Kernels can be missing in a case, or before the cases, where the lab's run then ends.
        let absent = lab.missing_kernel;
        let lacks = |r: &Record| r.missing_kernel.clone();
        let missing: Vec<String> = rows.iter().filter_map(lacks).chain(absent).collect();
        let failed = |r: &Record| matches!(r.verdict, Verdict::Fail | Verdict::Finding);
        Ok(match (status.code(), stopped) {
            (_, Some(stopped)) => Outcome::Failed(of_stopped(stopped)),
            (Some(130), _) => return Err(Error::Interrupted),
            (Some(0 | 1), _) => Outcome::Ran { rows, missing },
            (Some(_), _) if lab.kernel_error.is_some() => {
                let what = lab.kernel_error.unwrap_or_default();
                if lab.unmodelled { Outcome::Unmodelled(what) } else { Outcome::Failed(what) }
            }
            // Failures before the end of the run count, and so does what could not be judged.
            (Some(_), _) if rows.iter().any(|r| failed(r) || r.is_unmodelled()) || !missing.is_empty() => {
                Outcome::Ran { rows, missing }
            }
            (Some(_), _) => match in_vain {
                Some(error) => return Err(error),
                None => Outcome::Refused(words),
            },
            (None, _) => {
                let last = words.lines().last().unwrap_or("it printed nothing");
                Outcome::Failed(format!("the run crashed with {status}: {last}"))
            }
        })
    }
}

/// What was wrong with a run that was stopped.
fn of_stopped(stopped: Stopped) -> String {
    match stopped {
        Stopped::Time(seconds) => not_ended(&format!("{seconds} s")),
        Stopped::Cpu(seconds) => not_ended(&format!("{seconds} s of CPU time")),
        other => other.to_string(),
    }
}

fn not_ended(after: &str) -> String {
    format!("its kernels had not ended after {after}, and were stopped: an endless loop, or far too much work")
}
