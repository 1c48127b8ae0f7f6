//! Executable graphs.

use super::graph::{Graph, Node};
use super::task::Task;
use super::user_object::Hold;
use crate::abi::constants::instantiate_flags::{AUTO_FREE_ON_LAUNCH, DEVICE_LAUNCH, UPLOAD, USE_NODE_PRIORITY};
use crate::abi::error::{Error, Result};
use crate::abi::types::Handle;
use crate::state::contexts::context::Context;
use crate::state::device::driver::driver;
use crate::state::device::handles::Table;
use crate::state::device::sync::lock;
use std::sync::{Arc, Mutex, Weak};

/// A node of an executable graph.
#[derive(Clone)]
pub struct ExecNode {
    /// The node of the graph that it was made from.
    pub source: Handle,
    pub task: Task,
    pub enabled: bool,
    /// The sources of the nodes that it comes after.
    pub after: Vec<Handle>,
}

/// An executable graph.
pub struct Exec {
    /// In an order that the edges allow.
    pub nodes: Mutex<Vec<ExecNode>>,
    flags: u64,
    context: Weak<Context>,
    /// References to the caller's objects, like those of the graph that it was made from.
    _objects: Vec<Hold>,
}

static EXECS: Table<Exec> = Table::new();

/// The executable graph of a handle.
///
/// # Errors
/// `CUDA_ERROR_INVALID_VALUE`.
pub fn find(handle: Handle) -> Result<Arc<Exec>> {
    driver()?;
    EXECS.get(handle).map_err(|_| Error::INVALID_VALUE)
}

/// Makes an executable graph from a graph; returns its handle.
///
/// # Errors
/// `CUDA_ERROR_INVALID_VALUE` for unknown flags and for edges that form a circle, `CUDA_ERROR_NOT_SUPPORTED` for
/// launches from kernels.
pub fn instantiate(context: &Arc<Context>, graph: &Graph, flags: u64) -> Result<Handle> {
    if flags & !(AUTO_FREE_ON_LAUNCH | UPLOAD | DEVICE_LAUNCH | USE_NODE_PRIORITY) != 0 {
        return Err(Error::INVALID_VALUE);
    }
    if flags & DEVICE_LAUNCH != 0 {
        // Launching a graph from a kernel is not modelled; with automatic frees the driver refuses it too.
        return Err(if flags & AUTO_FREE_ON_LAUNCH != 0 { Error::INVALID_VALUE } else { Error::NOT_SUPPORTED });
    }
    let exec = Exec {
        nodes: Mutex::new(exec_nodes(graph)?),
        flags,
        context: Arc::downgrade(context),
        _objects: lock(&graph.objects).clone(),
    };
    Ok(EXECS.insert(Arc::new(exec)))
}

/// Removes an executable graph from the table.
///
/// # Errors
/// `CUDA_ERROR_INVALID_VALUE`.
pub fn forget(handle: Handle) -> Result {
    driver()?;
    EXECS.remove(handle).map(drop).map_err(|_| Error::INVALID_VALUE)
}

impl Exec {
    /// The flags that it was made with.
    pub fn flags(&self) -> u64 {
        self.flags
    }

    /// One launch of it: all its tasks that are switched on, as they are now.
    ///
    /// # Errors
    /// `CUDA_ERROR_CONTEXT_IS_DESTROYED`.
    pub fn batch(&self) -> Result<Task> {
        self.context.upgrade().ok_or(Error::CONTEXT_IS_DESTROYED)?;
        let tasks = lock(&self.nodes).iter().filter(|node| node.enabled).map(|node| node.task.clone()).collect();
        Ok(Task::Batch(Arc::new(tasks)))
    }

    /// Switches a node on or off.
    ///
    /// # Errors
    /// `CUDA_ERROR_INVALID_VALUE` for nodes that cannot be switched off: all but kernels, copies and fills.
    pub fn set_enabled(&self, source: Handle, enabled: bool) -> Result {
        self.change(source, |node| {
            if !matches!(node.task, Task::Kernel(_) | Task::Copy(_) | Task::Fill(_)) {
                return Err(Error::INVALID_VALUE);
            }
            node.enabled = enabled;
            Ok(())
        })
    }

    /// Changes the node that was made from this node of the graph.
    ///
    /// # Errors
    /// `CUDA_ERROR_INVALID_VALUE` when there is no such node; the errors of `change`.
    pub fn change(&self, source: Handle, change: impl FnOnce(&mut ExecNode) -> Result) -> Result {
        let mut nodes = lock(&self.nodes);
        change(nodes.iter_mut().find(|node| node.source == source).ok_or(Error::INVALID_VALUE)?)
    }
}

/// All tasks of a graph, including those of child graphs.
fn flatten(graph: &Graph) -> Result<Vec<Task>> {
    graph.ordered()?.into_iter().map(|node| whole(node.task)).collect()
}

/// A task in the form that is run: a child graph becomes the batch of its present tasks.
///
/// # Errors
/// `CUDA_ERROR_INVALID_VALUE` for edges that form a circle.
pub fn whole(task: Task) -> Result<Task> {
    match task {
        Task::Child(graph) => Ok(Task::Batch(Arc::new(flatten(&graph)?))),
        task => Ok(task),
    }
}

/// The nodes of an executable graph, made from a graph.
///
/// # Errors
/// As [`whole`].
pub fn exec_nodes(graph: &Graph) -> Result<Vec<ExecNode>> {
    let ordered = graph.ordered()?;
    let make = |node: Node| {
        let after = graph.handles(&node.after);
        Ok(ExecNode { source: node.handle, task: whole(node.task)?, enabled: true, after })
    };
    ordered.into_iter().map(make).collect()
}
