//! The tasks of streams and of graph nodes.

use super::condition::{Choosing, Condition};
use super::event::{Event, Mark};
use super::graph::{Conditional, Graph};
use crate::abi::constants::node_type;
use crate::abi::types::HostFn;
use crate::state::contexts::context::Context;
use crate::state::contexts::current::in_callback;
use crate::state::contexts::pool::Load;
use crate::state::contexts::stream::{Stream, Work};
use crate::state::device::ending::has_abandoned;
use crate::state::device::issue::{self, Issued};
use crate::state::device::{ordering, output};
use crate::state::memory::allocation::{release, used_in};
use crate::state::memory::copy::MemoryCopy;
use crate::state::memory::fill::Fill;
use crate::state::memory::graph_memory::GraphMemory;
use crate::state::memory::word::{WordOp, Words};
use crate::state::modules::children;
use crate::state::modules::launch::KernelLaunch;
use std::ffi::c_void;
use std::sync::Arc;

/// A host function and its argument, which the caller keeps alive until it has run.
#[derive(Clone, Copy)]
pub struct HostCall {
    pub function: HostFn,
    pub data: *mut c_void,
}
// SAFETY: the thread that runs the function uses the pointer; the caller promises that any thread may.
unsafe impl Send for HostCall {}
// SAFETY: as above.
unsafe impl Sync for HostCall {}

/// A function for `cuStreamAddCallback`, which gets the stream and its status.
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

/// Runs a function of the program, after printing the output of earlier kernels.
fn host_function(function: impl FnOnce()) {
    output::flush();
    in_callback(function);
}

/// A task.
#[derive(Clone)]
#[expect(clippy::large_enum_variant, reason = "a queue holds few of them, each made once")]
pub enum Task {
    Kernel(Arc<KernelLaunch>),
    Copy(MemoryCopy),
    Fill(Fill),
    Host(HostCall),
    Callback(Callback),
    /// Records an event's position in a stream.
    Record(Arc<Mark>),
    /// Waits for such a position.
    Wait(Arc<Mark>),
    /// A graph node that records an event each time it runs.
    RecordEvent(Arc<Event>),
    /// A graph node that waits for the event's position at the time when the node runs.
    WaitEvent(Arc<Event>),
    /// A graph's allocation.
    Alloc(Arc<GraphMemory>),
    /// A stream-ordered free.
    Free(u64),
    /// A graph's free of an allocation, its own or another graph's.
    GraphFree(Arc<GraphMemory>),
    /// All tasks of a launched graph, in topological order.
    Batch(Arc<Vec<Task>>),
    /// A child graph.
    Child(Arc<Graph>),
    /// Graphs, one of which a value on the device selects.
    Conditional(Arc<Conditional>),
    /// A conditional node in an executable graph.
    Choice(Arc<Choice>),
    Empty,
    /// Writes to memory words, and waits for them.
    Words(Arc<Words>),
    /// Any other task.
    Call(Arc<dyn Fn() + Send + Sync>),
}

impl Task {
    /// `CUgraphNodeType`.
    pub fn node_type(&self) -> i32 {
        match self {
            Task::Kernel(_) => node_type::KERNEL,
            Task::Copy(_) => node_type::MEMCPY,
            Task::Fill(_) => node_type::MEMSET,
            Task::Host(_) | Task::Callback(_) | Task::Call(_) => node_type::HOST,
            Task::Batch(_) | Task::Child(_) => node_type::GRAPH,
            Task::Conditional(_) | Task::Choice(_) => node_type::CONDITIONAL,
            Task::Empty | Task::Record(_) | Task::Wait(_) => node_type::EMPTY,
            Task::Words(_) => node_type::BATCH_MEM_OP,
            Task::WaitEvent(_) => node_type::WAIT_EVENT,
            Task::RecordEvent(_) => node_type::EVENT_RECORD,
            Task::Alloc(_) => node_type::MEM_ALLOC,
            Task::Free(_) | Task::GraphFree(_) => node_type::MEM_FREE,
        }
    }

    /// Returns whether the task allocates or frees memory that its graph owns.
    pub fn is_of_memory(&self) -> bool {
        matches!(self, Task::Alloc(_) | Task::GraphFree(_))
    }

    /// Reports stream-ordered memory that it uses though nothing orders its allocation before this stream's next task.
    pub fn look_at_order(&self, stream: &Arc<Stream>) {
        if !ordering::is_used() {
            return;
        }
        if stream.legacy {
            ordering::BY_DEFAULT_STREAM.all_until_now();
        }
        match self {
            Task::Kernel(launch) => {
                let name = &launch.function.kernel().name;
                launch.addresses().for_each(|address| used_in(stream, address, name));
            }
            Task::Copy(copy) => copy.addresses().for_each(|address| used_in(stream, address, "")),
            Task::Fill(fill) => used_in(stream, fill.dst, ""),
            _ => {}
        }
    }

