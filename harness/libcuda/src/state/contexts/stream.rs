//! A stream's queue: tasks run in order, each after what it depends on, and the caller does not wait.
//!
//! A task runs on the calling thread when nothing is before it and it is brief; otherwise on the stream's own thread,
//! which is started when first needed and ends when it has had nothing to do for a while. Dependencies always name
//! tasks that were submitted earlier, so streams cannot wait for each other in a circle.

use super::attributes::Attributes;
use super::context::Context;
use super::green::Green;
use crate::abi::constants::stream_flags::NON_BLOCKING;
use crate::abi::error::{Error, Result};
use crate::state::device::driver::tell;
use crate::state::device::observer::panic_text;
use crate::state::device::sync::lock;
use std::any::Any;
use std::collections::VecDeque;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Condvar, Mutex, PoisonError, Weak};
use std::thread::Builder;
use std::time::Duration;

/// A thread with nothing to do waits this long before it ends.
const IDLE: Duration = Duration::from_secs(5);

static NEXT_ID: AtomicU64 = AtomicU64::new(1);

/// A task of another stream that one waits for: that stream, and how many of its tasks must be done.
type Ticket = (Arc<Stream>, u64);

/// What a stream runs.
pub trait Work: Send {
    /// Whether the caller may run it itself: it takes no longer than handing it on would.
    fn is_brief(&self) -> bool;
    /// Runs it. `context` is the stream's context, or `None` if that was destroyed.
    fn run(self: Box<Self>, context: Option<&Arc<Context>>);
}

/// A stream's participation in a capture. Its type is hidden here, because captures are about graphs, and those depend
/// on streams: only `state::graphs::capture` looks inside.
pub type CaptureSlot = Option<Box<dyn Any + Send>>;

/// One stream.
pub struct Stream {
    /// Unique in the process.
    pub id: u64,
    /// Its context, unless that was destroyed.
    pub context: Weak<Context>,
    /// As given at its creation.
    pub flags: u32,
    /// Whether it is its context's default stream.
    pub legacy: bool,
    /// Its attributes, the priority among them.
    pub attributes: Mutex<Attributes>,
    /// The green context that it is of, if it is of one.
    pub green: Option<Arc<Green>>,
    /// The capture it takes part in.
    pub capture: Mutex<CaptureSlot>,
    progress: Mutex<Progress>,
    changed: Condvar,
}

/// What waits, how much was done, and whether something runs.
#[derive(Default)]
struct Progress {
    queue: VecDeque<(Vec<Ticket>, Box<dyn Work>)>,
    submitted: u64,
    completed: u64,
    /// A task is running, on some thread.
    busy: bool,
    /// The stream's own thread exists.
    worker: bool,
}

impl Stream {
    /// A stream of a context, with `CUstream_flags`.
    pub fn new(context: Weak<Context>, flags: u32, attributes: Attributes, legacy: bool) -> Arc<Self> {
        Self::of_green(context, flags, attributes, legacy, None)
    }

    /// The same, of a green context if one is given.
    pub fn of_green(
        context: Weak<Context>,
        flags: u32,
        attributes: Attributes,
        legacy: bool,
        green: Option<Arc<Green>>,
    ) -> Arc<Self> {
        Arc::new(Stream {
            id: NEXT_ID.fetch_add(1, Ordering::Relaxed),
            context,
            flags,
            legacy,
            attributes: Mutex::new(attributes),
            green,
            capture: Mutex::default(),
            progress: Mutex::default(),
            changed: Condvar::new(),
        })
    }

    /// Its context.
    ///
    /// # Errors
    /// `CUDA_ERROR_CONTEXT_IS_DESTROYED`.
    pub fn context(&self) -> Result<Arc<Context>> {
        self.context.upgrade().ok_or(Error::CONTEXT_IS_DESTROYED)
    }

    /// The sticky error of its context, if the context still exists.
    ///
    /// # Errors
    /// That error.
    pub fn check(&self) -> Result {
        let context = self.context.upgrade();
        context.map_or(Ok(()), |context| context.check())
    }

    /// Whether it and the default stream wait for each other.
    pub fn is_blocking(&self) -> bool {
        !self.legacy && self.flags & NON_BLOCKING == 0
    }

    /// What the next task has to wait for in other streams: the default stream and the blocking ones wait for each
    /// other.
    fn dependencies(&self) -> Vec<Ticket> {
        let Some(context) = self.context.upgrade() else {
            return Vec::new();
        };
        let others: Vec<_> = if self.legacy {
            context.all_streams().into_iter().filter(|stream| stream.is_blocking()).collect()
        } else if self.is_blocking() {
            vec![Arc::clone(&context.legacy)]
        } else {
            return Vec::new();
        };
        others.into_iter().filter_map(|stream| stream.pending().map(|ticket| (stream, ticket))).collect()
    }

    /// The last task's number if it is not done.
    fn pending(&self) -> Option<u64> {
        let progress = lock(&self.progress);
        (progress.completed < progress.submitted).then_some(progress.submitted)
    }

    fn reached(&self, ticket: u64) -> bool {
        lock(&self.progress).completed >= ticket
    }

