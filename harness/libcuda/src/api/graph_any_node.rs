//! Nodes of any kind through one structure (`cuGraphAddNode` and its companions).

use super::graph_node_params::{write, write_exec};
use super::graph_nodes::{self as nodes, first_of};
use super::stream_value::words_task;
use crate::abi::constants::{condition_flags, node_type};
use crate::abi::error::{Error, Result};
use crate::abi::pointers::{get, need, put};
use crate::abi::types::{AllocNode, Copy3D, EdgeData, FillNode, Handle, HostNode, KernelNode2, MemOpNode};
use crate::state::contexts::current::current;
use crate::state::device::driver::driver;
use crate::state::device::sync::lock;
use crate::state::graphs::condition::{Choosing, Condition};
use crate::state::graphs::exec::whole;
use crate::state::graphs::graph::{self, Conditional};
use crate::state::graphs::task::Task;
use std::ffi::{c_int, c_uint};
use std::sync::Arc;

/// The number of words of the body of `CUgraphNodeParams`.
const BODY: usize = 29;

/// `CUgraphNodeParams`: the kind of the node, and then the structure of that kind.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct AnyNode {
    kind: c_int,
    reserved: [c_int; 3],
    body: [u64; BODY],
    end: u64,
}

/// `CUDA_MEMCPY_NODE_PARAMS`.
#[repr(C)]
#[derive(Clone, Copy)]
struct CopyNode {
    flags: c_int,
    reserved: c_int,
    context: Handle,
    copy: Copy3D,
}

/// `CUDA_CONDITIONAL_NODE_PARAMS`.
#[repr(C)]
#[derive(Clone, Copy)]
struct ConditionalNode {
    condition: u64,
    kind: c_int,
    size: c_uint,
    /// An output: the graphs that the node runs.
    bodies: *const Handle,
    context: Handle,
}

impl AnyNode {
    fn body<T: Copy>(&self) -> T {
        const { assert!(size_of::<T>() <= BODY * 8) };
        // SAFETY: the structures consist of numbers and pointers, and are not longer than the body.
        unsafe { self.body.as_ptr().cast::<T>().read_unaligned() }
    }

    /// Returns the task of a node, for the kinds that do not depend on the graph.
    fn task(&self) -> Result<Task> {
        if self.reserved != [0; 3] {
            return Err(Error::INVALID_VALUE);
        }
        match self.kind {
            node_type::KERNEL => nodes::kernel_task(&first_of(&self.body::<KernelNode2>())),
            node_type::MEMCPY => nodes::copy_task(&self.body::<CopyNode>().copy),
            node_type::MEMSET => nodes::fill_task(&self.body::<FillNode>()),
            node_type::HOST => nodes::host_task(&self.body::<HostNode>()),
            node_type::EMPTY => Ok(Task::Empty),
            node_type::WAIT_EVENT => Ok(Task::WaitEvent(nodes::event_of_node(self.body())?)),
            node_type::EVENT_RECORD => Ok(Task::RecordEvent(nodes::event_of_node(self.body())?)),
            node_type::BATCH_MEM_OP => words_task(&self.body::<MemOpNode>()),
            node_type::EXT_SEMAS_SIGNAL..=node_type::RESERVED_16 => Err(Error::NOT_SUPPORTED),
            _ => Err(Error::INVALID_VALUE),
        }
    }
}

fn add(out: *mut Handle, graph: Handle, after: *const Handle, n: usize, params: *mut AnyNode) -> Result {
    current()?;
    let node = get(params)?;
    match node.kind {
        node_type::GRAPH => nodes::add_child(out, graph, after, n, node.body()),
        node_type::CONDITIONAL => {
            let ConditionalNode { condition, kind, size, .. } = node.body();
            let choosing = Choosing::new(kind, size)?;
            let new = Conditional::new(&*graph::find(graph)?, condition, choosing, size)?;
            // SAFETY: `params` was just read; the structure of a conditional node lies in its body.
            let bodies = unsafe { (&raw mut (*params).body).cast::<ConditionalNode>() };
            let list = new.handles();
            nodes::add(out, graph, after, n, Task::Conditional(new))?;
            // SAFETY: as above.
            unsafe { (&raw mut (*bodies).bodies).write_unaligned(list) };
            Ok(())
        }
        node_type::MEM_FREE => nodes::add_free(out, graph, after, n, node.body()),
        node_type::MEM_ALLOC => {
            // SAFETY: `params` was just read; the structure of an allocation lies in its body, where the address is
            // written.
            let alloc = unsafe { (&raw mut (*params).body).cast::<AllocNode>() };
            nodes::add_alloc(out, graph, after, n, alloc)
        }
        _ => nodes::add(out, graph, after, n, node.task()?),
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
    write(node, get(params)?.task()?)
}

fn set_exec(exec: Handle, node: Handle, params: *const AnyNode) -> Result {
    driver()?;
    let params = get(params)?;
    let task = match params.kind {
        node_type::GRAPH => whole(Task::Child(graph::find(params.body())?))?,
        _ => params.task()?,
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
