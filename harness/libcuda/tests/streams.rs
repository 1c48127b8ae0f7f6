//! Streams, events, capture, and graphs of all tasks except kernels.

mod common;
#[path = "common/gate.rs"]
mod gate;
use common::*;
use cudarc::driver::sys::{self, CUresult::*};
use gate::Gate;
use std::ffi::c_void;
use std::ptr::{null, null_mut};
use std::sync::atomic::{AtomicU32, Ordering};

fn stream(flags: u32) -> sys::CUstream {
    let mut stream = null_mut();
    ok(unsafe { sys::cuStreamCreate(&raw mut stream, flags) });
    stream
}

fn event(flags: u32) -> sys::CUevent {
    let mut event = null_mut();
    ok(unsafe { sys::cuEventCreate(&raw mut event, flags) });
    event
}

fn word(address: u64, stream: sys::CUstream) -> u32 {
    let mut value = 0u32;
    unsafe {
        ok(sys::cuMemcpyDtoHAsync_v2((&raw mut value).cast(), address, 4, stream));
        ok(sys::cuStreamSynchronize(stream));
    }
    value
}

#[test]
fn work_is_done_in_order_and_later() {
    context();
    let (stream, event, gate) = (stream(1), event(0), Gate::default());
    let address = alloc(4);
    unsafe {
        ok(sys::cuMemsetD32_v2(address, 1, 1));
        gate.hold(stream);
        // The host's array may change as soon as the call returns.
        let mut value = 2u32;
        ok(sys::cuMemcpyHtoDAsync_v2(address, (&raw const value).cast(), 4, stream));
        value += 1;
        ok(sys::cuEventRecord(event, stream));
        fails(sys::cuStreamQuery(stream), CUDA_ERROR_NOT_READY);
        fails(sys::cuEventQuery(event), CUDA_ERROR_NOT_READY);
        let mut now = 0u32;
        ok(sys::cuMemcpyDtoH_v2((&raw mut now).cast(), address, 4));
        assert_eq!(now, 1, "a non-blocking stream does not hold up the default one");
        gate.open();
        ok(sys::cuEventSynchronize(event));
        assert_eq!((word(address, stream), value), (2, 3));
        ok(sys::cuStreamQuery(stream));
        ok(sys::cuMemFree_v2(address));
        ok(sys::cuEventDestroy_v2(event));
        ok(sys::cuStreamDestroy_v2(stream));
        fails(sys::cuStreamQuery(stream), CUDA_ERROR_INVALID_HANDLE);
        fails(sys::cuEventQuery(event), CUDA_ERROR_INVALID_HANDLE);
        fails(sys::cuStreamDestroy_v2(stream), CUDA_ERROR_INVALID_HANDLE);
        fails(sys::cuStreamDestroy_v2(null_mut()), CUDA_ERROR_INVALID_HANDLE);
    }
}

#[test]
fn the_default_stream_waits_for_blocking_ones_and_they_for_it() {
    own_context();
    let (first, second, gate) = (stream(0), stream(0), Gate::default());
    let address = alloc(8);
    unsafe {
        gate.hold(first);
        ok(sys::cuMemsetD32Async(address, 5, 1, first));
        ok(sys::cuMemcpyDtoDAsync_v2(address + 4, address, 4, null_mut()));
        ok(sys::cuMemsetD32Async(address, 6, 1, second));
        fails(sys::cuStreamQuery(second), CUDA_ERROR_NOT_READY);
        gate.open();
        ok(sys::cuCtxSynchronize());
        assert_eq!((word(address, null_mut()), word(address + 4, null_mut())), (6, 5));
    }
}

#[test]
fn a_stream_waits_for_an_event_of_another() {
    context();
    let (first, second, event, gate) = (stream(1), stream(1), event(2), Gate::default());
    let address = alloc(4);
    unsafe {
        gate.hold(first);
        ok(sys::cuMemsetD32Async(address, 7, 1, first));
        ok(sys::cuEventRecord(event, first));
        ok(sys::cuStreamWaitEvent(second, event, 0));
        ok(sys::cuMemsetD32Async(address, 8, 1, second));
        fails(sys::cuStreamQuery(second), CUDA_ERROR_NOT_READY);
        gate.open();
        ok(sys::cuStreamSynchronize(second));
        assert_eq!(word(address, first), 8);
        fails(sys::cuStreamWaitEvent(second, null_mut(), 0), CUDA_ERROR_INVALID_HANDLE);
    }
}

