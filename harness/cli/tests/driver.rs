//! `warplab driver`: other programs on the embedded machine. The program is the shell, or this test program itself,
//! which acts as a client of the driver on request.
#![cfg(unix)]

use std::{
    env,
    ffi::{CStr, c_char, c_int, c_uint, c_void},
    fs,
    io::{BufRead, BufReader},
    os::unix::process::CommandExt,
    path::Path,
    process::{Child, Command, Stdio},
};

use crate::common::{Run, fails, warplab, warplab_in, warplab_with};

/// The client's task: `free`, or `forget` its memory.
const CLIENT: &str = "WARPLAB_TEST_CLIENT";

/// Runs the client under `warplab driver` with these options.
fn client(does: &str, options: &[&str], variables: &[(&str, &str)]) -> Run {
    let own = env::current_exe().unwrap();
    let program = ["--", own.to_str().unwrap(), "--exact", "driver::a_client", "--ignored", "--nocapture"];
    let args = [&["driver"], options, &program].concat();
    warplab_with(&args, &[&[(CLIENT, does)], variables].concat())
}

#[test]
#[ignore = "the program that the others run"]
fn a_client() {
    let Ok(does) = env::var(CLIENT) else { return };
    type Simple = extern "C" fn(c_uint) -> c_int;
    type Retain = extern "C" fn(*mut *mut c_void, c_int) -> c_int;
    type SetCurrent = extern "C" fn(*mut c_void) -> c_int;
    type Alloc = extern "C" fn(*mut u64, usize) -> c_int;
    type Free = extern "C" fn(u64) -> c_int;
    type Name = extern "C" fn(*mut c_char, c_int, c_int) -> c_int;
    // SAFETY: the driver's functions, by their types in cuda.h.
    unsafe {
        let driver = libc::dlopen(c"libcuda.so.1".as_ptr(), libc::RTLD_NOW);
        assert!(!driver.is_null(), "no libcuda.so.1");
        let function = |name: &CStr| {
            let found = libc::dlsym(driver, name.as_ptr());
            assert!(!found.is_null(), "no {name:?}");
            found
        };
        let init: Simple = std::mem::transmute(function(c"cuInit"));
        let retain: Retain = std::mem::transmute(function(c"cuDevicePrimaryCtxRetain"));
        let set_current: SetCurrent = std::mem::transmute(function(c"cuCtxSetCurrent"));
        let alloc: Alloc = std::mem::transmute(function(c"cuMemAlloc_v2"));
        let free: Free = std::mem::transmute(function(c"cuMemFree_v2"));
        let name: Name = std::mem::transmute(function(c"cuDeviceGetName"));
        assert_eq!(init(0), 0);
        let mut text = [0; 100];
        assert_eq!(name(text.as_mut_ptr(), 100, 0), 0);
        println!("device {:?}", CStr::from_ptr(text.as_ptr()));
        let mut context = std::ptr::null_mut();
        assert_eq!((retain(&raw mut context, 0), set_current(context)), (0, 0));
        for bytes in [1000, 2000] {
            let mut memory = 0;
            assert_eq!(alloc(&raw mut memory, bytes), 0);
            if does == "free" {
                assert_eq!(free(memory), 0);
            }
        }
    }
}

#[test]
fn a_program_runs_on_the_machine() {
    let run = client("free", &["--check", "all", "--device", "emulated:t4"], &[]);
    assert_eq!(run.code, 0, "{run:?}");
    assert!(run.stdout.contains("T4"), "{run:?}");
    assert!(!run.stderr.contains("Leaked"), "{run:?}");
}

#[test]
fn a_leak_is_told_and_is_the_exit_code() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("report.json");
    let report = [("WARPLAB_REPORT", file.to_str().unwrap())];
    let run = client("forget", &["--check", "leakcheck"], &report);
    assert_eq!(run.code, 1, "{run:?}");
    for words in [
        "error: Leaked 3000 bytes in 2 allocations",
        "2000 bytes at 0x",
        "from cuMemAlloc, called by command::driver::a_client",
        "= fault: the host code's",
    ] {
        assert!(run.stderr.contains(words), "no {words}: {run:?}");
    }
    let report: serde_json::Value = serde_json::from_slice(&fs::read(&file).unwrap()).unwrap();
    assert_eq!(report["findings"][0]["kind"], "leak", "{report}");
    assert_eq!(report["findings"][0]["check"], "leakcheck", "{report}");
    // Mistakes are found only by their check.
    for options in [&[][..], &["--check", "memcheck"]] {
        let run = client("forget", options, &[]);
        assert_eq!(run.code, 0, "{run:?}");
        assert!(!run.stderr.contains("Leaked"), "{run:?}");
    }
}

