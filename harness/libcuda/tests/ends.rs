//! The end of processes and threads: findings are not lost, and destructors may still make calls.

mod common;
#[path = "common/kernels.rs"]
mod kernels;
use common::*;
use cudarc::driver::sys::{self, CUresult, CUresult::*};
use kernels::*;
use std::cell::RefCell;
use std::process::{Command, Output};
use std::sync::Mutex;

/// Runs a test of this file in a separate process.
fn process(test: &str, how: &str, report: &std::path::Path) -> Output {
    let mut process = Command::new(std::env::current_exe().unwrap());
    process.args(["--exact", test, "--nocapture", "--ignored"]).env("HOW", how).env("WARPLAB_REPORT", report);
    process.output().unwrap()
}

#[test]
fn what_was_found_is_written_however_the_process_ends() {
    let report = std::env::temp_dir().join(format!("ends-{}.json", std::process::id()));
    for how in ["abort", "_exit", "exit", "return"] {
        let _ = std::fs::remove_file(&report);
        let output = process("a_program_with_a_mistake", how, &report);
        let text = String::from_utf8_lossy(&output.stderr);
        assert_eq!(text.matches("error: Invalid").count(), 1, "{how}: {text}");
        assert_eq!(output.status.success(), how != "abort", "{how}: {text}");
        // The report of a killed process is that of its last new finding.
        let told = wire::Report::read(&std::fs::read_to_string(&report).unwrap()).unwrap();
        let launches = told.launches.len() as u64 + told.launches_dropped;
        let counted = if how == "abort" || how == "_exit" { 1 } else { 2 };
        assert_eq!((told.findings.len(), launches), (1, counted), "{how}");
    }
    std::fs::remove_file(&report).unwrap();
}

#[test]
#[ignore = "ends its process; the other test runs it"]
fn a_program_with_a_mistake() {
    let how = std::env::var("HOW").unwrap();
    context();
    let fill = function(module(PTX), "fill");
    // Each run makes the same mistake, which is reported once; the error stays on its context.
    for _ in 0..2 {
        own_context();
        let fill = if how == "return" { function(module(PTX), "fill") } else { fill };
        let (mut address, mut value) = (alloc(16), 1u32);
        let mut params = [(&raw mut address).cast(), (&raw mut value).cast()];
        ok(unsafe { launch_only(fill, &mut params) });
        fails(unsafe { sys::cuCtxSynchronize() }, CUDA_ERROR_ILLEGAL_ADDRESS);
    }
    match how.as_str() {
        "abort" => std::process::abort(),
        "_exit" => unsafe { libc::_exit(0) },
        "exit" => std::process::exit(0),
        _ => {}
    }
}

