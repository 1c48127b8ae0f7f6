//! Nodes of any kind through one structure (`cuGraphAddNode` and its companions).

use crate::abi::{AllocNode, Copy3D, EdgeData, FillNode, Handle, HostNode, KernelNode2, get};
use crate::context::current;
use crate::driver::driver;
use crate::error::{Error, Result};
use crate::event;
use crate::graph;
use crate::graph_nodes::{self as nodes, first_of};
use crate::task::Task;
use std::ffi::c_int;

/// `CUgraphNodeParams`: the kind, and its own structure behind it.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct AnyNode {
    kind: c_int,
    reserved: [c_int; 3],
    body: [u64; 29],
    end: u64,
}

const KERNEL: c_int = 0;
const COPY: c_int = 1;
const FILL: c_int = 2;
const HOST: c_int = 3;
const CHILD: c_int = 4;
const EMPTY: c_int = 5;
const WAIT: c_int = 6;
const RECORD: c_int = 7;
const ALLOC: c_int = 10;
const FREE: c_int = 11;

/// `CUDA_MEMCPY_NODE_PARAMS`.
#[repr(C)]
#[derive(Clone, Copy)]
struct CopyNode {
    flags: c_int,
    reserved: c_int,
    context: Handle,
    copy: Copy3D,
}

impl AnyNode {
    fn body<T: Copy>(&self) -> T {
        const { assert!(size_of::<T>() <= 29 * 8) };
        // SAFETY: the structures are plain numbers and pointers, and no longer than the body.
        unsafe { self.body.as_ptr().cast::<T>().read_unaligned() }
    }

    /// The task of a node whose making needs no graph.
    fn task(&self) -> Result<Task> {
        if self.reserved != [0; 3] {
            return Err(Error::INVALID_VALUE);
        }
        match self.kind {
            KERNEL => nodes::kernel_task(&first_of(&self.body::<KernelNode2>())),
            COPY => nodes::copy_task(&self.body::<CopyNode>().copy),
            FILL => nodes::fill_task(&self.body::<FillNode>()),
            HOST => nodes::host_task(&self.body::<HostNode>()),
            EMPTY => Ok(Task::Empty),
            WAIT => Ok(Task::WaitEvent(event::find(self.body())?)),
            RECORD => Ok(Task::RecordEvent(event::find(self.body())?)),
            8..=16 => Err(Error::NOT_SUPPORTED),
            _ => Err(Error::INVALID_VALUE),
        }
    }
}

fn add(
    out: *mut Handle,
    graph: Handle,
    after: *const Handle,
    n: usize,
    params: *mut AnyNode,
) -> Result {
    current()?;
    let node = get(params)?;
    match node.kind {
        CHILD => nodes::add_child(out, graph, after, n, node.body()),
        FREE => nodes::add_free(out, graph, after, n, node.body()),
        ALLOC => {
            // SAFETY: `params` was just read; the structure of an allocation lies in its body, where the address is written.
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
    nodes::write(node, get(params)?.task()?)
}

fn set_exec(exec: Handle, node: Handle, params: *const AnyNode) -> Result {
    driver()?;
    let params = get(params)?;
    let task = match params.kind {
        CHILD => graph::whole(Task::Child(graph::find(params.body())?))?,
        _ => params.task()?,
    };
    nodes::write_exec(exec, node, task)
}

entry_points! {
    cuGraphAddNode(out: *mut Handle, graph: Handle, after: *const Handle, n: usize, params: *mut AnyNode) = add;
    cuGraphAddNode_v2(out: *mut Handle, graph: Handle, after: *const Handle, edges: *const EdgeData, n: usize,
        params: *mut AnyNode) = add_v2;
    cuGraphNodeSetParams(node: Handle, params: *const AnyNode) = set;
    cuGraphExecNodeSetParams(exec: Handle, node: Handle, params: *const AnyNode) = set_exec;
}
