//! Cases that run in their own process: the program runs itself again for the one case, with the same command line, and
//! the child leaves its record in a file.
use std::{
    env, fs,
    io::{self, BufRead, BufReader, Read, Write},
    path::{Path, PathBuf},
    process::{Child, Command, ExitStatus, Stdio},
    sync::mpsc::{self, Receiver, RecvTimeoutError},
    thread::{self, Builder, JoinHandle},
    time::{Duration, Instant},
};

use sandbox::process_limits;
use tempfile::NamedTempFile;
use wire::RECORDS;

use crate::{
    device::ceilings::Ceilings,
    error::{Error, Result},
    lab::case::Case,
    measure::interrupt,
    record::row::Record,
};

/// Names the one case to run, `lab/case key`, in a child's environment.
const CASE: &str = "WARPLAB_CASE";

/// Names that case's variant, in a child's environment.
const VARIANT: &str = "WARPLAB_CASE_VARIANT";

/// The ceilings that the parent has measured, as JSON, in a child's environment.
const CEILINGS: &str = "WARPLAB_CEILINGS";

/// In a child, the ceilings that its parent has measured.
pub(crate) fn ceilings() -> Option<Ceilings> {
    serde_json::from_str(&env::var(CEILINGS).ok()?).ok()
}

/// In a child, the one case to run.
pub(crate) fn wanted() -> Option<String> {
    env::var(CASE).ok()
}

/// Whether this process may run a case of `variant`: a child runs one case alone.
pub(crate) fn may_run(variant: &str) -> bool {
    env::var(VARIANT).map_or(true, |only| only == variant)
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

/// How a child ended.
#[derive(Debug)]
pub(crate) enum End {
    /// With these records: that of the case, and those of what it leaked.
    Told(Vec<Record>),
    /// Without a record: it crashed, and the text says how.
    Crashed(String),
    /// Not within its time.
    Late,
}

/// The file in which a process leaves its records.
pub(crate) struct Left(NamedTempFile);

impl Left {
    /// The records that it has left so far.
    ///
    /// # Errors
    /// When the file cannot be read, or a line is not a record.
    pub(crate) fn records(&self) -> Result<Vec<Record>> {
        records(&fs::read_to_string(self.0.path()).map_err(io("read", self.0.path()))?)
    }
}

fn io(action: &'static str, path: &Path) -> impl FnOnce(io::Error) -> Error + use<> {
    let path = path.to_path_buf();
    move |source| Error::Io { action, path, source }
}

/// This very command, to be started once more: it leaves its records in a file, and ends with this process.
///
/// # Errors
/// When the file or this program cannot be had.
pub(crate) fn this_command() -> Result<(Command, Left)> {
    let file = NamedTempFile::new().map_err(io("create a file in", &env::temp_dir()))?;
    let program = env::current_exe().map_err(io("find this program at", Path::new("/proc/self/exe")))?;
    let mut command = Command::new(program);
    command.args(env::args_os().skip(1)).env(RECORDS, file.path()).envs(kernels::for_children());
    process_limits::ends_with_parent(&mut command);
    command.stdin(Stdio::null());
    Ok((command, Left(file)))
}

/// Runs `case` in a child process. What it prints is handed to `say`, line by line. After `most` the process is ended,
/// and with it a kernel that never ends, on a GPU too.
pub(crate) fn run(
    lab: &str,
    case: &Case,
    ceilings: Option<Ceilings>,
    most: Option<Duration>,
    say: impl FnMut(&str),
) -> Result<End> {
    let (mut command, left) = this_command()?;
    command.env(CASE, format!("{lab}/{}", case.key())).env(VARIANT, &case.variant);
    if let Some(ceilings) = ceilings {
        command.env(CEILINGS, serde_json::to_string(&ceilings).unwrap_or_default());
    }
    let pipes = command.stdout(Stdio::piped()).stderr(Stdio::piped());
    let watched = pipes.spawn().and_then(Watched::new).map_err(|error| {
        Error::CannotRun(format!("cannot start a process for case {}, which needs its own: {error}", case.key()))
    })?;
    let ended = watched.wait(most, say)?;
    let records = left.records()?;
    let Some((status, words)) = ended else {
        return Ok(End::Late);
    };
    // A process that could not write all of its records says so by its exit code.
    let is_complete = matches!(status.code(), None | Some(0..=3));
    if !records.is_empty() && is_complete {
        return Ok(End::Told(records));
    }
    let last = words.lines().rev().find(|l| !l.trim().is_empty()).unwrap_or("it printed nothing").trim();
    let how = format!("the case's own process ended with {status}: {last}");
    // With an exit code the harness itself says that something else is wrong; only a crash is the case's fault.
    match status.code() {
        Some(0..=255) => Err(Error::CannotRun(format!("{}: {how}", case.variant))),
        _ => Ok(End::Crashed(how)),
    }
}

/// A child process whose outputs are read as they come. It does not outlive this.
struct Watched {
    child: Child,
    lines: Receiver<String>,
    errors: Option<JoinHandle<String>>,
}

impl Watched {
    /// How often the clock and Ctrl-C are looked at.
    const BEAT: Duration = Duration::from_millis(20);

    fn new(child: Child) -> io::Result<Self> {
        // What the reader has not taken yet waits in the pipe.
        let (send, lines) = mpsc::sync_channel(64);
        // From here on the child ends with this value, also if a thread cannot be started.
        let mut watched = Self { child, lines, errors: None };
        let (out, err) = (watched.child.stdout.take(), watched.child.stderr.take());
        Builder::new().spawn(move || {
            for line in
                out.into_iter().flat_map(|out| BufReader::new(out).split(b'\n')).map_while(std::result::Result::ok)
            {
                if send.send(String::from_utf8_lossy(&line).into_owned()).is_err() {
                    break;
                }
            }
        })?;
        watched.errors = Some(Builder::new().spawn(move || {
            let mut bytes = Vec::new();
            let _ = err.map(|mut err| err.read_to_end(&mut bytes));
            String::from_utf8_lossy(&bytes).into_owned()
        })?);
        Ok(watched)
    }

    /// Waits for its end, but not longer than `most`: its status and what it wrote to standard error, or `None` if it
    /// took longer.
    fn wait(mut self, most: Option<Duration>, mut say: impl FnMut(&str)) -> Result<Option<(ExitStatus, String)>> {
        let began = Instant::now();
        loop {
            match self.lines.recv_timeout(Self::BEAT) {
                Ok(line) => say(&line),
                Err(RecvTimeoutError::Timeout) => {}
                // It has closed its output, and will end.
                Err(RecvTimeoutError::Disconnected) => thread::sleep(Self::BEAT / 10),
            }
            interrupt::check()?;
            let ended = self.child.try_wait();
            let ended = ended.map_err(|source| Error::Io { action: "wait for", path: "a case".into(), source })?;
            if let Some(status) = ended {
                self.lines.iter().for_each(|line| say(&line));
                let errors = self.errors.take().and_then(|errors| errors.join().ok());
                return Ok(Some((status, errors.unwrap_or_default())));
            }
            if most.is_some_and(|most| began.elapsed() >= most) {
                return Ok(None);
            }
        }
    }
}

impl Drop for Watched {
    fn drop(&mut self) {
        // If it has ended already, both do nothing.
        let _ = self.child.kill();
        let _ = self.child.wait();
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
