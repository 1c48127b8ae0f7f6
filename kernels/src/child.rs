//! The process in which a kernel file is compiled: the same program, started again. It does its work before `main`, so
//! it can be any program that uses this crate: `warplab`, a lab's own, or their tests.
use std::{
    env,
    fs::File,
    io::{self, Read, Seek, Write},
    path::{Path, PathBuf},
    process::{Child, Command},
    time::{Duration, Instant},
};

use serde::{Deserialize, Serialize};

use crate::{
    error::Limit,
    input::{Answer, Input},
    nvrtc::Nvrtc,
    process_limits::{self, CompilerLimits, Spent},
};

/// The hidden first argument of the compiling process.
const COMPILE: &str = "__compile";

/// The request, which the process reads from its standard input.
#[derive(Debug, Serialize, Deserialize)]
struct Request {
    library: PathBuf,
    limits: CompilerLimits,
    /// The requesting process.
    parent: u32,
    input: Input,
}

/// Why there is no answer.
#[derive(Debug)]
pub(crate) enum Stopped {
    /// It exceeded a limit.
    Exceeded(Limit),
    /// It crashed; the text has the reason.
    Crashed(String),
    /// It could not be started, or its output could not be read.
    System(io::Error),
}

impl From<io::Error> for Stopped {
    fn from(error: io::Error) -> Self {
        Self::System(error)
    }
}

/// Compiles `input` with the NVRTC at `library`, in a separate process that has the limits less what `spent` has used.
///
/// # Errors
/// [`Stopped`] when that process returns no answer.
pub(crate) fn compile(
    library: &Path,
    limits: &CompilerLimits,
    spent: &mut Spent,
    input: &Input,
) -> Result<Answer, Stopped> {
    let left = limits.left(spent).map_err(Stopped::Exceeded)?;
    let request = Request { library: library.into(), limits: left, parent: std::process::id(), input: input.clone() };
    let mut stdin = tempfile::tempfile()?;
    serde_json::to_writer(&mut stdin, &request).map_err(io::Error::from)?;
    stdin.rewind()?;
    // Files, whose size can be limited, and which do not block when full, unlike pipes.
    let (mut stdout, mut stderr) = (tempfile::tempfile()?, tempfile::tempfile()?);
    let mut command = itself();
    // The compiler reads environment variables too, and they may contain secrets.
    command.arg(COMPILE).env_clear().envs(["LD_LIBRARY_PATH", "SystemRoot"].into_iter().filter_map(kept));
    command.stdin(stdin).stdout(stdout.try_clone()?).stderr(stderr.try_clone()?);
    // The compiler prefixes names in line information with the working folder, which must not reveal anything about
    // this computer.
    let (started, before) = (Instant::now(), peak());
    let child = command.current_dir(if cfg!(windows) { "C:\\" } else { "/" }).spawn()?;
    let mut ended = wait(child, started + left.time)?;
    spent.processor += ended.processor;
    spent.time += started.elapsed();
    // On Linux, the peak includes the memory of the process that started it.
    ended.peak = Some(ended.peak.unwrap_or_default()).filter(|peak| *peak > before);
    match serde_json::from_str(&text(&mut stdout, limits.output)?) {
        Ok(answer) if is_out_of_memory(&answer) => Err(Stopped::Exceeded(Limit::Memory(limits.memory))),
        Ok(answer) => Ok(answer),
        Err(_) => Err(ended.reason(limits, &text(&mut stderr, 4096)?)),
    }
}

/// Whether the compiler itself reports that it is out of memory.
fn is_out_of_memory(answer: &Answer) -> bool {
    match answer {
        Answer::Compiled { .. } => false,
        Answer::Rejected { log } => log.lines().any(|line| line.ends_with(": catastrophic error: out of memory")),
        Answer::Failed { reason, .. } => reason.starts_with("NVRTC_ERROR_OUT_OF_MEMORY"),
    }
}

/// Returns a command that starts this program, even if its file has been replaced meanwhile.
#[cfg(target_os = "linux")]
fn itself() -> Command {
    use std::os::unix::process::CommandExt;
    let mut command = Command::new("/proc/self/exe");
    command.arg0("warplab: NVRTC");
    command
}

/// Returns a command that starts this program.
#[cfg(not(target_os = "linux"))]
fn itself() -> Command {
    Command::new(env::current_exe().unwrap_or_else(|_| env::args_os().next().unwrap_or_default().into()))
}

