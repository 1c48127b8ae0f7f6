//! Nodes of any kind through one structure (`cuGraphAddNode` and its companions).

use super::graph_node_params::{write, write_exec};
use super::graph_nodes::{self as nodes, first_of};
use super::stream_value::words_task;
use crate::abi::constants::{condition_flags, node_type};
use crate::abi::error::{Error, Result};
use crate::abi::pointers::{get, need, put};
use crate::abi::types::{
    AllocNode, AnyNode, AnyNodeValue, ConditionalNode, CopyNode, EdgeData, FillNode, Handle, HostNode, KernelNode2,
    MemOpNode,
};
use crate::state::contexts::current::current;
use crate::state::device::driver::driver;
use crate::state::device::sync::lock;
use crate::state::graphs::condition::{Choosing, Condition};
use crate::state::graphs::exec::whole;
use crate::state::graphs::graph::{self, Conditional};
use crate::state::graphs::task::Task;
use std::ffi::c_uint;
use std::sync::Arc;

/// Returns the task of a node, for the kinds that do not depend on the graph.
fn task(node: &AnyNode) -> Result<Task> {
    if node.reserved0 != [0; 3] {
        return Err(Error::INVALID_VALUE);
    }
    match node.kind {
        node_type::KERNEL => nodes::kernel_task(&first_of(&body::<KernelNode2>(node))),
        node_type::MEMCPY => nodes::copy_task(&body::<CopyNode>(node).copy_params),
        node_type::MEMSET => nodes::fill_task(&body::<FillNode>(node)),
        node_type::HOST => nodes::host_task(&body::<HostNode>(node)),
        node_type::EMPTY => Ok(Task::Empty),
        node_type::WAIT_EVENT => Ok(Task::WaitEvent(nodes::event_of_node(body(node))?)),
        node_type::EVENT_RECORD => Ok(Task::RecordEvent(nodes::event_of_node(body(node))?)),
        node_type::BATCH_MEM_OP => words_task(&body::<MemOpNode>(node)),
        node_type::EXT_SEMAS_SIGNAL..=node_type::RESERVED_16 => Err(Error::NOT_SUPPORTED),
        _ => Err(Error::INVALID_VALUE),
    }
}

/// Returns the parameters of a node as those of its kind.
fn body<T: Copy>(node: &AnyNode) -> T {
    const { assert!(size_of::<T>() <= size_of::<AnyNodeValue>()) };
    // SAFETY: the structures consist of numbers and pointers, and are not longer than the body.
    unsafe { (&raw const node.value).cast::<T>().read_unaligned() }
}

fn add(out: *mut Handle, graph: Handle, after: *const Handle, n: usize, params: *mut AnyNode) -> Result {
    current()?;
    let node = get(params)?;
    match node.kind {
        node_type::GRAPH => nodes::add_child(out, graph, after, n, body(&node)),
        node_type::CONDITIONAL => {
            let ConditionalNode { handle: condition, kind, size, .. } = body(&node);
            let choosing = Choosing::new(kind, size)?;
            let new = Conditional::new(&*graph::find(graph)?, condition, choosing, size)?;
            // SAFETY: `params` was just read; the structure of a conditional node lies in its body.
            let bodies = unsafe { (&raw mut (*params).value).cast::<ConditionalNode>() };
            let list = new.handles();
            nodes::add(out, graph, after, n, Task::Conditional(new))?;
            // SAFETY: as above.
            unsafe { (&raw mut (*bodies).ph_graph_out).write_unaligned(list.cast_mut()) };
            Ok(())
        }
        node_type::MEM_FREE => nodes::add_free(out, graph, after, n, body(&node)),
        node_type::MEM_ALLOC => {
            // SAFETY: `params` was just read; the structure of an allocation lies in its body, where the address is
            // written.
            let alloc = unsafe { (&raw mut (*params).value).cast::<AllocNode>() };
            nodes::add_alloc(out, graph, after, n, alloc)
        }
        _ => nodes::add(out, graph, after, n, task(&node)?),
    }
}

fn add_v2(
    out: *mut Handle,
    graph: Handle,
    after: *const Handle,
    _edges: *const EdgeData,
    n: usize,
    params: *mut AnyNode,
) -> Result {
    add(out, graph, after, n, params)
}

fn set(node: Handle, params: *const AnyNode) -> Result {
    driver()?;
    write(node, task(&get(params)?)?)
}

fn set_exec(exec: Handle, node: Handle, params: *const AnyNode) -> Result {
    driver()?;
    let params = get(params)?;
    let task = match params.kind {
        node_type::GRAPH => whole(Task::Child(graph::find(body(&params))?))?,
        _ => task(&params)?,
    };
    write_exec(exec, node, task)
}

fn create_condition(out: *mut u64, graph: Handle, _context: Handle, default: c_uint, flags: c_uint) -> Result {
    let driver = driver()?;
    need(out)?;
    let graph = graph::find(graph)?;
    if flags & !condition_flags::ASSIGN_DEFAULT != 0 {
        return Err(Error::INVALID_VALUE);
    }
    let default = (flags & condition_flags::ASSIGN_DEFAULT != 0).then_some(default);
    let condition = Condition::create(driver, default)?;
    lock(&graph.conditions).push(Arc::clone(&condition));
    put(out, condition.handle())
}

entry_points! {
    cuGraphConditionalHandleCreate(out: *mut u64, graph: Handle, context: Handle, default: c_uint, flags: c_uint)
        = create_condition;
    cuGraphAddNode(out: *mut Handle, graph: Handle, after: *const Handle, n: usize, params: *mut AnyNode) = add;
    cuGraphAddNode_v2(out: *mut Handle, graph: Handle, after: *const Handle, edges: *const EdgeData, n: usize,
        params: *mut AnyNode) = add_v2;
    cuGraphNodeSetParams(node: Handle, params: *const AnyNode) = set;
    cuGraphExecNodeSetParams(exec: Handle, node: Handle, params: *const AnyNode) = set_exec;
}
