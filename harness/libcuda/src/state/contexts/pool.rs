//! The threads that do the streams' work. Each takes a stream that is ready, does one task of it, and takes the next
//! stream. So there are as many threads as tasks run at once, however many streams there are, and a stream that waits
//! for another one has no thread.

use super::stream::Stream;
use crate::state::device::sync::lock;
use std::cell::Cell;
use std::collections::VecDeque;
use std::sync::{Arc, Condvar, Mutex, PoisonError};
use std::thread::Builder;
use std::time::Duration;

/// A thread with nothing to do waits this long before it ends.
const IDLE: Duration = Duration::from_secs(5);

/// What keeps the thread of a task busy.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Load {
    /// A kernel, which may wait for other kernels and for the host.
    Kernel,
    /// What ends by itself.
    Transfer,
    /// What may wait for anything: the program's functions, and words of memory.
    Wait,
}

/// How many tasks of each load run at once, at most. A GPU has as many kernels resident, and its copies need none of
/// their room. What waits for anything is never kept from running: what it waits for may be another such task.
const MOST: [usize; 3] = [128, 16, usize::MAX];

/// Those that wait for a thread, how many tasks run, how many threads have nothing to do, and whether one has just been
/// started.
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
    /// Set in threads that look for work by themselves.
    static WORKS: Cell<bool> = const { Cell::new(false) };
}

impl State {
    /// A load of which a stream is ready and may run.
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

    /// Makes sure that a thread looks for work if there is some; returns whether one does.
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

/// Has the next task of a stream done.
pub fn add(stream: Arc<Stream>, load: Load) {
    let mut state = lock(&STATE);
    state.ready[load as usize].push_back(stream);
    // A thread that works looks for more by itself; where the system starts no thread, whoever submits does the work.
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

/// Does a stream's next task.
fn perform(stream: &Arc<Stream>, load: usize) {
    let next = stream.perform_next();
    let mut state = lock(&STATE);
    state.running[load] -= 1;
    if let Some(load) = next {
        state.ready[load as usize].push_back(Arc::clone(stream));
    }
}

/// What a thread does, until there has been no work for a while.
fn work() {
    WORKS.set(true);
    let mut state = lock(&STATE);
    state.is_starting = false;
    loop {
        if let Some((stream, load)) = state.take() {
            // Whoever takes something passes on the rest.
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
