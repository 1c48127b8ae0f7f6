//! Graphs: nodes, and edges between them.

use super::condition::{Choosing, Condition};
use super::task::Task;
use super::user_object::Hold;
use crate::abi::error::{Error, Result};
use crate::abi::types::Handle;
use crate::state::device::driver::driver;
use crate::state::device::handles::{HandleTable, fresh};
use crate::state::device::sync::lock;
use std::collections::BTreeSet;
use std::sync::{Arc, Mutex, PoisonError, Weak};

/// A node.
#[derive(Clone)]
pub struct Node {
    pub handle: Handle,
    pub task: Task,
    /// Nodes that precede it, by index.
    pub after: Vec<usize>,
}

/// A graph. Nodes keep their index; removed ones become `None`.
#[derive(Default)]
pub struct Graph {
    pub nodes: Mutex<Vec<Option<Node>>>,
    /// References to objects of the caller, which live as long as the graph.
    pub objects: Mutex<Vec<Hold>>,
    /// Its conditions, which live as long as the graph and its executable graphs.
    pub conditions: Mutex<Vec<Arc<Condition>>>,
    /// Alive while an executable graph of this graph exists, if the graph owns memory: each of its allocations has only
    /// one address.
    pub instance: Mutex<Weak<()>>,
}

/// A node's graph and its index there.
pub struct NodeRef {
    pub graph: Weak<Graph>,
    pub index: usize,
}

static GRAPHS: HandleTable<Graph> = HandleTable::new();
static NODES: HandleTable<NodeRef> = HandleTable::new();

/// The graph of a handle.
///
/// # Errors
/// `CUDA_ERROR_INVALID_VALUE`, as in the real driver.
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
    Ok((node.graph.upgrade().ok_or(Error::INVALID_VALUE)?, node.index))
}

/// Returns the handle of a graph, which is created on the first call.
pub fn handle_of(graph: &Arc<Graph>) -> Handle {
    match GRAPHS.handle_of(graph) {
        0 => GRAPHS.insert(Arc::clone(graph)),
        handle => handle,
    }
}

impl Graph {
    /// Creates an empty graph.
    pub fn new() -> Arc<Self> {
        Arc::default()
    }

    /// Adds a node after others, and returns its index.
    ///
    /// # Errors
    /// `CUDA_ERROR_INVALID_VALUE` if one of those is not in this graph, or for a second free of an allocation.
    pub fn add(self: &Arc<Self>, task: Task, after: &[usize]) -> Result<usize> {
        let mut nodes = lock(&self.nodes);
        if let Task::GraphFree(memory) = &task {
            let frees = |node: &Node| matches!(&node.task, Task::GraphFree(other) if Arc::ptr_eq(memory, other));
            if nodes.iter().flatten().any(frees) {
                return Err(Error::INVALID_VALUE);
            }
        }
        if after.iter().any(|at| nodes.get(*at).is_none_or(Option::is_none)) {
            return Err(Error::INVALID_VALUE);
        }
        let index = nodes.len();
        let handle = NODES.insert(Arc::new(NodeRef { graph: Arc::downgrade(self), index }));
        nodes.push(Some(Node { handle, task, after: after.to_vec() }));
        Ok(index)
    }

    /// Returns the indices of this graph's nodes by their handles.
    ///
    /// # Errors
    /// `CUDA_ERROR_INVALID_VALUE` when one belongs to another graph.
    pub fn indices(self: &Arc<Self>, handles: &[Handle]) -> Result<Vec<usize>> {
        let index = |handle: &Handle| {
            let (graph, index) = find_node(*handle)?;
            if Arc::ptr_eq(&graph, self) { Ok(index) } else { Err(Error::INVALID_VALUE) }
        };
        handles.iter().map(index).collect()
    }

