//! Graphs: creating, changing and launching them. Kernel and copy nodes are in `graph_nodes`.
use crate::abi::{
    edition::is_twelve,
    error::Result,
    pointers::need,
    types::{Handle, Stream},
};
use crate::api::entry::{calls, forwards, stream_forwards};
use crate::driver::calls as driver;
use crate::state::context;
use std::{
    ffi::{c_char, c_int, c_uint, c_void},
    ptr::null_mut,
};

/// Returns the last two arguments, which CUDA 12 passes without the data of edges.
fn edges_and_count(fourth: usize, fifth: usize) -> (usize, usize) {
    if is_twelve() { (0, fourth) } else { (fourth, fifth) }
}

fn get_edges(graph: Handle, from: *mut Handle, to: *mut Handle, fourth: usize, fifth: usize) -> Result {
    context::ensure()?;
    let (edges, count) = edges_and_count(fourth, fifth);
    let (edges, count) = (std::ptr::with_exposed_provenance_mut(edges), std::ptr::with_exposed_provenance_mut(count));
    driver::cuGraphGetEdges_v2(graph, from, to, edges, count)
}

fn dependencies(node: Handle, nodes: *mut Handle, third: usize, fourth: usize) -> Result {
    context::ensure()?;
    let (edges, count) = edges_and_count(third, fourth);
    let (edges, count) = (std::ptr::with_exposed_provenance_mut(edges), std::ptr::with_exposed_provenance_mut(count));
    driver::cuGraphNodeGetDependencies_v2(node, nodes, edges, count)
}

fn dependents(node: Handle, nodes: *mut Handle, third: usize, fourth: usize) -> Result {
    context::ensure()?;
    let (edges, count) = edges_and_count(third, fourth);
    let (edges, count) = (std::ptr::with_exposed_provenance_mut(edges), std::ptr::with_exposed_provenance_mut(count));
    driver::cuGraphNodeGetDependentNodes_v2(node, nodes, edges, count)
}

fn add_dependencies(graph: Handle, from: *const Handle, to: *const Handle, fourth: usize, fifth: usize) -> Result {
    context::ensure()?;
    let (edges, count) = edges_and_count(fourth, fifth);
    driver::cuGraphAddDependencies_v2(graph, from, to, std::ptr::with_exposed_provenance(edges), count)
}

fn remove_dependencies(graph: Handle, from: *const Handle, to: *const Handle, fourth: usize, fifth: usize) -> Result {
    context::ensure()?;
    let (edges, count) = edges_and_count(fourth, fifth);
    driver::cuGraphRemoveDependencies_v2(graph, from, to, std::ptr::with_exposed_provenance(edges), count)
}

fn add_memset(out: *mut Handle, graph: Handle, after: *const Handle, count: usize, params: *const c_void) -> Result {
    need(out)?;
    context::ensure()?;
    driver::cuGraphAddMemsetNode(out, graph, after, count, params, own_context()?)
}

fn set_memset(exec: Handle, node: Handle, params: *const c_void) -> Result {
    context::ensure()?;
    driver::cuGraphExecMemsetNodeSetParams(exec, node, params, own_context()?)
}

/// Returns the calling thread's context.
///
/// # Errors
/// The driver's errors.
pub fn own_context() -> Result<Handle> {
    let mut current = null_mut();
    driver::cuCtxGetCurrent(&raw mut current)?;
    Ok(current)
}

calls! {
    cudaGraphGetEdges(graph: Handle, from: *mut Handle, to: *mut Handle, fourth: usize, fifth: usize) = get_edges;
    cudaGraphNodeGetDependencies(node: Handle, nodes: *mut Handle, third: usize, fourth: usize) = dependencies;
    cudaGraphNodeGetDependentNodes(node: Handle, nodes: *mut Handle, third: usize, fourth: usize) = dependents;
    cudaGraphAddDependencies(graph: Handle, from: *const Handle, to: *const Handle, fourth: usize, fifth: usize)
        = add_dependencies;
    cudaGraphRemoveDependencies(graph: Handle, from: *const Handle, to: *const Handle, fourth: usize, fifth: usize)
        = remove_dependencies;
    cudaGraphAddMemsetNode(out: *mut Handle, graph: Handle, after: *const Handle, count: usize,
        params: *const c_void) = add_memset;
    cudaGraphExecMemsetNodeSetParams(exec: Handle, node: Handle, params: *const c_void) = set_memset;
}

