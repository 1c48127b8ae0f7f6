//! Cases that take too long or too much memory: they are announced or ended, and the rows so far are kept.
#![cfg(target_os = "linux")]
use std::{
    io::{BufRead, BufReader, Write},
    os::unix::process::CommandExt,
    path::Path,
    process::{Command, Output, Stdio},
};

/// The limit of a run's data in bytes, so that a failing test does not affect this computer.
const DATA: u64 = 3 << 30;

/// Returns the command that runs the lab on the emulated device, in this folder.
fn lab(folder: &Path, arguments: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_limits-lab"));
    command.args(["--device", "emulated", "--out", "out"]).args(arguments).current_dir(folder);
    // If nothing else ends a kernel, its budget does.
    command.env("WARPLAB_BUDGET", "3000000000").env_remove("WARPLAB_CHECKS");
    // NVRTC is searched for once for all processes.
    let _ = kernels::nvrtc();
    command.envs(kernels::for_children());
    limited(&mut command, libc::RLIMIT_DATA, DATA);
    command
}

fn limited(command: &mut Command, resource: libc::__rlimit_resource_t, bytes: u64) {
    let limit = libc::rlimit { rlim_cur: bytes, rlim_max: bytes };
    // SAFETY: the call is safe between fork and exec.
    unsafe {
        command.pre_exec(move || match libc::setrlimit(resource, &raw const limit) {
            0 => Ok(()),
            _ => Err(std::io::Error::last_os_error()),
        });
    }
}

/// The exit code, the rows (variant, verdict and note), standard output and standard error.
struct Ran {
    code: Option<i32>,
    rows: Vec<[String; 3]>,
    stdout: String,
    stderr: String,
}

fn ran(folder: &Path, output: &Output) -> Ran {
    let csv = folder.join("out/limits-lab.csv");
    let rows = csv::Reader::from_path(csv).map_or_else(
        |_| Vec::new(),
        |mut csv| {
            let headers = csv.headers().unwrap().clone();
            let at = |name: &str| headers.iter().position(|h| h == name).unwrap();
            let columns = ["variant", "verdict", "note"].map(at);
            csv.records().map(|row| row.unwrap()).map(|row| columns.map(|at| row[at].to_string())).collect()
        },
    );
    let [stdout, stderr] = [&output.stdout, &output.stderr].map(|text| String::from_utf8_lossy(text).into_owned());
    Ran { code: output.status.code(), rows, stdout, stderr }
}

fn run(arguments: &[&str]) -> Ran {
    let folder = tempfile::tempdir().unwrap();
    let output = lab(folder.path(), arguments).stdin(Stdio::null()).output().unwrap();
    ran(folder.path(), &output)
}

fn verdicts(ran: &Ran) -> Vec<(&str, &str)> {
    ran.rows.iter().map(|[variant, verdict, _]| (variant.as_str(), verdict.as_str())).collect()
}

#[test]
fn a_size_that_is_asked_for_and_does_not_fit_is_refused_with_what_it_needs_and_what_there_is() {
    let refused = run(&["-n", "4G", "--variant", "short"]);
    assert_eq!(refused.code, Some(4), "{}", refused.stderr);
    let needs = "the data need about 8.0 GiB of this computer's memory, the emulated device's included, but ";
    for words in [needs, "; choose a smaller --n"] {
        assert!(refused.stderr.contains(words), "{}", refused.stderr);
    }
    // Which limit is the tightest depends on the computer, but the test's own is 3 GiB.
    let limits = ["`ulimit -d` (RLIMIT_DATA) leaves ", "are free on this computer", "the control group "];
    assert!(limits.iter().any(|limit| refused.stderr.contains(limit)), "{}", refused.stderr);
    assert!(refused.rows.is_empty(), "{:?}", refused.rows);
    // The user has not chosen this size.
    let folder = tempfile::tempdir().unwrap();
    let mut command = lab(folder.path(), &[]);
    let left_out = ran(folder.path(), &command.env("LIMITS_LAB_BYTES", "4294967296").output().unwrap());
    assert_eq!(left_out.code, Some(0), "{}", left_out.stderr);
    assert_eq!(verdicts(&left_out), [("short", "pass"), ("-", "skip")], "{:?}", left_out.rows);
    assert!(left_out.rows[1][2].contains(needs), "{:?}", left_out.rows);
    // Data that fit run.
    assert_eq!(run(&["-n", "1M", "--variant", "short"]).code, Some(0));
}

/// Graders run programs under such a limit, which is below a GPU's memory size.
#[test]
fn a_part_needs_no_addresses_for_memory_that_nobody_uses() {
    let folder = tempfile::tempdir().unwrap();
    let mut command = lab(folder.path(), &["--variant", "short"]);
    limited(&mut command, libc::RLIMIT_AS, 3 << 30);
    let ran = ran(folder.path(), &command.output().unwrap());
    assert_eq!(ran.code, Some(0), "{}", ran.stderr);
}

