//! Cases that run in their own process: the program runs itself again for the one case, with the same command line, and
//! the child leaves its record in a file.
use std::{env, fs, io::Write, path::PathBuf, process::Command};

use wire::RECORDS;

use crate::{
    confine,
    error::{Error, Result},
    lab::case::Case,
    measure::interrupt,
    record::row::Record,
};

/// Names the one case to run, `lab/case key`, in a child's environment.
const CASE: &str = "WARPLAB_CASE";

/// In a child, the one case to run.
pub(crate) fn wanted() -> Option<String> {
    env::var(CASE).ok()
}

/// Appends a record to the file that [`RECORDS`] names, if it names one.
pub(crate) fn leave(record: &Record) -> Result<()> {
    let Some(path) = env::var_os(RECORDS).map(PathBuf::from) else {
        return Ok(());
    };
    let text =
        serde_json::to_string(record).map_err(|e| Error::CannotRun(format!("a record cannot be passed on: {e}")))?;
    let file = fs::OpenOptions::new().append(true).create(true).open(&path);
    // In one piece: a line is whole or without its end.
    file.and_then(|mut file| file.write_all(format!("{text}\n").as_bytes())).map_err(|source| Error::Io {
        action: "write",
        path,
        source,
    })
}

/// The records in the text of such a file. A last line without a line break is left out: its process crashed while it
/// wrote.
///
/// # Errors
/// When a line is not a record.
pub fn records(text: &str) -> Result<Vec<Record>> {
    let whole = text.split_inclusive('\n').filter(|l| l.ends_with('\n'));
    let read = |line| serde_json::from_str(line).map_err(|e| Error::CannotRun(format!("a record cannot be read: {e}")));
    whole.map(read).collect()
}

/// Runs `case` in a child process, which gives its record and those of what it leaked. `Ok(Err(how))` when it ended
/// without a record: it crashed, and `how` says how.
pub(crate) fn run(lab: &str, case: &Case) -> Result<std::result::Result<Vec<Record>, String>> {
    let io = |action, path: &std::path::Path| {
        let path = path.to_path_buf();
        move |source| Error::Io { action, path, source }
    };
    let file = tempfile::NamedTempFile::new().map_err(io("create a file in", &env::temp_dir()))?;
    let program = env::current_exe().map_err(io("find this program at", std::path::Path::new("/proc/self/exe")))?;
    let mut command = Command::new(&program);
    command.args(env::args_os().skip(1)).env(CASE, format!("{lab}/{}", case.key())).env(RECORDS, file.path());
    command.envs(kernels::for_children());
    let ended = confine::run(&mut command, None).map_err(|error| {
        Error::CannotRun(format!("cannot start a process for case {}, which needs its own: {error}", case.key()))
    })?;
    interrupt::check()?;
    let text = fs::read_to_string(file.path()).map_err(io("read", file.path()))?;
    let records = records(&text)?;
    // A process that could not write all of its records says so by its exit code.
    let is_complete = matches!(ended.status.code(), None | Some(0..=3));
    if !records.is_empty() && is_complete {
        return Ok(Ok(records));
    }
    let last = ended.error.lines().rev().find(|l| !l.trim().is_empty()).unwrap_or("it printed nothing").trim();
    let how = format!("the case's own process ended with {}: {last}", ended.status);
    // With an exit code the harness itself says that something else is wrong; only a crash is the case's fault.
    match ended.status.code() {
        Some(0..=255) => Err(Error::CannotRun(format!("{}: {how}", case.variant))),
        _ => Ok(Err(how)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::record::row::tests::record;

    #[test]
    fn records_are_read_whole_or_not_at_all() {
        let line = serde_json::to_string(&record()).unwrap();
        let two = format!("{line}\n{line}\n");
        assert_eq!(records(&two).unwrap(), [record(), record()]);
        // A process that crashed while it wrote has left the records before that.
        assert_eq!(records(&two[..two.len() - 9]).unwrap(), [record()]);
        assert_eq!(records("").unwrap(), []);
        let renamed = line.replace("\"findings\"", "\"found\"") + "\n";
        let error = records(&renamed).unwrap_err().to_string();
        assert!(error.contains("missing field `findings`"), "{error}");
    }
}
