//! Adding nodes to graphs, and reading and changing what they do.

use crate::abi::{
    AllocNode, Copy3D, DevicePtr, FillNode, Handle, HostNode, KernelNode, KernelNode2, get,
    get_all, need, put,
};
use crate::context::current;
use crate::copy;
use crate::driver::driver;
use crate::error::{Error, Result};
use crate::event;
use crate::fill::Fill;
use crate::graph::{self, find, find_exec, find_node, whole};
use crate::launch;
use crate::memory;
use crate::task::{HostCall, Task};
use simt::memory::Kind;
use std::ffi::c_void;
use std::mem::discriminant;
use std::ptr::null_mut;

/// Adds a node; writes its handle.
///
/// # Errors
/// When one of the handles is none of the graph's.
pub fn add(
    out: *mut Handle,
    graph: Handle,
    after: *const Handle,
    count: usize,
    task: Task,
) -> Result {
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

pub(crate) fn kernel_task(node: &KernelNode) -> Result<Task> {
    let (params, extra) = (
        node.params.cast::<*const c_void>(),
        node.extra.cast::<*const c_void>(),
    );
    let launch = launch::prepare(
        node.function,
        node.grid,
        node.block,
        node.shared,
        false,
        params,
        extra,
    )?;
    Ok(Task::Kernel(launch))
}

/// The kernel is in `func`, or, by the newer structure, in `kern`.
pub(crate) fn first_of(node: &KernelNode2) -> KernelNode {
    let mut first = node.first;
    if first.function == 0 {
        first.function = node.kernel;
    }
    first
}

pub(crate) fn copy_task(params: *const Copy3D) -> Result<Task> {
    let copy = copy::described(&get(params)?)?;
    copy.check()?;
    Ok(Task::Copy(copy))
}

pub(crate) fn fill_task(params: *const FillNode) -> Result<Task> {
    let fill = Fill(get(params)?);
    fill.check()?;
    Ok(Task::Fill(fill))
}

pub(crate) fn host_task(params: *const HostNode) -> Result<Task> {
    let HostNode { function, data } = get(params)?;
    if function.is_none() {
        return Err(Error::INVALID_VALUE);
    }
    Ok(Task::Host(HostCall { function, data }))
}

fn add_kernel(
    out: *mut Handle,
    graph: Handle,
    after: *const Handle,
    n: usize,
    params: *const KernelNode,
) -> Result {
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
fn add_host(
    out: *mut Handle,
    graph: Handle,
    after: *const Handle,
    n: usize,
    params: *const HostNode,
) -> Result {
    driver()?;
    add(out, graph, after, n, host_task(params)?)
}
fn add_empty(out: *mut Handle, graph: Handle, after: *const Handle, n: usize) -> Result {
    driver()?;
    add(out, graph, after, n, Task::Empty)
}
pub(crate) fn add_child(
    out: *mut Handle,
    graph: Handle,
    after: *const Handle,
    n: usize,
    child: Handle,
) -> Result {
    driver()?;
    let mut copy = 0;
    // The child is taken as it is now.
    graph::clone_into(&raw mut copy, child)?;
    add(out, graph, after, n, Task::Child(find(copy)?))
}
fn add_record(
    out: *mut Handle,
    graph: Handle,
    after: *const Handle,
    n: usize,
    event: Handle,
) -> Result {
    driver()?;
    add(out, graph, after, n, Task::RecordEvent(event::find(event)?))
}
fn add_wait(
    out: *mut Handle,
    graph: Handle,
    after: *const Handle,
    n: usize,
    event: Handle,
) -> Result {
    driver()?;
    add(out, graph, after, n, Task::WaitEvent(event::find(event)?))
}

pub(crate) fn add_alloc(
    out: *mut Handle,
    graph: Handle,
    after: *const Handle,
    n: usize,
    params: *mut AllocNode,
) -> Result {
    let context = current()?;
    need(out)?;
    find(graph)?;
    let mut node = get(params)?;
    if node.bytes == 0 || node.pool.alloc_type != 1 {
        return Err(Error::INVALID_VALUE);
    }
    node.dptr = memory::allocate(
        &context,
        node.bytes,
        Kind::Pool,
        0,
        "cuGraphAddMemAllocNode",
    )?;
    memory::give_to_graph(node.dptr, node.bytes as u64)?;
    add(out, graph, after, n, Task::Alloc(node.dptr))
        .inspect_err(|_| memory::release(node.dptr))?;
    put(params, node)
}
pub(crate) fn add_free(
    out: *mut Handle,
    graph: Handle,
    after: *const Handle,
    n: usize,
    address: DevicePtr,
) -> Result {
    driver()?;
    if driver()?
        .memory
        .find(address)
        .is_none_or(|found| found.start != address)
    {
        return Err(Error::INVALID_VALUE);
    }
    add(out, graph, after, n, Task::GraphFree(address))
}

/// What a node does, read by a function that knows its kind.
fn read(node: Handle, read: impl FnOnce(&Task) -> Result) -> Result {
    let (graph, index) = find_node(node)?;
    graph.change(index, |task| read(task))
}

/// Changes what a node does to a task of the same kind.
pub(crate) fn write(node: Handle, new: Task) -> Result {
    let (graph, index) = find_node(node)?;
    graph.change(index, |task| replace(task, new))
}

/// Changes what a node of an executable graph does.
pub(crate) fn write_exec(exec: Handle, node: Handle, new: Task) -> Result {
    find_exec(exec)?.change(node, |node| replace(&mut node.task, new))
}

fn replace(task: &mut Task, new: Task) -> Result {
    if discriminant(task) != discriminant(&new) {
        return Err(Error::INVALID_VALUE);
    }
    *task = new;
    Ok(())
}

fn get_kernel(node: Handle, out: *mut KernelNode) -> Result {
    need(out)?;
    read(node, |task| {
        let Task::Kernel(launch) = task else {
            return Err(Error::INVALID_VALUE);
        };
        put(
            out,
            KernelNode {
                function: launch.handle,
                grid: launch.grid,
                block: launch.block,
                shared: launch.shared,
                // The values were copied; the pointers to them are the caller's and are not kept.
                params: null_mut(),
                extra: null_mut(),
            },
        )
    })
}
fn get_kernel_v2(node: Handle, out: *mut KernelNode2) -> Result {
    need(out)?;
    let mut first = KernelNode {
        function: 0,
        grid: [0; 3],
        block: [0; 3],
        shared: 0,
        params: null_mut(),
        extra: null_mut(),
    };
    get_kernel(node, &raw mut first)?;
    put(
        out,
        KernelNode2 {
            first,
            kernel: 0,
            context: 0,
        },
    )
}
fn set_kernel(node: Handle, params: *const KernelNode) -> Result {
    write(node, kernel_task(&get(params)?)?)
}
fn set_kernel_v2(node: Handle, params: *const KernelNode2) -> Result {
    write(node, kernel_task(&first_of(&get(params)?))?)
}
fn get_copy(node: Handle, out: *mut Copy3D) -> Result {
    need(out)?;
    read(node, |task| match task {
        Task::Copy(copy) => put(out, copy.described),
        _ => Err(Error::INVALID_VALUE),
    })
}
fn set_copy(node: Handle, params: *const Copy3D) -> Result {
    write(node, copy_task(params)?)
}
fn get_fill(node: Handle, out: *mut FillNode) -> Result {
    need(out)?;
    read(node, |task| match task {
        Task::Fill(fill) => put(out, fill.0),
        _ => Err(Error::INVALID_VALUE),
    })
}
fn set_fill(node: Handle, params: *const FillNode) -> Result {
    write(node, fill_task(params)?)
}
fn get_host(node: Handle, out: *mut HostNode) -> Result {
    need(out)?;
    read(node, |task| match task {
        Task::Host(call) => put(
            out,
            HostNode {
                function: call.function,
                data: call.data,
            },
        ),
        _ => Err(Error::INVALID_VALUE),
    })
}
fn set_host(node: Handle, params: *const HostNode) -> Result {
    write(node, host_task(params)?)
}
fn get_child(node: Handle, out: *mut Handle) -> Result {
    need(out)?;
    read(node, |task| match task {
        Task::Child(child) => put(out, graph::handle_of(child)),
        _ => Err(Error::INVALID_VALUE),
    })
}
fn get_record(node: Handle, out: *mut Handle) -> Result {
    need(out)?;
    read(node, |task| match task {
        Task::RecordEvent(event) => put(out, event::handle_of(event)),
        _ => Err(Error::INVALID_VALUE),
    })
}
fn get_wait(node: Handle, out: *mut Handle) -> Result {
    need(out)?;
    read(node, |task| match task {
        Task::WaitEvent(event) => put(out, event::handle_of(event)),
        _ => Err(Error::INVALID_VALUE),
    })
}
fn set_record(node: Handle, event: Handle) -> Result {
    write(node, Task::RecordEvent(event::find(event)?))
}
fn set_wait(node: Handle, event: Handle) -> Result {
    write(node, Task::WaitEvent(event::find(event)?))
}
fn get_free(node: Handle, out: *mut DevicePtr) -> Result {
    need(out)?;
    read(node, |task| match task {
        Task::GraphFree(address) | Task::Free(address) => put(out, *address),
        _ => Err(Error::INVALID_VALUE),
    })
}

fn exec_kernel(exec: Handle, node: Handle, params: *const KernelNode) -> Result {
    write_exec(exec, node, kernel_task(&get(params)?)?)
}
fn exec_kernel_v2(exec: Handle, node: Handle, params: *const KernelNode2) -> Result {
    write_exec(exec, node, kernel_task(&first_of(&get(params)?))?)
}
fn exec_copy(exec: Handle, node: Handle, params: *const Copy3D, _context: Handle) -> Result {
    write_exec(exec, node, copy_task(params)?)
}
fn exec_fill(exec: Handle, node: Handle, params: *const FillNode, _context: Handle) -> Result {
    write_exec(exec, node, fill_task(params)?)
}
fn exec_host(exec: Handle, node: Handle, params: *const HostNode) -> Result {
    write_exec(exec, node, host_task(params)?)
}
fn exec_child(exec: Handle, node: Handle, child: Handle) -> Result {
    write_exec(exec, node, whole(Task::Child(find(child)?))?)
}
fn exec_record(exec: Handle, node: Handle, event: Handle) -> Result {
    write_exec(exec, node, Task::RecordEvent(event::find(event)?))
}
fn exec_wait(exec: Handle, node: Handle, event: Handle) -> Result {
    write_exec(exec, node, Task::WaitEvent(event::find(event)?))
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
    cuGraphKernelNodeGetParams(node: Handle, out: *mut KernelNode) = get_kernel;
    cuGraphKernelNodeGetParams_v2(node: Handle, out: *mut KernelNode2) = get_kernel_v2;
    cuGraphKernelNodeSetParams(node: Handle, params: *const KernelNode) = set_kernel;
    cuGraphKernelNodeSetParams_v2(node: Handle, params: *const KernelNode2) = set_kernel_v2;
    cuGraphMemcpyNodeGetParams(node: Handle, out: *mut Copy3D) = get_copy;
    cuGraphMemcpyNodeSetParams(node: Handle, params: *const Copy3D) = set_copy;
    cuGraphMemsetNodeGetParams(node: Handle, out: *mut FillNode) = get_fill;
    cuGraphMemsetNodeSetParams(node: Handle, params: *const FillNode) = set_fill;
    cuGraphHostNodeGetParams(node: Handle, out: *mut HostNode) = get_host;
    cuGraphHostNodeSetParams(node: Handle, params: *const HostNode) = set_host;
    cuGraphChildGraphNodeGetGraph(node: Handle, out: *mut Handle) = get_child;
    cuGraphEventRecordNodeGetEvent(node: Handle, out: *mut Handle) = get_record;
    cuGraphEventRecordNodeSetEvent(node: Handle, event: Handle) = set_record;
    cuGraphEventWaitNodeGetEvent(node: Handle, out: *mut Handle) = get_wait;
    cuGraphEventWaitNodeSetEvent(node: Handle, event: Handle) = set_wait;
    cuGraphMemFreeNodeGetParams(node: Handle, out: *mut DevicePtr) = get_free;
    cuGraphExecKernelNodeSetParams(exec: Handle, node: Handle, params: *const KernelNode) = exec_kernel;
    cuGraphExecKernelNodeSetParams_v2(exec: Handle, node: Handle, params: *const KernelNode2) = exec_kernel_v2;
    cuGraphExecMemcpyNodeSetParams(exec: Handle, node: Handle, params: *const Copy3D, context: Handle) = exec_copy;
    cuGraphExecMemsetNodeSetParams(exec: Handle, node: Handle, params: *const FillNode, context: Handle) = exec_fill;
    cuGraphExecHostNodeSetParams(exec: Handle, node: Handle, params: *const HostNode) = exec_host;
    cuGraphExecChildGraphNodeSetParams(exec: Handle, node: Handle, child: Handle) = exec_child;
    cuGraphExecEventRecordNodeSetEvent(exec: Handle, node: Handle, event: Handle) = exec_record;
    cuGraphExecEventWaitNodeSetEvent(exec: Handle, node: Handle, event: Handle) = exec_wait;
}