    /// Returns the handles of nodes by their indices.
    pub fn handles(&self, indices: &[usize]) -> Vec<Handle> {
        let nodes = lock(&self.nodes);
        indices.iter().filter_map(|at| nodes.get(*at)?.as_ref().map(|node| node.handle)).collect()
    }

    /// Returns whether each of `early` is one of `late`, or precedes one.
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

    /// Adds edges, each from a node to its successor.
    ///
    /// # Errors
    /// `CUDA_ERROR_INVALID_VALUE` for an edge that already exists, or from a node to itself.
    pub fn add_edges(&self, edges: impl IntoIterator<Item = (usize, usize)>) -> Result {
        let mut nodes = lock(&self.nodes);
        for (from, to) in edges {
            let node = live_mut(&mut nodes, to)?;
            if from == to || node.after.contains(&from) {
                return Err(Error::INVALID_VALUE);
            }
            node.after.push(from);
        }
        Ok(())
    }

    /// Removes edges.
    ///
    /// # Errors
    /// `CUDA_ERROR_INVALID_VALUE` for an edge that does not exist.
    pub fn remove_edges(&self, edges: impl IntoIterator<Item = (usize, usize)>) -> Result {
        let mut nodes = lock(&self.nodes);
        for (from, to) in edges {
            let node = live_mut(&mut nodes, to)?;
            let at = node.after.iter().position(|at| *at == from);
            node.after.remove(at.ok_or(Error::INVALID_VALUE)?);
        }
        Ok(())
    }

    /// Returns the nodes that precede a node, by index.
    ///
    /// # Errors
    /// `CUDA_ERROR_INVALID_VALUE` when the node was removed.
    pub fn before(&self, index: usize) -> Result<Vec<usize>> {
        let nodes = lock(&self.nodes);
        let node = nodes.get(index).and_then(Option::as_ref);
        Ok(node.ok_or(Error::INVALID_VALUE)?.after.clone())
    }

    /// Returns the nodes that were not removed.
    pub fn live(&self) -> Vec<Node> {
        lock(&self.nodes).iter().flatten().cloned().collect()
    }

    /// Returns whether the graph allocates or frees memory.
    pub fn has_memory(&self) -> bool {
        lock(&self.nodes).iter().flatten().any(|node| node.task.is_of_memory())
    }

