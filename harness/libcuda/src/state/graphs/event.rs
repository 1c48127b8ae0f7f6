//! Events: positions in streams, and the times at which they were reached.

use super::capture::Capture;
use super::shared_event::SharedEvent;
use crate::abi::constants::event_flags;
use crate::abi::error::{Error, Result};
use crate::abi::types::Handle;
use crate::state::contexts::context::Context;
use crate::state::contexts::stream::Stream;
use crate::state::device::handles::HandleTable;
use crate::state::device::sync::lock;
use crate::state::device::ticket::Ticket;
use std::sync::{Arc, Condvar, Mutex, PoisonError, Weak};
use std::time::{Duration, Instant};

/// One recording of an event.
#[derive(Default)]
pub struct Mark {
    time: Mutex<Option<Instant>>,
    reached: Condvar,
    /// Streams that continue when it is reached.
    waiting: Mutex<Vec<Arc<Stream>>>,
    /// For a shared event: the event, and the number of this recording.
    shared: Option<(Arc<SharedEvent>, u64)>,
}

impl Mark {
    /// Creates a recording, by any process, of a shared event.
    fn shared(event: &Arc<SharedEvent>, record: u64) -> Mark {
        Mark { shared: Some((Arc::clone(event), record)), ..Mark::default() }
    }
    /// Marks the recording as reached now.
    pub fn set(&self) {
        if let Some((event, record)) = &self.shared {
            event.reach(*record);
        }
        lock(&self.time).get_or_insert_with(Instant::now);
        self.reached.notify_all();
        let waiting = std::mem::take(&mut *lock(&self.waiting));
        waiting.iter().for_each(Stream::resume);
    }
    /// Resumes a stream when the recording is reached. Returns whether it is still pending. A recording by another
    /// process does not resume streams.
    pub fn resumes(&self, stream: &Arc<Stream>) -> bool {
        let mut waiting = lock(&self.waiting);
        let is_ahead = self.shared.is_none() && lock(&self.time).is_none();
        if is_ahead {
            waiting.push(Arc::clone(stream));
        }
        is_ahead
    }
    /// Returns whether the recording was reached.
    pub fn is_done(&self) -> bool {
        match &self.shared {
            Some((event, record)) => event.is_reached(*record),
            None => lock(&self.time).is_some(),
        }
    }
    /// Waits until the recording is reached.
    pub fn wait(&self) {
        if let Some((event, record)) = &self.shared {
            return event.wait(*record);
        }
        let mut time = lock(&self.time);
        while time.is_none() {
            time = self.reached.wait(time).unwrap_or_else(PoisonError::into_inner);
        }
    }
}

/// The position that an event refers to.
#[derive(Clone)]
pub enum Recorded {
    /// Nothing yet.
    Never,
    /// A position in a stream.
    Mark(Arc<Mark>),
    /// A position in a stream capture: the nodes to wait for.
    Captured(Arc<Capture>, Vec<usize>),
}

/// An event.
pub struct Event {
    context: Weak<Context>,
    flags: u32,
    recorded: Mutex<Recorded>,
    /// The part that other processes see, if the event is shared.
    shared: Option<Arc<SharedEvent>>,
}

static EVENTS: HandleTable<Event> = HandleTable::new();

/// The event of a handle.
///
/// # Errors
/// `CUDA_ERROR_INVALID_HANDLE`.
pub fn find(handle: Handle) -> Result<Arc<Event>> {
    EVENTS.get(handle)
}

/// Returns the handle of an event.
pub fn handle_of(event: &Arc<Event>) -> Handle {
    EVENTS.handle_of(event)
}

/// Creates an event of a context, with `CUevent_flags`, and returns its handle.
///
/// # Errors
/// `CUDA_ERROR_OUT_OF_MEMORY` for a shared event.
pub fn create(context: &Arc<Context>, flags: u32) -> Result<Handle> {
    let is_shared = flags & event_flags::INTERPROCESS != 0;
    let shared = is_shared.then(SharedEvent::new).transpose()?;
    Ok(insert(context, flags, shared))
}

