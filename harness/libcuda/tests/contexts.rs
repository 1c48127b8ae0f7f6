//! Devices and contexts. Each test has its own threads, because the current context belongs to a thread.

mod common;
use common::*;
use cudarc::driver::sys::{self, CUresult::*};
use std::ffi::{CStr, c_char, c_int, c_void};
use std::ptr::null_mut;

type Create = unsafe extern "C" fn(*mut sys::CUcontext, u32, c_int) -> sys::CUresult;

fn current() -> sys::CUcontext {
    let mut context = null_mut();
    ok(unsafe { sys::cuCtxGetCurrent(&raw mut context) });
    context
}

#[test]
fn the_one_device_says_what_it_is() {
    library();
    let (mut count, mut device, mut name) = (0, -1, [0 as c_char; 64]);
    unsafe {
        ok(sys::cuDeviceGetCount(&raw mut count));
        assert_eq!(count, 1);
        ok(sys::cuDeviceGet(&raw mut device, 0));
        fails(sys::cuDeviceGet(&raw mut device, 1), CUDA_ERROR_INVALID_DEVICE);
        fails(sys::cuDeviceGet(&raw mut device, -1), CUDA_ERROR_INVALID_DEVICE);
        fails(sys::cuDeviceGet(null_mut(), 0), CUDA_ERROR_INVALID_VALUE);
        fails(sys::cuInit(1), CUDA_ERROR_INVALID_VALUE);
        ok(sys::cuDeviceGetName(name.as_mut_ptr(), 64, 0));
        let name = CStr::from_ptr(name.as_ptr()).to_str().unwrap();
        assert!(name.contains("A100") && name.ends_with("(emulated)"), "{name}");
        let mut small = [1 as c_char; 4];
        ok(sys::cuDeviceGetName(small.as_mut_ptr(), 4, 0));
        assert_eq!(small[3], 0);
        let mut version = 0;
        ok(sys::cuDriverGetVersion(&raw mut version));
        assert_eq!(version, 13000);
    }
}

#[test]
fn without_a_context_most_calls_fail() {
    library();
    std::thread::spawn(|| unsafe {
        assert!(current().is_null());
        fails(sys::cuMemAlloc_v2(&mut 0, 4), CUDA_ERROR_INVALID_CONTEXT);
        fails(sys::cuCtxSynchronize(), CUDA_ERROR_INVALID_CONTEXT);
        fails(sys::cuStreamSynchronize(null_mut()), CUDA_ERROR_INVALID_CONTEXT);
        fails(sys::cuCtxPopCurrent_v2(null_mut()), CUDA_ERROR_INVALID_CONTEXT);
        fails(sys::cuCtxSetCurrent(0x1234 as sys::CUcontext), CUDA_ERROR_INVALID_CONTEXT);
        fails(sys::cuCtxDestroy_v2(null_mut()), CUDA_ERROR_INVALID_CONTEXT);
        ok(sys::cuCtxSetCurrent(null_mut()));
    })
    .join()
    .unwrap();
}

#[test]
fn contexts_are_a_stack() {
    library();
    std::thread::spawn(|| unsafe {
        let (a, b) = (own_context(), own_context());
        assert_eq!(current(), b);
        let mut popped = null_mut();
        ok(sys::cuCtxPopCurrent_v2(&raw mut popped));
        assert_eq!((popped, current()), (b, a));
        ok(sys::cuCtxPushCurrent_v2(b));
        ok(sys::cuCtxDestroy_v2(b));
        assert_eq!(current(), a);
        fails(sys::cuCtxPushCurrent_v2(b), CUDA_ERROR_INVALID_CONTEXT);
        // On another thread it is still on the stack, but cannot be used.
        let handle = a as usize;
        let (ready, wait) = std::sync::mpsc::channel();
        let (gone, told) = std::sync::mpsc::channel::<()>();
        let other = std::thread::spawn(move || {
            ok(sys::cuCtxSetCurrent(handle as sys::CUcontext));
            ready.send(()).unwrap();
            told.recv().unwrap();
            fails(sys::cuMemAlloc_v2(&mut 0, 4), CUDA_ERROR_CONTEXT_IS_DESTROYED);
        });
        wait.recv().unwrap();
        ok(sys::cuCtxDestroy_v2(a));
        gone.send(()).unwrap();
        other.join().unwrap();
    })
    .join()
    .unwrap();
}