#[test]
fn events_measure_and_say_when_they_cannot() {
    context();
    let (stream, start, end, silent, gate) = (stream(1), event(0), event(0), event(2), Gate::default());
    let mut ms = -1.0;
    unsafe {
        fails(sys::cuEventElapsedTime(&raw mut ms, start, end), CUDA_ERROR_INVALID_HANDLE);
        ok(sys::cuEventQuery(start));
        ok(sys::cuEventSynchronize(start));
        ok(sys::cuEventRecord(start, stream));
        gate.hold(stream);
        ok(sys::cuEventRecord(end, stream));
        fails(sys::cuEventElapsedTime(&raw mut ms, start, end), CUDA_ERROR_NOT_READY);
        std::thread::sleep(std::time::Duration::from_millis(20));
        gate.open();
        ok(sys::cuEventSynchronize(end));
        ok(sys::cuEventElapsedTime(&raw mut ms, start, end));
        assert!((20.0..10_000.0).contains(&ms), "{ms}");
        ok(sys::cuEventRecord(silent, stream));
        ok(sys::cuEventSynchronize(silent));
        // The same event twice: no elapsed time, and no deadlock.
        ok(sys::cuEventElapsedTime(&raw mut ms, end, end));
        assert_eq!(ms, 0.0);
        fails(sys::cuEventElapsedTime(&raw mut ms, start, silent), CUDA_ERROR_INVALID_HANDLE);
        fails(sys::cuEventElapsedTime(null_mut(), start, end), CUDA_ERROR_INVALID_VALUE);
        fails(sys::cuEventCreate(null_mut(), 0), CUDA_ERROR_INVALID_VALUE);
        let mut event = null_mut();
        fails(sys::cuEventCreate(&raw mut event, 64), CUDA_ERROR_INVALID_VALUE);
    }
}

#[test]
fn a_host_function_may_not_call_the_driver() {
    context();
    static CODE: AtomicU32 = AtomicU32::new(0);
    unsafe extern "C" fn body(_: *mut c_void) {
        CODE.store(unsafe { sys::cuCtxSynchronize() } as u32, Ordering::SeqCst);
    }
    let stream = stream(1);
    unsafe {
        ok(sys::cuLaunchHostFunc(stream, Some(body), null_mut()));
        ok(sys::cuStreamSynchronize(stream));
        fails(sys::cuLaunchHostFunc(stream, None, null_mut()), CUDA_ERROR_INVALID_VALUE);
    }
    assert_eq!(CODE.load(Ordering::SeqCst), CUDA_ERROR_NOT_PERMITTED as u32);
}

const RELAXED: sys::CUstreamCaptureMode = sys::CUstreamCaptureMode::CU_STREAM_CAPTURE_MODE_RELAXED;
const LOCAL: sys::CUstreamCaptureMode = sys::CUstreamCaptureMode::CU_STREAM_CAPTURE_MODE_THREAD_LOCAL;

type Instantiate = unsafe extern "C" fn(*mut sys::CUgraphExec, sys::CUgraph, u64) -> sys::CUresult;

fn instantiate(graph: sys::CUgraph) -> sys::CUgraphExec {
    let instantiate: Instantiate = symbol("cuGraphInstantiateWithFlags");
    let mut exec = null_mut();
    ok(unsafe { instantiate(&raw mut exec, graph, 0) });
    exec
}

#[test]
fn a_captured_fork_and_join_becomes_a_graph() {
    context();
    let (first, second, fork, join) = (stream(1), stream(1), event(2), event(2));
    let address = alloc(8);
    let (mut graph, mut count, mut edges) = (null_mut(), 0, 0);
    unsafe {
        ok(sys::cuStreamBeginCapture_v2(first, RELAXED));
        ok(sys::cuMemsetD32Async(address, 1, 2, first));
        ok(sys::cuEventRecord(fork, first));
        ok(sys::cuStreamWaitEvent(second, fork, 0));
        ok(sys::cuMemsetD32Async(address + 4, 2, 1, second));
        ok(sys::cuEventRecord(join, second));
        ok(sys::cuMemsetD32Async(address, 3, 1, first));
        ok(sys::cuStreamWaitEvent(first, join, 0));
        ok(sys::cuMemcpyDtoDAsync_v2(address, address + 4, 4, first));
        ok(sys::cuStreamEndCapture(first, &raw mut graph));
        ok(sys::cuGraphGetNodes(graph, null_mut(), &raw mut count));
        let list: unsafe extern "C" fn(usize, *mut usize, *mut usize, *mut usize) -> sys::CUresult =
            symbol("cuGraphGetEdges");
        ok(list(graph as usize, null_mut(), null_mut(), &raw mut edges));
        assert_eq!((count, edges), (4, 4));
        assert_eq!(word(address, first), 0, "nothing ran while it was captured");
        let exec = instantiate(graph);
        for _ in 0..2 {
            ok(sys::cuMemsetD32_v2(address, 0, 2));
            ok(sys::cuGraphLaunch(exec, first));
            assert_eq!((word(address, first), word(address + 4, first)), (2, 2));
        }
        ok(sys::cuGraphDestroy(graph));
        fails(sys::cuGraphDestroy(graph), CUDA_ERROR_INVALID_VALUE);
        ok(sys::cuGraphExecDestroy(exec));
        fails(sys::cuGraphLaunch(exec, first), CUDA_ERROR_INVALID_VALUE);
    }
}

