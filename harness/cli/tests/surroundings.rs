//! The environment of a run: readers that leave early, a system that starts no threads, full disks.
#![cfg(unix)]
mod common;

use std::{
    fs::File,
    io::Read,
    os::unix::process::CommandExt,
    process::{Command, Stdio},
};

use common::{rows, warplab_in};

/// The program, to be run in `folder`.
fn program(folder: &std::path::Path, args: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_warplab"));
    command.args(args).current_dir(folder).stdin(Stdio::null()).envs(common::compiler());
    command
}

#[test]
fn a_lab_that_is_named_twice_runs_once() {
    let folder = tempfile::tempdir().unwrap();
    let args = ["run", "vecadd", "vecadd", "--quick", "--variant", "pageable", "--device", "emulated", "--out", "out"];
    let run = warplab_in(folder.path(), &args, &[]);
    assert_eq!(run.code, 0, "{run:?}");
    assert_eq!(rows(&folder.path().join("out/vecadd.csv")).len(), 1);
}

/// The exit status and standard error of a command whose reader leaves after `read` bytes.
fn left_after(read: usize, command: &mut Command) -> (Option<i32>, String) {
    let mut child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    let mut reader = child.stdout.take().unwrap();
    reader.read_exact(&mut vec![0; read]).unwrap();
    drop(reader);
    let output = child.wait_with_output().unwrap();
    (output.status.code(), String::from_utf8_lossy(&output.stderr).into_owned())
}

#[test]
fn the_rows_are_written_and_judged_whether_or_not_anybody_reads_the_text() {
    for read in [0, 1, 200] {
        let folder = tempfile::tempdir().unwrap();
        // This lab captures what its kernels print to standard output.
        let args = ["run", "hello", "vecadd", "--quick", "--device", "emulated", "--out", "out"];
        let (code, words) = left_after(read, &mut program(folder.path(), &args));
        assert_eq!((code, words.as_str()), (Some(0), ""), "{read}");
        for (lab, least) in [("hello", 3), ("vecadd", 9)] {
            let rows = rows(&folder.path().join(format!("out/{lab}.csv")));
            assert!(rows.len() >= least && rows.iter().all(|r| r["verdict"] == "pass"), "{lab}: {rows:?}");
        }
    }
}

#[test]
fn a_listing_that_nobody_reads_to_its_end_is_no_failure() {
    for args in [&["list"][..], &["list", "--json"], &["--help"], &["run", "hello", "--help"], &["driver", "--help"]] {
        let folder = tempfile::tempdir().unwrap();
        for read in [0, 10] {
            assert_eq!(left_after(read, &mut program(folder.path(), args)), (Some(0), String::new()), "{args:?}");
        }
    }
}

#[cfg(target_os = "linux")]
#[test]
fn text_that_cannot_be_written_is_said_and_the_rows_are_kept() {
    let run = ["run", "hello", "--quick", "--device", "emulated", "--out", "out"];
    for args in [&run[..], &["list"]] {
        let folder = tempfile::tempdir().unwrap();
        let full = File::options().write(true).open("/dev/full").unwrap();
        let output = program(folder.path(), args).stdout(full).output().unwrap();
        let words = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(4), "{args:?}: {words}");
        assert!(words.contains("cannot write to standard output: No space left on device"), "{words}");
        if args == run {
            let rows = rows(&folder.path().join("out/hello.csv"));
            assert!(rows.len() > 3 && rows.iter().all(|r| r["verdict"] == "pass"), "{rows:?}");
        }
    }
}

/// Forbids the command to start threads or processes.
fn without_threads(command: &mut Command) -> &mut Command {
    // SAFETY: both calls are async-signal-safe. The limit does not apply to the superuser, but to a user without a
    // name; any other user already has a process.
    unsafe {
        command.pre_exec(|| {
            let none = libc::rlimit { rlim_cur: 1, rlim_max: 1 };
            libc::setrlimit(libc::RLIMIT_NPROC, &none);
            if libc::geteuid() == 0 && libc::setuid(1_234_567) != 0 {
                return Err(std::io::Error::last_os_error());
            }
            Ok(())
        })
    }
}