#[test]
fn triton_is_told_where_the_driver_is_and_gets_its_ptx_back() {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("in.ptx"), ".version 9.0").unwrap();
    let script = "set -e; test -e $TRITON_LIBCUDA_PATH/libcuda.so.1; $TRITON_PTXAS_BLACKWELL_PATH --version; \
                  $TRITON_PTXAS_PATH -lineinfo -v --gpu-name=sm_90a in.ptx -o out; cat out; echo \" $TRITON_CACHE_DIR\"";
    let run = |variables: &[(&str, &str)]| {
        let run =
            warplab_in(folder.path(), &["exec", "--device", "emulated", "--", "/bin/sh", "-c", script], variables);
        assert_eq!(run.code, 0, "{run:?}");
        run.stdout
    };
    let said = run(&[("WARPLAB_CACHE", "/kept")]);
    // Triton parses CUDA's version from this text, and derives from it the version of the PTX that it writes.
    assert!(said.contains("Cuda compilation tools, release 13.0, V13.0"), "{said}");
    assert!(said.ends_with("\n.version 9.0 /kept/triton\n"), "{said}");
    // A given folder for Triton's cache is kept.
    assert!(run(&[("TRITON_CACHE_DIR", "/mine")]).ends_with(".version 9.0 /mine\n"));
}

#[test]
fn a_program_of_ours_judges_itself() {
    let own = env!("CARGO_BIN_EXE_warplab");
    let run = ["run", "vecadd", "--quick", "--variant", "pageable", "--check", "all"];
    let run = warplab(&[&["driver", own], &run[..]].concat());
    assert_eq!(run.code, 0, "{run:?}");
    let why = "the CUDA driver on the library path is the SIMT machine";
    assert!(run.stdout.contains(why), "{run:?}");
}

#[test]
fn the_exit_code_is_the_programs() {
    let shell = |script| warplab(&["driver", "--", "/bin/sh", "-c", script]);
    assert_eq!(shell("exit 0").code, 0);
    assert_eq!(shell("exit 7").code, 7);
    assert_eq!(shell("exit 130").code, 130);
    let killed = shell("kill -SEGV $$");
    assert_eq!(killed.code, 128 + libc::SIGSEGV, "{killed:?}");
    assert!(killed.stderr.contains("SIGSEGV"), "{killed:?}");
    // Options behind the program are the program's.
    let run = warplab(&["driver", "/bin/echo", "--check", "-n"]);
    assert_eq!((run.code, run.stdout.as_str()), (0, "--check -n\n"));
}

#[test]
fn what_cannot_be_run_is_said() {
    fails(&["driver", "no-such-program"], 2, &["cannot run no-such-program: there is no such program", "PATH"]);
    fails(&["driver", "./no/such/program"], 2, &["cannot run ./no/such/program: there is no such program"]);
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("text");
    fs::write(&file, "text").unwrap();
    fails(&["driver", file.to_str().unwrap()], 2, &["you may not execute it", "chmod +x"]);
    fails(&["driver"], 2, &["name a program to run", "--out"]);
    fails(&["driver", "--check", "all"], 2, &["PROGRAM"]);
    fails(&["driver", "--check", "leak", "true"], 2, &["no check is called `leak`", "leakcheck"]);
    fails(&["driver", "--device", "emulated:h300", "true"], 2, &["unknown profile `h300`", "h200"]);
    fails(&["driver", "--device", "cuda:0", "true"], 2, &["driver only supports the emulated device"]);
}

#[test]
fn the_driver_is_written_to_a_folder() {
    let folder = tempfile::tempdir().unwrap();
    let run = warplab_in(folder.path(), &["driver", "--out", "a/b"], &[]);
    assert_eq!(run.code, 0, "{run:?}");
    assert!(run.stdout.contains("LD_LIBRARY_PATH=a/b PROGRAM"), "{run:?}");
    let size = |name: &str| fs::metadata(folder.path().join(name)).unwrap().len();
    assert!(size("a/b/libcuda.so.1") > 100_000);
    assert_eq!(size("a/b/libcuda.so.1"), size("a/b/libcuda.so"));
    // A second time, over the existing files.
    assert_eq!(warplab_in(folder.path(), &["driver", "--out", "a/b"], &[]).code, 0);
    // A folder that is a file.
    fs::write(folder.path().join("file"), "").unwrap();
    let run = warplab_in(folder.path(), &["driver", "--out", "file"], &[]);
    assert_eq!(run.code, 2, "{run:?}");
    assert!(run.stderr.contains("--out file: cannot write the driver there"), "{run:?}");
}

