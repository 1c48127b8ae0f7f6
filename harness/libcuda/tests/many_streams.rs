//! Many streams and many tasks: threads and memory are used only for tasks that run and for tasks that may wait,
//! regardless of their number. The test has its own process, whose threads are counted.
#![cfg(target_os = "linux")]

mod common;
#[path = "common/gate.rs"]
mod gate;
#[path = "common/kernels.rs"]
mod kernels;
use common::*;
use cudarc::driver::sys::{self, CUresult::*};
use gate::Gate;
use kernels::*;
use std::ffi::c_void;
use std::ptr::null_mut;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

/// Serialises the tests.
static ALONE: Mutex<()> = Mutex::new(());

fn threads() -> usize {
    std::fs::read_dir("/proc/self/task").unwrap().count()
}

fn stream() -> sys::CUstream {
    let mut stream = null_mut();
    ok(unsafe { sys::cuStreamCreate(&raw mut stream, 1) });
    stream
}

fn event() -> sys::CUevent {
    let mut event = null_mut();
    ok(unsafe { sys::cuEventCreate(&raw mut event, 2) });
    event
}

fn in_stream(function: sys::CUfunction, stream: sys::CUstream) {
    let none = null_mut();
    ok(unsafe { sys::cuLaunchKernel(function, 1, 1, 1, 32, 1, 1, 0, stream, none, none.cast()) });
}

/// Threads of the test itself.
const OTHERS: usize = 50;
/// Tasks that run at the same time, and threads of each: the one that runs it, and those of a kernel.
const RUNNING: usize = 128 + 16;
const EACH: usize = 3;

#[test]
fn streams_that_were_used_once_need_few_threads() {
    let _alone = ALONE.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
    context();
    let count = function(module(PTX), "count");
    let mut most = 0;
    for number in 0..5000 {
        in_stream(count, stream());
        if number % 100 == 0 {
            most = most.max(threads());
        }
    }
    ok(unsafe { sys::cuCtxSynchronize() });
    assert!(most < RUNNING * EACH + OTHERS, "{most}");
}

#[test]
fn streams_that_wait_for_each_other_need_no_threads() {
    let _alone = ALONE.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
    context();
    let (gate, address) = (Gate::default(), alloc(4));
    let mut last = event();
    unsafe {
        let first = stream();
        ok(sys::cuMemsetD32_v2(address, 0, 1));
        gate.hold(first);
        ok(sys::cuEventRecord(last, first));
        let before = threads();
        for value in 1..=2000 {
            let (next, done) = (stream(), event());
            ok(sys::cuStreamWaitEvent(next, last, 0));
            ok(sys::cuMemsetD32Async(address, value, 1, next));
            ok(sys::cuEventRecord(done, next));
            last = done;
        }
        assert!(threads() < before + OTHERS, "{}", threads());
        fails(sys::cuEventQuery(last), CUDA_ERROR_NOT_READY);
        gate.open();
        ok(sys::cuEventSynchronize(last));
    }
    assert_eq!(read(address, 1), [2000]);
}

#[test]
fn functions_of_the_program_in_many_streams_may_wait_for_the_last_one() {
    let _alone = ALONE.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
    context();
    unsafe extern "C" fn open(gate: *mut c_void) {
        unsafe { &*gate.cast::<Gate>() }.open();
    }
    let gate = Gate::default();
    (0..300).for_each(|_| gate.hold(stream()));
    ok(unsafe { sys::cuLaunchHostFunc(stream(), Some(open), (&raw const gate).cast_mut().cast()) });
    ok(unsafe { sys::cuCtxSynchronize() });
}

#[test]
fn a_full_stream_makes_its_caller_wait_and_loses_nothing() {
    let _alone = ALONE.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
    context();
    const ALL: usize = 70_000;
    const PENDING: usize = 1 << 16;
    let (gate, held, address) = (Gate::default(), stream() as usize, alloc(4));
    ok(unsafe { sys::cuMemsetD32_v2(address, 0, 1) });
    gate.hold(held as sys::CUstream);
    let submitted = AtomicUsize::new(0);
    std::thread::scope(|scope| {
        scope.spawn(|| {
            context();
            for value in 1..=ALL {
                ok(unsafe { sys::cuMemsetD32Async(address, value as u32, 1, held as sys::CUstream) });
                submitted.store(value, Ordering::SeqCst);
            }
        });
        // The function that the stream is running is no longer in its queue.
        while submitted.load(Ordering::SeqCst) < PENDING {
            std::thread::sleep(Duration::from_millis(1));
        }
        std::thread::sleep(Duration::from_millis(200));
        assert_eq!(submitted.load(Ordering::SeqCst), PENDING);
        gate.open();
    });
    ok(unsafe { sys::cuStreamSynchronize(held as sys::CUstream) });
    assert_eq!(read(address, 1), [ALL as u32]);
}