#[test]
fn without_threads_a_run_is_slower_and_not_wrong() {
    use std::os::unix::fs::PermissionsExt;
    let folder = tempfile::tempdir().unwrap();
    std::fs::set_permissions(folder.path(), PermissionsExt::from_mode(0o777)).unwrap();
    let labs = ["hello", "vecadd", "reduction", "matmul"];
    let args = [&["run"], &labs[..], &["--quick", "--device", "emulated", "--out", "out"]].concat();
    // NVRTC has its own threads, and may be installed where another user cannot read.
    let mut command = program(folder.path(), &args);
    let output = without_threads(command.env("WARPLAB_NVRTC", "off")).output().unwrap();
    let words = String::from_utf8_lossy(&output.stderr);
    assert!(!words.contains("panicked"), "{words}");
    // reduction runs a case in a separate process, which cannot start.
    assert_eq!(output.status.code(), Some(4), "{words}");
    assert!(words.contains("cannot start"), "{words}");
    for lab in ["hello", "vecadd", "matmul"] {
        let rows = rows(&folder.path().join(format!("out/{lab}.csv")));
        assert!(!rows.is_empty());
        let bad: Vec<_> = rows.iter().filter(|r| !["pass", "skip"].contains(&r["verdict"].as_str())).collect();
        assert!(bad.is_empty(), "{lab}: {bad:?}");
    }
}

/// The names of the files in `folder`.
#[cfg(target_os = "linux")]
fn files(folder: &std::path::Path) -> Vec<String> {
    let mut names: Vec<String> =
        std::fs::read_dir(folder).unwrap().flatten().map(|f| f.file_name().to_string_lossy().into_owned()).collect();
    names.sort();
    names
}

#[cfg(target_os = "linux")]
#[test]
fn without_room_for_temporary_files_nothing_is_wrong_with_a_kernel() {
    let Some(disk) = common::SmallDisk::mount() else {
        eprintln!("skipped: this user may not mount a tmpfs");
        return;
    };
    disk.fill();
    let folder = tempfile::tempdir().unwrap();
    let full = [("TMPDIR", disk.path().to_str().unwrap())];
    let run = |lab| {
        let args = ["run", lab, "--quick", "--device", "emulated", "--out", "out"];
        (warplab_in(folder.path(), &args, &full), rows(&folder.path().join(format!("out/{lab}.csv"))))
    };
    // The output of kernels is captured in memory.
    let (hello, found) = run("hello");
    assert_eq!(hello.code, 0, "{hello:?}");
    assert!(found.iter().all(|r| r["verdict"] == "pass"), "{found:?}");
    // A case in a separate process leaves its record in a temporary file.
    let (returning, found) = run("returning");
    assert_eq!(returning.code, 4, "{returning:?}");
    assert!(returning.stderr.contains("No space left on device"), "{returning:?}");
    assert!(found.iter().all(|r| r["verdict"] == "pass"), "{found:?}");
    let kernel = concat!(env!("CARGO_MANIFEST_DIR"), "/../../labs/vecadd/kernels/vecadd.cu");
    let graded = warplab_in(folder.path(), &["grade", "vecadd", "--kernel", kernel, "--variant", "pinned"], &full);
    assert_eq!(graded.code, 4, "{graded:?}");
    assert!(format!("{graded:?}").contains("No space left on"), "{graded:?}");
    assert!(!graded.stdout.contains("wrong"), "{graded:?}");
}