    /// Returns the nodes in topological order.
    ///
    /// # Errors
    /// `CUDA_ERROR_INVALID_VALUE` for a cycle of edges.
    pub fn ordered(&self) -> Result<Vec<Node>> {
        let nodes = lock(&self.nodes);
        let mut done = vec![false; nodes.len()];
        let mut order = Vec::new();
        loop {
            let before = order.len();
            for (at, node) in nodes.iter().enumerate() {
                if let Some(node) = node
                    && !done[at]
                    && node.after.iter().all(|at| done[*at] || nodes[*at].is_none())
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

    /// Returns the graph's edges, from and to, by the nodes' handles.
    pub fn edges(&self) -> Vec<(Handle, Handle)> {
        let nodes = lock(&self.nodes);
        let handle = |at: &usize| nodes.get(*at)?.as_ref().map(|node| node.handle);
        let mut edges = Vec::new();
        for node in nodes.iter().flatten() {
            edges.extend(node.after.iter().filter_map(handle).map(|from| (from, node.handle)));
        }
        edges
    }

    /// Changes the task of a node.
    ///
    /// # Errors
    /// `CUDA_ERROR_INVALID_VALUE` when the node was removed; the errors of `change`.
    pub fn change(&self, index: usize, change: impl FnOnce(&mut Task) -> Result) -> Result {
        change(&mut live_mut(&mut lock(&self.nodes), index)?.task)
    }

    /// Removes a node, and the edges to and from it.
    ///
    /// # Errors
    /// `CUDA_ERROR_NOT_SUPPORTED` for allocations and frees: they determine what the graph owns.
    pub fn remove(&self, index: usize) -> Result {
        let mut nodes = lock(&self.nodes);
        let slot = nodes.get_mut(index).ok_or(Error::INVALID_VALUE)?;
        let node = match slot {
            Some(node) if node.task.is_of_memory() => return Err(Error::NOT_SUPPORTED),
            _ => slot.take(),
        };
        for node in nodes.iter_mut().flatten() {
            node.after.retain(|at| *at != index);
        }
        NODES.remove(node.map_or(0, |node| node.handle)).map(drop)
    }

    /// Returns a deep copy of the graph.
    ///
    /// # Errors
    /// `CUDA_ERROR_NOT_SUPPORTED` for a graph that owns memory or conditions: they have one owner.
    pub fn duplicate(&self) -> Result<Arc<Graph>> {
        let copy = Graph::new();
        if self.has_memory() || !lock(&self.conditions).is_empty() {
            return Err(Error::NOT_SUPPORTED);
        }
        let mut nodes = lock(&self.nodes).clone();
        for (index, node) in nodes.iter_mut().enumerate() {
            let Some(node) = node else { continue };
            node.handle = fresh();
            NODES.insert_as(node.handle, Arc::new(NodeRef { graph: Arc::downgrade(&copy), index }));
        }
        *lock(&copy.nodes) = nodes;
        lock(&copy.objects).clone_from(&lock(&self.objects));
        Ok(copy)
    }
}

/// Returns the node at an index, if it was not removed.
fn live_mut(nodes: &mut [Option<Node>], index: usize) -> Result<&mut Node> {
    let node = nodes.get_mut(index).and_then(Option::as_mut);
    node.ok_or(Error::INVALID_VALUE)
}

impl Drop for Graph {
    fn drop(&mut self) {
        for node in self.nodes.get_mut().unwrap_or_else(PoisonError::into_inner).iter().flatten() {
            let _ = NODES.remove(node.handle);
        }
    }
}

/// Adds a graph to the table, and returns its handle.
pub fn register(graph: Arc<Graph>) -> Handle {
    GRAPHS.insert(graph)
}

/// Removes a graph from the table.
///
/// # Errors
/// `CUDA_ERROR_INVALID_VALUE`.
pub fn forget(handle: Handle) -> Result {
    driver()?;
    GRAPHS.remove(handle).map(drop).map_err(|_| Error::INVALID_VALUE)
}

/// A conditional node: graphs that run depending on a condition's value, once or in a loop.
pub struct Conditional {
    pub condition: Arc<Condition>,
    pub choosing: Choosing,
    pub bodies: Vec<Arc<Graph>>,
    /// The bodies' handles, which the caller reads while the node lives.
    handles: Box<[Handle]>,
}

impl Conditional {
    /// Creates a node with empty bodies.
    ///
    /// # Errors
    /// `CUDA_ERROR_INVALID_VALUE` for a handle that is not a condition of the graph, or that another node uses.
    pub fn new(of: &Graph, handle: u64, choosing: Choosing, bodies: u32) -> Result<Arc<Self>> {
        let known = Condition::find(handle).ok_or(Error::INVALID_VALUE)?;
        let mine = lock(&of.conditions).iter().any(|condition| Arc::ptr_eq(condition, &known));
        if !mine || !known.take() {
            return Err(Error::INVALID_VALUE);
        }
        let bodies: Vec<_> = (0..bodies).map(|_| Graph::new()).collect();
        let handles = bodies.iter().map(|body| register(Arc::clone(body))).collect();
        Ok(Arc::new(Conditional { condition: known, choosing, bodies, handles }))
    }

    /// Returns the address of the handles of its bodies.
    pub fn handles(&self) -> *const Handle {
        self.handles.as_ptr()
    }
}

impl Drop for Conditional {
    fn drop(&mut self) {
        self.condition.give_back();
        for handle in &self.handles {
            // The caller may have destroyed it, although the caller does not own it.
            let _ = forget(*handle);
        }
    }
}