fn kept(name: &'static str) -> Option<(&'static str, std::ffi::OsString)> {
    Some((name, env::var_os(name)?))
}

/// Returns the first `most` bytes of a file that another process has written.
fn text(file: &mut File, most: u64) -> io::Result<String> {
    let mut bytes = Vec::new();
    file.rewind()?;
    file.take(most).read_to_end(&mut bytes)?;
    Ok(String::from_utf8_lossy(&bytes).trim().to_string())
}

/// How the process ended.
#[derive(Debug, Default)]
struct ProcessEnd {
    /// Whether it was killed at the time limit.
    late: bool,
    /// The signal that ended it.
    signal: Option<i32>,
    /// Its peak memory, in bytes, if known.
    peak: Option<u64>,
    /// Its processor time; unknown on systems other than Unix, and taken as zero.
    processor: Duration,
}

impl ProcessEnd {
    fn reason(&self, limits: &CompilerLimits, said: &str) -> Stopped {
        let last = said.lines().last().unwrap_or("it printed nothing");
        if self.late {
            return Stopped::Exceeded(Limit::Time(limits.time));
        }
        #[cfg(unix)]
        match self.signal {
            Some(libc::SIGXCPU) => return Stopped::Exceeded(Limit::Processor(limits.processor)),
            Some(libc::SIGXFSZ) => return Stopped::Exceeded(Limit::Output(limits.output)),
            _ => {}
        }
        // When out of memory, the compiler ends in various ways.
        if self.peak.is_some_and(|peak| peak > limits.memory / 2) {
            return Stopped::Exceeded(Limit::Memory(limits.memory));
        }
        let how = self.signal.map_or_else(String::new, |signal| format!("signal {signal}: "));
        Stopped::Crashed(how + last)
    }
}

/// Waits for the process to end, and kills it at `deadline`.
#[cfg(unix)]
fn wait(mut child: Child, deadline: Instant) -> io::Result<ProcessEnd> {
    let mut ended = ProcessEnd::default();
    let mut pause = Duration::from_millis(1);
    loop {
        // SAFETY: an all-zero rusage is valid, and both pointers are to live values.
        let (mut status, mut usage) = (0, unsafe { std::mem::zeroed::<libc::rusage>() });
        let pid = child.id() as libc::pid_t;
        // SAFETY: as above.
        match unsafe { libc::wait4(pid, &raw mut status, libc::WNOHANG, &raw mut usage) } {
            0 if Instant::now() >= deadline && !ended.late => {
                ended.late = true;
                child.kill()?;
            }
            0 => {
                std::thread::sleep(pause);
                pause = (pause * 2).min(Duration::from_millis(10));
            }
            -1 if io::Error::last_os_error().kind() == io::ErrorKind::Interrupted => {}
            -1 => return Err(io::Error::last_os_error()),
            _ => {
                ended.signal = libc::WIFSIGNALED(status).then(|| libc::WTERMSIG(status));
                ended.peak = Some(bytes(&usage));
                ended.processor = duration(usage.ru_utime) + duration(usage.ru_stime);
                return Ok(ended);
            }
        }
    }
}

/// Returns the peak memory of this process, in bytes.
#[cfg(unix)]
fn peak() -> u64 {
    // SAFETY: an all-zero rusage is valid, and the pointer is to a live value.
    let mut usage = unsafe { std::mem::zeroed::<libc::rusage>() };
    // SAFETY: as above.
    unsafe { libc::getrusage(libc::RUSAGE_SELF, &raw mut usage) };
    bytes(&usage)
}

#[cfg(unix)]
fn duration(time: libc::timeval) -> Duration {
    Duration::from_secs(time.tv_sec as u64) + Duration::from_micros(time.tv_usec as u64)
}

/// macOS counts bytes, other systems count units of 1024.
#[cfg(unix)]
fn bytes(usage: &libc::rusage) -> u64 {
    usage.ru_maxrss as u64 * if cfg!(target_os = "macos") { 1 } else { 1024 }
}

#[cfg(not(unix))]
fn peak() -> u64 {
    0
}

#[cfg(not(unix))]
fn wait(mut child: Child, deadline: Instant) -> io::Result<ProcessEnd> {
    loop {
        if child.try_wait()?.is_some() {
            return Ok(ProcessEnd::default());
        }
        if Instant::now() >= deadline {
            child.kill()?;
            child.wait()?;
            return Ok(ProcessEnd { late: true, ..ProcessEnd::default() });
        }
        std::thread::sleep(Duration::from_millis(5));
    }
}