forwards! {
    cudaGraphCreate(out: *mut Handle, flags: c_uint) => cuGraphCreate;
    cudaGraphClone(out: *mut Handle, graph: Handle) => cuGraphClone;
    cudaGraphDestroy(graph: Handle) => cuGraphDestroy;
    cudaGraphDestroyNode(node: Handle) => cuGraphDestroyNode;
    cudaGraphDebugDotPrint(graph: Handle, path: *const c_char, flags: c_uint) => cuGraphDebugDotPrint;
    cudaGraphInstantiate(out: *mut Handle, graph: Handle, flags: u64) => cuGraphInstantiateWithFlags;
    cudaGraphInstantiateWithFlags(out: *mut Handle, graph: Handle, flags: u64) => cuGraphInstantiateWithFlags;
    cudaGraphInstantiateWithParams(out: *mut Handle, graph: Handle, params: *mut c_void)
        => cuGraphInstantiateWithParams;
    cudaGraphInstantiateWithParams_ptsz(out: *mut Handle, graph: Handle, params: *mut c_void)
        => cuGraphInstantiateWithParams;
    cudaGraphExecGetFlags(exec: Handle, out: *mut u64) => cuGraphExecGetFlags;
    cudaGraphExecDestroy(exec: Handle) => cuGraphExecDestroy;
    cudaGraphExecUpdate(exec: Handle, graph: Handle, out: *mut c_void) => cuGraphExecUpdate_v2;
    cudaGraphNodeFindInClone(out: *mut Handle, node: Handle, clone: Handle) => cuGraphNodeFindInClone;
    cudaGraphNodeGetType(node: Handle, out: *mut c_int) => cuGraphNodeGetType;
    cudaGraphGetNodes(graph: Handle, nodes: *mut Handle, count: *mut usize) => cuGraphGetNodes;
    cudaGraphGetRootNodes(graph: Handle, nodes: *mut Handle, count: *mut usize) => cuGraphGetRootNodes;
    cudaGraphGetEdges_v2(graph: Handle, from: *mut Handle, to: *mut Handle, edges: *mut c_void, count: *mut usize)
        => cuGraphGetEdges_v2;
    cudaGraphNodeGetDependencies_v2(node: Handle, nodes: *mut Handle, edges: *mut c_void, count: *mut usize)
        => cuGraphNodeGetDependencies_v2;
    cudaGraphNodeGetDependentNodes_v2(node: Handle, nodes: *mut Handle, edges: *mut c_void, count: *mut usize)
        => cuGraphNodeGetDependentNodes_v2;
    cudaGraphAddDependencies_v2(graph: Handle, from: *const Handle, to: *const Handle, edges: *const c_void,
        count: usize) => cuGraphAddDependencies_v2;
    cudaGraphRemoveDependencies_v2(graph: Handle, from: *const Handle, to: *const Handle, edges: *const c_void,
        count: usize) => cuGraphRemoveDependencies_v2;
    cudaGraphNodeSetEnabled(exec: Handle, node: Handle, on: c_uint) => cuGraphNodeSetEnabled;
    cudaGraphNodeGetEnabled(exec: Handle, node: Handle, out: *mut c_uint) => cuGraphNodeGetEnabled;
    cudaGraphMemsetNodeGetParams(node: Handle, out: *mut c_void) => cuGraphMemsetNodeGetParams;
    cudaGraphMemsetNodeSetParams(node: Handle, params: *const c_void) => cuGraphMemsetNodeSetParams;
    cudaGraphAddHostNode(out: *mut Handle, graph: Handle, after: *const Handle, count: usize, params: *const c_void)
        => cuGraphAddHostNode;
    cudaGraphHostNodeGetParams(node: Handle, out: *mut c_void) => cuGraphHostNodeGetParams;
    cudaGraphHostNodeSetParams(node: Handle, params: *const c_void) => cuGraphHostNodeSetParams;
    cudaGraphExecHostNodeSetParams(exec: Handle, node: Handle, params: *const c_void) => cuGraphExecHostNodeSetParams;
    cudaGraphAddChildGraphNode(out: *mut Handle, graph: Handle, after: *const Handle, count: usize, child: Handle)
        => cuGraphAddChildGraphNode;
    cudaGraphChildGraphNodeGetGraph(node: Handle, out: *mut Handle) => cuGraphChildGraphNodeGetGraph;
    cudaGraphExecChildGraphNodeSetParams(exec: Handle, node: Handle, child: Handle)
        => cuGraphExecChildGraphNodeSetParams;
    cudaGraphAddEmptyNode(out: *mut Handle, graph: Handle, after: *const Handle, count: usize)
        => cuGraphAddEmptyNode;
    cudaGraphAddEventRecordNode(out: *mut Handle, graph: Handle, after: *const Handle, count: usize, event: Handle)
        => cuGraphAddEventRecordNode;
    cudaGraphEventRecordNodeGetEvent(node: Handle, out: *mut Handle) => cuGraphEventRecordNodeGetEvent;
    cudaGraphEventRecordNodeSetEvent(node: Handle, event: Handle) => cuGraphEventRecordNodeSetEvent;
    cudaGraphExecEventRecordNodeSetEvent(exec: Handle, node: Handle, event: Handle)
        => cuGraphExecEventRecordNodeSetEvent;
    cudaGraphAddEventWaitNode(out: *mut Handle, graph: Handle, after: *const Handle, count: usize, event: Handle)
        => cuGraphAddEventWaitNode;
    cudaGraphEventWaitNodeGetEvent(node: Handle, out: *mut Handle) => cuGraphEventWaitNodeGetEvent;
    cudaGraphEventWaitNodeSetEvent(node: Handle, event: Handle) => cuGraphEventWaitNodeSetEvent;
    cudaGraphExecEventWaitNodeSetEvent(exec: Handle, node: Handle, event: Handle)
        => cuGraphExecEventWaitNodeSetEvent;
    cudaGraphAddMemAllocNode(out: *mut Handle, graph: Handle, after: *const Handle, count: usize,
        params: *mut c_void) => cuGraphAddMemAllocNode;
    cudaGraphMemAllocNodeGetParams(node: Handle, out: *mut c_void) => cuGraphMemAllocNodeGetParams;
    cudaGraphAddMemFreeNode(out: *mut Handle, graph: Handle, after: *const Handle, count: usize, memory: u64)
        => cuGraphAddMemFreeNode;
    cudaGraphMemFreeNodeGetParams(node: Handle, out: *mut u64) => cuGraphMemFreeNodeGetParams;
    cudaGraphKernelNodeCopyAttributes(dst: Handle, src: Handle) => cuGraphKernelNodeCopyAttributes;
    cudaGraphKernelNodeGetAttribute(node: Handle, which: c_int, out: *mut c_void) => cuGraphKernelNodeGetAttribute;
    cudaGraphKernelNodeSetAttribute(node: Handle, which: c_int, value: *const c_void)
        => cuGraphKernelNodeSetAttribute;
    cudaUserObjectCreate(out: *mut Handle, data: *mut c_void, destroy: *const c_void, count: c_uint, flags: c_uint)
        => cuUserObjectCreate;
    cudaUserObjectRetain(object: Handle, count: c_uint) => cuUserObjectRetain;
    cudaUserObjectRelease(object: Handle, count: c_uint) => cuUserObjectRelease;
    cudaGraphRetainUserObject(graph: Handle, object: Handle, count: c_uint, flags: c_uint)
        => cuGraphRetainUserObject;
    cudaGraphReleaseUserObject(graph: Handle, object: Handle, count: c_uint) => cuGraphReleaseUserObject;
}

stream_forwards! {
    cudaGraphLaunch cudaGraphLaunch_ptsz [stream] (exec: Handle, stream: Stream) => cuGraphLaunch;
    cudaGraphUpload cudaGraphUpload_ptsz [stream] (exec: Handle, stream: Stream) => cuGraphUpload;
}
