//! Cases in a process of their own: the program runs itself again for that one case, with the same
//! command line, and the child leaves its record in a file.
use std::{
    env, fs,
    io::Write,
    path::PathBuf,
    process::{Command, Stdio},
};

use crate::{Case, Error, Record, Result, Run, interrupt};

/// Names the one case to run, `lab/case key`, in a child's environment.
const CASE: &str = "WARPLAB_CASE";
/// Names the file for its record.
const RECORD: &str = "WARPLAB_CASE_RECORD";

/// In a child, the one case to run.
pub(crate) fn wanted() -> Option<String> {
    env::var(CASE).ok()
}

/// In a child, leaves a record of the case for the parent: its own, or that of memory that it leaked.
pub(crate) fn leave(record: &Record) -> Result<()> {
    let Some(path) = env::var_os(RECORD).map(PathBuf::from) else {
        return Ok(());
    };
    let text = serde_json::to_string(record)
        .map_err(|e| Error::CannotRun(format!("a record cannot be passed on: {e}")))?;
    let file = fs::OpenOptions::new().append(true).create(true).open(&path);
    file.and_then(|mut file| writeln!(file, "{text}"))
        .map_err(|source| Error::Io {
            action: "write",
            path,
            source,
        })
}

/// Runs `case` in a child process, which gives its record and those of what it leaked. `Ok(Err(how))` when it ended without
/// a record: it crashed, and `how` says how.
pub(crate) fn run(run: &Run, case: &Case) -> Result<std::result::Result<Vec<Record>, String>> {
    let io = |action, path: &std::path::Path| {
        let path = path.to_path_buf();
        move |source| Error::Io {
            action,
            path,
            source,
        }
    };
    let file = tempfile::NamedTempFile::new().map_err(io("create a file in", &env::temp_dir()))?;
    let program = env::current_exe().map_err(io(
        "find this program at",
        std::path::Path::new("/proc/self/exe"),
    ))?;
    let output = Command::new(&program)
        .args(env::args_os().skip(1))
        .env(CASE, format!("{}/{}", run.lab.name, case.key()))
        .env(RECORD, file.path())
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::piped())
        .output()
        .map_err(io("start", &program))?;
    interrupt::check()?;
    let text = fs::read_to_string(file.path()).unwrap_or_default();
    let records = text.lines().map_while(|l| serde_json::from_str(l).ok());
    let records: Vec<Record> = records.collect();
    if !records.is_empty() {
        return Ok(Ok(records));
    }
    let words = String::from_utf8_lossy(&output.stderr);
    let last = words
        .lines()
        .rev()
        .find(|l| !l.trim().is_empty())
        .unwrap_or("it printed nothing")
        .trim();
    let how = format!(
        "the case's own process ended with {}: {last}",
        output.status
    );
    // An exit code is the harness's own word that something else is wrong; only a crash is the case's doing.
    match output.status.code() {
        Some(0..=255) => Err(Error::CannotRun(format!("{}: {how}", case.variant))),
        _ => Ok(Err(how)),
    }
}
