//! Graphs: nodes and edges, what is made of them to run, and launching that.

use crate::abi::{Handle, InstantiateParams, get, need, put, put_list, put_optional, text};
use crate::context::{Context, current};
use crate::driver::{driver, lock};
use crate::error::{Error, Result};
use crate::graph_objects::Hold;
use crate::handles::{Table, fresh};
use crate::task::Task;
use crate::{memory, stream};
use std::collections::BTreeSet;
use std::ffi::{c_char, c_int, c_uint};
use std::sync::{Arc, Mutex, Weak};

/// One node.
#[derive(Clone)]
pub struct Node {
    pub handle: Handle,
    pub task: Task,
    /// Nodes that it comes after, by index.
    pub after: Vec<usize>,
}

/// A graph: nodes by index, gone ones empty.
#[derive(Default)]
pub struct Graph {
    pub nodes: Mutex<Vec<Option<Node>>>,
    /// What it keeps alive for the caller.
    pub objects: Mutex<Vec<Hold>>,
}

/// A node's graph and its index there.
pub struct NodeRef {
    pub graph: Weak<Graph>,
    pub index: usize,
}

/// A node of a graph made to run.
#[derive(Clone)]
pub struct ExecNode {
    /// The node of the graph that it was made of.
    pub source: Handle,
    pub task: Task,
    pub enabled: bool,
    /// Sources of the nodes that it comes after.
    pub after: Vec<Handle>,
}

/// A graph made to run.
pub struct Exec {
    /// In an order that the edges allow.
    pub nodes: Mutex<Vec<ExecNode>>,
    flags: u64,
    context: Weak<Context>,
    /// What it keeps alive for the caller, as the graph did that it was made of.
    _objects: Vec<Hold>,
}

static GRAPHS: Table<Graph> = Table::new();
static NODES: Table<NodeRef> = Table::new();
static EXECS: Table<Exec> = Table::new();

/// The graph of a handle.
///
/// # Errors
/// `CUDA_ERROR_INVALID_VALUE`, as the driver has it for graphs.
pub fn find(handle: Handle) -> Result<Arc<Graph>> {
    driver()?;
    GRAPHS.get(handle).map_err(|_| Error::INVALID_VALUE)
}

/// The graph and index of a node's handle.
///
/// # Errors
/// `CUDA_ERROR_INVALID_VALUE`.
pub fn find_node(handle: Handle) -> Result<(Arc<Graph>, usize)> {
    driver()?;
    let node = NODES.get(handle).map_err(|_| Error::INVALID_VALUE)?;
    Ok((
        node.graph.upgrade().ok_or(Error::INVALID_VALUE)?,
        node.index,
    ))
}

/// The executable graph of a handle.
///
/// # Errors
/// `CUDA_ERROR_INVALID_VALUE`.
pub fn find_exec(handle: Handle) -> Result<Arc<Exec>> {
    driver()?;
    EXECS.get(handle).map_err(|_| Error::INVALID_VALUE)
}

/// A graph's handle, given at the first call.
pub fn handle_of(graph: &Arc<Graph>) -> Handle {
    match GRAPHS.handle_of(graph) {
        0 => GRAPHS.insert(Arc::clone(graph)),
        handle => handle,
    }
}

impl Graph {
    /// An empty graph.
    pub fn new() -> Arc<Self> {
        Arc::default()
    }

    /// Adds a node after others; returns its index.
    ///
    /// # Errors
    /// When one of those is none of this graph's.
    pub fn add(self: &Arc<Self>, task: Task, after: &[usize]) -> Result<usize> {
        let mut nodes = lock(&self.nodes);
        if after
            .iter()
            .any(|at| nodes.get(*at).is_none_or(Option::is_none))
        {
            return Err(Error::INVALID_VALUE);
        }
        let index = nodes.len();
        let handle = NODES.insert(Arc::new(NodeRef {
            graph: Arc::downgrade(self),
            index,
        }));
        nodes.push(Some(Node {
            handle,
            task,
            after: after.to_vec(),
        }));
        Ok(index)
    }

    /// Indices of this graph's nodes by their handles.
    ///
    /// # Errors
    /// When one belongs elsewhere.
    pub fn indices(self: &Arc<Self>, handles: &[Handle]) -> Result<Vec<usize>> {
        let index = |handle: &Handle| {
            let (graph, index) = find_node(*handle)?;
            if Arc::ptr_eq(&graph, self) {
                Ok(index)
            } else {
                Err(Error::INVALID_VALUE)
            }
        };
        handles.iter().map(index).collect()
    }

