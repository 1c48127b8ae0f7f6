//! Adding nodes to graphs.

use crate::abi::constants::allocation_type;
use crate::abi::error::{Error, Result};
use crate::abi::pointers::{get, get_all, need, put};
use crate::abi::types::{AllocNode, Copy3D, DevicePtr, FillNode, Handle, HostNode, KernelNode, KernelNode2};
use crate::api::launch::params;
use crate::state::contexts::current::current;
use crate::state::device::driver::driver;
use crate::state::graphs::event::{self, Event};
use crate::state::graphs::graph::{self, find};
use crate::state::graphs::task::{HostCall, Task};
use crate::state::memory::described::described;
use crate::state::memory::fill::Fill;
use crate::state::memory::graph_memory::GraphMemory;
use crate::state::modules::launch::KernelLaunch;
use simt::kernel::Geometry;
use std::ffi::c_void;
use std::sync::Arc;

/// Adds a node, and writes its handle.
///
/// # Errors
/// `CUDA_ERROR_INVALID_VALUE` if one of the handles is not a node of the graph, or is listed twice.
pub fn add(out: *mut Handle, graph: Handle, after: *const Handle, count: usize, task: Task) -> Result {
    need(out)?;
    let graph = find(graph)?;
    let after = graph.indices(&get_all(after, count)?)?;
    let mut unique = after.clone();
    unique.sort_unstable();
    unique.dedup();
    if unique.len() != after.len() {
        return Err(Error::INVALID_VALUE);
    }
    let index = graph.add(task, &after)?;
    put(out, graph.handles(&[index])[0])
}

/// Returns the task of a kernel node.
///
/// # Errors
/// The same as for a launch.
pub fn kernel_task(node: &KernelNode) -> Result<Task> {
    let (arguments, extra) = (node.kernel_params.cast::<*const c_void>(), node.extra.cast::<*const c_void>());
    let geometry = Geometry { dynamic_shared: node.shared_mem_bytes, ..Geometry::new(node.grid_dim, node.block_dim) };
    let launch = KernelLaunch::new(node.func, geometry, |function| params(function, arguments, extra))?;
    Ok(Task::Kernel(launch))
}

/// Converts the newer structure to the older one. The kernel is in `func`, or, only in the newer one, in `kern`.
pub fn first_of(node: &KernelNode2) -> KernelNode {
    let KernelNode2 { func, grid_dim, block_dim, shared_mem_bytes, kernel_params, extra, kern, .. } = *node;
    let func = if func == 0 { kern } else { func };
    KernelNode { func, grid_dim, block_dim, shared_mem_bytes, kernel_params, extra }
}

pub fn copy_task(params: *const Copy3D) -> Result<Task> {
    let copy = described(&get(params)?)?;
    copy.check()?;
    Ok(Task::Copy(copy))
}

pub fn fill_task(params: *const FillNode) -> Result<Task> {
    let FillNode { dst, pitch, value, element_size: element, width, height } = get(params)?;
    let fill = Fill { dst, pitch, value, element, width, height };
    fill.check()?;
    Ok(Task::Fill(fill))
}

pub fn host_task(params: *const HostNode) -> Result<Task> {
    let HostNode { function, user_data: data } = get(params)?;
    if function.is_none() {
        return Err(Error::INVALID_VALUE);
    }
    Ok(Task::Host(HostCall { function, data }))
}

/// Returns a node's event; `CUDA_ERROR_INVALID_VALUE` if the handle is not an event, as NVIDIA's driver returns.
pub fn event_of_node(handle: Handle) -> Result<Arc<Event>> {
    if handle == 0 { Err(Error::INVALID_VALUE) } else { event::find(handle) }
}

