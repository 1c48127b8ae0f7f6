//! Resource limits of a child process: time, memory, and output. The child ends with its parent, however the parent
//! ends.
//!
//! The address space is not limited: a program, such as a GPU's driver, may map far more than it uses. The limit is on
//! the memory that the process and its children hold, which the parent monitors (on Linux; elsewhere memory is not
//! limited).
use std::{
    collections::VecDeque,
    fmt,
    io::{self, Read},
    process::{Child, Command, ExitStatus, Stdio},
    sync::{
        Mutex,
        atomic::{AtomicU64, Ordering},
    },
    thread::{self, Builder},
    time::{Duration, Instant},
};

/// The limits of a child and its own children.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Limits {
    /// Seconds from its start to its end.
    pub seconds: u64,
    /// Bytes of memory held at any time.
    pub memory: u64,
    /// Bytes written to standard output and standard error.
    pub output: u64,
}

impl Limits {
    /// Bytes of a file other than the output: the driver's library, which a child unpacks, is a file too.
    const FILE: u64 = 1 << 30;

    /// Seconds of CPU time: every core may be busy until the time limit.
    fn cpu_seconds(&self) -> u64 {
        let cores = thread::available_parallelism().map_or(1, usize::from);
        self.seconds.saturating_mul(cores as u64)
    }
}

/// The exceeded limit, if the child was stopped.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Stopped {
    /// It ran too long: seconds.
    Time(u64),
    /// It used too much CPU time: seconds.
    Cpu(u64),
    /// It held too much memory: bytes.
    Memory(u64),
    /// It wrote too much to standard output and standard error: bytes.
    Output(u64),
    /// It wrote too large a file: bytes.
    File(u64),
}

impl fmt::Display for Stopped {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {
            Self::Time(seconds) => write!(f, "stopped: it lasted more than {seconds} s"),
            Self::Cpu(seconds) => write!(f, "stopped: more than {seconds} s of CPU time"),
            Self::Memory(bytes) => write!(f, "stopped: more than {} of memory", Size(bytes)),
            Self::Output(bytes) => write!(f, "stopped: more than {} of output", Size(bytes)),
            Self::File(bytes) => write!(f, "stopped: a file of more than {}", Size(bytes)),
        }
    }
}

/// A number of bytes in the largest unit that divides it.
struct Size(u64);

impl fmt::Display for Size {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let units = [(30, "GiB"), (20, "MiB"), (10, "KiB")];
        let unit = units.into_iter().find(|(power, _)| self.0 > 0 && self.0.trailing_zeros() >= *power);
        match unit {
            Some((power, unit)) => write!(f, "{} {unit}", self.0 >> power),
            None => write!(f, "{} bytes", self.0),
        }
    }
}

/// How a child ended.
#[derive(Debug)]
pub struct ChildEnd {
    /// Its exit status.
    pub status: ExitStatus,
    /// The end of what it wrote to standard error, 64 KiB at most.
    pub error: String,
    /// The beginning of what it wrote to standard output, 64 KiB at most.
    pub output: String,
    /// The limit that it exceeded, if it was stopped.
    pub stopped: Option<Stopped>,
}

/// Runs `command` to its end, under `limits`, without standard input.
///
/// # Errors
/// When it cannot be started or waited for.
pub fn run(command: &mut Command, limits: &Limits) -> io::Result<ChildEnd> {
    command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
    prepare(command, Some(limits));
    let mut child = command.spawn()?;
    let (out, error) = (child.stdout.take(), child.stderr.take());
    let written = AtomicU64::new(0);
    let (head, tail) = (Mutex::new(Vec::new()), Mutex::new(VecDeque::new()));
    let (status, stopped) = thread::scope(|scope| {
        let readers = [
            Builder::new().spawn_scoped(scope, || {
                if let Some(pipe) = out {
                    drain(pipe, &written, |bytes| begin(&head, bytes));
                }
            }),
            Builder::new().spawn_scoped(scope, || {
                if let Some(pipe) = error {
                    drain(pipe, &written, |bytes| keep(&tail, bytes));
                }
            }),
        ];
        for reader in readers {
            if let Err(reason) = reader {
                end(&mut child);
                child.wait()?;
                return Err(reason);
            }
        }
        watch(&mut child, limits, &written)
    })?;
    let tail = tail.into_inner().unwrap_or_else(std::sync::PoisonError::into_inner);
    let error = String::from_utf8_lossy(&Vec::from(tail)).into_owned();
    let head = head.into_inner().unwrap_or_else(std::sync::PoisonError::into_inner);
    let output = String::from_utf8_lossy(&head).into_owned();
    // It may have written more between the last check and its end.
    let wrote = || (written.load(Ordering::Relaxed) > limits.output).then_some(Stopped::Output(limits.output));
    let stopped = stopped.or_else(|| by_signal(status, limits)).or_else(wrote);
    Ok(ChildEnd { status, error, output, stopped })
}

