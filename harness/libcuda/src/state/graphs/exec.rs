//! Executable graphs.

use super::condition::Condition;
use super::graph::{Conditional, Graph, Node};
use super::task::{Choice, Task};
use super::user_object::Hold;
use crate::abi::constants::instantiate_flags::{AUTO_FREE_ON_LAUNCH, DEVICE_LAUNCH, UPLOAD, USE_NODE_PRIORITY};
use crate::abi::error::{Error, Result};
use crate::abi::types::Handle;
use crate::state::contexts::context::Context;
use crate::state::device::driver::driver;
use crate::state::device::handles::HandleTable;
use crate::state::device::sync::lock;
use crate::state::memory::graph_memory::GraphMemory;
use std::sync::{Arc, Mutex, Weak};

/// A node of an executable graph.
#[derive(Clone)]
pub struct ExecNode {
    /// The node of the graph from which it was created.
    pub source: Handle,
    pub task: Task,
    pub enabled: bool,
    /// The sources of the nodes that precede it.
    pub after: Vec<Handle>,
}

/// An executable graph.
pub struct Exec {
    /// The nodes in topological order.
    pub nodes: Mutex<Vec<ExecNode>>,
    flags: u64,
    context: Weak<Context>,
    /// References to the caller's objects, like those of the source graph.
    _objects: Vec<Hold>,
    /// Its graph's [`Graph::instance`].
    _instance: Arc<()>,
}

static EXECS: HandleTable<Exec> = HandleTable::new();

/// The executable graph of a handle.
///
/// # Errors
/// `CUDA_ERROR_INVALID_VALUE`.
pub fn find(handle: Handle) -> Result<Arc<Exec>> {
    driver()?;
    EXECS.get(handle).map_err(|_| Error::INVALID_VALUE)
}