/// Opens the event of another process's ticket, and returns its handle.
///
/// # Errors
/// `CUDA_ERROR_MAP_FAILED` if the event no longer exists.
pub fn open(context: &Arc<Context>, ticket: &Ticket) -> Result<Handle> {
    let shared = SharedEvent::open(ticket)?;
    Ok(insert(context, event_flags::DISABLE_TIMING | event_flags::INTERPROCESS, Some(shared)))
}

fn insert(context: &Arc<Context>, flags: u32, shared: Option<SharedEvent>) -> Handle {
    let (context, recorded) = (Arc::downgrade(context), Mutex::new(Recorded::Never));
    EVENTS.insert(Arc::new(Event { context, flags, recorded, shared: shared.map(Arc::new) }))
}

/// Removes an event from the table.
///
/// # Errors
/// `CUDA_ERROR_INVALID_HANDLE`.
pub fn forget(handle: Handle) -> Result<Arc<Event>> {
    EVENTS.remove(handle)
}

impl Event {
    /// Returns the current position.
    pub fn recorded(&self) -> Recorded {
        let own = lock(&self.recorded).clone();
        match (&self.shared, own) {
            // The last record may be by another process.
            (Some(shared), Recorded::Never | Recorded::Mark(_)) => match shared.last() {
                0 => Recorded::Never,
                last => Recorded::Mark(Arc::new(Mark::shared(shared, last))),
            },
            (_, own) => own,
        }
    }
    /// Creates a new recording of the event, to which it refers from now on.
    pub fn mark(&self) -> Arc<Mark> {
        let mark = match &self.shared {
            Some(shared) => Mark::shared(shared, shared.record()),
            None => Mark::default(),
        };
        let mark = Arc::new(mark);
        self.set(Recorded::Mark(Arc::clone(&mark)));
        mark
    }
    /// Creates a ticket for other processes.
    ///
    /// # Errors
    /// `CUDA_ERROR_INVALID_HANDLE` for an event that was not created for sharing, or that was opened from another
    /// process.
    pub fn ticket(&self) -> Result<Ticket> {
        let shared = self.shared.as_ref().filter(|shared| !shared.is_opened);
        Ok(shared.ok_or(Error::INVALID_HANDLE)?.ticket())
    }
    /// Sets the position of the event.
    pub fn set(&self, recorded: Recorded) {
        *lock(&self.recorded) = recorded;
    }
    /// Records the event at this moment.
    pub fn record_now(&self) {
        self.mark().set();
    }
    /// Waits for the event's position.
    pub fn wait(&self) {
        let recorded = self.recorded();
        if let Recorded::Mark(mark) = recorded {
            mark.wait();
        }
    }
    /// Returns whether a stream belongs to the same context.
    pub fn same_context(&self, stream: &Stream) -> bool {
        self.context.ptr_eq(&stream.context)
    }
    /// Returns the event's context.
    ///
    /// # Errors
    /// `CUDA_ERROR_CONTEXT_IS_DESTROYED`.
    pub fn context(&self) -> Result<Arc<Context>> {
        self.context.upgrade().ok_or(Error::CONTEXT_IS_DESTROYED)
    }
    /// Checks the sticky error of the event's context, if the context still exists.
    ///
    /// # Errors
    /// The sticky error.
    pub fn check(&self) -> Result {
        let context = self.context.upgrade();
        context.map_or(Ok(()), |context| context.check())
    }
    /// Returns the milliseconds from another event to this one; negative if this one was first.
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
        // The two locks are never held together, because both may belong to the same event.
        let start = *lock(&start.time);
        let end = *lock(&end.time);
        let (Some(start), Some(end)) = (start, end) else {
            return Err(Error::NOT_READY);
        };
        let ms = |time: Duration| (time.as_nanos() as f64 / 1e6) as f32;
        Ok(if end >= start { ms(end - start) } else { -ms(start - end) })
    }
}
