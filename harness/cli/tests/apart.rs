//! The worker process that runs a judged kernel: what its memory contains, and what happens when it ends.
#![cfg(target_os = "linux")]
mod common;

use std::{
    fs::{self, File},
    os::unix::{
        fs::FileExt,
        process::{CommandExt, ExitStatusExt},
    },
    path::Path,
    process::{Child, Command, Stdio},
    thread,
    time::{Duration, Instant},
};

use harness::Inputs;

/// A number that no program contains by chance.
const SEED: u64 = 11_400_714_819_323_198_485;
const N: usize = 4096;

/// A kernel that is still running when the test inspects its process.
const ENDLESS: &str = r#"
extern "C" __global__ void vecadd(const float *x, const float *y, float *z, unsigned long long n)
{
    while (*(volatile const float *)x < 100.0f)
        ;
}
"#;

/// A started program, which is killed when the test ends in any way.
struct Program(Child);

impl Drop for Program {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

impl Program {
    /// Starts `warplab` with these arguments, in a folder in which the endless kernel is `vecadd.cu`.
    fn start(folder: &Path, args: &[&str]) -> Self {
        fs::write(folder.join("vecadd.cu"), ENDLESS).unwrap();
        let mut command = Command::new(env!("CARGO_BIN_EXE_warplab"));
        command.args(args).current_dir(folder).env("TMPDIR", folder).envs(common::compiler());
        command.env("WARPLAB_BUDGET", "100000000000000");
        let pipes = command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
        Self(pipes.spawn().unwrap())
    }

