//! Launches that fail or are refused, and what the report says about them. The process has one report, so the tests run
//! one at a time.

mod common;
#[path = "common/kernels.rs"]
mod kernels;
use common::*;
use cudarc::driver::sys::{self, CUfunction_attribute as Attribute, CUresult::*};
use kernels::*;
use std::ffi::c_void;
use std::ptr::null_mut;
use std::sync::{Mutex, MutexGuard, PoisonError};

fn alone() -> MutexGuard<'static, ()> {
    static ONE: Mutex<()> = Mutex::new(());
    ONE.lock().unwrap_or_else(PoisonError::into_inner)
}

#[test]
fn limits_are_enforced_with_the_driver_s_codes() {
    let _alone = alone();
    own_context();
    report();
    let module = module(PTX);
    let count = function(module, "count");
    for (grid, block) in [
        ([0, 1, 1], [1, 1, 1]),
        ([1, 1, 1], [1, 0, 1]),
        ([1, 1, 1], [1025, 1, 1]),
        ([1, 1, 1], [1, 1, 65]),
        ([1, 1, 1], [32, 32, 2]),
        ([1 << 31, 1, 1], [1, 1, 1]),
        ([1, 65536, 1], [1, 1, 1]),
    ] {
        fails(launch(count, grid, block, 0, &mut []), CUDA_ERROR_INVALID_VALUE);
    }
    fails(launch(count, [1, 1, 1], [1, 1, 1], 48 * 1024 + 1, &mut []), CUDA_ERROR_INVALID_VALUE);
    let dynamic = Attribute::CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES;
    unsafe {
        fails(sys::cuFuncSetAttribute(count, dynamic, 163 * 1024 + 1), CUDA_ERROR_INVALID_VALUE);
        ok(sys::cuFuncSetAttribute(count, dynamic, 100_000));
        fails(sys::cuFuncSetAttribute(count, Attribute::CU_FUNC_ATTRIBUTE_NUM_REGS, 8), CUDA_ERROR_INVALID_VALUE);
    }
    ok(launch(count, [1, 1, 1], [1, 1, 1], 100_000, &mut []));
    fails(one(function(module, "bounded"), 1, 65), CUDA_ERROR_INVALID_VALUE);
    ok(one(function(module, "bounded"), 1, 64));
    fails(one(function(module, "exact"), 1, 64), CUDA_ERROR_INVALID_VALUE);
    ok(launch(function(module, "exact"), [1, 1, 1], [32, 2, 1], 0, &mut []));
    let cooperative =
        |blocks| unsafe { sys::cuLaunchCooperativeKernel(count, blocks, 1, 1, 1024, 1, 1, 0, null_mut(), null_mut()) };
    ok(cooperative(216));
    fails(cooperative(217), CUDA_ERROR_COOPERATIVE_LAUNCH_TOO_LARGE);
    ok(unsafe { sys::cuCtxSynchronize() });
    let report = report();
    let kinds: Vec<_> = report["findings"].as_array().unwrap().iter().map(|f| f["limit"].clone()).collect();
    for limit in ["empty_grid", "empty_block", "threads_per_block", "grid", "shared_memory", "cooperative"] {
        assert!(kinds.contains(&limit.into()), "{limit} in {kinds:?}");
    }
}

#[test]
fn a_failed_kernel_is_heard_of_at_the_next_wait_and_ever_after() {
    let _alone = alone();
    let context = own_context();
    report();
    let fill = function(module(PTX), "fill");
    let (mut address, mut value) = (alloc(64), 1u32);
    let freed = alloc(64);
    ok(unsafe { sys::cuMemFree_v2(freed) });
    let mut params = [(&raw mut address).cast::<c_void>(), (&raw mut value).cast()];
    ok(launch(fill, [1, 1, 1], [17, 1, 1], 0, &mut params));
    unsafe {
        fails(sys::cuCtxSynchronize(), CUDA_ERROR_ILLEGAL_ADDRESS);
        fails(sys::cuCtxSynchronize(), CUDA_ERROR_ILLEGAL_ADDRESS);
        fails(sys::cuMemAlloc_v2(&mut 0, 4), CUDA_ERROR_ILLEGAL_ADDRESS);
        fails(sys::cuStreamQuery(null_mut()), CUDA_ERROR_ILLEGAL_ADDRESS);
        fails(launch(fill, [1, 1, 1], [1, 1, 1], 0, &mut params), CUDA_ERROR_ILLEGAL_ADDRESS);
        let mut current = null_mut();
        ok(sys::cuCtxGetCurrent(&raw mut current));
        assert_eq!(current, context);
        ok(sys::cuCtxDestroy_v2(context));
    }
    // Other contexts still work.
    own_context();
    let fill = function(module(PTX), "fill");
    address = alloc(64);
    ok(launch(fill, [1, 1, 1], [16, 1, 1], 0, &mut params));
    assert_eq!(read(address, 1), [1]);
    let report = report();
    let finding = &report["findings"][0];
    assert_eq!((&finding["kind"], &finding["kernel"]), (&"out_of_bounds".into(), &"fill".into()));
    assert!(!finding["text"].as_str().unwrap().is_empty() && !finding["title"].as_str().unwrap().is_empty());
    assert_eq!(report["launches"][0]["fault"], "illegal_address");
    assert_eq!(report["launches"][1]["fault"], serde_json::Value::Null);
}

/// Each thread of a launch has exactly the stack size of the context's limit.
#[test]
fn a_recursion_may_be_as_deep_as_the_stack_allows() {
    let _alone = alone();
    own_context();
    report();
    let deep = function(module(&committed::ptx_of("fail/stack_overflow/too_deep.cu")), "k");
    let (mut depth, mut out, mut sink) = (40i32, alloc(32 * 8), alloc(4));
    let mut run = || {
        let mut params = [(&raw mut depth).cast(), (&raw mut out).cast(), (&raw mut sink).cast()];
        ok(launch(deep, [1, 1, 1], [32, 1, 1], 0, &mut params));
        unsafe { sys::cuCtxSynchronize() }
    };
    ok(unsafe { sys::cuCtxSetLimit(sys::CUlimit::CU_LIMIT_STACK_SIZE, 8192) });
    ok(run());
    ok(unsafe { sys::cuCtxSetLimit(sys::CUlimit::CU_LIMIT_STACK_SIZE, 1024) });
    fails(run(), CUDA_ERROR_ILLEGAL_ADDRESS);
    let report = report();
    let kinds: Vec<_> = report["findings"].as_array().unwrap().iter().map(|f| f["kind"].clone()).collect();
    assert_eq!(kinds, ["stack_overflow"], "{report}");
}