#[test]
fn a_file_without_an_end_is_not_read() {
    let refused = run(&["--input", "/dev/zero"]);
    assert_eq!(refused.code, Some(2), "{}", refused.stderr);
    assert!(refused.stderr.contains("cannot read /dev/zero: it is a device"), "{}", refused.stderr);
    let folder = tempfile::tempdir().unwrap();
    let zeros = std::fs::File::open("/dev/zero").unwrap();
    let mut command = lab(folder.path(), &["--input", "-", "--variant", "short"]);
    let refused = ran(folder.path(), &command.stdin(zeros).output().unwrap());
    assert_eq!(refused.code, Some(4), "{}", refused.stderr);
    assert!(refused.stderr.contains("- holds more than "), "{}", refused.stderr);
    // A pipe works like a file.
    let mut command = lab(folder.path(), &["--input", "-", "--variant", "short"]);
    let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    child.stdin.take().unwrap().write_all(b"hello").unwrap();
    let read = ran(folder.path(), &child.wait_with_output().unwrap());
    assert!(read.stdout.contains("- holds 5 bytes"), "{}{}", read.stdout, read.stderr);
}

#[test]
fn a_case_that_does_not_end_in_its_time_fails_and_the_others_run() {
    let timed = run(&["--timeout", "3s"]);
    assert_eq!(timed.code, Some(1), "{}", timed.stderr);
    let expected = [("short", "pass"), ("endless", "fail"), ("endless-wrong", "fail"), ("last", "pass")];
    // The emulated device has no ceilings.
    let expected = [&expected[..], &[("within", "pass"), ("beyond", "pass")], &[("growing", "pass"); 2]].concat();
    assert_eq!(verdicts(&timed), expected, "{:?}", timed.rows);
    assert_eq!(timed.rows[1][2], "did not end within 3s (--timeout)");
    // A case's output is shown exactly once.
    for line in ["short runs", "last runs"] {
        assert_eq!(timed.stdout.lines().filter(|l| *l == line).count(), 1, "{}", timed.stdout);
    }
    // Text that all cases have in common is not repeated for each.
    assert_eq!(timed.stdout.matches("Device: emulated").count(), 1, "{}", timed.stdout);
    let quiet = run(&["--timeout", "60", "--variant", "short", "-q"]);
    assert_eq!((quiet.code, quiet.stdout.as_str(), quiet.stderr.as_str()), (Some(0), "", ""));
}

#[test]
fn the_first_control_c_ends_an_endless_kernel_and_keeps_the_rows() {
    for more in [&[][..], &["--timeout", "1h"]] {
        let folder = tempfile::tempdir().unwrap();
        let mut command = lab(folder.path(), more);
        let mut child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
        let mut stdout = BufReader::new(child.stdout.take().unwrap());
        let mut line = String::new();
        while !line.contains("the kernel runs") {
            line.clear();
            assert!(stdout.read_line(&mut line).unwrap() > 0, "it has ended");
        }
        // SAFETY: a signal to the child that this test started and has not yet waited for.
        assert_eq!(unsafe { libc::kill(child.id() as i32, libc::SIGINT) }, 0);
        let mut rest = String::new();
        std::io::Read::read_to_string(&mut stdout, &mut rest).unwrap();
        let ended = ran(folder.path(), &child.wait_with_output().unwrap());
        assert_eq!(ended.code, Some(130), "{}", ended.stderr);
        assert!(ended.stderr.contains("the rows so far are kept"), "{}", ended.stderr);
        assert_eq!(verdicts(&ended), [("short", "pass")], "{:?}", ended.rows);
        // The table contains those rows.
        assert!(rest.contains("1 pass"), "{rest}");
    }
}

#[test]
fn a_long_emulation_is_announced_on_standard_error() {
    let long = run(&["--variant", "growing"]);
    assert_eq!(long.code, Some(0), "{}", long.stderr);
    let words = "limits-lab growing: the emulation takes about ";
    let minutes = long.stderr.split(words).nth(1).and_then(|rest| rest.split(' ').next()?.parse::<u32>().ok());
    assert!(minutes.is_some_and(|minutes| (8..25).contains(&minutes)), "{}", long.stderr);
    assert!(long.stderr.contains(words) && long.stderr.contains("use --quick or a smaller --n"), "{}", long.stderr);
    assert!(!long.stdout.contains(words), "{}", long.stdout);
    let short = run(&["--variant", "short"]);
    assert_eq!(short.stderr, "");
    // A million samples may take hours or, as here, no time: the variant has not run before.
    let unknown = run(&["--variant", "short", "--samples", "1000000"]);
    assert_eq!(unknown.stderr, "");
    let quiet = run(&["--variant", "growing", "-q"]);
    assert_eq!(quiet.stderr, "");
}

#[test]
fn a_dry_run_lists_kernels_that_never_end() {
    let folder = tempfile::tempdir().unwrap();
    let run = ran(folder.path(), &lab(folder.path(), &["--dry-run", "--variant", "endless-wrong"]).output().unwrap());
    assert_eq!((run.code, run.rows.len()), (Some(0), 0), "{}", run.stderr);
    assert!(run.stdout.contains("endless-wrong  wrong on purpose: it never ends"), "{}", run.stdout);
    assert!(run.stdout.contains("1 variant of 1 lab would run"), "{}", run.stdout);
    assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 0);
}
