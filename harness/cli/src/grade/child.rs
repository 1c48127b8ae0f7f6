//! One run of one variant at one size, in a process of its own.
use std::{
    env,
    process::{Command, Stdio},
};

use harness::Error;
use serde_json::Value;

use super::{Outcome, Task};

/// The file under grading, under every check.
pub fn run(task: &Task, variant: &str, size: Option<usize>) -> Result<Outcome, Error> {
    let schedules = task.schedules.to_string();
    let mut command = command(task, variant, size)?;
    command.arg("--kernel").arg(&task.kernel).args([
        "--partial",
        "--check",
        "all",
        "--schedules",
        &schedules,
    ]);
    outcome(command, Some(task))
}

/// The lab's own kernels at its quick sizes, for what they count.
pub fn own(task: &Task, variant: &str) -> Result<Outcome, Error> {
    outcome(command(task, variant, task.sizes[0])?, None)
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
    let message = words.trim_start_matches("error: ").to_string();
    let is_missing = message.contains("holds no kernel `");
    match output.status.code() {
        Some(0 | 1) => {}
        Some(2) if is_missing => return Ok(Outcome::Missing(message)),
        Some(130) => return Err(Error::Interrupted),
        Some(_) => return Ok(Outcome::Refused(message)),
        None => return Ok(Outcome::Crashed(format!("{}: {words}", output.status))),
    }
    let uses = grading.is_none_or(|task| {
        let session = std::fs::read_to_string(folder.path().join("session.json"));
        let session: Value = serde_json::from_str(&session.unwrap_or_default()).unwrap_or_default();
        let name = task.kernel.display().to_string();
        session["sessions"][0]["labs"][0]["ptx"][name.as_str()].is_string()
    });
    // A module that the device refuses is not among those that were loaded, and is this file's.
    let failed = rows.iter().any(|r| r["verdict"] == "fail");
    Ok(if uses || failed {
        Outcome::Ran(rows)
    } else {
        Outcome::Elsewhere
    })
}