/// Runs a program that must end without waiting for its running work. Returns what it wrote to its two streams.
fn ends(how: &str) -> (String, String) {
    let report = std::env::temp_dir().join(format!("ends-{}-{}.json", std::process::id(), how.replace(' ', "-")));
    let output = process("a_program_that_waits_for_nothing", how, &report);
    let (text, words) = (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
    assert!(output.status.success(), "{how}: {:?} {text} {words}", output.status);
    let _ = std::fs::remove_file(report);
    (text.into_owned(), words.into_owned())
}

#[test]
fn a_program_ends_while_its_threads_go_on_launching() {
    let (_, words) = ends("launching");
    assert!(words.contains("a thread got CUDA_ERROR_DEINITIALIZED"), "{words}");
}

#[test]
fn a_program_ends_while_its_kernel_does_not() {
    for how in ["endless", "endless and a queue", "endless and a wait"] {
        let (_, words) = ends(how);
        assert!(!words.contains("error"), "{words}");
        assert_eq!(words.matches("nothing is reported about them").count(), 1, "{words}");
    }
}

#[test]
fn what_kernels_print_is_lost_with_a_program_that_does_not_wait() {
    let said = |words: &str| words.matches("the program ended before its kernel's output was read").count();
    let (text, words) = ends("printing");
    assert!(!text.contains("Hello") && said(&words) == 1, "{text} {words}");
    let (text, words) = ends("printing and waiting");
    assert!(text.contains("Hello") && said(&words) == 0, "{text} {words}");
}

#[test]
fn a_mistake_is_found_in_a_program_that_does_not_wait() {
    let (_, words) = ends("mistaken");
    assert_eq!(words.matches("error: Invalid").count(), 1, "{words}");
}

#[test]
#[ignore = "ends its process; the other tests run it"]
fn a_program_that_waits_for_nothing() {
    let how = std::env::var("HOW").unwrap();
    context();
    let kernels = module(PTX);
    let launch = |function, params: &mut [*mut std::ffi::c_void]| ok(unsafe { launch_only(function, params) });
    match how.as_str() {
        "launching" => {
            let count = function(kernels, "count") as usize;
            for _ in 0..4 {
                std::thread::spawn(move || {
                    context();
                    let (mut stream, none) = (std::ptr::null_mut(), std::ptr::null_mut());
                    ok(unsafe { sys::cuStreamCreate(&raw mut stream, 1) });
                    loop {
                        let count = count as sys::CUfunction;
                        let code =
                            unsafe { sys::cuLaunchKernel(count, 64, 1, 1, 64, 1, 1, 0, stream, none, none.cast()) };
                        if code != CUDA_SUCCESS {
                            eprintln!("a thread got {code:?}");
                            // The process may end before a thread that does this.
                            return;
                        }
                    }
                });
            }
            std::thread::sleep(std::time::Duration::from_millis(100));
        }
        "printing" => launch(function(module(&committed::ptx_of("kernels/print.cu")), "hello"), &mut []),
        "printing and waiting" => {
            launch(function(module(&committed::ptx_of("kernels/print.cu")), "hello"), &mut []);
            ok(unsafe { sys::cuCtxSynchronize() });
        }
        "mistaken" => {
            let (mut address, mut value) = (alloc(16), 1u32);
            launch(function(kernels, "fill"), &mut [(&raw mut address).cast(), (&raw mut value).cast()]);
        }
        _ => launch(function(kernels, "spin"), &mut []),
    }
    if how == "endless and a queue" {
        (0..1000).for_each(|_| launch(function(kernels, "count"), &mut []));
    }
    if how == "endless and a wait" {
        let (mut stream, address) = (std::ptr::null_mut(), alloc(4));
        unsafe {
            ok(sys::cuStreamCreate(&raw mut stream, 1));
            ok(sys::cuStreamWaitValue32(stream, address, 1, 1));
        }
    }
    std::process::exit(0);
}

unsafe fn launch_only(fill: sys::CUfunction, params: &mut [*mut std::ffi::c_void]) -> CUresult {
    let none = std::ptr::null_mut();
    unsafe { sys::cuLaunchKernel(fill, 1, 1, 1, 32, 1, 1, 0, none, params.as_mut_ptr(), none.cast()) }
}

/// The results of the calls of a destructor.
static SEEN: Mutex<Vec<CUresult>> = Mutex::new(Vec::new());

/// A thread's own memory and context, released when the thread ends.
struct Own(u64, sys::CUcontext);

impl Drop for Own {
    fn drop(&mut self) {
        let mut seen = SEEN.lock().unwrap();
        unsafe {
            seen.push(sys::cuCtxSetCurrent(self.1));
            seen.push(sys::cuMemsetD32_v2(self.0, 1, 4));
            seen.push(sys::cuMemsetD32Async(self.0, 1, 4, 2 as sys::CUstream));
            seen.push(sys::cuMemFree_v2(self.0));
            seen.push(sys::cuDevicePrimaryCtxRelease_v2(0));
            seen.push(sys::cuCtxDestroy_v2(self.1));
        }
    }
}

thread_local! {
    static OWN: RefCell<Option<Own>> = const { RefCell::new(None) };
}

#[test]
fn destructors_of_a_thread_may_call() {
    let thread = std::thread::spawn(|| {
        // The program's object is created first, so it is dropped last.
        OWN.with(|own| assert!(own.borrow().is_none()));
        context();
        let context = own_context();
        let address = alloc(16);
        ok(unsafe { sys::cuMemsetD32Async(address, 1, 4, 2 as sys::CUstream) });
        OWN.with(|own| *own.borrow_mut() = Some(Own(address, context)));
    });
    thread.join().unwrap();
    assert_eq!(*SEEN.lock().unwrap(), [CUDA_SUCCESS; 6]);
    let findings = report()["findings"].clone();
    assert_eq!(findings, serde_json::json!([]));
}
