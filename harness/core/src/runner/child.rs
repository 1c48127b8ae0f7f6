//! Runs cases in separate processes: the program starts itself again for one case, with the same command line, and the
//! child writes its record to a file.
use record::{Ceilings, Record};
use std::{
    io::{self, BufRead, BufReader, Read},
    process::{Child, ExitStatus, Stdio},
    sync::mpsc::{self, Receiver, RecvTimeoutError},
    thread::{self, Builder, JoinHandle},
    time::{Duration, Instant},
};

use crate::{
    error::{Error, Result},
    lab::case::Case,
    measure::interrupt,
    process::role::{Process, Role},
};

/// How a child ended.
#[derive(Debug)]
pub(crate) enum End {
    /// With these records: that of the case, and those of its leaks.
    Reported(Vec<Record>),
    /// Without a record: it crashed, as the text describes.
    Crashed(String),
    /// It exceeded its time limit.
    Late,
}

/// Runs `case` in a child process, and passes its output to `say`, line by line. After `most` the process is killed,
/// and with it a kernel that never ends, on a GPU too.
pub(crate) fn run(
    process: &Process,
    lab: &str,
    case: &Case,
    ceilings: Option<Ceilings>,
    most: Option<Duration>,
    say: impl FnMut(&str),
) -> Result<End> {
    let role = Role::Case { lab: lab.into(), case: case.key(), variant: case.variant.clone(), ceilings };
    let (mut command, left) = process.piece(role)?;
    let pipes = command.stdout(Stdio::piped()).stderr(Stdio::piped());
    let watched = pipes.spawn().and_then(Watched::new).map_err(|error| {
        Error::CannotRun(format!("cannot start a process for case {}, which needs its own: {error}", case.key()))
    })?;
    let ended = watched.wait(most, say)?;
    let records = left.read()?;
    let Some((status, words)) = ended else {
        return Ok(End::Late);
    };
    // A process that could not write all of its records reports that by its exit code.
    let is_complete = matches!(status.code(), None | Some(0..=3));
    if !records.is_empty() && is_complete {
        return Ok(End::Reported(records));
    }
    let last = words.lines().rev().find(|l| !l.trim().is_empty()).unwrap_or("it printed nothing").trim();
    let how = format!("the case's own process ended with {status}: {last}");
    // With an exit code the harness itself reports another problem; only a crash is the case's fault.
    match status.code() {
        Some(0..=255) => Err(Error::CannotRun(format!("{}: {how}", case.variant))),
        _ => Ok(End::Crashed(how)),
    }
}

/// A child process whose output is read as it arrives. It is killed when this is dropped.
struct Watched {
    child: Child,
    lines: Receiver<String>,
    errors: Option<JoinHandle<String>>,
}

impl Watched {
    /// The interval for checking the time limit and Ctrl-C.
    const BEAT: Duration = Duration::from_millis(20);

    fn new(child: Child) -> io::Result<Self> {
        // Output that the reader has not taken yet stays in the pipe.
        let (send, lines) = mpsc::sync_channel(64);
        // From here on the child ends with this value, even if a thread cannot be started.
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

    /// Waits for its end, but at most `most`. Returns its exit status and standard error, or `None` if it took longer.
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
        // If it has already ended, both do nothing.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