    /// Whether all its work is done; for the default stream, also the work of the blocking streams.
    pub fn is_idle(&self) -> bool {
        self.pending().is_none() && (!self.legacy || self.dependencies().is_empty())
    }

    /// Submits a task.
    pub fn submit(self: &Arc<Self>, task: impl Work + 'static) {
        let mut after = self.dependencies();
        after.retain(|(stream, ticket)| !stream.reached(*ticket));
        let brief = after.is_empty() && task.is_brief();
        let mut progress = lock(&self.progress);
        progress.submitted += 1;
        if brief && !progress.busy && progress.queue.is_empty() {
            progress.busy = true;
            drop(progress);
            self.run(Box::new(task));
            self.complete();
            return;
        }
        progress.queue.push_back((after, Box::new(task)));
        self.wake(&mut progress);
        let alone = !progress.worker;
        drop(progress);
        if alone {
            self.work(true);
        }
    }

    fn wake(self: &Arc<Self>, progress: &mut Progress) {
        if !progress.worker && !progress.queue.is_empty() {
            let stream = Arc::clone(self);
            let name = format!("stream {}", self.id);
            // Where the system starts no thread, whoever submits does the work, and nothing is wrong.
            progress.worker = Builder::new().name(name).spawn(move || stream.work(false)).is_ok();
        }
        self.changed.notify_all();
    }

    fn complete(self: &Arc<Self>) {
        let mut progress = lock(&self.progress);
        progress.busy = false;
        progress.completed += 1;
        self.wake(&mut progress);
    }

    /// The loop of the stream's own thread. If no thread can be started, the caller runs it (`alone`) until the queue
    /// is empty.
    fn work(self: &Arc<Self>, alone: bool) {
        loop {
            let mut progress = lock(&self.progress);
            if alone && progress.queue.is_empty() {
                return;
            }
            while progress.busy || progress.queue.is_empty() {
                let (next, timeout) = self.changed.wait_timeout(progress, IDLE).unwrap_or_else(PoisonError::into_inner);
                progress = next;
                let unused = Arc::strong_count(self) == 1;
                if !progress.busy && progress.queue.is_empty() && (timeout.timed_out() || unused) {
                    progress.worker = false;
                    return;
                }
            }
            let Some((after, task)) = progress.queue.pop_front() else {
                continue;
            };
            progress.busy = true;
            drop(progress);
            for (stream, ticket) in after {
                stream.wait_for(ticket);
            }
            self.run(task);
            self.complete();
        }
    }

    fn run(&self, task: Box<dyn Work>) {
        let context = self.context.upgrade();
        let run = std::panic::AssertUnwindSafe(|| task.run(context.as_ref()));
        if let Err(panic) = std::panic::catch_unwind(run) {
            tell(|observer| observer.internal("a task of a stream", &panic_text(&*panic)));
            if let Some(context) = &context {
                context.fail(Error::LAUNCH_FAILED);
            }
        }
    }

    fn wait_for(&self, ticket: u64) {
        let mut progress = lock(&self.progress);
        while progress.completed < ticket {
            progress = self.changed.wait(progress).unwrap_or_else(PoisonError::into_inner);
        }
    }

    /// Waits for everything that was submitted so far; for the default stream, also for the blocking streams.
    pub fn finish(&self) {
        let ticket = lock(&self.progress).submitted;
        self.wait_for(ticket);
        if self.legacy {
            for (stream, ticket) in self.dependencies() {
                stream.wait_for(ticket);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::atomic::AtomicUsize;

    /// A function as work: brief if it does nothing.
    struct Call<F>(Option<F>);
    impl<F: FnOnce() + Send> Work for Call<F> {
        fn is_brief(&self) -> bool {
            self.0.is_none()
        }
        fn run(self: Box<Self>, _: Option<&Arc<Context>>) {
            if let Some(call) = self.0 {
                call();
            }
        }
    }

    #[test]
    fn tasks_run_in_order_and_the_caller_does_not_wait() {
        let stream = Stream::new(Weak::new(), 1, Attributes::default(), false);
        let order = Arc::new(AtomicUsize::new(0));
        let gate = Arc::new((Mutex::new(false), Condvar::new()));
        for i in 0..50 {
            let (order, gate) = (Arc::clone(&order), Arc::clone(&gate));
            stream.submit(Call(Some(move || {
                let mut open = lock(&gate.0);
                while !*open {
                    open = gate.1.wait(open).unwrap();
                }
                assert_eq!(order.fetch_add(1, Ordering::SeqCst), i);
            })));
        }
        assert!(!stream.is_idle());
        assert_eq!(order.load(Ordering::SeqCst), 0);
        *lock(&gate.0) = true;
        gate.1.notify_all();
        stream.finish();
        assert_eq!(order.load(Ordering::SeqCst), 50);
        assert!(stream.is_idle());
    }

    #[test]
    fn a_brief_task_of_an_idle_stream_runs_at_once() {
        let stream = Stream::new(Weak::new(), 1, Attributes::default(), false);
        stream.submit(Call(None::<fn()>));
        assert!(stream.is_idle() && !lock(&stream.progress).worker);
    }
}
