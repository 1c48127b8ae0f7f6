//! One run of one variant at one size, in a process of its own.
use std::{
    env,
    process::{Command, Stdio},
};

use harness::Error;
use serde_json::Value;

use super::{INSTEAD, Outcome, Task};

/// Warp instructions that any launch may take, and how many times those of the lab's own kernels: an endless loop is found in
/// seconds, not in the hour that a run's usual budget lasts, and a kernel that is only slow is let alone.
const BUDGET: u64 = 20_000_000;
const SLOWER: u64 = 50;

/// Warp instructions of the lab's own kernels at n = [`INSTEAD`] past which ten times that n is too large to be tried several
/// times under every check: the work grows with the cube of n (matmul), or does not depend on it.
const LONG: u64 = 100_000;

/// Whether a size above [`INSTEAD`] is too much work.
pub fn is_long(task: &Task, variant: &str) -> Result<bool, Error> {
    let own = outcome(command(task, variant, Some(INSTEAD))?, None)?;
    Ok(instructions(&own) > LONG)
}

/// A variant at a size.
#[derive(Debug)]
pub struct Tried {
    /// `None` is the lab's quick sizes.
    pub size: Option<usize>,
    /// The file under grading, under every check.
    pub graded: Outcome,
    /// The lab's own kernels, for what they count.
    pub own: Outcome,
}

/// Tries the file under grading as `variant`, and the lab's own kernels before it.
pub fn run(task: &Task, variant: &str, size: Option<usize>) -> Result<Tried, Error> {
    let own = outcome(command(task, variant, size)?, None)?;
    let takes = instructions(&own);
    let schedules = task.schedules.to_string();
    let mut command = command(task, variant, size)?;
    command.arg("--kernel").arg(&task.kernel).args([
        "--partial",
        "--check",
        "all",
        "--schedules",
        &schedules,
    ]);
    if env::var_os("WARPLAB_BUDGET").is_none() {
        let budget = BUDGET.max(takes.saturating_mul(SLOWER));
        command.env("WARPLAB_BUDGET", budget.to_string());
    }
    let graded = outcome(command, Some(task))?;
    Ok(Tried { size, graded, own })
}

/// Warp instructions of the case that takes most.
fn instructions(own: &Outcome) -> u64 {
    let Outcome::Ran { rows, .. } = own else {
        return 0;
    };
    let all = rows.iter().filter_map(|r| r["instructions"].as_u64());
    all.max().unwrap_or(0)
}

fn command(task: &Task, variant: &str, size: Option<usize>) -> Result<Command, Error> {
    let program = env::current_exe().map_err(|source| Error::Io {
        action: "find this program at",
        path: "/proc/self/exe".into(),
        source,
    })?;
    let mut command = Command::new(program);
    command.args(["run", task.lab.name, "--quick", "--json", "--quiet"]);
    command.args(["--device", &task.choice.to_string(), "--variant", variant]);
    if let Some(n) = size {
        command.args(["--n", &n.to_string()]);
    }
    // Exercises have sizes of their own: once is enough.
    if size != task.sizes[0] {
        command.arg("--no-exercises");
    }
    Ok(command)
}

/// Runs `command`; `grading` is none for the lab's own kernels, of which nothing is expected.
fn outcome(mut command: Command, grading: Option<&Task>) -> Result<Outcome, Error> {
    let io = |action, path: std::path::PathBuf| {
        move |source| Error::Io {
            action,
            path,
            source,
        }
    };
    let folder = tempfile::tempdir().map_err(io("create a folder in", env::temp_dir()))?;
    command.arg("--out").arg(folder.path());
    command.stdin(Stdio::null());
    let output = command
        .output()
        .map_err(io("start", command.get_program().into()))?;
    let words = String::from_utf8_lossy(&output.stderr).trim().to_string();
    let rows: Vec<Value> = String::from_utf8_lossy(&output.stdout)
        .lines()
        .filter_map(|l| serde_json::from_str(l).ok())
        .collect();
    let session = std::fs::read_to_string(folder.path().join("session.json"));
    let session: Value = serde_json::from_str(&session.unwrap_or_default()).unwrap_or_default();
    let lab = &session["sessions"][0]["labs"][0];
    // Of cases, and of what the lab loads before its cases, which ends its run.
    let absent = rows.iter().chain([lab]).map(|v| &v["missing_kernel"]);
    let missing: Vec<String> = absent.filter_map(Value::as_str).map(Into::into).collect();
    let failed = |verdict| rows.iter().any(|r| r["verdict"] == verdict);
    let has_failed = failed("fail") || failed("finding");
    match output.status.code() {
        Some(0 | 1) => {}
        Some(130) => return Err(Error::Interrupted),
        Some(_) if lab["kernel_error"].is_string() => {
            let what = lab["kernel_error"].as_str().unwrap_or_default();
            return Ok(Outcome::Failed(what.into()));
        }
        // What was found before the run ended counts.
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
    // A module that the device refuses is not among those that were loaded, and is this file's.
    let uses = grading.is_none_or(|task| {
        let name = task.kernel.display().to_string();
        lab["ptx"][name.as_str()].is_string()
    });
    Ok(if uses || has_failed || !missing.is_empty() {
        Outcome::Ran { rows, missing }
    } else {
        Outcome::Elsewhere
    })
}
