//! A stream's queue: tasks run in order, each after its dependencies, and the caller does not wait.
//!
//! A task runs on the calling thread if no task precedes it and it is brief; otherwise on a thread of the
//! [pool](super::pool). Dependencies always refer to tasks that were submitted earlier, so streams cannot wait for each
//! other in a cycle.

use super::attributes::Attributes;
use super::context::Context;
use super::green::Green;
use super::pool::{self, Load};
use crate::abi::constants::stream_flags::NON_BLOCKING;
use crate::abi::error::{Error, Result};
use crate::state::device::driver::tell;
use crate::state::device::observer::panic_text;
use crate::state::device::ordering::{self, KnownUntil};
use crate::state::device::sync::lock;
use crate::state::device::{ending, output};
use std::any::Any;
use std::collections::VecDeque;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError, Weak};
use std::time::{Duration, Instant};

/// The maximum number of tasks that wait in a stream; a thread that submits more blocks. A GPU's host blocks after
/// about a thousand, so a program that finishes on a GPU does not hang here.
const PENDING: usize = 1 << 16;
/// The capacity that an empty queue keeps, in tasks.
const KEPT: usize = 64;
/// The interval at which a thread that waits for room checks whether the process ends.
const LOOK: Duration = Duration::from_millis(50);

static NEXT_ID: AtomicU64 = AtomicU64::new(1);

/// A task of another stream that is a dependency: that stream, and the number of its tasks that must be done.
type Ticket = (Arc<Stream>, u64);

/// A task of a stream.
pub trait Work: Send {
    /// Returns whether the caller may run it directly: it takes no longer than handing it to a thread would.
    fn is_brief(&self) -> bool;
    /// Returns the kind of work that occupies the thread that runs it.
    fn load(&self) -> Load;
    /// Returns whether it must first wait for something that will resume the stream.
    fn is_held_up(&self, stream: &Arc<Stream>) -> bool;
    /// Runs the task. `context` is the stream's context, or `None` if that was destroyed.
    fn run(self: Box<Self>, context: Option<&Arc<Context>>);
}

/// A stream's participation in a capture. Its type is hidden here, because captures are about graphs, and those depend
/// on streams: only `state::graphs::capture` accesses it.
pub type CaptureSlot = Option<Box<dyn Any + Send>>;

/// A stream.
pub struct Stream {
    /// Unique in the process.
    pub id: u64,
    /// Its context, unless that was destroyed.
    pub context: Weak<Context>,
    /// The flags given at its creation.
    pub flags: u32,
    /// Whether it is its context's default stream.
    pub legacy: bool,
    /// Its attributes, including the priority.
    pub attributes: Mutex<Attributes>,
    /// The green context to which it belongs, if any.
    pub green: Option<Arc<Green>>,
    /// The stream-ordered allocations that events order before its next task; they are not distinguished.
    pub joined: KnownUntil,
    /// Its own stream-ordered allocations that the host has waited for.
    pub waited_for: KnownUntil,
    /// The capture it takes part in.
    pub capture: Mutex<CaptureSlot>,
    progress: Mutex<Progress>,
    changed: Condvar,
}

/// The waiting tasks, the number of completed ones, and the streams that wait for it.
#[derive(Default)]
struct Progress {
    queue: VecDeque<(Vec<Ticket>, Box<dyn Work>)>,
    submitted: u64,
    completed: u64,
    /// Whether a task runs or waits for a thread, or something will resume the stream.
    active: bool,
    /// Streams that continue once this number of tasks is done.
    waiting: Vec<(u64, Arc<Stream>)>,
}

impl Stream {
    /// Creates a stream of a context, with `CUstream_flags`.
    pub fn new(context: Weak<Context>, flags: u32, attributes: Attributes, legacy: bool) -> Arc<Self> {
        Self::of_green(context, flags, attributes, legacy, None)
    }