    /// Handles of nodes by their indices.
    pub fn handles(&self, indices: &[usize]) -> Vec<Handle> {
        let nodes = lock(&self.nodes);
        indices
            .iter()
            .filter_map(|at| nodes.get(*at)?.as_ref().map(|node| node.handle))
            .collect()
    }

    /// Whether each of `early` is one of `late`, or comes before one.
    pub fn all_before(&self, early: &[usize], late: &[usize]) -> bool {
        let nodes = lock(&self.nodes);
        let mut before = BTreeSet::new();
        let mut open = late.to_vec();
        while let Some(at) = open.pop() {
            if before.insert(at)
                && let Some(Some(node)) = nodes.get(at)
            {
                open.extend(&node.after);
            }
        }
        early.iter().all(|at| before.contains(at))
    }

    /// The nodes that are left.
    pub fn live(&self) -> Vec<Node> {
        lock(&self.nodes).iter().flatten().cloned().collect()
    }

    /// The nodes in an order that the edges allow.
    ///
    /// # Errors
    /// `CUDA_ERROR_INVALID_VALUE` if they go round in a circle.
    pub fn ordered(&self) -> Result<Vec<Node>> {
        let nodes = lock(&self.nodes);
        let mut done = vec![false; nodes.len()];
        let mut order = Vec::new();
        loop {
            let before = order.len();
            for (at, node) in nodes.iter().enumerate() {
                if let Some(node) = node
                    && !done[at]
                    && node
                        .after
                        .iter()
                        .all(|at| done[*at] || nodes[*at].is_none())
                {
                    done[at] = true;
                    order.push(node.clone());
                }
            }
            if order.len() == nodes.iter().flatten().count() {
                return Ok(order);
            }
            if order.len() == before {
                return Err(Error::INVALID_VALUE);
            }
        }
    }

    /// Its edges, from and to, by the nodes' handles.
    pub fn edges(&self) -> Vec<(Handle, Handle)> {
        let nodes = lock(&self.nodes);
        let handle = |at: &usize| nodes.get(*at)?.as_ref().map(|node| node.handle);
        let mut edges = Vec::new();
        for node in nodes.iter().flatten() {
            edges.extend(
                node.after
                    .iter()
                    .filter_map(handle)
                    .map(|from| (from, node.handle)),
            );
        }
        edges
    }

    /// A task of one of its nodes, changed.
    ///
    /// # Errors
    /// When the node is gone, and what `change` refuses.
    pub fn change(&self, index: usize, change: impl FnOnce(&mut Task) -> Result) -> Result {
        let mut nodes = lock(&self.nodes);
        let node = nodes
            .get_mut(index)
            .and_then(Option::as_mut)
            .ok_or(Error::INVALID_VALUE)?;
        change(&mut node.task)
    }
}

impl Drop for Graph {
    fn drop(&mut self) {
        for node in self
            .nodes
            .get_mut()
            .unwrap_or_else(std::sync::PoisonError::into_inner)
            .iter()
            .flatten()
        {
            let _ = NODES.remove(node.handle);
            if let Task::Alloc(address) = node.task {
                memory::release(address);
            }
        }
    }
}

impl Exec {
    /// The node made of a graph's node, changed.
    ///
    /// # Errors
    /// When there is none, and what `change` refuses.
    pub fn change(&self, source: Handle, change: impl FnOnce(&mut ExecNode) -> Result) -> Result {
        let mut nodes = lock(&self.nodes);
        change(
            nodes
                .iter_mut()
                .find(|node| node.source == source)
                .ok_or(Error::INVALID_VALUE)?,
        )
    }
}

/// All tasks of a graph, child graphs taken apart.
fn flatten(graph: &Graph) -> Result<Vec<Task>> {
    graph
        .ordered()?
        .into_iter()
        .map(|node| whole(node.task))
        .collect()
}

/// A task as it is run: a child graph as all its tasks as they are now.
pub fn whole(task: Task) -> Result<Task> {
    match task {
        Task::Child(graph) => Ok(Task::Batch(Arc::new(flatten(&graph)?))),
        task => Ok(task),
    }
}

/// A graph's nodes made to run.
pub fn exec_nodes(graph: &Graph) -> Result<Vec<ExecNode>> {
    let ordered = graph.ordered()?;
    let make = |node: Node| {
        let after = graph.handles(&node.after);
        Ok(ExecNode {
            source: node.handle,
            task: whole(node.task)?,
            enabled: true,
            after,
        })
    };
    ordered.into_iter().map(make).collect()
}

const AUTO_FREE: u64 = 1;
const UPLOAD: u64 = 2;
const DEVICE_LAUNCH: u64 = 4;
const PRIORITY: u64 = 8;

