//! What a stream, or a node of a graph, does.

use crate::abi::HostFn;
use crate::context::{self, Context};
use crate::copy::Copy;
use crate::event::{Event, Mark};
use crate::fill::Fill;
use crate::graph::Graph;
use crate::launch::KernelLaunch;
use crate::memory;
use std::ffi::c_void;
use std::sync::Arc;

/// A host function and its argument, which the caller keeps alive until it has run.
#[derive(Clone, Copy)]
pub struct HostCall {
    pub function: HostFn,
    pub data: *mut c_void,
}
// SAFETY: the C API hands the pointer to whatever thread runs the function; that it may be is the caller's promise.
unsafe impl Send for HostCall {}
// SAFETY: as above.
unsafe impl Sync for HostCall {}

/// A function of `cuStreamAddCallback`: it gets the stream and its status.
#[derive(Clone, Copy)]
pub struct Callback {
    pub function: unsafe extern "C" fn(usize, i32, *mut c_void),
    pub stream: usize,
    pub data: *mut c_void,
}
// SAFETY: as for `HostCall`.
unsafe impl Send for Callback {}
// SAFETY: as for `HostCall`.
unsafe impl Sync for Callback {}

/// One task.
#[derive(Clone)]
#[expect(
    clippy::large_enum_variant,
    reason = "a queue holds few of them, each made once"
)]
pub enum Task {
    Kernel(Arc<KernelLaunch>),
    Copy(Copy),
    Fill(Fill),
    Host(HostCall),
    Callback(Callback),
    /// An event's position in a stream.
    Record(Arc<Mark>),
    /// Waits for such a position.
    Wait(Arc<Mark>),
    /// A graph's node that records an event each time it runs.
    RecordEvent(Arc<Event>),
    /// A graph's node that waits for an event as it stands when it runs.
    WaitEvent(Arc<Event>),
    /// A graph's allocation: its address is the graph's for as long as that lives.
    Alloc(u64),
    /// A stream-ordered free.
    Free(u64),
    /// A graph's free of its own allocation.
    GraphFree(u64),
    /// All tasks of a launched graph, in an order that its edges allow.
    Batch(Arc<Vec<Task>>),
    /// A child graph.
    Child(Arc<Graph>),
    Empty,
    /// Anything else.
    Call(Arc<dyn Fn() + Send + Sync>),
}

impl Task {
    /// Whether the caller may run it itself: it takes no longer than handing it on would.
    pub fn is_brief(&self) -> bool {
        match self {
            Task::Copy(copy) => copy.is_brief(),
            Task::Fill(fill) => fill.is_brief(),
            Task::Wait(mark) => mark.is_done(),
            Task::Record(_) | Task::Free(_) | Task::Empty | Task::RecordEvent(_) => true,
            Task::Batch(tasks) => tasks.is_empty(),
            _ => false,
        }
    }

    /// `CUgraphNodeType`.
    pub fn node_type(&self) -> i32 {
        match self {
            Task::Kernel(_) => 0,
            Task::Copy(_) => 1,
            Task::Fill(_) => 2,
            Task::Host(_) | Task::Callback(_) | Task::Call(_) => 3,
            Task::Batch(_) | Task::Child(_) => 4,
            Task::Empty | Task::Record(_) | Task::Wait(_) => 5,
            Task::WaitEvent(_) => 6,
            Task::RecordEvent(_) => 7,
            Task::Alloc(_) => 10,
            Task::Free(_) | Task::GraphFree(_) => 11,
        }
    }

    /// Does it. Once a kernel of the context has failed only marks are set, so that nobody waits in vain.
    pub fn run(self, context: Option<&Arc<Context>>) {
        let fit = context.is_none_or(|context| context.check().is_ok());
        match self {
            Task::Record(mark) => mark.set(),
            Task::RecordEvent(event) => event.record_now(),
            Task::Wait(mark) => mark.wait(),
            Task::WaitEvent(event) => event.wait(),
            Task::Batch(tasks) => tasks.iter().cloned().for_each(|task| task.run(context)),
            Task::Callback(callback) => {
                let status = context.map_or(0, |context| {
                    context.check().map_or_else(|error| error.0, |()| 0)
                });
                // SAFETY: the caller of `cuStreamAddCallback` promised a good function and argument.
                context::in_callback(|| unsafe {
                    (callback.function)(callback.stream, status, callback.data);
                });
            }
            // Freed even if a kernel has failed: the memory is nobody's any more.
            Task::Free(address) => memory::release(address),
            Task::Call(call) => call(),
            Task::Alloc(_) | Task::GraphFree(_) | Task::Empty | Task::Child(_) => {}
            _ if !fit => {}
            Task::Kernel(launch) => launch.run(context),
            Task::Copy(copy) => copy.run(context),
            Task::Fill(fill) => fill.run(context),
            Task::Host(call) => {
                if let Some(function) = call.function {
                    // SAFETY: the caller of `cuLaunchHostFunc` promised a good function and argument.
                    context::in_callback(|| unsafe { function(call.data) });
                }
            }
        }
    }
}
