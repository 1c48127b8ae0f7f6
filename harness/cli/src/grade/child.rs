//! One run of one variant at one size, in its own process.
use std::{
    env,
    process::{Command, Stdio},
};

use harness::{Error, Exit, Record, Verdict};
use serde_json::Value;

use super::{INSTEAD, Outcome, Task};

/// A launch may take `BUDGET` warp instructions, or `SLOWER` times those of the lab's own kernels if that is more. An
/// endless loop is then found in seconds, not after the hour that a run's usual budget lasts, and a kernel that is only
/// slow is not stopped.
const BUDGET: u64 = 20_000_000;
const SLOWER: u64 = 50;

/// If the lab's own kernels take more warp instructions than this at n = [`INSTEAD`], ten times that n is too large to
/// be tried several times under every check: the work grows with the cube of n (matmul), or does not depend on n.
const LONG: u64 = 100_000;

/// Whether a size above [`INSTEAD`] is too much work.
pub fn is_long(task: &Task, variant: &str) -> Result<bool, Error> {
    let own = outcome(command(task, variant, Some(INSTEAD))?, None)?;
    Ok(instructions(&own) > LONG)
}

/// A variant at a size.
#[derive(Debug)]
pub struct Tried {
    /// `None` stands for the lab's quick sizes.
    pub size: Option<usize>,
    /// The result of the file being graded, under every check.
    pub graded: Outcome,
    /// The result of the lab's own kernels, whose counters are compared.
    pub own: Outcome,
}

/// Runs the lab's own kernels, and then the file being graded, as `variant`.
pub fn run(task: &Task, variant: &str, size: Option<usize>) -> Result<Tried, Error> {
    let own = outcome(command(task, variant, size)?, None)?;
    let takes = instructions(&own);
    let schedules = task.schedules.to_string();
    let mut command = command(task, variant, size)?;
    command.arg("--kernel").arg(&task.kernel).args(["--partial", "--check", "all", "--schedules", &schedules]);
    if env::var_os("WARPLAB_BUDGET").is_none() {
        let budget = BUDGET.max(takes.saturating_mul(SLOWER));
        command.env("WARPLAB_BUDGET", budget.to_string());
    }
    let graded = outcome(command, Some(task))?;
    Ok(Tried { size, graded, own })
}

/// Warp instructions of the case that takes the most.
fn instructions(own: &Outcome) -> u64 {
    let Outcome::Ran { rows, .. } = own else {
        return 0;
    };
    let all = rows.iter().filter_map(|r| r.counter("instructions"));
    all.fold(0.0, f64::max) as u64
}

fn command(task: &Task, variant: &str, size: Option<usize>) -> Result<Command, Error> {
    let program = env::current_exe().map_err(|source| Error::Io {
        action: "find this program at",
        path: "/proc/self/exe".into(),
        source,
    })?;
    let mut command = Command::new(program);
    command.args(["run", task.lab.name, "--quick", "--quiet"]);
    command.args(["--device", &task.choice.to_string(), "--variant", variant]);
    if let Some(n) = size.filter(|_| task.lab.takes("n", variant)) {
        command.args(["--n", &n.to_string()]);
    }
    // The sizes of exercises do not depend on --n, so that running them once is enough.
    if size != task.sizes[0] {
        command.arg("--no-exercises");
    }
    Ok(command)
}

/// Runs `command`; `grading` is `None` for the lab's own kernels, which are not graded.
fn outcome(mut command: Command, grading: Option<&Task>) -> Result<Outcome, Error> {
    let io = |action, path: std::path::PathBuf| move |source| Error::Io { action, path, source };
    let folder = tempfile::tempdir().map_err(io("create a folder in", env::temp_dir()))?;
    command.arg("--out").arg(folder.path());
    let records = folder.path().join("records");
    command.env(wire::RECORDS, &records);
    command.stdin(Stdio::null());
    let output = command.output().map_err(io("start", command.get_program().into()))?;
    let words = String::from_utf8_lossy(&output.stderr).trim().to_string();
    // A run that is refused has no rows.
    let rows = harness::records(&std::fs::read_to_string(&records).unwrap_or_default())?;
    let session = std::fs::read_to_string(folder.path().join("session.json"));
    let session: Value = serde_json::from_str(&session.unwrap_or_default()).unwrap_or_default();
    let lab = &session["sessions"][0]["labs"][0];
    // Kernels can be missing in a case, or before the cases, where the lab's run then ends.
    let absent = lab["missing_kernel"].as_str().map(str::to_owned);
    let lacks = |r: &Record| r.missing_kernel.clone();
    let missing: Vec<String> = rows.iter().filter_map(lacks).chain(absent).collect();
    let failed = |r: &Record| matches!(r.verdict, Verdict::Fail | Verdict::Finding);
    let has_failed = rows.iter().any(failed);
    match output.status.code() {
        Some(0 | 1) => {}
        Some(130) => return Err(Error::Interrupted),
        Some(_) if lab["kernel_error"].is_string() => {
            let what = lab["kernel_error"].as_str().unwrap_or_default();
            return Ok(Outcome::Failed(what.into()));
        }
        // A full disk, or too little memory: nothing is known of the file.
        Some(code) if code == i32::from(Exit::CannotRun.code()) => {
            return Err(Error::CannotRun(words.trim_start_matches("error: ").into()));
        }
        // Failures before the end of the run count.
        Some(_) if has_failed || !missing.is_empty() => {}
        Some(_) => {
            let message = words.trim_start_matches("error: ");
            return Ok(Outcome::Refused(message.into()));
        }
        None => {
            let last = words.lines().last().unwrap_or("it printed nothing");
            let how = format!("the run crashed with {}: {last}", output.status);
            return Ok(Outcome::Failed(how));
        }
    }
    // A module that the device refuses is not listed as loaded. Its row has failed, and the failure is this file's.
    let uses = grading.is_none_or(|task| {
        let name = task.kernel.display().to_string();
        lab["ptx"][name.as_str()].is_string()
    });
    Ok(if uses || has_failed || !missing.is_empty() { Outcome::Ran { rows, missing } } else { Outcome::Elsewhere })
}