    /// The worker among its descendants, once it exists.
    fn worker(&self) -> u32 {
        eventually(|| {
            let of_worker = |id: &u32| {
                let arguments = fs::read(format!("/proc/{id}/cmdline")).unwrap_or_default();
                arguments.split(|byte| *byte == 0).any(|one| one == b"__worker")
            };
            below(self.0.id()).into_iter().find(of_worker)
        })
    }
}

/// The descendants of a process.
fn below(process: u32) -> Vec<u32> {
    let threads = fs::read_dir(format!("/proc/{process}/task")).into_iter().flatten().flatten();
    let lists = threads.filter_map(|thread| fs::read_to_string(thread.path().join("children")).ok());
    let own: Vec<u32> =
        lists.flat_map(|list| list.split(' ').filter_map(|id| id.parse().ok()).collect::<Vec<_>>()).collect();
    own.iter().copied().chain(own.iter().flat_map(|id| below(*id))).collect()
}

/// The process, if it still runs: an ended one stays until it is waited for.
fn running(process: u32) -> Option<u32> {
    let status = fs::read_to_string(format!("/proc/{process}/status")).ok()?;
    (!status.contains("\nState:\tZ") && !status.contains("\nState:\tX")).then_some(process)
}

fn eventually<T>(mut look: impl FnMut() -> Option<T>) -> T {
    let began = Instant::now();
    loop {
        if let Some(found) = look() {
            return found;
        }
        assert!(began.elapsed() < Duration::from_secs(60), "it did not happen");
        thread::sleep(Duration::from_millis(20));
    }
}

/// Whether these bytes are in the writable memory of a process.
fn is_in(process: u32, bytes: &[u8]) -> bool {
    let maps = fs::read_to_string(format!("/proc/{process}/maps")).unwrap();
    let memory = File::open(format!("/proc/{process}/mem")).unwrap();
    maps.lines().filter(|line| line.split(' ').nth(1).is_some_and(|rights| rights.starts_with("rw"))).any(|line| {
        let (from, to) = line.split(' ').next().unwrap().split_once('-').unwrap();
        let [from, to] = [from, to].map(|number| u64::from_str_radix(number, 16).unwrap());
        let mut buffer = vec![0; 1 << 20];
        // The bytes may lie across two pieces.
        (from..to).step_by((1 << 20) - 4096).any(|at| {
            let length = buffer.len().min((to - at) as usize);
            let got = memory.read_at(&mut buffer[..length], at).unwrap_or(0);
            buffer[..got].windows(bytes.len()).step_by(4).any(|window| window == bytes)
        })
    })
}

fn bytes(numbers: &[f32]) -> Vec<u8> {
    numbers.iter().flat_map(|number| number.to_ne_bytes()).collect()
}

#[test]
#[ignore = "needs NVRTC"]
fn a_judged_kernel_finds_neither_seed_nor_reference_in_its_process_nvrtc() {
    let folder = tempfile::tempdir().unwrap();
    let (seed, n) = (SEED.to_string(), N.to_string());
    let args = ["run", "vecadd", "--variant", "pageable", "--kernel", "vecadd.cu", "--confined", "--no-exercises"];
    let more = ["--device", "emulated", "--seed", &seed, "--n", &n, "--samples", "1"];
    let judge = Program::start(folder.path(), &[&args[..], &more].concat());
    let worker = judge.worker();
    let [x, y] = ["x", "y"].map(|label| Inputs::new(SEED, label).f32(N, -1.0..1.0));
    let sum: Vec<f32> = x.iter().zip(&y).map(|(x, y)| x + y).collect();
    let [x, sum] = [x, sum].map(|numbers| bytes(&numbers[100..116]));
    // The input gets there, and then the kernel runs.
    eventually(|| is_in(worker, &x).then_some(()));
    let judge = judge.0.id();
    assert!(is_in(judge, &x) && is_in(judge, &sum), "this look finds what is there");
    assert!(is_in(judge, &SEED.to_ne_bytes()));
    assert!(!is_in(worker, &sum), "the reference");
    assert!(!is_in(worker, &SEED.to_ne_bytes()), "the seed");
    for file in ["environ", "cmdline"] {
        let of = |process: u32| fs::read(format!("/proc/{process}/{file}")).unwrap();
        let has_seed = |text: Vec<u8>| text.windows(seed.len()).any(|window| window == seed.as_bytes());
        assert!(!has_seed(of(worker)), "{file}");
        assert_eq!(has_seed(of(judge)), file == "cmdline", "{file}");
    }
    let open: Vec<_> = fs::read_dir(format!("/proc/{worker}/fd")).unwrap().flatten().collect();
    let open: Vec<_> = open.iter().filter_map(|entry| fs::read_link(entry.path()).ok()).collect();
    assert!(open.len() >= 3 && open.iter().all(|file| !file.starts_with(folder.path())), "{open:?}");
    // The worker ends with its judge, even if that is killed, and does not wait for the kernel, which never ends.
    // SAFETY: a call without pointers, to a process that this test has started.
    unsafe { libc::kill(judge as i32, libc::SIGKILL) };
    eventually(|| running(worker).is_none().then_some(()));
}

/// An address of the judge's host memory is invalid in the worker, yet it is reported as one.
#[test]
fn a_pointer_of_the_host_is_said_to_be_one_apart_from_its_judge() {
    for lab in ["returning", "bughunt"] {
        let told = |more: &[&str]| {
            let place = tempfile::tempdir().unwrap();
            let args = ["run", lab, "--quick", "--device", "emulated", "--variant", "host-pointer", "--out", "rows"];
            let run = common::warplab_in(place.path(), &[&args[..], more].concat(), &[]);
            assert_eq!(run.code, 0, "{run:?}");
            let said = run.stdout.lines().find(|line| line.starts_with("host-pointer: Invalid")).map(str::to_owned);
            said.unwrap_or_else(|| panic!("{run:?}"))
        };
        let apart = told(&["--confined"]);
        assert!(apart.contains("(host pointer)"), "{apart}");
        assert_eq!(apart, told(&[]));
    }
}

/// The baseline of a speed is timed under the same conditions as the submission.
#[test]
fn the_labs_own_kernels_run_apart_too_and_the_worker_has_no_rights() {
    let folder = tempfile::tempdir().unwrap();
    let args = ["run", "vecadd", "--variant", "pageable", "--confined", "--no-exercises", "--device", "emulated"];
    let judge = Program::start(folder.path(), &[&args[..], &["--n", "2^20", "--schedules", "1000"]].concat());
    let worker = judge.worker();
    if !harness::sandbox::missing().is_empty() {
        eprintln!("skipped: this system keeps a worker from less");
        return;
    }
    let has = |words: &str| {
        let status = fs::read_to_string(format!("/proc/{worker}/status")).unwrap_or_default();
        status.contains(words).then_some(())
    };
    eventually(|| has("NoNewPrivs:\t1\n"));
    // Two filters of its own.
    eventually(|| has("Seccomp_filters:\t2\n"));
    eventually(|| has("CapPrm:\t0000000000000000\n"));
    // Its socket, output and error, and no other descriptor.
    let open = fs::read_dir(format!("/proc/{worker}/fd")).unwrap().map(|entry| entry.unwrap().file_name());
    let others: Vec<_> = open.filter(|name| !["0", "1", "2"].contains(&name.to_str().unwrap())).collect();
    let of = |name| fs::read_link(Path::new(&format!("/proc/{worker}/fd")).join(name));
    let is_socket = |name| of(name).is_ok_and(|link| link.to_string_lossy().starts_with("socket:"));
    assert!(others.iter().all(is_socket), "{others:?}");
}

/// Seconds of CPU time of this command, and of all that it has started and waited for.
#[expect(clippy::zombie_processes, reason = "`wait4` waits for it, and tells what it has used")]
fn cpu_seconds(command: &mut Command) -> f64 {
    let child = command.stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
    let mut status = 0;
    // SAFETY: both places are live, and nothing else waits for the child.
    let used = unsafe {
        let mut used = std::mem::zeroed::<libc::rusage>();
        assert_eq!(libc::wait4(child.id() as i32, &raw mut status, 0, &raw mut used), child.id() as i32);
        used
    };
    assert_eq!(status, 0);
    let seconds = |time: libc::timeval| time.tv_sec as f64 + 1e-6 * time.tv_usec as f64;
    seconds(used.ru_utime) + seconds(used.ru_stime)
}

#[test]
fn what_a_worker_uses_counts_as_used_by_its_judge() {
    let folder = tempfile::tempdir().unwrap();
    let run = |more: &[&str]| {
        let mut command = Command::new(env!("CARGO_BIN_EXE_warplab"));
        command.args(["run", "matmul", "--variant", "naive", "--n", "384", "--device", "emulated", "--no-exercises"]);
        // The kernel takes most of the time.
        command.args(["--schedules", "8"]).args(more).current_dir(folder.path());
        cpu_seconds(command.env("WARPLAB_NVRTC", "off"))
    };
    let (here, apart) = (run(&[]), run(&["--confined"]));
    assert!(apart > 0.5 * here, "{apart} s, and {here} s in one process");
}

/// Some variants of the lab end with a fault, which ruins the context of those after them.
#[test]
fn a_whole_lab_gives_the_same_apart_from_its_judge() {
    let folder = tempfile::tempdir().unwrap();
    let rows = |out: &str, more: &[&str]| {
        let args = ["run", "transpose", "--quick", "--device", "emulated", "--no-exercises", "--out", out];
        // With one worker, the blocks run in one order: races end alike, and a fault stops the same blocks.
        let settings = [("WARPLAB_NVRTC", "off"), ("WARPLAB_WORKERS", "1")];
        let run = common::warplab_in(folder.path(), &[&args[..], more].concat(), &settings);
        assert_eq!(run.code, 0, "{run:?}");
        let mut rows = common::rows(&folder.path().join(out).join("transpose.csv"));
        for row in &mut rows {
            // A judge reads the inputs back, to check that they are unchanged.
            row.retain(|column, _| !column.starts_with("time_") && column != "copied_d2h_bytes");
        }
        rows
    };
    let here = rows("here", &[]);
    assert!(here.len() > 10 && here.iter().any(|row| row["note"].contains("Invalid ")), "{here:?}");
    let apart = rows("apart", &["--confined"]);
    assert_eq!(apart.len(), here.len());
    for (apart, here) in apart.iter().zip(&here) {
        let other: Vec<_> = here.iter().filter(|(column, value)| apart.get(*column) != Some(*value)).collect();
        assert!(other.is_empty(), "{}: {other:?} is not in {apart:?}", here["variant"]);
    }
}

/// Without address randomisation, as under a debugger, both processes have the same layout: a range that the system
/// picks in one is already in use in the other.
#[test]
fn managed_memory_has_room_in_a_judge_that_is_laid_out_as_its_worker() {
    let folder = tempfile::tempdir().unwrap();
    let mut judge = Command::new(env!("CARGO_BIN_EXE_warplab"));
    judge.current_dir(folder.path());
    judge.args(["run", "returning", "--device", "emulated", "--no-exercises", "--confined", "--csv", "-", "--quiet"]);
    let fixed = || {
        // SAFETY: a call without pointers.
        let before = unsafe { libc::personality(libc::ADDR_NO_RANDOMIZE as libc::c_ulong) };
        if before < 0 { Err(std::io::Error::last_os_error()) } else { Ok(()) }
    };
    // SAFETY: the closure makes one system call, and allocates nothing.
    let ended = unsafe { judge.env("WARPLAB_NVRTC", "off").pre_exec(fixed) }.output();
    if ended.as_ref().is_err_and(|error| error.kind() == std::io::ErrorKind::PermissionDenied) {
        eprintln!("skipped: addresses cannot be made fixed here");
        return;
    }
    let ended = ended.unwrap();
    assert!(ended.status.success(), "{}", String::from_utf8_lossy(&ended.stderr));
    let rows = String::from_utf8(ended.stdout).unwrap();
    for variant in ["managed", "managed-variable"] {
        let row = rows.lines().find(|row| row.contains(&format!(",{variant},"))).unwrap();
        assert!(row.contains(",pass,"), "{row}");
    }
}

#[test]
#[ignore = "needs NVRTC"]
fn a_kernel_whose_process_ends_is_wrong_and_the_grade_is_whole_nvrtc() {
    let folder = tempfile::tempdir().unwrap();
    let args = ["grade", "vecadd", "vecadd.cu", "--device", "emulated"];
    let mut judge = Program::start(folder.path(), &args);
    // Kills each process that runs the kernel, at each size and in each attempt.
    let status = eventually(|| {
        for process in below(judge.0.id()) {
            let arguments = fs::read(format!("/proc/{process}/cmdline")).unwrap_or_default();
            if arguments.split(|byte| *byte == 0).any(|one| one == b"__worker") {
                // SAFETY: a call without pointers, to a process below one that this test has started.
                unsafe { libc::kill(process as i32, libc::SIGKILL) };
            }
        }
        judge.0.try_wait().unwrap()
    });
    let told = std::io::read_to_string(judge.0.stdout.take().unwrap()).unwrap();
    assert_eq!((status.code(), status.signal()), (Some(0), None), "{told}");
    assert!(told.contains(" all            0  100"), "{told}");
    let why = "the process that runs the kernels ended before its time";
    assert!(common::one_line(&told).contains(why), "{told}");
}
