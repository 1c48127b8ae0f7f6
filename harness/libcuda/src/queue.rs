//! A stream's queue: tasks run in order, each after what it depends on, the caller not waiting.
//!
//! A task runs on the calling thread when nothing is before it and it is brief; else on the stream's own thread, which is
//! started when first needed and ends when it has had nothing to do for a while. Dependencies always name tasks that were
//! submitted earlier, so streams cannot wait for each other in a circle.

use crate::capture::Participation;
use crate::context::Context;
use crate::driver::lock;
use crate::report;
use crate::task::Task;
use std::collections::VecDeque;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Condvar, Mutex, PoisonError, Weak};
use std::time::Duration;

/// A thread with nothing to do waits this long before it ends.
const IDLE: Duration = Duration::from_secs(5);

static NEXT_ID: AtomicU64 = AtomicU64::new(1);

/// A task of another stream that one waits for: that stream, and how many of its tasks must be done.
type Ticket = (Arc<Stream>, u64);

/// One stream.
pub struct Stream {
    /// Unique in the process.
    pub id: u64,
    /// Its context; gone once that is destroyed.
    pub context: Weak<Context>,
    /// As given at its creation.
    pub flags: u32,
    /// As given, within the range.
    pub priority: i32,
    /// Whether it is its context's default stream.
    pub legacy: bool,
    /// The capture it takes part in.
    pub capture: Mutex<Option<Participation>>,
    state: Mutex<State>,
    changed: Condvar,
}

#[derive(Default)]
struct State {
    queue: VecDeque<(Vec<Ticket>, Task)>,
    submitted: u64,
    completed: u64,
    /// A task runs, on whichever thread.
    busy: bool,
    /// The stream's thread is there.
    worker: bool,
}

impl Stream {
    /// A stream of a context. Flag 1 is `CU_STREAM_NON_BLOCKING`.
    pub fn new(context: Weak<Context>, flags: u32, priority: i32, legacy: bool) -> Arc<Self> {
        Arc::new(Stream {
            id: NEXT_ID.fetch_add(1, Ordering::Relaxed),
            context,
            flags,
            priority,
            legacy,
            capture: Mutex::default(),
            state: Mutex::default(),
            changed: Condvar::new(),
        })
    }

    /// Whether it waits for the default stream and that for it.
    pub fn is_blocking(&self) -> bool {
        !self.legacy && self.flags & 1 == 0
    }

    /// What the next task has to wait for in other streams: the default stream and the blocking ones wait for each other.
    fn dependencies(&self) -> Vec<Ticket> {
        let Some(context) = self.context.upgrade() else {
            return Vec::new();
        };
        let others: Vec<_> = if self.legacy {
            context
                .all_streams()
                .into_iter()
                .filter(|stream| stream.is_blocking())
                .collect()
        } else if self.is_blocking() {
            vec![Arc::clone(&context.legacy)]
        } else {
            return Vec::new();
        };
        others
            .into_iter()
            .filter_map(|stream| stream.pending().map(|ticket| (stream, ticket)))
            .collect()
    }

    /// The last task's number if it is not done.
    fn pending(&self) -> Option<u64> {
        let state = lock(&self.state);
        (state.completed < state.submitted).then_some(state.submitted)
    }

    fn reached(&self, ticket: u64) -> bool {
        lock(&self.state).completed >= ticket
    }

    /// Whether all its work, and what the default stream has to wait for, is done.
    pub fn is_idle(&self) -> bool {
        self.pending().is_none() && (!self.legacy || self.dependencies().is_empty())
    }

    /// Submits a task.
    pub fn submit(self: &Arc<Self>, task: Task) {
        let mut after = self.dependencies();
        after.retain(|(stream, ticket)| !stream.reached(*ticket));
        let brief = after.is_empty() && task.is_brief();
        let mut state = lock(&self.state);
        state.submitted += 1;
        if brief && !state.busy && state.queue.is_empty() {
            state.busy = true;
            drop(state);
            self.run(task);
            self.complete();
            return;
        }
        state.queue.push_back((after, task));
        self.wake(&mut state);
        let alone = !state.worker;
        drop(state);
        if alone {
            self.work(true);
        }
    }

    fn wake(self: &Arc<Self>, state: &mut State) {
        if !state.worker && !state.queue.is_empty() {
            let stream = Arc::clone(self);
            let started = std::thread::Builder::new()
                .name(format!("stream {}", self.id))
                .spawn(move || stream.work(false));
            state.worker = started.is_ok();
            if let Err(error) = started {
                report::internal("a stream's thread", &error.to_string());
            }
        }
        self.changed.notify_all();
    }

    fn complete(self: &Arc<Self>) {
        let mut state = lock(&self.state);
        state.busy = false;
        state.completed += 1;
        self.wake(&mut state);
    }

    /// The stream's thread; or, if the system gives no thread, the caller's until the queue is empty.
    fn work(self: &Arc<Self>, alone: bool) {
        loop {
            let mut state = lock(&self.state);
            if alone && state.queue.is_empty() {
                return;
            }
            while state.busy || state.queue.is_empty() {
                let (next, timeout) = self
                    .changed
                    .wait_timeout(state, IDLE)
                    .unwrap_or_else(PoisonError::into_inner);
                state = next;
                let unused = Arc::strong_count(self) == 1;
                if !state.busy && state.queue.is_empty() && (timeout.timed_out() || unused) {
                    state.worker = false;
                    return;
                }
            }
            let Some((after, task)) = state.queue.pop_front() else {
                continue;
            };
            state.busy = true;
            drop(state);
            for (stream, ticket) in after {
                stream.wait_for(ticket);
            }
            self.run(task);
            self.complete();
        }
    }

    fn run(&self, task: Task) {
        let context = self.context.upgrade();
        let run = std::panic::AssertUnwindSafe(|| task.run(context.as_ref()));
        if let Err(panic) = std::panic::catch_unwind(run) {
            report::internal("a task of a stream", &report::panic_text(&*panic));
            if let Some(context) = &context {
                context.fail(crate::error::Error::LAUNCH_FAILED);
            }
        }
    }

    fn wait_for(&self, ticket: u64) {
        let mut state = lock(&self.state);
        while state.completed < ticket {
            state = self
                .changed
                .wait(state)
                .unwrap_or_else(PoisonError::into_inner);
        }
    }

    /// Waits for all that was submitted so far (for the default stream, to the blocking ones too).
    pub fn finish(&self) {
        let ticket = lock(&self.state).submitted;
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

    #[test]
    fn tasks_run_in_order_and_the_caller_does_not_wait() {
        let stream = Stream::new(Weak::new(), 1, 0, false);
        let order = Arc::new(AtomicUsize::new(0));
        let gate = Arc::new((Mutex::new(false), Condvar::new()));
        for i in 0..50 {
            let (order, gate) = (Arc::clone(&order), Arc::clone(&gate));
            stream.submit(Task::Call(Arc::new(move || {
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
        let stream = Stream::new(Weak::new(), 1, 0, false);
        stream.submit(Task::Empty);
        assert!(stream.is_idle() && !lock(&stream.state).worker);
    }
}