#[test]
fn a_capture_is_broken_by_what_it_forbids() {
    own_context();
    let (stream, other) = (stream(1), stream(1));
    let mut graph = null_mut();
    unsafe {
        fails(sys::cuStreamEndCapture(stream, &raw mut graph), CUDA_ERROR_ILLEGAL_STATE);
        fails(sys::cuStreamBeginCapture_v2(null_mut(), LOCAL), CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED);
        ok(sys::cuStreamBeginCapture_v2(stream, LOCAL));
        fails(sys::cuStreamBeginCapture_v2(stream, LOCAL), CUDA_ERROR_ILLEGAL_STATE);
        fails(sys::cuStreamSynchronize(stream), CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED);
        fails(sys::cuStreamEndCapture(stream, &raw mut graph), CUDA_ERROR_STREAM_CAPTURE_INVALIDATED);
        // In a capture of this thread, allocations are forbidden.
        ok(sys::cuStreamBeginCapture_v2(stream, LOCAL));
        fails(sys::cuMemAlloc_v2(&mut 0, 4), CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED);
        fails(sys::cuStreamEndCapture(stream, &raw mut graph), CUDA_ERROR_STREAM_CAPTURE_INVALIDATED);
        // In relaxed mode they are allowed.
        ok(sys::cuStreamBeginCapture_v2(stream, RELAXED));
        let address = alloc(4);
        let mut status = sys::CUstreamCaptureStatus::CU_STREAM_CAPTURE_STATUS_NONE;
        ok(sys::cuStreamIsCapturing(stream, &raw mut status));
        assert_eq!(status, sys::CUstreamCaptureStatus::CU_STREAM_CAPTURE_STATUS_ACTIVE);
        let forked = event(2);
        ok(sys::cuEventRecord(forked, stream));
        ok(sys::cuStreamWaitEvent(other, forked, 0));
        ok(sys::cuMemsetD32Async(address, 1, 1, other));
        fails(sys::cuStreamEndCapture(other, &raw mut graph), CUDA_ERROR_STREAM_CAPTURE_UNMATCHED);
        fails(sys::cuStreamEndCapture(stream, &raw mut graph), CUDA_ERROR_STREAM_CAPTURE_INVALIDATED);
        ok(sys::cuStreamBeginCapture_v2(stream, RELAXED));
        ok(sys::cuEventRecord(forked, stream));
        ok(sys::cuStreamWaitEvent(other, forked, 0));
        ok(sys::cuMemsetD32Async(address, 1, 1, other));
        fails(sys::cuStreamEndCapture(stream, &raw mut graph), CUDA_ERROR_STREAM_CAPTURE_UNJOINED);
        // A capture cannot wait for an event that was recorded outside of it.
        let outside = event(2);
        ok(sys::cuEventRecord(outside, other));
        ok(sys::cuStreamBeginCapture_v2(stream, RELAXED));
        fails(sys::cuStreamWaitEvent(stream, outside, 0), CUDA_ERROR_STREAM_CAPTURE_ISOLATION);
        fails(sys::cuStreamEndCapture(stream, &raw mut graph), CUDA_ERROR_STREAM_CAPTURE_INVALIDATED);
        ok(sys::cuMemFree_v2(address));
    }
}