#[cfg(target_os = "linux")]
#[test]
fn a_run_for_which_there_is_no_room_leaves_the_folder_as_it_was() {
    let Some(disk) = common::SmallDisk::mount() else {
        eprintln!("skipped: this user may not mount a tmpfs");
        return;
    };
    let out = disk.path().join("out");
    let args = ["run", "vecadd", "--quick", "--device", "emulated", "--out", out.to_str().unwrap()];
    let folder = tempfile::tempdir().unwrap();
    let first = warplab_in(folder.path(), &args, &[]);
    assert_eq!(first.code, 0, "{first:?}");
    let read = |name: &str| std::fs::read_to_string(out.join(name)).unwrap();
    let before = (files(&out), read("vecadd.csv"), read("session.json"));
    disk.fill();
    let second = warplab_in(folder.path(), &args, &[]);
    assert_eq!(second.code, 4, "{second:?}");
    assert!(second.stderr.contains("No space left on device"), "{second:?}");
    assert_eq!((files(&out), read("vecadd.csv"), read("session.json")), before);
}

/// Limits the command to `bytes` of address space.
#[cfg(target_os = "linux")]
fn with_addresses(command: &mut Command, bytes: u64) -> &mut Command {
    // SAFETY: the call is async-signal-safe.
    unsafe {
        command.pre_exec(move || {
            let limit = libc::rlimit { rlim_cur: bytes, rlim_max: bytes };
            if libc::setrlimit(libc::RLIMIT_AS, &limit) == 0 { Ok(()) } else { Err(std::io::Error::last_os_error()) }
        })
    }
}

#[cfg(target_os = "linux")]
#[test]
fn a_limit_on_addresses_is_met_or_said() {
    // An H200 has 140 GiB, of which a small case uses little.
    for (n, limit, code, words) in [("4096", 1 << 30, 0, ""), ("2^26", 1 << 30, 4, "`ulimit -v` (RLIMIT_AS) leaves ")] {
        let folder = tempfile::tempdir().unwrap();
        let args = ["run", "vecadd", "-n", n, "--device", "emulated:h200", "--out", "out"];
        let output = with_addresses(&mut program(folder.path(), &args), limit).output().unwrap();
        let said = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(code), "{limit}: {said}");
        assert!(said.contains(words), "{limit}: {said}");
    }
}

/// The result of a command, if it ends within a minute.
///
/// # Panics
/// When it does not, with what each of its threads waits for.
#[cfg(target_os = "linux")]
fn within_a_minute(command: &mut Command) -> std::io::Result<std::process::Output> {
    use std::time::{Duration, Instant};
    let child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn()?;
    let (pid, began) = (child.id(), Instant::now());
    let waiter = std::thread::spawn(move || child.wait_with_output());
    while !waiter.is_finished() {
        if began.elapsed() > Duration::from_secs(60) {
            let threads = std::fs::read_dir(format!("/proc/{pid}/task")).into_iter().flatten().flatten();
            let of = |folder: std::path::PathBuf| {
                let words =
                    ["comm", "wchan", "syscall", "children"].map(|file| std::fs::read_to_string(folder.join(file)));
                words.into_iter().flatten().collect::<Vec<_>>().join(" ")
            };
            let told: Vec<_> = threads.map(|thread| of(thread.path())).collect();
            panic!("process {pid} does not end: {told:#?}");
        }
        std::thread::sleep(Duration::from_millis(5));
    }
    waiter.join().unwrap()
}

/// However little memory there is, a run either runs or reports what it lacks; it neither crashes nor panics. With more
/// memory than a run has worked with, it works.
#[cfg(target_os = "linux")]
#[test]
fn too_little_memory_for_the_program_itself_is_said() {
    let (mut run, mut refused) = (0, 0);
    for limit in (16..256).step_by(4) {
        for lab in ["hello", "returning"] {
            let folder = tempfile::tempdir().unwrap();
            let args = ["run", lab, "--device", "emulated", "--quick", "--out", "out"];
            let output = within_a_minute(with_addresses(&mut program(folder.path(), &args), limit << 20));
            // At first the system cannot even load the program.
            let Some(output) = output.ok().filter(|o| run + refused > 0 || matches!(o.status.code(), Some(0 | 4)))
            else {
                continue;
            };
            let said = String::from_utf8_lossy(&output.stderr);
            match output.status.code() {
                Some(0) => run += 1,
                Some(4) => {
                    assert!(run == 0 && said.contains("error: "), "{lab}, {limit} MiB, after {run} runs: {said}");
                    refused += 1;
                }
                _ => panic!("{lab}, {limit} MiB: {}: {said}", output.status),
            }
        }
    }
    assert!(run > 8 && refused > 4, "{run} runs, {refused} refused");
}