/// Creates an executable graph from a graph, and returns its handle.
///
/// # Errors
/// `CUDA_ERROR_INVALID_VALUE` for unknown flags or a cycle of edges, `CUDA_ERROR_NOT_SUPPORTED` for launches from
/// kernels, or for a graph with memory from which another existing executable graph was created.
pub fn instantiate(context: &Arc<Context>, graph: &Graph, flags: u64) -> Result<Handle> {
    if flags & !(AUTO_FREE_ON_LAUNCH | UPLOAD | DEVICE_LAUNCH | USE_NODE_PRIORITY) != 0 {
        return Err(Error::INVALID_VALUE);
    }
    if flags & DEVICE_LAUNCH != 0 {
        // Launching a graph from a kernel is not modelled; with automatic frees NVIDIA's driver refuses it too.
        return Err(if flags & AUTO_FREE_ON_LAUNCH != 0 { Error::INVALID_VALUE } else { Error::NOT_SUPPORTED });
    }
    let instance = Arc::new(());
    if graph.has_memory() {
        let mut known = lock(&graph.instance);
        if known.strong_count() > 0 {
            return Err(Error::NOT_SUPPORTED);
        }
        *known = Arc::downgrade(&instance);
    }
    let exec = Exec {
        nodes: Mutex::new(exec_nodes(graph)?),
        flags,
        context: Arc::downgrade(context),
        _objects: lock(&graph.objects).clone(),
        _instance: instance,
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
    /// Returns the flags with which it was created.
    pub fn flags(&self) -> u64 {
        self.flags
    }

    /// Returns one launch of the graph: all its enabled tasks, in their current form. [`Exec::launched`] must follow
    /// when it was submitted.
    ///
    /// # Errors
    /// `CUDA_ERROR_CONTEXT_IS_DESTROYED`; `CUDA_ERROR_INVALID_VALUE` if it allocates memory that was not freed since
    /// its last launch (unless launches free it), frees memory that is not allocated, or writes to or waits for invalid
    /// addresses.
    pub fn batch(&self) -> Result<Task> {
        self.context.upgrade().ok_or(Error::CONTEXT_IS_DESTROYED)?;
        let (allocated, freed) = self.memory();
        let again = allocated.iter().any(|memory| memory.life.is_live()) && self.flags & AUTO_FREE_ON_LAUNCH == 0;
        let own = |memory: &Arc<GraphMemory>| allocated.iter().any(|own| Arc::ptr_eq(own, memory));
        if again || freed.iter().any(|memory| !own(memory) && !memory.life.is_live()) {
            return Err(Error::INVALID_VALUE);
        }
        let nodes = lock(&self.nodes);
        for node in nodes.iter() {
            if let Task::Words(words) = &node.task {
                words.check()?;
            }
        }
        let tasks = nodes.iter().filter(|node| node.enabled).map(|node| node.task.clone());
        let decided: Vec<_> = nodes.iter().flat_map(|node| conditions(&node.task)).collect();
        let reset = (!decided.is_empty())
            .then(|| Task::Call(Arc::new(move || decided.iter().for_each(|condition| condition.reset()))));
        Ok(Task::Batch(Arc::new(reset.into_iter().chain(tasks).collect())))
    }

    /// Records that a launch allocates and frees its memory. As with the stream's own allocations, this takes effect at
    /// the call.
    pub fn launched(&self) {
        let (allocated, freed) = self.memory();
        for memory in allocated {
            memory.life.begin();
        }
        for memory in freed {
            memory.life.end();
        }
    }

    /// Returns the memory that a launch allocates, and the memory that it frees.
    fn memory(&self) -> (Vec<Arc<GraphMemory>>, Vec<Arc<GraphMemory>>) {
        let (mut allocated, mut freed) = (Vec::new(), Vec::new());
        for node in lock(&self.nodes).iter() {
            match &node.task {
                Task::Alloc(memory) => allocated.push(Arc::clone(memory)),
                Task::GraphFree(memory) => freed.push(Arc::clone(memory)),
                _ => {}
            }
        }
        (allocated, freed)
    }

    /// Enables or disables a node.
    ///
    /// # Errors
    /// `CUDA_ERROR_INVALID_VALUE` for nodes that cannot be disabled: all except kernels, copies and fills.
    pub fn set_enabled(&self, source: Handle, enabled: bool) -> Result {
        self.change(source, |node| {
            if !matches!(node.task, Task::Kernel(_) | Task::Copy(_) | Task::Fill(_)) {
                return Err(Error::INVALID_VALUE);
            }
            node.enabled = enabled;
            Ok(())
        })
    }

    /// Changes the node that was created from this node of the graph.
    ///
    /// # Errors
    /// `CUDA_ERROR_INVALID_VALUE` if there is no such node; the errors of `change`.
    pub fn change(&self, source: Handle, change: impl FnOnce(&mut ExecNode) -> Result) -> Result {
        let mut nodes = lock(&self.nodes);
        change(nodes.iter_mut().find(|node| node.source == source).ok_or(Error::INVALID_VALUE)?)
    }
}

/// Returns all tasks of a graph, including those of child graphs.
fn flatten(graph: &Graph) -> Result<Vec<Task>> {
    graph.ordered()?.into_iter().map(|node| whole(node.task)).collect()
}

/// Returns a conditional node with the current tasks of its bodies.
fn choice(node: &Conditional) -> Result<Choice> {
    let bodies = node.bodies.iter().map(|body| flatten(body)).collect::<Result<_>>()?;
    Ok(Choice { condition: Arc::clone(&node.condition), choosing: node.choosing, bodies })
}

/// Returns a task in executable form: a child graph becomes the batch of its current tasks, and so do the bodies of a
/// conditional node.
///
/// # Errors
/// `CUDA_ERROR_INVALID_VALUE` for a cycle of edges.
pub fn whole(task: Task) -> Result<Task> {
    match task {
        Task::Child(graph) => Ok(Task::Batch(Arc::new(flatten(&graph)?))),
        Task::Conditional(node) => Ok(Task::Choice(Arc::new(choice(&node)?))),
        task => Ok(task),
    }
}

/// Creates the nodes of an executable graph from a graph.
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

/// Returns the conditions of a task and of the tasks inside it.
fn conditions(task: &Task) -> Vec<Arc<Condition>> {
    match task {
        Task::Batch(tasks) => tasks.iter().flat_map(conditions).collect(),
        Task::Choice(choice) => {
            let inner = choice.bodies.iter().flatten().flat_map(conditions);
            inner.chain([Arc::clone(&choice.condition)]).collect()
        }
        _ => Vec::new(),
    }
}