#[test]
fn creation_checks_its_flags() {
    library();
    let create: Create = symbol("cuCtxCreate_v2");
    let mut context = null_mut();
    unsafe {
        fails(create(&raw mut context, 0x1000, 0), CUDA_ERROR_INVALID_VALUE);
        fails(create(&raw mut context, 0, 3), CUDA_ERROR_INVALID_DEVICE);
        fails(create(null_mut(), 0, 0), CUDA_ERROR_INVALID_VALUE);
    }
}

#[test]
fn the_primary_context_is_counted() {
    library();
    std::thread::spawn(|| unsafe {
        let state = || {
            let (mut flags, mut active) = (0, 0);
            ok(sys::cuDevicePrimaryCtxGetState(0, &raw mut flags, &raw mut active));
            active
        };
        assert_eq!(state(), 0);
        fails(sys::cuDevicePrimaryCtxRelease_v2(0), CUDA_ERROR_INVALID_CONTEXT);
        let (mut a, mut b) = (null_mut(), null_mut());
        ok(sys::cuDevicePrimaryCtxRetain(&raw mut a, 0));
        ok(sys::cuDevicePrimaryCtxRetain(&raw mut b, 0));
        assert_eq!((a, state()), (b, 1));
        fails(sys::cuCtxDestroy_v2(a), CUDA_ERROR_INVALID_CONTEXT);
        ok(sys::cuDevicePrimaryCtxRelease_v2(0));
        assert_eq!(state(), 1);
        ok(sys::cuDevicePrimaryCtxRelease_v2(0));
        assert_eq!(state(), 0);
        // It is created again with the same handle: clients keep it across a reset.
        ok(sys::cuDevicePrimaryCtxRetain(&raw mut a, 0));
        assert_eq!((a, state()), (b, 1));
        // Memory can be freed even after the last context was popped.
        ok(sys::cuCtxPushCurrent_v2(a));
        let (mut device, mut host, mut stream, mut event) = (0, null_mut(), null_mut(), null_mut());
        ok(sys::cuMemAlloc_v2(&raw mut device, 64));
        ok(sys::cuMemAllocHost_v2(&raw mut host, 64));
        ok(sys::cuStreamCreate(&raw mut stream, 0));
        ok(sys::cuEventCreate(&raw mut event, 0));
        let mut popped = null_mut();
        ok(sys::cuCtxPopCurrent_v2(&raw mut popped));
        assert_eq!(popped, a);
        while sys::cuCtxPopCurrent_v2(&raw mut popped) == sys::CUresult::CUDA_SUCCESS {}
        ok(sys::cuMemFree_v2(device));
        ok(sys::cuMemFreeHost(host));
        ok(sys::cuStreamDestroy_v2(stream));
        ok(sys::cuEventDestroy_v2(event));
        ok(sys::cuDevicePrimaryCtxRelease_v2(0));
        assert_eq!(state(), 0);
        fails(sys::cuDevicePrimaryCtxRetain(&raw mut a, 1), CUDA_ERROR_INVALID_DEVICE);
        fails(sys::cuDevicePrimaryCtxRetain(null_mut(), 0), CUDA_ERROR_INVALID_VALUE);
        ok(sys::cuDevicePrimaryCtxReset_v2(0));
    })
    .join()
    .unwrap();
}

#[test]
fn limits_and_ranges_are_the_context_s() {
    std::thread::spawn(|| unsafe {
        own_context();
        let mut value = 0;
        ok(sys::cuCtxGetLimit(&raw mut value, sys::CUlimit::CU_LIMIT_PRINTF_FIFO_SIZE));
        assert_eq!(value, 1 << 20);
        ok(sys::cuCtxSetLimit(sys::CUlimit::CU_LIMIT_STACK_SIZE, 4096));
        ok(sys::cuCtxGetLimit(&raw mut value, sys::CUlimit::CU_LIMIT_STACK_SIZE));
        assert_eq!(value, 4096);
        let limit: unsafe extern "C" fn(*mut usize, c_int) -> sys::CUresult = symbol("cuCtxGetLimit");
        fails(limit(&raw mut value, 77), CUDA_ERROR_INVALID_VALUE);
        fails(limit(&raw mut value, -1), CUDA_ERROR_INVALID_VALUE);
        let (mut least, mut greatest) = (9, 9);
        ok(sys::cuCtxGetStreamPriorityRange(&raw mut least, &raw mut greatest));
        assert!(greatest < least && least == 0);
    })
    .join()
    .unwrap();
}

