//! A process with a limited address space (`ulimit -v`), as graders run programs: each part works, and a request that
//! does not fit is refused.

mod common;
#[path = "common/kernels.rs"]
mod kernels;
use common::*;
use cudarc::driver::sys::{self, CUresult::*};
use kernels::*;
use std::process::Command;
use std::ptr::null_mut;

/// `ulimit -v 4000000`.
const LIMIT: u64 = 4_000_000 << 10;

#[test]
fn every_part_works_in_a_process_with_few_addresses() {
    let test = std::env::current_exe().unwrap();
    for part in gpu::PARTS {
        let profile = part.name;
        let mut process = Command::new(&test);
        process.args(["--exact", "a_small_program", "--nocapture", "--ignored"]).env("WARPLAB_PROFILE", profile);
        let output = process.output().unwrap();
        let text = String::from_utf8_lossy(&output.stdout) + String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success() && text.contains("1 passed"), "{profile}: {text}");
    }
}

#[test]
#[ignore = "limits its process; the other test runs it"]
fn a_small_program() {
    let limit = libc::rlimit { rlim_cur: LIMIT, rlim_max: LIMIT };
    assert_eq!(unsafe { libc::setrlimit(libc::RLIMIT_AS, &raw const limit) }, 0);
    context();
    let fill = function(module(PTX), "fill");
    let mut address = alloc(512 << 20);
    let mut value = 5u32;
    let run = |address: &mut u64, value: &mut u32| {
        let mut params = [(&raw mut *address).cast(), (&raw mut *value).cast()];
        ok(launch(fill, [400, 1, 1], [250, 1, 1], 0, &mut params));
        assert_eq!(read(*address, 100_000)[99_999], *value + 99_999);
    };
    run(&mut address, &mut value);
    let (mut refused, mut pinned) = (0, null_mut());
    unsafe {
        // The part has enough memory, but the process does not have enough address space.
        fails(sys::cuMemAlloc_v2(&raw mut refused, 6 << 30), CUDA_ERROR_OUT_OF_MEMORY);
        fails(sys::cuMemAllocAsync(&raw mut refused, 6 << 30, null_mut()), CUDA_ERROR_OUT_OF_MEMORY);
        fails(sys::cuMemAllocManaged(&raw mut refused, 6 << 30, 1), CUDA_ERROR_OUT_OF_MEMORY);
        fails(sys::cuMemHostAlloc(&raw mut pinned, 6 << 30, 0), CUDA_ERROR_OUT_OF_MEMORY);
        // Freeing memory returns its addresses.
        for _ in 0..20 {
            let large = alloc(1 << 30);
            ok(sys::cuMemFree_v2(large));
        }
        ok(sys::cuMemFree_v2(address));
    }
    // Allocates until nothing is left, frees everything, and allocates again.
    let mut all = Vec::new();
    while unsafe { sys::cuMemAlloc_v2(&raw mut refused, 64 << 20) } == CUDA_SUCCESS {
        all.push(refused);
    }
    assert!((10..62).contains(&all.len()), "{}", all.len());
    for address in all {
        ok(unsafe { sys::cuMemFree_v2(address) });
    }
    address = alloc(1 << 20);
    value = 6;
    run(&mut address, &mut value);
}