ctor::declarative::ctor! {
    /// Serves the request and exits, if this is the process that [`compile`] starts.
    #[ctor(unsafe)]
    fn before_main() {
        if env::args_os().nth(1).is_some_and(|first| first == COMPILE) {
            std::process::exit(serve().is_err().into());
        }
    }
}

/// Reads the request, compiles, and writes the answer.
fn serve() -> io::Result<()> {
    #[cfg(unix)]
    sandbox::process::close_inherited();
    let request: Request = serde_json::from_reader(io::stdin().lock())?;
    let answer = answer(&request).unwrap_or_else(|(call, reason)| Answer::Failed { call: call.into(), reason });
    let mut stdout = io::stdout().lock();
    serde_json::to_writer(&mut stdout, &answer)?;
    stdout.flush()
}

fn answer(request: &Request) -> Result<Answer, (&'static str, String)> {
    let in_words = |call: &'static str| move |error: io::Error| (call, error.to_string());
    process_limits::bound(&request.limits, request.parent).map_err(in_words("setrlimit"))?;
    let nvrtc = Nvrtc::load(&request.library).map_err(|reason| ("dlopen", reason))?;
    sandbox::restrict_compiler().map_err(|why| ("sandbox", why.to_string()))?;
    Ok(nvrtc.compile(&request.input))
}

#[cfg(all(test, unix))]
mod tests {
    use std::fs;

    use super::*;

    fn input() -> Input {
        Input { name: "x.cu".into(), text: String::new(), headers: Vec::new(), options: Vec::new() }
    }

    #[test]
    fn a_library_that_is_none_is_an_answer() {
        let file = tempfile::NamedTempFile::new().unwrap();
        let answer = compile(file.path(), &CompilerLimits::USUAL, &mut Spent::default(), &input()).unwrap();
        let Answer::Failed { call, reason } = answer else { panic!("{answer:?}") };
        assert_eq!(call, "dlopen");
        assert!(reason.contains("file too short"), "{reason}");
    }

    /// Opening a FIFO without a writer blocks forever.
    #[test]
    fn a_process_that_takes_too_long_is_ended() {
        let folder = tempfile::tempdir().unwrap();
        let pipe = folder.path().join("pipe.so");
        assert!(Command::new("mkfifo").arg(&pipe).status().unwrap().success());
        let limits = CompilerLimits { time: Duration::from_millis(300), ..CompilerLimits::USUAL };
        let mut spent = Spent::default();
        let stopped = compile(&pipe, &limits, &mut spent, &input()).unwrap_err();
        assert!(matches!(stopped, Stopped::Exceeded(Limit::Time(time)) if time == limits.time), "{stopped:?}");
        // The next attempt has only what the previous one has left.
        assert!(spent.time >= limits.time, "{spent:?}");
        fs::remove_file(&pipe).unwrap();
        let again = compile(&pipe, &limits, &mut spent, &input()).unwrap_err();
        assert!(matches!(again, Stopped::Exceeded(Limit::Time(time)) if time == limits.time), "{again:?}");
    }

    #[test]
    fn the_limit_that_was_exceeded_is_named() {
        let limits = CompilerLimits::USUAL;
        let of =
            |signal, peak| ProcessEnd { signal, peak: Some(peak), ..ProcessEnd::default() }.reason(&limits, "one\ntwo");
        assert!(matches!(of(Some(libc::SIGXCPU), 0), Stopped::Exceeded(Limit::Processor(_))));
        assert!(matches!(of(Some(libc::SIGXFSZ), 0), Stopped::Exceeded(Limit::Output(_))));
        assert!(matches!(of(Some(libc::SIGABRT), limits.memory), Stopped::Exceeded(Limit::Memory(_))));
        let log = "x.cu(1): catastrophic error: out of memory\n  int x;".into();
        assert!(is_out_of_memory(&Answer::Rejected { log }));
        assert!(!is_out_of_memory(&Answer::Rejected { log: "x.cu(1): error: out of memory".into() }));
        let Stopped::Crashed(how) = of(Some(libc::SIGSEGV), 0) else { panic!("not a crash") };
        assert_eq!(how, "signal 11: two");
    }
}