    /// Creates a stream of a context, or of a green context if one is given.
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
            joined: KnownUntil::default(),
            waited_for: KnownUntil::default(),
            capture: Mutex::default(),
            progress: Mutex::default(),
            changed: Condvar::new(),
        })
    }

    /// Returns the stream's context.
    ///
    /// # Errors
    /// `CUDA_ERROR_CONTEXT_IS_DESTROYED`.
    pub fn context(&self) -> Result<Arc<Context>> {
        self.context.upgrade().ok_or(Error::CONTEXT_IS_DESTROYED)
    }

    /// Checks the sticky error of the stream's context, if the context still exists.
    ///
    /// # Errors
    /// The sticky error.
    pub fn check(&self) -> Result {
        let context = self.context.upgrade();
        context.map_or(Ok(()), |context| context.check())
    }

    /// Returns whether the stream and the default stream wait for each other.
    pub fn is_blocking(&self) -> bool {
        !self.legacy && self.flags & NON_BLOCKING == 0
    }

    /// Returns the tasks of other streams for which the next task must wait: the default stream and the blocking ones
    /// wait for each other.
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

    /// Returns the last task's number if it is not done.
    fn pending(&self) -> Option<u64> {
        let progress = lock(&self.progress);
        (progress.completed < progress.submitted).then_some(progress.submitted)
    }

    fn reached(&self, ticket: u64) -> bool {
        lock(&self.progress).completed >= ticket
    }

    /// Returns whether all work of the stream is done; for the default stream, also the work of the blocking streams.
    pub fn is_idle(&self) -> bool {
        self.pending().is_none() && (!self.legacy || self.dependencies().is_empty())
    }

    /// Submits a task. Blocks while too many tasks wait.
    ///
    /// # Errors
    /// `CUDA_ERROR_DEINITIALIZED` once another thread ends the process.
    pub fn submit(self: &Arc<Self>, task: impl Work + 'static) -> Result {
        let mut after = self.dependencies();
        after.retain(|(stream, ticket)| !stream.reached(*ticket));
        let brief = after.is_empty() && task.is_brief();
        let mut progress = self.with_room()?;
        progress.submitted += 1;
        if brief && !progress.active {
            progress.active = true;
            drop(progress);
            self.run(Box::new(task));
            self.complete();
            self.resume();
            return Ok(());
        }
        progress.queue.push_back((after, Box::new(task)));
        let is_first = !std::mem::replace(&mut progress.active, true);
        drop(progress);
        if is_first {
            self.resume();
        }
        Ok(())
    }

    /// Locks the progress, once there is room for another task.
    fn with_room(&self) -> Result<MutexGuard<'_, Progress>> {
        let mut progress = lock(&self.progress);
        loop {
            ending::check()?;
            if progress.queue.len() < PENDING {
                return Ok(progress);
            }
            progress = self.changed.wait_timeout(progress, LOOK).unwrap_or_else(PoisonError::into_inner).0;
        }
    }

    /// Continues the stream, if nothing holds up the next task. Only the thread that made the stream active calls this,
    /// or one to which that thread has delegated it.
    pub fn resume(self: &Arc<Self>) {
        if let Some(load) = self.ready() {
            pool::add(Arc::clone(self), load);
        }
    }

    /// Returns the load of the next task, if nothing holds it up. Otherwise something will resume the stream, or the
    /// queue is empty and the stream is no longer active.
    fn ready(self: &Arc<Self>) -> Option<Load> {
        loop {
            let mut progress = lock(&self.progress);
            let Some((after, task)) = progress.queue.front_mut() else {
                progress.active = false;
                progress.queue.shrink_to(KEPT);
                return None;
            };
            let Some((stream, ticket)) = after.pop() else {
                return if task.is_held_up(self) { None } else { Some(task.load()) };
            };
            drop(progress);
            if stream.resumes(ticket, self) {
                return None;
            }
        }
    }

    /// Resumes another stream once `ticket` tasks are done. Returns whether they are still pending.
    fn resumes(&self, ticket: u64, other: &Arc<Stream>) -> bool {
        let mut progress = lock(&self.progress);
        let is_ahead = progress.completed < ticket;
        if is_ahead {
            progress.waiting.push((ticket, Arc::clone(other)));
        }
        is_ahead
    }

    /// Runs the next task. Returns the load of the one after it, if nothing holds that up.
    pub(super) fn perform_next(self: &Arc<Self>) -> Option<Load> {
        let (_, task) = lock(&self.progress).queue.pop_front()?;
        self.run(task);
        self.complete();
        self.ready()
    }

    fn complete(&self) {
        let mut progress = lock(&self.progress);
        progress.completed += 1;
        let completed = progress.completed;
        let resumed: Vec<_> = progress.waiting.extract_if(.., |(ticket, _)| *ticket <= completed).collect();
        drop(progress);
        self.changed.notify_all();
        for (_, stream) in &resumed {
            stream.resume();
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
        let progress = lock(&self.progress);
        let is_ahead = |progress: &mut Progress| progress.completed < ticket;
        drop(self.changed.wait_while(progress, is_ahead).unwrap_or_else(PoisonError::into_inner));
    }

    /// Waits for all tasks submitted so far; for the default stream, also for the blocking streams. Then prints the
    /// kernels' output.
    pub fn finish(&self) {
        let ticket = lock(&self.progress).submitted;
        self.wait_for(ticket);
        self.host_has_waited();
        if self.legacy {
            for (stream, ticket) in self.dependencies() {
                stream.wait_for(ticket);
            }
        }
        output::flush();
    }

    /// Notes that the host has waited for all of its work, and with that for what its work has waited for.
    pub fn host_has_waited(&self) {
        self.waited_for.all_until_now();
        if self.legacy || self.joined.is_any() {
            ordering::BY_HOST.all_until_now();
        }
    }

    /// Whether a stream-ordered allocation of another stream is ordered before its next task.
    pub fn comes_after(&self, other: &Stream, allocation: u64) -> bool {
        let is_implicit = (self.legacy && other.is_blocking()) || (self.is_blocking() && other.legacy);
        let by_default_stream =
            || self.is_blocking() && other.is_blocking() && ordering::BY_DEFAULT_STREAM.has(allocation);
        self.id == other.id
            || is_implicit
            || [&self.joined, &other.waited_for, &ordering::BY_HOST].iter().any(|known| known.has(allocation))
            || by_default_stream()
    }

    /// Waits for everything that was submitted so far, but no longer than until then; returns whether it is done.
    pub fn finish_by(&self, deadline: Instant) -> bool {
        let mut progress = lock(&self.progress);
        let ticket = progress.submitted;
        while progress.completed < ticket {
            let left = deadline.saturating_duration_since(Instant::now());
            if left.is_zero() {
                return false;
            }
            progress = self.changed.wait_timeout(progress, left).unwrap_or_else(PoisonError::into_inner).0;
        }
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::atomic::AtomicUsize;

    /// A function as a task, which is brief if it is empty.
    struct Call<F>(Option<F>);
    impl<F: FnOnce() + Send> Work for Call<F> {
        fn is_brief(&self) -> bool {
            self.0.is_none()
        }
        fn load(&self) -> Load {
            Load::Kernel
        }
        fn is_held_up(&self, _: &Arc<Stream>) -> bool {
            false
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
            stream
                .submit(Call(Some(move || {
                    let mut open = lock(&gate.0);
                    while !*open {
                        open = gate.1.wait(open).unwrap();
                    }
                    assert_eq!(order.fetch_add(1, Ordering::SeqCst), i);
                })))
                .unwrap();
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
        stream.submit(Call(None::<fn()>)).unwrap();
        assert!(stream.is_idle() && !lock(&stream.progress).active);
    }
}