/// Waits for `child` to end, and kills it if it exceeds a limit.
fn watch(child: &mut Child, limits: &Limits, written: &AtomicU64) -> io::Result<(ExitStatus, Option<Stopped>)> {
    const LONGEST: Duration = Duration::from_millis(20);
    let (start, mut pause) = (Instant::now(), Duration::from_millis(1));
    loop {
        if let Some(status) = child.try_wait()? {
            return Ok((status, None));
        }
        let exceeded = if start.elapsed() > Duration::from_secs(limits.seconds) {
            Some(Stopped::Time(limits.seconds))
        } else if written.load(Ordering::Relaxed) > limits.output {
            Some(Stopped::Output(limits.output))
        } else if resident(child.id()) > limits.memory {
            Some(Stopped::Memory(limits.memory))
        } else {
            None
        };
        if exceeded.is_some() {
            end(child);
            return Ok((child.wait()?, exceeded));
        }
        thread::sleep(pause);
        pause = (pause * 2).min(LONGEST);
    }
}

/// Kills a child that has limits, and its own children.
fn end(child: &mut Child) {
    #[cfg(unix)]
    // SAFETY: a call without pointers. The child leads its own process group and has not been waited for.
    unsafe {
        libc::kill(-(child.id() as libc::pid_t), libc::SIGKILL);
    }
    // If it has just ended, there is nothing left to kill.
    let _ = child.kill();
}

/// Reads `pipe` to its end, counts the bytes, and passes them to `each`.
fn drain(mut pipe: impl Read, written: &AtomicU64, mut each: impl FnMut(&[u8])) {
    let mut buffer = vec![0; 1 << 16];
    while let Ok(bytes @ 1..) = pipe.read(&mut buffer) {
        written.fetch_add(bytes as u64, Ordering::Relaxed);
        each(&buffer[..bytes]);
    }
}

/// Appends bytes to a buffer that keeps only the last ones.
fn keep(tail: &Mutex<VecDeque<u8>>, bytes: &[u8]) {
    const MOST: usize = 1 << 16;
    let mut tail = tail.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
    tail.extend(bytes);
    let surplus = tail.len().saturating_sub(MOST);
    tail.drain(..surplus);
}

/// Appends bytes to a buffer that keeps only the first ones.
fn begin(head: &Mutex<Vec<u8>>, bytes: &[u8]) {
    const MOST: usize = 1 << 16;
    let mut head = head.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
    let room = MOST.saturating_sub(head.len());
    head.extend(&bytes[..bytes.len().min(room)]);
}

/// Makes the child of `command` end when this process ends, however it ends.
pub fn ends_with_parent(command: &mut Command) {
    prepare(command, None);
}

/// Makes the child end with its parent, and sets the limits that the system enforces.
#[cfg(unix)]
fn prepare(command: &mut Command, limits: Option<&Limits>) {
    use std::os::unix::process::CommandExt;

    use crate::process;

    if limits.is_some() {
        // A separate process group, so that its children can be killed with it.
        command.process_group(0);
    }
    let limits = limits.map(|limits| (limits.cpu_seconds(), Limits::FILE));
    let parent = std::process::id();
    let between = move || {
        process::end_with(parent)?;
        if let Some((cpu, file)) = limits {
            // The hard limit of CPU time kills a process that ignores the signal of the soft limit.
            process::lower(libc::RLIMIT_CPU, cpu, cpu.saturating_add(5))?;
            process::lower(libc::RLIMIT_FSIZE, file, file)?;
            process::lower(libc::RLIMIT_CORE, 0, 0)?;
        }
        Ok(())
    };
    // SAFETY: the closure makes system calls only, and does not allocate.
    unsafe { command.pre_exec(between) };
}

#[cfg(not(unix))]
fn prepare(_command: &mut Command, _limits: Option<&Limits>) {}

