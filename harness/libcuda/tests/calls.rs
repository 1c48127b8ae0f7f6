//! Mistakes that show in the calls of a program, each in a process of its own: copies of memory that no one has
//! written, memory that is used too early or never freed, calls that fail, and device memory that the host reads.

mod common;
#[path = "common/kernels.rs"]
mod kernels;
use common::*;
use cudarc::driver::sys::{self, CUresult::*};
use kernels::*;
use std::os::unix::process::ExitStatusExt;
use std::process::{Command, Output};
use std::ptr::null_mut;

/// Runs a program of this file with these checks; its standard error, and how it ended.
fn program(what: &str, checks: &str) -> (String, Output) {
    let mut process = Command::new(std::env::current_exe().unwrap());
    process.args(["--exact", "a_program", "--nocapture", "--ignored"]);
    let output = process.env("HOW", what).env("WARPLAB_CHECKS", checks).output().unwrap();
    (String::from_utf8_lossy(&output.stderr).into_owned(), output)
}

/// The number of mistakes reported of a program that ends well, and its standard error.
fn told(what: &str) -> (usize, String) {
    let (words, output) = program(what, "all");
    assert!(output.status.success(), "{what}: {words}");
    (words.matches("error: ").count(), words)
}

#[test]
fn a_copy_to_the_host_of_bytes_that_no_one_has_written_is_found() {
    let (found, words) = told("copy all unset");
    assert_eq!(found, 1, "{words}");
    assert!(words.contains("error: Uninitialized __global__ memory read of size 4096 bytes"), "{words}");
    assert!(words.contains("4096 of the 4096 bytes that are copied to the host were never written"), "{words}");
    let (found, words) = told("copy some unset");
    assert!(found == 1 && words.contains("3584 of the 4096 bytes"), "{words}");
    for right in ["copy filled", "copy copied", "copy to device"] {
        assert_eq!(told(right).0, 0, "{right}");
    }
    // Only the check for it.
    assert!(!program("copy all unset", "memcheck,racecheck").0.contains("error"));
}

#[test]
fn stream_ordered_memory_that_is_used_before_its_allocation_is_ordered_is_found() {
    for wrong in ["fill other", "copy other", "launch other", "event of another time"] {
        let (found, words) = told(wrong);
        assert_eq!(found, 1, "{wrong}: {words}");
        assert!(words.contains("error: Use of stream-ordered memory before its allocation"), "{wrong}: {words}");
    }
    for right in ["fill same", "fill after event", "fill after wait", "fill after query", "fill by default stream"] {
        let (found, words) = told(right);
        assert_eq!(found, 0, "{right}: {words}");
    }
}

#[test]
fn blocks_of_the_device_heap_that_no_kernel_frees_leak() {
    let (found, words) = told("heap");
    assert_eq!(found, 1, "{words}");
    assert!(words.contains("error: Leaked 96 bytes in 4 allocations"), "{words}");
    assert!(words.contains("96 bytes in 4 blocks of the device heap"), "{words}");
    assert_eq!(told("heap freed").0, 0);
    assert!(!program("heap", "memcheck").0.contains("Leaked"));
}

#[test]
fn each_call_that_fails_is_listed_once_with_all_checks() {
    let (found, words) = told("failing calls");
    assert_eq!(found, 0, "{words}");
    assert_eq!(
        words.matches("cuMemAlloc_v2 failed: CUDA_ERROR_INVALID_VALUE, \"invalid argument\"").count(),
        1,
        "{words}"
    );
    assert_eq!(words.matches("failed:").count(), 2, "{words}");
    assert!(!program("failing calls", "memcheck").0.contains("failed:"));
}

#[test]
fn a_device_pointer_that_the_host_reads_is_named() {
    for how in ["host reads", "host writes"] {
        let (words, output) = program(how, "memcheck");
        assert_eq!(output.status.signal(), Some(libc::SIGSEGV), "{how}: {words}");
        let said = words.matches("the host reads or writes device memory by a pointer (0x").count();
        assert!(said == 1 && words.contains("cudaMemcpy"), "{how}: {words}");
    }
    // Any other address is the program's own business, and so is the signal of one that handles it.
    let (words, output) = program("host reads elsewhere", "memcheck");
    assert!(output.status.signal() == Some(libc::SIGSEGV) && !words.contains("device memory"), "{words}");
    let (words, output) = program("host handles", "memcheck");
    assert!(output.status.code() == Some(7) && words.contains("device memory"), "{words}");
}

