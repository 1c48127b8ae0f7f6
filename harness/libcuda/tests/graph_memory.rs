//! Memory that graphs allocate, and streams that leave a capture: the behaviour of an H200.

mod common;
use common::*;
use cudarc::driver::sys::{self, CUresult, CUresult::*};
use std::ptr::{null, null_mut};
use std::sync::{Mutex, MutexGuard};

/// Serialises the tests, because each reads the device's counters.
fn alone() -> MutexGuard<'static, ()> {
    static ALONE: Mutex<()> = Mutex::new(());
    ALONE.lock().unwrap_or_else(std::sync::PoisonError::into_inner)
}

/// The unit in which graphs hold memory.
const UNIT: u64 = 32 << 20;

/// Creates a graph that allocates 1000 bytes.
fn graph() -> (sys::CUgraph, sys::CUgraphNode, u64) {
    let (mut graph, mut node) = (null_mut(), null_mut());
    let mut params: sys::CUDA_MEM_ALLOC_NODE_PARAMS = filled(|params: *mut sys::CUDA_MEM_ALLOC_NODE_PARAMS| unsafe {
        (*params).poolProps.allocType = sys::CUmemAllocationType::CU_MEM_ALLOCATION_TYPE_PINNED;
        (*params).poolProps.location.type_ = sys::CUmemLocationType::CU_MEM_LOCATION_TYPE_DEVICE;
        (*params).bytesize = 1000;
    });
    unsafe {
        ok(sys::cuGraphCreate(&raw mut graph, 0));
        ok(sys::cuGraphAddMemAllocNode(&raw mut node, graph, null(), 0, &raw mut params));
    }
    (graph, node, params.dptr)
}

fn instantiate(graph: sys::CUgraph, flags: u64) -> Result<sys::CUgraphExec, CUresult> {
    let make: unsafe extern "C" fn(*mut sys::CUgraphExec, sys::CUgraph, u64) -> CUresult =
        symbol("cuGraphInstantiateWithFlags");
    let mut exec = null_mut();
    match unsafe { make(&raw mut exec, graph, flags) } {
        CUDA_SUCCESS => Ok(exec),
        error => Err(error),
    }
}

fn launch(exec: sys::CUgraphExec) -> CUresult {
    unsafe { sys::cuGraphLaunch(exec, null_mut()) }
}

fn attributes() -> [u64; 4] {
    let get: unsafe extern "C" fn(i32, i32, *mut u64) -> CUresult = symbol("cuDeviceGetGraphMemAttribute");
    [0, 1, 2, 3].map(|attribute| {
        let mut value = 0;
        ok(unsafe { get(0, attribute, &raw mut value) });
        value
    })
}

fn fresh_counters() {
    let set: unsafe extern "C" fn(i32, i32, *const u64) -> CUresult = symbol("cuDeviceSetGraphMemAttribute");
    let trim: unsafe extern "C" fn(i32) -> CUresult = symbol("cuDeviceGraphMemTrim");
    unsafe {
        ok(trim(0));
        ok(set(0, 1, &0));
        ok(set(0, 3, &0));
        fails(set(0, 1, &5), CUDA_ERROR_INVALID_VALUE);
        fails(set(0, 0, &0), CUDA_ERROR_INVALID_VALUE);
        fails(set(0, 4, &0), CUDA_ERROR_INVALID_VALUE);
        fails(set(0, 1, null()), CUDA_ERROR_INVALID_VALUE);
    }
    assert_eq!(attributes(), [0; 4]);
}

#[test]
fn an_allocation_lives_until_it_is_freed() {
    let _alone = alone();
    own_context();
    fresh_counters();
    let (graph, node, address) = graph();
    let exec = instantiate(graph, 0).unwrap();
    let mut back: sys::CUDA_MEM_ALLOC_NODE_PARAMS = filled(|back: *mut sys::CUDA_MEM_ALLOC_NODE_PARAMS| unsafe {
        (*back).poolProps.allocType = sys::CUmemAllocationType::CU_MEM_ALLOCATION_TYPE_PINNED;
        (*back).poolProps.location.type_ = sys::CUmemLocationType::CU_MEM_LOCATION_TYPE_DEVICE;
    });
    unsafe {
        ok(sys::cuGraphMemAllocNodeGetParams(node, &raw mut back));
        assert_eq!((back.dptr, back.bytesize, back.accessDescCount), (address, 1000, 0));
        fails(sys::cuGraphMemFreeNodeGetParams(node, &mut 0), CUDA_ERROR_INVALID_VALUE);
        // No memory is allocated before a launch.
        fails(sys::cuMemFree_v2(address), CUDA_ERROR_INVALID_VALUE);
        ok(launch(exec));
        ok(sys::cuMemsetD32_v2(address, 5, 250));
        fails(launch(exec), CUDA_ERROR_INVALID_VALUE);
        assert_eq!(attributes(), [UNIT; 4]);
        // Its address is the only one: no second graph can use it.
        assert_eq!(instantiate(graph, 0), Err(CUDA_ERROR_NOT_SUPPORTED));
        fails(sys::cuGraphClone(&mut null_mut(), graph), CUDA_ERROR_NOT_SUPPORTED);
        fails(sys::cuGraphDestroyNode(node), CUDA_ERROR_NOT_SUPPORTED);
        // Freed in between, it can be allocated again.
        ok(sys::cuMemFreeAsync(address, null_mut()));
        fails(sys::cuMemFreeAsync(address, null_mut()), CUDA_ERROR_INVALID_VALUE);
        ok(launch(exec));
        ok(sys::cuMemFree_v2(address));
        fails(sys::cuMemFree_v2(address), CUDA_ERROR_INVALID_VALUE);
        ok(launch(exec));
        report();
        // Memory that is live when the graph is destroyed belongs to the program.
        ok(sys::cuGraphExecDestroy(exec));
        ok(sys::cuGraphDestroy(graph));
        ok(sys::cuMemsetD32_v2(address, 5, 250));
        ok(sys::cuMemFree_v2(address));
        assert_eq!(report()["findings"], serde_json::json!([]));
        fails(sys::cuMemFree_v2(address), CUDA_ERROR_INVALID_VALUE);
        assert_eq!(attributes(), [UNIT; 4]);
        ok(sys::cuDeviceGraphMemTrim(0));
        assert_eq!(attributes(), [0, UNIT, 0, UNIT]);
    }
}