/// The limit that the system enforced by the signal that ended the child, if any.
#[cfg(unix)]
fn by_signal(status: ExitStatus, limits: &Limits) -> Option<Stopped> {
    use std::os::unix::process::ExitStatusExt;
    match status.signal()? {
        libc::SIGXCPU => Some(Stopped::Cpu(limits.cpu_seconds())),
        libc::SIGXFSZ => Some(Stopped::File(Limits::FILE)),
        _ => None,
    }
}

#[cfg(not(unix))]
fn by_signal(_status: ExitStatus, _limits: &Limits) -> Option<Stopped> {
    None
}

/// Bytes of memory that a process and its children hold now: resident and swapped pages, the page tables, and each
/// thread's kernel stack.
#[cfg(target_os = "linux")]
fn resident(process: u32) -> u64 {
    use std::fs;
    const STACK: u64 = 16 << 10;
    let folder = format!("/proc/{process}");
    let status = fs::read_to_string(format!("{folder}/status")).unwrap_or_default();
    let held = |line: &str| {
        let (name, value) = line.split_once(':')?;
        let value: u64 = value.split_whitespace().next()?.parse().ok()?;
        match name {
            "VmRSS" | "VmSwap" | "VmPTE" => Some(value << 10),
            "Threads" => Some(value * STACK),
            _ => None,
        }
    };
    let own: u64 = status.lines().filter_map(held).sum();
    let threads = fs::read_dir(format!("{folder}/task")).into_iter().flatten().flatten();
    let children = threads.filter_map(|thread| fs::read_to_string(thread.path().join("children")).ok());
    let below = |list: String| list.split_whitespace().filter_map(|id| id.parse().ok()).map(resident).sum::<u64>();
    own + children.map(below).sum::<u64>()
}

#[cfg(not(target_os = "linux"))]
fn resident(_process: u32) -> u64 {
    0
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use super::*;

    const LIMITS: Limits = Limits { seconds: 60, memory: 64 << 20, output: 1 << 20 };

    fn shell(script: &str, limits: &Limits) -> ChildEnd {
        run(Command::new("sh").args(["-c", script]), limits).unwrap()
    }

    #[test]
    fn a_child_within_its_limits_ends_by_itself() {
        let ended = shell("echo words >&2; exit 3", &LIMITS);
        assert_eq!((ended.status.code(), ended.error.as_str(), ended.stopped), (Some(3), "words\n", None));
    }

    #[test]
    fn a_child_that_exceeds_a_limit_is_stopped_and_the_limit_named() {
        for (script, limits, stopped, words) in [
            ("yes", LIMITS, Stopped::Output(1 << 20), "stopped: more than 1 MiB of output"),
            ("yes >&2", LIMITS, Stopped::Output(1 << 20), "stopped: more than 1 MiB of output"),
            ("head -c 2M /dev/zero", LIMITS, Stopped::Output(1 << 20), "stopped: more than 1 MiB of output"),
            ("sleep 1000", Limits { seconds: 1, ..LIMITS }, Stopped::Time(1), "stopped: it lasted more than 1 s"),
            // A child of the child holds the memory.
            (
                "dd if=/dev/zero of=/dev/null bs=1G count=1000; true",
                LIMITS,
                Stopped::Memory(64 << 20),
                "stopped: more than 64 MiB of memory",
            ),
        ] {
            let ended = shell(script, &limits);
            assert_eq!(ended.stopped, Some(stopped), "{script}");
            assert_eq!(stopped.to_string(), words);
        }
    }

    #[test]
    fn the_system_enforces_cpu_time_and_the_size_of_files() {
        let ended = shell("kill -XCPU $$", &LIMITS);
        assert!(matches!(ended.stopped, Some(Stopped::Cpu(60..))), "{ended:?}");
        let folder = tempfile::tempdir().unwrap();
        let own = shell("ulimit -t >&2", &LIMITS);
        assert_eq!(own.error.trim(), LIMITS.cpu_seconds().to_string());
        let file = folder.path().join("sparse");
        let script = format!("exec dd if=/dev/zero of={} bs=1 count=1 seek=2G", file.display());
        assert_eq!(shell(&script, &LIMITS).stopped, Some(Stopped::File(Limits::FILE)));
    }

    #[test]
    fn sizes_are_told_in_the_largest_unit_that_divides_them() {
        for (bytes, words) in [(64 << 20, "64 MiB"), (3 << 30, "3 GiB"), (1536, "1536 bytes"), (2048, "2 KiB")] {
            assert_eq!(Size(bytes).to_string(), words);
        }
    }
}