    /// Runs it. After a kernel of the context has failed, marks are still set, so that no one waits for ever, and
    /// memory is still freed; so it is when the process has abandoned what is left.
    fn perform(self, context: Option<&Arc<Context>>) {
        let is_abandoned = has_abandoned();
        let fit = !is_abandoned && context.is_none_or(|context| context.check().is_ok());
        match self {
            Task::Record(mark) => mark.set(),
            Task::RecordEvent(event) => event.record_now(),
            Task::Wait(mark) => mark.wait(),
            Task::WaitEvent(event) => event.wait(),
            Task::Batch(tasks) => tasks.iter().cloned().for_each(|task| task.perform(context)),
            Task::Callback(callback) if !is_abandoned => {
                let status = context.map_or(0, |context| context.check().map_or_else(|error| error.0, |()| 0));
                // SAFETY: the caller of `cuStreamAddCallback` promised a valid function and argument.
                host_function(|| unsafe {
                    (callback.function)(callback.stream, status, callback.data);
                });
            }
            // This happens even if a kernel has failed: the memory is no longer used.
            Task::Free(address) => release(address),
            Task::Call(call) => call(),
            Task::Alloc(_) | Task::GraphFree(_) | Task::Empty | Task::Child(_) | Task::Conditional(_) => {}
            _ if !fit => {}
            Task::Choice(choice) => choice.run(|tasks| {
                tasks.iter().cloned().for_each(|task| task.perform(context));
                context.is_none_or(|context| context.check().is_ok())
            }),
            Task::Kernel(launch) => children::run(launch, context),
            Task::Copy(copy) => copy.run(context),
            Task::Fill(fill) => fill.run(context),
            Task::Words(words) => words.ops.iter().for_each(WordOp::run),
            // Reached only if all work was abandoned.
            Task::Callback(_) => {}
            Task::Host(call) => {
                if let Some(function) = call.function {
                    // SAFETY: the caller of `cuLaunchHostFunc` promised a valid function and argument.
                    host_function(|| unsafe { function(call.data) });
                }
            }
        }
    }
}

impl Work for Task {
    fn is_brief(&self) -> bool {
        match self {
            Task::Copy(copy) => copy.is_brief(),
            Task::Fill(fill) => fill.is_brief(),
            Task::Wait(mark) => mark.is_done(),
            Task::Record(_) | Task::Free(_) | Task::Empty | Task::RecordEvent(_) => true,
            Task::Batch(tasks) => tasks.is_empty(),
            _ => false,
        }
    }

    fn load(&self) -> Load {
        match self {
            Task::Kernel(_) => Load::Kernel,
            Task::Host(_)
            | Task::Callback(_)
            | Task::Call(_)
            | Task::Choice(_)
            | Task::Wait(_)
            | Task::WaitEvent(_)
            | Task::Words(_) => Load::Wait,
            Task::Batch(tasks) => {
                let has = |load| tasks.iter().any(|task| task.load() == load);
                [Load::Wait, Load::Kernel].into_iter().find(|load| has(*load)).unwrap_or(Load::Transfer)
            }
            _ => Load::Transfer,
        }
    }

    fn is_held_up(&self, stream: &Arc<Stream>) -> bool {
        matches!(self, Task::Wait(mark) if mark.resumes(stream))
    }

    fn run(self: Box<Self>, context: Option<&Arc<Context>>) {
        self.perform(context);
    }
}

/// A task of a stream, with the call that issued it if it launches kernels.
pub struct Numbered {
    task: Task,
    issued: Issued,
}

impl Numbered {
    /// Creates the task of a current call, for a stream.
    pub fn new(task: Task, stream: u64) -> Numbered {
        let launches = matches!(task, Task::Kernel(_) | Task::Batch(_));
        Numbered { task, issued: if launches { issue::next(stream) } else { Issued::default() } }
    }
}

impl Work for Numbered {
    fn is_brief(&self) -> bool {
        self.task.is_brief()
    }

    fn load(&self) -> Load {
        self.task.load()
    }

    fn is_held_up(&self, stream: &Arc<Stream>) -> bool {
        self.task.is_held_up(stream)
    }

    fn run(self: Box<Self>, context: Option<&Arc<Context>>) {
        issue::during(self.issued, || self.task.perform(context));
    }
}

/// A conditional node of an executable graph.
pub struct Choice {
    pub condition: Arc<Condition>,
    pub choosing: Choosing,
    /// The tasks of each body, in topological order.
    pub bodies: Vec<Vec<Task>>,
}

impl Choice {
    /// Runs the body that the value selects. `run` runs a body, and returns whether the context is still valid.
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
