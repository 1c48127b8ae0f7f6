//! Reading and changing what the nodes of graphs do.

use super::graph_nodes::{copy_task, event_of_node, fill_task, first_of, host_task, kernel_task};
use crate::abi::constants::allocation_type;
use crate::abi::constants::location_type;
use crate::abi::error::{Error, Result};
use crate::abi::pointers::{get, need, put};
use crate::abi::types::{
    AllocNode, Copy3D, DevicePtr, FillNode, Handle, HostNode, KernelNode, KernelNode2, Location, PoolProps,
};
use crate::state::graphs::event::{self, Event};
use crate::state::graphs::exec::{self, whole};
use crate::state::graphs::graph::{self, find, find_node};
use crate::state::graphs::task::Task;
use crate::state::memory::fill::Fill;
use crate::state::modules::module::find_function;
use simt::kernel::Geometry;
use std::mem::discriminant;
use std::ptr::null_mut;
use std::sync::Arc;

/// Passes the task of a node to a function that reads it.
pub fn read(node: Handle, read: impl FnOnce(&Task) -> Result) -> Result {
    let (graph, index) = find_node(node)?;
    graph.change(index, |task| read(task))
}

/// Replaces the task of a node by another of the same kind.
pub fn write(node: Handle, new: Task) -> Result {
    let (graph, index) = find_node(node)?;
    graph.change(index, |task| replace(task, new))
}

/// Replaces the task of a node of an executable graph.
pub fn write_exec(exec: Handle, node: Handle, new: Task) -> Result {
    exec::find(exec)?.change(node, |node| replace(&mut node.task, new))
}

fn replace(task: &mut Task, new: Task) -> Result {
    if discriminant(task) != discriminant(&new) {
        return Err(Error::INVALID_VALUE);
    }
    *task = match (&*task, new) {
        // A kernel's attributes belong to its node, and are kept.
        (Task::Kernel(old), Task::Kernel(new)) => {
            let Geometry { cooperative, cluster, .. } = old.asked;
            Task::Kernel(new.with(Geometry { cooperative, cluster, ..new.asked }, old.attributes.clone())?)
        }
        (_, new) => new,
    };
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
                func: launch.handle,
                grid_dim: launch.geometry.grid,
                block_dim: launch.geometry.block,
                shared_mem_bytes: launch.geometry.dynamic_shared,
                // Only the values were copied; the caller's pointers to them are not kept.
                kernel_params: null_mut(),
                extra: null_mut(),
            },
        )
    })
}
fn get_kernel_v2(node: Handle, out: *mut KernelNode2) -> Result {
    need(out)?;
    let mut first = KernelNode::default();
    get_kernel(node, &raw mut first)?;
    let KernelNode { func, grid_dim, block_dim, shared_mem_bytes, kernel_params, extra } = first;
    // Clients recognise a library's kernel by its own handle, which is that of its function here.
    let is_of_library = find_function(func).is_ok_and(|function| function.module.context.is_none());
    let kern = if is_of_library { func } else { 0 };
    put(out, KernelNode2 { func, grid_dim, block_dim, shared_mem_bytes, kernel_params, extra, kern, ctx: 0 })
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
fn fill_node(fill: &Fill) -> FillNode {
    FillNode {
        dst: fill.dst,
        pitch: fill.pitch,
        value: fill.value,
        element_size: fill.element,
        width: fill.width,
        height: fill.height,
    }
}
fn get_fill(node: Handle, out: *mut FillNode) -> Result {
    need(out)?;
    read(node, |task| match task {
        Task::Fill(fill) => put(out, fill_node(fill)),
        _ => Err(Error::INVALID_VALUE),
    })
}
fn set_fill(node: Handle, params: *const FillNode) -> Result {
    write(node, fill_task(params)?)
}
fn get_host(node: Handle, out: *mut HostNode) -> Result {
    need(out)?;
    read(node, |task| match task {
        Task::Host(call) => put(out, HostNode { function: call.function, user_data: call.data }),
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
/// Returns a node's event; `CUDA_ERROR_INVALID_VALUE` if the handle is not an event, as NVIDIA's driver returns.
fn event_of_exec(handle: Handle) -> Result<Arc<Event>> {
    event::find(handle).map_err(|_| Error::INVALID_VALUE)
}

fn set_record(node: Handle, event: Handle) -> Result {
    write(node, Task::RecordEvent(event_of_node(event)?))
}
fn set_wait(node: Handle, event: Handle) -> Result {
    write(node, Task::WaitEvent(event_of_node(event)?))
}
fn get_free(node: Handle, out: *mut DevicePtr) -> Result {
    need(out)?;
    read(node, |task| match task {
        Task::GraphFree(memory) => put(out, memory.address),
        Task::Free(address) => put(out, *address),
        _ => Err(Error::INVALID_VALUE),
    })
}
fn get_alloc(node: Handle, out: *mut AllocNode) -> Result {
    need(out)?;
    read(node, |task| {
        let Task::Alloc(memory) = task else {
            return Err(Error::INVALID_VALUE);
        };
        let pool_props = PoolProps {
            alloc_type: allocation_type::PINNED,
            handle_types: memory.handle_types,
            location: Location { kind: location_type::DEVICE, id: 0 },
            ..PoolProps::default()
        };
        put(out, AllocNode { pool_props, bytesize: memory.bytes, dptr: memory.address, ..AllocNode::default() })
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
    write_exec(exec, node, Task::RecordEvent(event_of_exec(event)?))
}
fn exec_wait(exec: Handle, node: Handle, event: Handle) -> Result {
    write_exec(exec, node, Task::WaitEvent(event_of_exec(event)?))
}

entry_points! {
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
    cuGraphMemAllocNodeGetParams(node: Handle, out: *mut AllocNode) = get_alloc;
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