fn instantiate(out: *mut Handle, graph: Handle, flags: u64) -> Result {
    let context = current()?;
    need(out)?;
    let graph = find(graph)?;
    if flags & !(AUTO_FREE | UPLOAD | DEVICE_LAUNCH | PRIORITY) != 0 {
        return Err(Error::INVALID_VALUE);
    }
    if flags & DEVICE_LAUNCH != 0 {
        // Launching a graph from a kernel is not modelled; with automatic frees the driver refuses it too.
        return Err(if flags & AUTO_FREE != 0 {
            Error::INVALID_VALUE
        } else {
            Error::NOT_SUPPORTED
        });
    }
    let exec = Exec {
        nodes: Mutex::new(exec_nodes(&graph)?),
        flags,
        context: Arc::downgrade(&context),
        _objects: lock(&graph.objects).clone(),
    };
    put(out, EXECS.insert(Arc::new(exec)))
}

fn instantiate_v2(
    out: *mut Handle,
    graph: Handle,
    error: *mut Handle,
    log: *mut c_char,
    size: usize,
) -> Result {
    put_optional(error, 0);
    if !log.is_null() && size > 0 {
        put_optional(log, 0);
    }
    instantiate(out, graph, 0)
}

fn instantiate_with_params(
    out: *mut Handle,
    graph: Handle,
    params: *mut InstantiateParams,
) -> Result {
    let mut given = get(params)?;
    let result = instantiate(out, graph, given.flags & !UPLOAD);
    given.error_node = 0;
    given.result = c_int::from(result.is_err());
    put(params, given)?;
    if result.is_ok() && given.flags & UPLOAD != 0 {
        stream::find(given.upload_stream)?;
    }
    result
}

fn launch(exec: Handle, on: Handle) -> Result {
    let stream = stream::find(on)?;
    let exec = find_exec(exec)?;
    exec.context.upgrade().ok_or(Error::CONTEXT_IS_DESTROYED)?;
    let nodes = lock(&exec.nodes);
    let tasks = nodes
        .iter()
        .filter(|node| node.enabled)
        .map(|node| node.task.clone())
        .collect();
    drop(nodes);
    stream::enqueue(&stream, Task::Batch(Arc::new(tasks)))
}

fn upload(exec: Handle, on: Handle) -> Result {
    stream::find(on)?;
    find_exec(exec).map(drop)
}

fn exec_destroy(exec: Handle) -> Result {
    driver()?;
    EXECS
        .remove(exec)
        .map(drop)
        .map_err(|_| Error::INVALID_VALUE)
}

fn exec_flags(exec: Handle, out: *mut u64) -> Result {
    put(out, find_exec(exec)?.flags)
}

fn create(out: *mut Handle, flags: c_uint) -> Result {
    driver()?;
    if flags != 0 {
        return Err(Error::INVALID_VALUE);
    }
    put(out, GRAPHS.insert(Graph::new()))
}

fn destroy(graph: Handle) -> Result {
    driver()?;
    GRAPHS
        .remove(graph)
        .map(drop)
        .map_err(|_| Error::INVALID_VALUE)
}

/// A copy of a graph, with nodes of its own.
///
/// # Errors
/// When the graph is none, or owns memory.
pub fn clone_into(out: *mut Handle, graph: Handle) -> Result {
    need(out)?;
    let original = find(graph)?;
    let copy = Graph::new();
    let mut nodes = lock(&original.nodes).clone();
    for (index, node) in nodes.iter_mut().enumerate() {
        let Some(node) = node else { continue };
        // Memory that a graph owns has one owner.
        if matches!(node.task, Task::Alloc(_) | Task::GraphFree(_)) {
            return Err(Error::NOT_SUPPORTED);
        }
        node.handle = fresh();
        NODES.insert_as(
            node.handle,
            Arc::new(NodeRef {
                graph: Arc::downgrade(&copy),
                index,
            }),
        );
    }
    *lock(&copy.nodes) = nodes;
    lock(&copy.objects).clone_from(&lock(&original.objects));
    put(out, GRAPHS.insert(copy))
}

fn find_in_clone(out: *mut Handle, node: Handle, clone: Handle) -> Result {
    need(out)?;
    let (_, index) = find_node(node)?;
    let found = find(clone)?.handles(&[index]);
    put(out, *found.first().ok_or(Error::INVALID_VALUE)?)
}

fn nodes(graph: Handle, list: *mut Handle, count: *mut usize) -> Result {
    let nodes: Vec<_> = find(graph)?.live().iter().map(|node| node.handle).collect();
    put_list(list, count, &nodes)
}