fn add_kernel(out: *mut Handle, graph: Handle, after: *const Handle, n: usize, params: *const KernelNode) -> Result {
    current()?;
    add(out, graph, after, n, kernel_task(&get(params)?)?)
}
fn add_kernel_v2(
    out: *mut Handle,
    graph: Handle,
    after: *const Handle,
    n: usize,
    params: *const KernelNode2,
) -> Result {
    current()?;
    add(out, graph, after, n, kernel_task(&first_of(&get(params)?))?)
}
fn add_copy(
    out: *mut Handle,
    graph: Handle,
    after: *const Handle,
    n: usize,
    params: *const Copy3D,
    _context: Handle,
) -> Result {
    driver()?;
    add(out, graph, after, n, copy_task(params)?)
}
fn add_fill(
    out: *mut Handle,
    graph: Handle,
    after: *const Handle,
    n: usize,
    params: *const FillNode,
    _context: Handle,
) -> Result {
    driver()?;
    add(out, graph, after, n, fill_task(params)?)
}
fn add_host(out: *mut Handle, graph: Handle, after: *const Handle, n: usize, params: *const HostNode) -> Result {
    driver()?;
    add(out, graph, after, n, host_task(params)?)
}
fn add_empty(out: *mut Handle, graph: Handle, after: *const Handle, n: usize) -> Result {
    driver()?;
    add(out, graph, after, n, Task::Empty)
}
pub fn add_child(out: *mut Handle, graph: Handle, after: *const Handle, n: usize, child: Handle) -> Result {
    driver()?;
    // The node gets a copy of the current child. Its handle keeps the copy alive.
    let copy = find(child)?.duplicate()?;
    graph::register(Arc::clone(&copy));
    add(out, graph, after, n, Task::Child(copy))
}
fn add_record(out: *mut Handle, graph: Handle, after: *const Handle, n: usize, event: Handle) -> Result {
    driver()?;
    add(out, graph, after, n, Task::RecordEvent(event_of_node(event)?))
}
fn add_wait(out: *mut Handle, graph: Handle, after: *const Handle, n: usize, event: Handle) -> Result {
    driver()?;
    add(out, graph, after, n, Task::WaitEvent(event_of_node(event)?))
}

pub fn add_alloc(out: *mut Handle, graph: Handle, after: *const Handle, n: usize, params: *mut AllocNode) -> Result {
    let context = current()?;
    need(out)?;
    find(graph)?;
    let mut node = get(params)?;
    if node.bytesize == 0 || node.pool_props.alloc_type != allocation_type::PINNED {
        return Err(Error::INVALID_VALUE);
    }
    let memory = GraphMemory::new(&context, node.bytesize, node.pool_props.handle_types, "cuGraphAddMemAllocNode")?;
    node.dptr = memory.address;
    add(out, graph, after, n, Task::Alloc(memory))?;
    put(params, node)
}
pub fn add_free(out: *mut Handle, graph: Handle, after: *const Handle, n: usize, address: DevicePtr) -> Result {
    driver()?;
    let memory = GraphMemory::find(address).ok_or(Error::INVALID_VALUE)?;
    add(out, graph, after, n, Task::GraphFree(memory))
}

entry_points! {
    cuGraphAddKernelNode(out: *mut Handle, graph: Handle, after: *const Handle, n: usize, params: *const KernelNode)
        = add_kernel;
    cuGraphAddKernelNode_v2(out: *mut Handle, graph: Handle, after: *const Handle, n: usize,
        params: *const KernelNode2) = add_kernel_v2;
    cuGraphAddMemcpyNode(out: *mut Handle, graph: Handle, after: *const Handle, n: usize, params: *const Copy3D,
        context: Handle) = add_copy;
    cuGraphAddMemsetNode(out: *mut Handle, graph: Handle, after: *const Handle, n: usize, params: *const FillNode,
        context: Handle) = add_fill;
    cuGraphAddHostNode(out: *mut Handle, graph: Handle, after: *const Handle, n: usize, params: *const HostNode)
        = add_host;
    cuGraphAddEmptyNode(out: *mut Handle, graph: Handle, after: *const Handle, n: usize) = add_empty;
    cuGraphAddChildGraphNode(out: *mut Handle, graph: Handle, after: *const Handle, n: usize, child: Handle)
        = add_child;
    cuGraphAddEventRecordNode(out: *mut Handle, graph: Handle, after: *const Handle, n: usize, event: Handle)
        = add_record;
    cuGraphAddEventWaitNode(out: *mut Handle, graph: Handle, after: *const Handle, n: usize, event: Handle) = add_wait;
    cuGraphAddMemAllocNode(out: *mut Handle, graph: Handle, after: *const Handle, n: usize, params: *mut AllocNode)
        = add_alloc;
    cuGraphAddMemFreeNode(out: *mut Handle, graph: Handle, after: *const Handle, n: usize, address: DevicePtr)
        = add_free;
}