#[test]
#[cfg(target_os = "linux")]
fn the_written_driver_has_the_name_that_linked_programs_ask_for() {
    use object::read::elf::{Dyn, FileHeader};
    let folder = tempfile::tempdir().unwrap();
    assert_eq!(warplab_in(folder.path(), &["driver", "--out", "."], &[]).code, 0);
    for file in ["libcuda.so.1", "libcuda.so"] {
        let library = fs::read(folder.path().join(file)).unwrap();
        let library = &library[..];
        let header = object::elf::FileHeader64::<object::Endianness>::parse(library).unwrap();
        let endian = header.endian().unwrap();
        let sections = header.sections(endian, library).unwrap();
        let (entries, strings) = sections.dynamic(endian, library).unwrap().unwrap();
        let strings = sections.strings(endian, library, strings).unwrap();
        let soname = entries.iter().find(|entry| entry.tag32(endian) == Some(object::elf::DT_SONAME)).unwrap();
        assert_eq!(soname.string(endian, strings).unwrap(), b"libcuda.so.1", "{file}");
    }
    // A program that is linked with it runs on it, under either name that the linker found.
    let source = "int cuInit(unsigned); int main(void) { return cuInit(0); }";
    fs::write(folder.path().join("program.c"), source).unwrap();
    let cc = |with: &str| {
        let mut cc = std::process::Command::new("cc");
        cc.args(["program.c", "-o", "program", "-L.", with]).current_dir(folder.path()).status()
    };
    for with in ["-l:libcuda.so.1", "-lcuda"] {
        match cc(with) {
            // Without a C compiler, nothing more can be tested.
            Err(_) => return,
            Ok(status) => assert!(status.success(), "{with}"),
        }
        fs::rename(folder.path().join("libcuda.so"), folder.path().join("away")).unwrap();
        let mut program = std::process::Command::new(folder.path().join("program"));
        assert!(program.env("LD_LIBRARY_PATH", folder.path()).status().unwrap().success(), "{with}");
        fs::rename(folder.path().join("away"), folder.path().join("libcuda.so")).unwrap();
    }
}

/// Starts a long program on the driver, with this folder for temporary files, and waits until it has begun.
fn long(temporary: &Path) -> Child {
    let mut command = Command::new(env!("CARGO_BIN_EXE_warplab"));
    command.args(["driver", "--", "sh", "-c", "echo begun; exec sleep 100"]).env("TMPDIR", temporary);
    // SAFETY: a plain system call. The caller of the tests may have had SIGHUP ignored, as nohup does.
    unsafe {
        command.pre_exec(|| {
            libc::signal(libc::SIGHUP, libc::SIG_DFL);
            Ok(())
        });
    }
    let mut child = command.stdout(Stdio::piped()).stderr(Stdio::null()).spawn().unwrap();
    let mut line = String::new();
    BufReader::new(child.stdout.as_mut().unwrap()).read_line(&mut line).unwrap();
    assert_eq!(line, "begun\n");
    child
}

#[test]
fn a_signal_ends_the_program_and_leaves_nothing_behind() {
    for signal in [libc::SIGTERM, libc::SIGHUP] {
        let temporary = tempfile::tempdir().unwrap();
        let mut child = long(temporary.path());
        assert_eq!(fs::read_dir(temporary.path()).unwrap().count(), 1);
        // SAFETY: a signal to a process of this test's own.
        unsafe { libc::kill(child.id() as i32, signal) };
        assert_eq!(child.wait().unwrap().code(), Some(128 + signal));
        assert_eq!(fs::read_dir(temporary.path()).unwrap().count(), 0, "signal {signal}");
    }
}

#[test]
fn what_a_killed_run_leaves_goes_with_the_next_run() {
    let temporary = tempfile::tempdir().unwrap();
    let mut child = long(temporary.path());
    child.kill().unwrap();
    child.wait().unwrap();
    assert_eq!(fs::read_dir(temporary.path()).unwrap().count(), 1);
    let folder = temporary.path().to_str().unwrap();
    let run = warplab_with(&["driver", "--", "true"], &[("TMPDIR", folder)]);
    assert_eq!(run.code, 0, "{run:?}");
    assert_eq!(fs::read_dir(temporary.path()).unwrap().count(), 0);
}