fn roots(graph: Handle, list: *mut Handle, count: *mut usize) -> Result {
    let nodes = find(graph)?.live();
    let roots: Vec<_> = nodes
        .iter()
        .filter(|node| node.after.is_empty())
        .map(|node| node.handle)
        .collect();
    put_list(list, count, &roots)
}

fn destroy_node(node: Handle) -> Result {
    let (graph, index) = find_node(node)?;
    let mut nodes = lock(&graph.nodes);
    let slot = nodes.get_mut(index).ok_or(Error::INVALID_VALUE)?;
    if matches!(
        slot.as_ref().map(|node| &node.task),
        Some(Task::Alloc(_) | Task::GraphFree(_))
    ) {
        return Err(Error::NOT_SUPPORTED);
    }
    *slot = None;
    for node in nodes.iter_mut().flatten() {
        node.after.retain(|at| *at != index);
    }
    NODES.remove(node).map(drop)
}

fn node_type(node: Handle, out: *mut c_int) -> Result {
    let (graph, index) = find_node(node)?;
    need(out)?;
    graph.change(index, |task| put(out, task.node_type()))
}

fn get_enabled(exec: Handle, node: Handle, out: *mut c_uint) -> Result {
    need(out)?;
    find_exec(exec)?.change(node, |node| put(out, c_uint::from(node.enabled)))
}

fn set_enabled(exec: Handle, node: Handle, enabled: c_uint) -> Result {
    find_exec(exec)?.change(node, |node| {
        // Kernels, copies and fills can be switched off.
        if !matches!(node.task, Task::Kernel(_) | Task::Copy(_) | Task::Fill(_)) || enabled > 1 {
            return Err(Error::INVALID_VALUE);
        }
        node.enabled = enabled == 1;
        Ok(())
    })
}

fn print_dot(graph: Handle, path: *const c_char, _flags: c_uint) -> Result {
    use std::fmt::Write;
    let graph = find(graph)?;
    let mut dot = String::from("digraph {\n");
    for node in graph.live() {
        let label = match &node.task {
            Task::Kernel(launch) => launch.function.kernel().name.clone(),
            task => format!("node type {}", task.node_type()),
        };
        let _ = writeln!(dot, "  n{:x} [label=\"{label}\"];", node.handle);
    }
    for (from, to) in graph.edges() {
        let _ = writeln!(dot, "  n{from:x} -> n{to:x};");
    }
    dot.push_str("}\n");
    std::fs::write(text(path)?, dot).map_err(|_| Error::OPERATING_SYSTEM)
}

entry_points! {
    cuGraphCreate(out: *mut Handle, flags: c_uint) = create;
    cuGraphDestroy(graph: Handle) = destroy;
    cuGraphClone(out: *mut Handle, graph: Handle) = clone_into;
    cuGraphNodeFindInClone(out: *mut Handle, node: Handle, clone: Handle) = find_in_clone;
    cuGraphInstantiate(out: *mut Handle, graph: Handle, error: *mut Handle, log: *mut c_char, size: usize)
        = instantiate_v2;
    cuGraphInstantiate_v2(out: *mut Handle, graph: Handle, error: *mut Handle, log: *mut c_char, size: usize)
        = instantiate_v2;
    cuGraphInstantiateWithFlags(out: *mut Handle, graph: Handle, flags: u64) = instantiate;
    cuGraphInstantiateWithParams(out: *mut Handle, graph: Handle, params: *mut InstantiateParams)
        = instantiate_with_params;
    cuGraphLaunch(exec: Handle, stream: Handle) = launch;
    cuGraphLaunch_ptsz(exec: Handle, stream: Handle) = launch;
    cuGraphUpload(exec: Handle, stream: Handle) = upload;
    cuGraphExecDestroy(exec: Handle) = exec_destroy;
    cuGraphExecGetFlags(exec: Handle, out: *mut u64) = exec_flags;
    cuGraphGetNodes(graph: Handle, list: *mut Handle, count: *mut usize) = nodes;
    cuGraphGetRootNodes(graph: Handle, list: *mut Handle, count: *mut usize) = roots;
    cuGraphDestroyNode(node: Handle) = destroy_node;
    cuGraphNodeGetType(node: Handle, out: *mut c_int) = node_type;
    cuGraphNodeGetEnabled(exec: Handle, node: Handle, out: *mut c_uint) = get_enabled;
    cuGraphNodeSetEnabled(exec: Handle, node: Handle, enabled: c_uint) = set_enabled;
    cuGraphDebugDotPrint(graph: Handle, path: *const c_char, flags: c_uint) = print_dot;
}
