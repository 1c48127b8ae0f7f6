//! The threads that run the streams' work. Each takes a stream that is ready, runs one of its tasks, and takes the next
//! stream. So there are as many threads as tasks that run at the same time, regardless of the number of streams, and a
//! stream that waits for another one does not occupy a thread.

use super::stream::Stream;
use crate::state::device::sync::lock;
use std::cell::Cell;
use std::collections::VecDeque;
use std::sync::{Arc, Condvar, Mutex, PoisonError};
use std::thread::Builder;
use std::time::Duration;

/// An idle thread waits this long before it ends.
const IDLE: Duration = Duration::from_secs(5);

/// The kind of work that occupies the thread of a task.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Load {
    /// A kernel, which may wait for other kernels and for the host.
    Kernel,
    /// Work that ends without external events.
    Transfer,
    /// Work that may wait for anything: the program's functions, and words of memory.
    Wait,
}

/// The maximum number of tasks of each load that run at the same time. A GPU has this number of resident kernels, and
/// its copies do not use their resources. Tasks that may wait for anything are never kept from running, because they
/// may wait for another such task.
const MOST: [usize; 3] = [128, 16, usize::MAX];

/// The streams that wait for a thread, the number of running tasks, the number of idle threads, and whether a thread
/// has just been started.
struct State {
    ready: [VecDeque<Arc<Stream>>; 3],
    running: [usize; 3],
    idle: usize,
    is_starting: bool,
}

static STATE: Mutex<State> =
    Mutex::new(State { ready: [const { VecDeque::new() }; 3], running: [0; 3], idle: 0, is_starting: false });
static CHANGED: Condvar = Condvar::new();

thread_local! {
    /// Set in threads that take work on their own.
    static WORKS: Cell<bool> = const { Cell::new(false) };
}

impl State {
    /// Returns a load for which a stream is ready and may run.
    fn runnable(&self) -> Option<usize> {
        let may_run = |load: &usize| !self.ready[*load].is_empty() && self.running[*load] < MOST[*load];
        (0..MOST.len()).rev().find(may_run)
    }

    /// Takes a stream whose next task may run.
    fn take(&mut self) -> Option<(Arc<Stream>, usize)> {
        let load = self.runnable()?;
        self.running[load] += 1;
        Some((self.ready[load].pop_front()?, load))
    }

    /// Ensures that a thread looks for work if there is some. Returns whether one does.
    fn call(&mut self) -> bool {
        if self.runnable().is_none() || self.is_starting {
            return true;
        }
        if self.idle > 0 {
            CHANGED.notify_one();
            return true;
        }
        self.is_starting = Builder::new().name("stream".into()).spawn(work).is_ok();
        self.is_starting
    }
}

/// Schedules the next task of a stream.
pub fn add(stream: Arc<Stream>, load: Load) {
    let mut state = lock(&STATE);
    state.ready[load as usize].push_back(stream);
    // A working thread takes more work on its own; if the system cannot start a thread, the submitting thread does the
    // work.
    let is_seen_to = state.call() || WORKS.get();
    drop(state);
    if !is_seen_to {
        WORKS.set(true);
        while let Some((stream, load)) = { lock(&STATE).take() } {
            perform(&stream, load);
        }
        WORKS.set(false);
    }
}

/// Runs a stream's next task.
fn perform(stream: &Arc<Stream>, load: usize) {
    let next = stream.perform_next();
    let mut state = lock(&STATE);
    state.running[load] -= 1;
    if let Some(load) = next {
        state.ready[load as usize].push_back(Arc::clone(stream));
    }
}

/// The loop of a thread, which ends when there has been no work for a while.
fn work() {
    WORKS.set(true);
    let mut state = lock(&STATE);
    state.is_starting = false;
    loop {
        if let Some((stream, load)) = state.take() {
            // A thread that takes a task passes on the rest.
            state.call();
            drop(state);
            perform(&stream, load);
            drop(stream);
            state = lock(&STATE);
            continue;
        }
        state.idle += 1;
        let (woken, timeout) = CHANGED.wait_timeout(state, IDLE).unwrap_or_else(PoisonError::into_inner);
        state = woken;
        state.idle -= 1;
        if timeout.timed_out() && state.runnable().is_none() {
            return;
        }
    }
}