#[test]
fn a_graph_is_built_by_hand_changed_and_updated() {
    own_context();
    let stream = stream(1);
    let address = alloc(16);
    static RAN: AtomicU32 = AtomicU32::new(0);
    unsafe extern "C" fn count(_: *mut c_void) {
        RAN.fetch_add(1, Ordering::SeqCst);
    }
    let build = |value: u32| unsafe {
        let (mut graph, mut fill, mut host, mut empty) = (null_mut(), null_mut(), null_mut(), null_mut());
        ok(sys::cuGraphCreate(&raw mut graph, 0));
        let mut params: sys::CUDA_MEMSET_NODE_PARAMS = std::mem::zeroed();
        (params.dst, params.elementSize, params.width, params.height, params.value) = (address, 4, 4, 1, value);
        ok(sys::cuGraphAddMemsetNode(&raw mut fill, graph, null(), 0, &raw const params, null_mut()));
        let call = sys::CUDA_HOST_NODE_PARAMS { fn_: Some(count), userData: null_mut() };
        ok(sys::cuGraphAddHostNode(&raw mut host, graph, &raw const fill, 1, &raw const call));
        ok(sys::cuGraphAddEmptyNode(&raw mut empty, graph, &raw const host, 1));
        params.elementSize = 3;
        let wrong = sys::cuGraphAddMemsetNode(&raw mut empty, graph, null(), 0, &raw const params, null_mut());
        fails(wrong, CUDA_ERROR_INVALID_VALUE);
        (graph, fill)
    };
    unsafe {
        let (graph, fill) = build(11);
        let exec = instantiate(graph);
        ok(sys::cuGraphLaunch(exec, stream));
        assert_eq!((word(address + 12, stream), RAN.load(Ordering::SeqCst)), (11, 1));
        // Updates from a graph of the same shape.
        let (other, _) = build(12);
        let update: unsafe extern "C" fn(usize, usize, *mut usize, *mut i32) -> sys::CUresult =
            symbol("cuGraphExecUpdate");
        let (mut node, mut result) = (0, -1);
        ok(update(exec as usize, other as usize, &raw mut node, &raw mut result));
        ok(sys::cuGraphLaunch(exec, stream));
        assert_eq!((result, word(address, stream)), (0, 12));
        // Updates from a graph of another shape are refused.
        let mut smaller = null_mut();
        ok(sys::cuGraphCreate(&raw mut smaller, 0));
        let refused = update(exec as usize, smaller as usize, &raw mut node, &raw mut result);
        fails(refused, CUDA_ERROR_GRAPH_EXEC_UPDATE_FAILURE);
        assert_eq!(result, 2);
        // One node is changed, then disabled.
        let mut params: sys::CUDA_MEMSET_NODE_PARAMS = std::mem::zeroed();
        (params.dst, params.elementSize, params.width, params.height, params.value) = (address, 4, 1, 1, 13);
        ok(sys::cuGraphExecMemsetNodeSetParams(exec, fill, &raw const params, null_mut()));
        ok(sys::cuGraphLaunch(exec, stream));
        assert_eq!((word(address, stream), word(address + 4, stream)), (13, 12));
        let enable: unsafe extern "C" fn(usize, usize, u32) -> sys::CUresult = symbol("cuGraphNodeSetEnabled");
        ok(enable(exec as usize, fill as usize, 0));
        ok(sys::cuMemsetD32_v2(address, 0, 4));
        ok(sys::cuGraphLaunch(exec, stream));
        assert_eq!(word(address, stream), 0);
        // A cycle of edges is refused.
        let (mut a, mut b) = (null_mut(), null_mut());
        ok(sys::cuGraphAddEmptyNode(&raw mut a, smaller, null(), 0));
        ok(sys::cuGraphAddEmptyNode(&raw mut b, smaller, &raw const a, 1));
        let link: unsafe extern "C" fn(
            usize,
            *const sys::CUgraphNode,
            *const sys::CUgraphNode,
            usize,
        ) -> sys::CUresult = symbol("cuGraphAddDependencies");
        ok(link(smaller as usize, &raw const b, &raw const a, 1));
        let make: Instantiate = symbol("cuGraphInstantiateWithFlags");
        fails(make(&mut null_mut(), smaller, 0), CUDA_ERROR_INVALID_VALUE);
        fails(make(&mut null_mut(), graph, 0x100), CUDA_ERROR_INVALID_VALUE);
        fails(make(&mut null_mut(), null_mut(), 0), CUDA_ERROR_INVALID_VALUE);
    }
}

/// The source of a copy from pageable memory may change as soon as the call returns, regardless of the work that other
/// threads submit to the stream.
#[test]
fn threads_that_share_a_stream_may_reuse_their_sources() {
    library();
    let turns = |seed: u32| {
        let buffer = alloc(256);
        for turn in 0..2000 {
            let mut source = [seed + turn; 64];
            let mut back = [0u32; 64];
            unsafe {
                ok(sys::cuMemcpyHtoDAsync_v2(buffer, source.as_ptr().cast(), 256, null_mut()));
                source.fill(u32::MAX);
                ok(sys::cuMemcpyDtoHAsync_v2(back.as_mut_ptr().cast(), buffer, 256, null_mut()));
            }
            assert_eq!(back, [seed + turn; 64]);
            std::hint::black_box(&source);
        }
        ok(unsafe { sys::cuMemFree_v2(buffer) });
    };
    std::thread::scope(|scope| {
        for seed in 0..4 {
            scope.spawn(move || {
                context();
                turns(seed * 10_000);
            });
        }
    });
}