#[test]
fn a_graph_that_frees_its_allocation_can_be_launched_again() {
    let _alone = alone();
    own_context();
    let (graph, node, address) = graph();
    let mut free = null_mut();
    let mut freed = 0;
    unsafe {
        ok(sys::cuGraphAddMemFreeNode(&raw mut free, graph, &raw const node, 1, address));
        ok(sys::cuGraphMemFreeNodeGetParams(free, &raw mut freed));
        assert_eq!(freed, address);
        fails(sys::cuGraphAddMemFreeNode(&raw mut free, graph, &raw const node, 1, address), CUDA_ERROR_INVALID_VALUE);
        let exec = instantiate(graph, 0).unwrap();
        ok(launch(exec));
        ok(launch(exec));
        fails(sys::cuMemFree_v2(address), CUDA_ERROR_INVALID_VALUE);
        ok(sys::cuGraphExecDestroy(exec));
        // The first executable graph is gone, so another can be created.
        let exec = instantiate(graph, 0).unwrap();
        ok(launch(exec));
        ok(sys::cuGraphExecDestroy(exec));
        ok(sys::cuGraphDestroy(graph));
    }
}

#[test]
fn launches_may_free_what_the_last_one_allocated() {
    let _alone = alone();
    let context = own_context();
    let (graph, _, address) = graph();
    let exec = instantiate(graph, 1).unwrap();
    unsafe {
        ok(launch(exec));
        ok(launch(exec));
        ok(sys::cuMemFreeAsync(address, null_mut()));
        fails(sys::cuMemFreeAsync(address, null_mut()), CUDA_ERROR_INVALID_VALUE);
        ok(launch(exec));
        // Another graph may free it.
        let (mut other, mut node) = (null_mut(), null_mut());
        ok(sys::cuGraphCreate(&raw mut other, 0));
        ok(sys::cuGraphAddMemFreeNode(&raw mut node, other, null(), 0, address));
        let frees = instantiate(other, 0).unwrap();
        ok(launch(frees));
        fails(launch(frees), CUDA_ERROR_INVALID_VALUE);
        ok(launch(exec));
        ok(sys::cuGraphExecDestroy(frees));
        ok(sys::cuGraphDestroy(other));
        ok(sys::cuGraphExecDestroy(exec));
        ok(sys::cuGraphDestroy(graph));
        ok(sys::cuMemFreeAsync(address, null_mut()));
        ok(sys::cuCtxSynchronize());
        ok(sys::cuCtxDestroy_v2(context));
    }
}

#[test]
fn a_stream_that_was_forked_off_may_go_before_the_capture_ends() {
    let _alone = alone();
    own_context();
    let status = |stream| {
        let mut status = sys::CUstreamCaptureStatus::CU_STREAM_CAPTURE_STATUS_NONE;
        ok(unsafe { sys::cuStreamIsCapturing(stream, &raw mut status) });
        status as i32
    };
    for joined in [true, false] {
        let (mut origin, mut fork, mut event, mut graph) = (null_mut(), null_mut(), null_mut(), null_mut());
        let mut address = 0;
        unsafe {
            ok(sys::cuStreamCreate(&raw mut origin, 1));
            ok(sys::cuStreamCreate(&raw mut fork, 1));
            ok(sys::cuEventCreate(&raw mut event, 0));
            let mode = sys::CUstreamCaptureMode::CU_STREAM_CAPTURE_MODE_GLOBAL;
            ok(sys::cuStreamBeginCapture_v2(origin, mode));
            ok(sys::cuEventRecord(event, origin));
            ok(sys::cuStreamWaitEvent(fork, event, 0));
            ok(sys::cuMemAllocAsync(&raw mut address, 100, fork));
            if joined {
                ok(sys::cuEventRecord(event, fork));
                ok(sys::cuStreamWaitEvent(origin, event, 0));
            }
            ok(sys::cuStreamDestroy_v2(fork));
            assert_eq!(status(origin), 1);
            ok(sys::cuStreamEndCapture(origin, &raw mut graph));
            let mut nodes = 0;
            ok(sys::cuGraphGetNodes(graph, null_mut(), &raw mut nodes));
            assert_eq!(nodes, 1);
            ok(sys::cuGraphDestroy(graph));
            // Destroying the stream on which a capture began also ends the capture.
            ok(sys::cuStreamBeginCapture_v2(origin, mode));
            ok(sys::cuStreamDestroy_v2(origin));
            alloc(4);
        }
    }
}
