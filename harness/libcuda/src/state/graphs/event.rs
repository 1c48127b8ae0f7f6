//! Events: positions in streams, and the time when each was reached.

use super::capture::Capture;
use crate::abi::constants::event_flags;
use crate::abi::error::{Error, Result};
use crate::abi::types::Handle;
use crate::state::contexts::context::Context;
use crate::state::contexts::stream::Stream;
use crate::state::device::handles::Table;
use crate::state::device::sync::lock;
use std::sync::{Arc, Condvar, Mutex, PoisonError, Weak};
use std::time::{Duration, Instant};

/// One recording of an event.
#[derive(Default)]
pub struct Mark {
    time: Mutex<Option<Instant>>,
    reached: Condvar,
}

impl Mark {
    /// Marks it as reached now.
    pub fn set(&self) {
        lock(&self.time).get_or_insert_with(Instant::now);
        self.reached.notify_all();
    }
    /// Whether it was reached.
    pub fn is_done(&self) -> bool {
        lock(&self.time).is_some()
    }
    /// Waits until it is reached.
    pub fn wait(&self) {
        let mut time = lock(&self.time);
        while time.is_none() {
            time = self.reached.wait(time).unwrap_or_else(PoisonError::into_inner);
        }
    }
}

/// What an event stands for.
#[derive(Clone)]
pub enum Recorded {
    /// Nothing yet.
    Never,
    /// A position in a stream.
    Mark(Arc<Mark>),
    /// A position in a stream capture: the nodes to wait for.
    Captured(Arc<Capture>, Vec<usize>),
}

/// One event.
pub struct Event {
    context: Weak<Context>,
    flags: u32,
    recorded: Mutex<Recorded>,
}

static EVENTS: Table<Event> = Table::new();

/// The event of a handle.
///
/// # Errors
/// `CUDA_ERROR_INVALID_HANDLE`.
pub fn find(handle: Handle) -> Result<Arc<Event>> {
    EVENTS.get(handle)
}

/// The handle of an event.
pub fn handle_of(event: &Arc<Event>) -> Handle {
    EVENTS.handle_of(event)
}

/// Makes an event of a context, with `CUevent_flags`; returns its handle.
pub fn create(context: &Arc<Context>, flags: u32) -> Handle {
    EVENTS.insert(Arc::new(Event { context: Arc::downgrade(context), flags, recorded: Mutex::new(Recorded::Never) }))
}

/// Removes an event from the table.
///
/// # Errors
/// `CUDA_ERROR_INVALID_HANDLE`.
pub fn forget(handle: Handle) -> Result<Arc<Event>> {
    EVENTS.remove(handle)
}

impl Event {
    /// What it stands for now.
    pub fn recorded(&self) -> Recorded {
        lock(&self.recorded).clone()
    }
    /// Makes it stand for something else.
    pub fn set(&self, recorded: Recorded) {
        *lock(&self.recorded) = recorded;
    }
    /// Records it at this moment.
    pub fn record_now(&self) {
        let mark = Arc::new(Mark::default());
        mark.set();
        self.set(Recorded::Mark(mark));
    }
    /// Waits for what it stands for.
    pub fn wait(&self) {
        let recorded = self.recorded();
        if let Recorded::Mark(mark) = recorded {
            mark.wait();
        }
    }
    /// Whether a stream belongs to the same context.
    pub fn same_context(&self, stream: &Stream) -> bool {
        self.context.ptr_eq(&stream.context)
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
    /// Milliseconds from another event to this one; negative if this one was first.
    ///
    /// # Errors
    /// `CUDA_ERROR_INVALID_HANDLE` for events without times or of different contexts, `CUDA_ERROR_NOT_READY`.
    pub fn since(&self, start: &Event) -> Result<f32> {
        let untimed = (start.flags | self.flags) & event_flags::DISABLE_TIMING != 0;
        if untimed || !start.context.ptr_eq(&self.context) {
            return Err(Error::INVALID_HANDLE);
        }
        let (Recorded::Mark(start), Recorded::Mark(end)) = (start.recorded(), self.recorded()) else {
            return Err(Error::INVALID_HANDLE);
        };
        // Never both locks at once: they may be the same event's.
        let start = *lock(&start.time);
        let end = *lock(&end.time);
        let (Some(start), Some(end)) = (start, end) else {
            return Err(Error::NOT_READY);
        };
        let ms = |time: Duration| (time.as_nanos() as f64 / 1e6) as f32;
        Ok(if end >= start { ms(end - start) } else { -ms(start - end) })
    }
}