#[test]
#[ignore = "makes mistakes; the other tests run it"]
fn a_program() {
    let how = std::env::var("HOW").unwrap();
    if how == "host handles" {
        extern "C" fn handler(_: libc::c_int) {
            unsafe { libc::_exit(7) };
        }
        unsafe { libc::signal(libc::SIGSEGV, handler as *const () as libc::sighandler_t) };
    }
    context();
    match how.split_once(' ') {
        Some(("copy", "other") | ("fill" | "launch" | "event", _)) => ordered(&how),
        Some(("copy", what)) => copies(what),
        Some(("host", what)) => host(what),
        Some(("failing", _)) => unsafe {
            for _ in 0..2 {
                fails(sys::cuMemAlloc_v2(&mut 0, 0), CUDA_ERROR_INVALID_VALUE);
                fails(sys::cuCtxSetCurrent(1 as sys::CUcontext), CUDA_ERROR_INVALID_CONTEXT);
            }
        },
        _ => heap(&how),
    }
}

fn copies(what: &str) {
    let (from, other, mut host) = (alloc(4096), alloc(4096), [0u8; 4096]);
    unsafe {
        match what {
            "some unset" => ok(sys::cuMemsetD8_v2(from, 1, 512)),
            "filled" => ok(sys::cuMemsetD8_v2(from, 1, 4096)),
            "copied" => {
                ok(sys::cuMemcpyHtoD_v2(other, host.as_ptr().cast(), 4096));
                ok(sys::cuMemcpyDtoD_v2(from, other, 4096));
            }
            _ => {}
        }
        if what == "to device" {
            ok(sys::cuMemcpyDtoD_v2(other, from, 4096));
        } else {
            ok(sys::cuMemcpyDtoH_v2(host.as_mut_ptr().cast(), from, 4096));
        }
        ok(sys::cuMemFree_v2(from));
        ok(sys::cuMemFree_v2(other));
    }
}

fn ordered(how: &str) {
    unsafe {
        let (mut one, mut other, mut event, mut at) = (null_mut(), null_mut(), null_mut(), 0);
        ok(sys::cuStreamCreate(&raw mut one, 0));
        ok(sys::cuStreamCreate(&raw mut other, 0));
        ok(sys::cuEventCreate(&raw mut event, 0));
        if how == "event of another time" {
            ok(sys::cuEventRecord(event, one));
            ok(sys::cuStreamWaitEvent(other, event, 0));
        }
        ok(sys::cuMemAllocAsync(&raw mut at, 4096, one));
        match how {
            "fill after event" => {
                ok(sys::cuEventRecord(event, one));
                ok(sys::cuStreamWaitEvent(other, event, 0));
            }
            "fill after wait" => ok(sys::cuStreamSynchronize(one)),
            "fill after query" => while sys::cuStreamQuery(one) != CUDA_SUCCESS {},
            _ => {}
        }
        let stream = match how {
            "fill same" => one,
            "fill by default stream" => null_mut(),
            _ => other,
        };
        match how {
            "copy other" => ok(sys::cuMemcpyHtoDAsync_v2(at, [0u8; 4096].as_ptr().cast(), 4096, stream)),
            "launch other" => {
                let (fill, mut value) = (function(module(PTX), "fill"), 1u32);
                let mut params = [(&raw mut at).cast(), (&raw mut value).cast()];
                ok(sys::cuLaunchKernel(fill, 1, 1, 1, 32, 1, 1, 0, stream, params.as_mut_ptr(), null_mut()));
            }
            _ => ok(sys::cuMemsetD8Async(at, 1, 4096, stream)),
        }
        ok(sys::cuCtxSynchronize());
        ok(sys::cuMemFreeAsync(at, one));
        ok(sys::cuCtxSynchronize());
    }
}

/// Each thread allocates 24 bytes, and frees them or not.
const HEAP: &str = r"
.version 7.0
.target sm_52
.address_size 64
.extern .func (.param .b64 out) malloc (.param .b64 bytes);
.extern .func free (.param .b64 at);
.visible .entry heap(.param .u32 frees)
{
    .reg .b32 %r<2>;
    .reg .b64 %rd<2>;
    .reg .pred %p<2>;
    {
        .param .b64 bytes;
        .param .b64 out;
        st.param.b64 [bytes], 24;
        call.uni (out), malloc, (bytes);
        ld.param.b64 %rd1, [out];
    }
    ld.param.u32 %r1, [frees];
    setp.eq.u32 %p1, %r1, 0;
    @%p1 bra END;
    {
        .param .b64 at;
        st.param.b64 [at], %rd1;
        call.uni free, (at);
    }
END:
    ret;
}
";

fn heap(how: &str) {
    let mut frees = u32::from(how == "heap freed");
    let mut params = [(&raw mut frees).cast()];
    let heap = function(module(HEAP), "heap");
    unsafe {
        ok(sys::cuLaunchKernel(heap, 1, 1, 1, 4, 1, 1, 0, null_mut(), params.as_mut_ptr(), null_mut()));
        ok(sys::cuCtxSynchronize());
    }
}

fn host(how: &str) {
    let address = if how == "reads elsewhere" { 16 } else { alloc(4096) + 4 };
    let place = std::ptr::with_exposed_provenance_mut::<u32>(address as usize);
    unsafe {
        if how == "writes" {
            place.write_volatile(1);
        } else {
            place.read_volatile();
        }
    }
}
