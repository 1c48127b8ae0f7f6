//! Conditional nodes: graphs that run if, or as long as, or according to a value that kernels set.
//!
//! A condition's handle is the address of its value on the device, so `cudaGraphSetConditional` is a store there
//! (`state/modules/device_runtime.rs`).

use super::graph::{self, Graph};
use super::task::Task;
use crate::abi::constants::conditional_type;
use crate::abi::error::{Error, Result};
use crate::abi::types::Handle;
use crate::state::device::driver::{Driver, driver};
use crate::state::device::sync::lock;
use simt::memory::Kind;
use std::collections::BTreeMap;
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};
use std::sync::{Arc, Mutex, Weak};

/// The most bodies of one node. A greater number is a mistake of the caller.
const MOST_BODIES: u32 = 1 << 16;

/// A value on the device that decides what a conditional node runs.
pub struct Condition {
    address: u64,
    /// What each launch of the graph begins with; without it the value stays.
    default: Option<u32>,
    /// A node uses it.
    taken: AtomicBool,
}

/// All conditions by handle.
static CONDITIONS: Mutex<BTreeMap<u64, Weak<Condition>>> = Mutex::new(BTreeMap::new());

impl Condition {
    /// Makes a condition for a graph, which keeps it; returns its handle.
    ///
    /// # Errors
    /// `CUDA_ERROR_OUT_OF_MEMORY`.
    pub fn create(driver: &Driver, graph: &Graph, default: Option<u32>) -> Result<u64> {
        let memory = driver.memory.alloc(4, 4, Kind::Global(false), "cuGraphConditionalHandleCreate");
        let address = memory.map_err(|_| Error::OUT_OF_MEMORY)?;
        let condition = Arc::new(Condition { address, default, taken: AtomicBool::new(false) });
        lock(&CONDITIONS).insert(address, Arc::downgrade(&condition));
        lock(&graph.conditions).push(condition);
        Ok(address)
    }

    /// Gives it the value that a launch begins with.
    pub fn reset(&self) {
        if let (Some(default), Some(cell)) = (self.default, self.cell()) {
            cell.store(default, Ordering::Relaxed);
        }
    }

    fn value(&self) -> u32 {
        self.cell().map_or(0, |cell| cell.load(Ordering::Relaxed))
    }

    fn cell(&self) -> Option<&AtomicU32> {
        let cell = driver().ok()?.memory.host(self.address, 4).ok()?;
        // SAFETY: four bytes, aligned, that are allocated as long as `self` lives.
        Some(unsafe { AtomicU32::from_ptr(cell.cast()) })
    }
}

impl Drop for Condition {
    fn drop(&mut self) {
        lock(&CONDITIONS).remove(&self.address);
        if let Ok(driver) = driver() {
            let _ = driver.memory.free(self.address);
        }
    }
}

/// How the value chooses a body (`CUgraphConditionalNodeType`).
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Choosing {
    /// The first body if it is not zero; the second, if there is one, if it is.
    If,
    /// The only body as long as it is not zero.
    While,
    /// The body of this number.
    Switch,
}

impl Choosing {
    /// The choice by its number in cuda.h, if it can have so many bodies.
    ///
    /// # Errors
    /// `CUDA_ERROR_INVALID_VALUE`.
    pub fn new(kind: i32, bodies: u32) -> Result<Self> {
        match (kind, bodies) {
            (conditional_type::IF, 1 | 2) => Ok(Choosing::If),
            (conditional_type::WHILE, 1) => Ok(Choosing::While),
            (conditional_type::SWITCH, 1..=MOST_BODIES) => Ok(Choosing::Switch),
            _ => Err(Error::INVALID_VALUE),
        }
    }
}

/// A conditional node.
pub struct Conditional {
    pub condition: Arc<Condition>,
    pub choosing: Choosing,
    pub bodies: Vec<Arc<Graph>>,
    /// The bodies' handles, which the caller reads as long as the node lives.
    handles: Box<[Handle]>,
}

impl Conditional {
    /// A node with empty bodies.
    ///
    /// # Errors
    /// `CUDA_ERROR_INVALID_VALUE` for a handle that is none of the graph, or that another node uses.
    pub fn new(of: &Graph, handle: u64, choosing: Choosing, bodies: u32) -> Result<Arc<Self>> {
        let known = lock(&CONDITIONS).get(&handle).and_then(Weak::upgrade).ok_or(Error::INVALID_VALUE)?;
        let mine = lock(&of.conditions).iter().any(|condition| Arc::ptr_eq(condition, &known));
        if !mine || known.taken.swap(true, Ordering::Relaxed) {
            return Err(Error::INVALID_VALUE);
        }
        let bodies: Vec<_> = (0..bodies).map(|_| Graph::new()).collect();
        let handles = bodies.iter().map(|body| graph::register(Arc::clone(body))).collect();
        Ok(Arc::new(Conditional { condition: known, choosing, bodies, handles }))
    }

    /// Where the handles of its bodies lie.
    pub fn handles(&self) -> *const Handle {
        self.handles.as_ptr()
    }
}

impl Drop for Conditional {
    fn drop(&mut self) {
        self.condition.taken.store(false, Ordering::Relaxed);
        for handle in &self.handles {
            // The caller may have destroyed it, though it is not the caller's.
            let _ = graph::forget(*handle);
        }
    }
}

/// A conditional node of an executable graph.
pub struct Choice {
    pub condition: Arc<Condition>,
    pub choosing: Choosing,
    /// The tasks of each body, in an order that its edges allow.
    pub bodies: Vec<Vec<Task>>,
}

impl Choice {
    /// Runs what the value chooses. `run` runs a body; it returns whether the context is still sound.
    pub fn run(&self, mut run: impl FnMut(&[Task]) -> bool) {
        loop {
            let value = self.condition.value();
            let body = match self.choosing {
                Choosing::If => self.bodies.get(usize::from(value == 0)),
                Choosing::While => self.bodies.first().filter(|_| value != 0),
                Choosing::Switch => self.bodies.get(value as usize),
            };
            let sound = body.is_some_and(|body| run(body));
            if !sound || self.choosing != Choosing::While {
                return;
            }
        }
    }
}

/// The conditions of a task and of what it contains.
pub fn conditions(task: &Task) -> Vec<Arc<Condition>> {
    match task {
        Task::Batch(tasks) => tasks.iter().flat_map(conditions).collect(),
        Task::Choice(choice) => {
            let inner = choice.bodies.iter().flatten().flat_map(conditions);
            inner.chain([Arc::clone(&choice.condition)]).collect()
        }
        _ => Vec::new(),
    }
}