#[test]
fn entry_points_are_found_by_name_and_version() {
    library();
    type Get = unsafe extern "C" fn(*const c_char, *mut *mut c_void, c_int, u64, *mut c_int) -> sys::CUresult;
    let get: Get = symbol("cuGetProcAddress_v2");
    let (mut function, mut status) = (null_mut(), 9);
    unsafe {
        ok(get(c"cuDeviceGetCount".as_ptr(), &raw mut function, 12000, 0, &raw mut status));
        assert_eq!(status, 0);
        let count: unsafe extern "C" fn(*mut c_int) -> sys::CUresult = std::mem::transmute(function);
        let mut devices = 0;
        ok(count(&raw mut devices));
        assert_eq!(devices, 1);
        // NVIDIA's documentation: success, a null pointer, and a status that says why.
        ok(get(c"cuFly".as_ptr(), &raw mut function, 12000, 0, &raw mut status));
        assert!(function.is_null() && status == 1);
        ok(get(c"cuFly".as_ptr(), &raw mut function, 12000, 0, null_mut()));
        assert!(function.is_null());
        fails(get(std::ptr::null(), &raw mut function, 12000, 0, &raw mut status), CUDA_ERROR_INVALID_VALUE);
        fails(get(c"cuInit".as_ptr(), null_mut(), 12000, 0, &raw mut status), CUDA_ERROR_INVALID_VALUE);
    }
}

#[test]
fn no_atomic_operation_is_native_between_the_device_and_the_host() {
    library();
    type Ask = unsafe extern "C" fn(*mut u32, *const i32, u32, i32) -> sys::CUresult;
    let ask: Ask = symbol("cuDeviceGetHostAtomicCapabilities");
    // Integer addition, compare-and-swap, maximum of floating-point numbers.
    let (operations, mut found) = ([0, 9, 12], [7; 4]);
    let (asked, out) = (operations.as_ptr(), found.as_mut_ptr());
    unsafe {
        ok(ask(out, asked, 3, 0));
        fails(ask(out, asked, 3, 1), CUDA_ERROR_INVALID_DEVICE);
        fails(ask(out, asked, 0, 0), CUDA_ERROR_INVALID_VALUE);
        fails(ask(out, [13].as_ptr(), 1, 0), CUDA_ERROR_INVALID_VALUE);
        fails(ask(null_mut(), asked, 3, 0), CUDA_ERROR_INVALID_VALUE);
        fails(ask(out, std::ptr::null(), 3, 0), CUDA_ERROR_INVALID_VALUE);
    }
    assert_eq!(found, [0, 0, 0, 7]);
}

#[test]
fn what_is_not_modelled_says_so() {
    library();
    let sparse: unsafe extern "C" fn(*mut c_void, usize) -> sys::CUresult = symbol("cuArrayGetSparseProperties");
    fails(unsafe { sparse(null_mut(), 0) }, CUDA_ERROR_NOT_SUPPORTED);
}

/// A device is not inherited by a child process. Clients such as numba rely on this error code.
#[test]
fn a_process_that_forked_off_has_no_device() {
    library();
    let mut count = 0;
    // SAFETY: the calls of the child take no lock of the parent, and the child ends without running exit handlers.
    unsafe {
        let child = libc::fork();
        if child == 0 {
            let codes = [sys::cuInit(0), sys::cuDeviceGetCount(&raw mut count)];
            libc::_exit(i32::from(codes != [CUDA_ERROR_NOT_INITIALIZED; 2]));
        }
        assert!(child > 0, "no process could be forked off");
        let mut status = -1;
        assert_eq!(libc::waitpid(child, &raw mut status, 0), child);
        assert_eq!(status, 0, "the child's exit status");
        ok(sys::cuDeviceGetCount(&raw mut count));
        assert_eq!(count, 1);
    }
}

#[test]
fn the_limit_of_the_stack_is_kept() {
    own_context();
    let limit = sys::CUlimit::CU_LIMIT_STACK_SIZE;
    let get = || {
        let mut value = 0;
        ok(unsafe { sys::cuCtxGetLimit(&raw mut value, limit) });
        value
    };
    assert_eq!(get(), 1024);
    for (set, kept) in [(0, 0), (1, 16), (100, 112), (1024, 1024), (1025, 1040), (500_000, 500_000)] {
        ok(unsafe { sys::cuCtxSetLimit(limit, set) });
        assert_eq!(get(), kept);
    }
    for refused in [524_272, 512 << 10, 16 << 20, usize::MAX] {
        fails(unsafe { sys::cuCtxSetLimit(limit, refused) }, CUDA_ERROR_INVALID_VALUE);
        assert_eq!(get(), 500_000);
    }
}