/// Makes the system answer this call like a kernel that lacks it, for the program and all that it starts.
#[cfg(target_os = "linux")]
fn without(call: libc::c_long, command: &mut Command) -> &mut Command {
    let step = |code, jt, jf, k| libc::sock_filter { code, jt, jf, k };
    let program = [
        step(0x20, 0, 0, 0),
        step(0x15, 0, 1, call as u32),
        step(0x06, 0, 0, libc::SECCOMP_RET_ERRNO | libc::ENOSYS as u32),
        step(0x06, 0, 0, libc::SECCOMP_RET_ALLOW),
    ];
    let filter = move || {
        let mut program = program;
        let program = libc::sock_fprog { len: 4, filter: program.as_mut_ptr() };
        // SAFETY: the program lives during the call, and is whole.
        let status = unsafe {
            libc::prctl(libc::PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
            libc::prctl(libc::PR_SET_SECCOMP, libc::SECCOMP_MODE_FILTER, &raw const program)
        };
        if status == 0 { Ok(()) } else { Err(std::io::Error::last_os_error()) }
    };
    // SAFETY: the closure makes system calls only, and allocates nothing.
    unsafe { command.pre_exec(filter) }
}

/// A system without Landlock, or without seccomp, restricts a submission less than promised.
#[cfg(target_os = "linux")]
#[test]
fn without_a_complete_sandbox_only_trusted_submissions_are_graded() {
    let folder = tempfile::tempdir().unwrap();
    let own = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../labs/vecadd/kernels/vecadd.cu");
    let class = folder.path().join("submissions");
    std::fs::create_dir(&class).unwrap();
    std::fs::copy(&own, class.join("ada.cu")).unwrap();
    std::fs::write(class.join("ada.ptx"), common::ptx_for(&own, &own)).unwrap();
    let grade = ["grade", "vecadd", "submissions/ada.cu"];
    let judge = ["grade", "vecadd", "--kernel", "submissions/ada.cu", "--variant", "pageable", "-n", "33"];
    let class = ["class", "vecadd", "submissions"];
    let only = ["class", "vecadd", "submissions", "--only", "0"];
    for (call, what) in [(libc::SYS_landlock_create_ruleset, "Landlock"), (libc::SYS_seccomp, "seccomp")] {
        let run = |args: &[&str]| {
            let mut command = program(folder.path(), args);
            command.env("WARPLAB_TRUST_PTX", "1").env("WARPLAB_NVRTC", "off");
            let output = without(call, &mut command).output().unwrap();
            let [told, said] = [output.stdout, output.stderr].map(|text| String::from_utf8(text).unwrap());
            (output.status.code(), told, common::one_line(&said))
        };
        for args in [&grade[..], &judge, &class, &only] {
            let (code, told, said) = run(args);
            assert_eq!((code, told.as_str()), (Some(4), ""), "{args:?}: {said}");
            let names = said.starts_with("error: ") && said.contains(&format!("lacks {what}"));
            assert!(names && said.contains("--trust-submissions"), "{args:?}: {said}");
            assert!(!folder.path().join("vecadd-marks").exists(), "{args:?}");
        }
        let (code, told, said) = run(&[&judge[..], &["--trust-submissions"]].concat());
        assert_eq!(code, Some(0), "{told}{said}");
        assert!(said.starts_with("warning: ") && said.contains(&format!("lacks {what}")), "{said}");
        let (code, told, said) = run(&[&class[..], &["--trust-submissions", "--out", what]].concat());
        assert_eq!(code, Some(0), "{told}{said}");
        assert_eq!(said.matches("warning: ").count(), 1, "{said}");
    }
}
