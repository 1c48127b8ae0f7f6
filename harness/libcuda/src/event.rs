//! Events: a position in a stream, and the host's clock when it was reached.

use crate::abi::{Handle, need, put};
use crate::capture::{self, Capture};
use crate::context::{Context, current, current_any};
use crate::driver::{driver, lock};
use crate::error::{Error, Result};
use crate::handles::Table;
use crate::queue::Stream;
use crate::stream;
use crate::task::Task;
use std::ffi::c_uint;
use std::sync::{Arc, Condvar, Mutex, PoisonError, Weak};
use std::time::Instant;

const DISABLE_TIMING: u32 = 2;
const INTERPROCESS: u32 = 4;

/// One recording of an event.
#[derive(Default)]
pub struct Mark {
    time: Mutex<Option<Instant>>,
    reached: Condvar,
}

impl Mark {
    /// It is reached now.
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
            time = self
                .reached
                .wait(time)
                .unwrap_or_else(PoisonError::into_inner);
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
    /// A position in a stream capture: those nodes are what it waits for.
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

impl Event {
    /// What it stands for now.
    pub fn recorded(&self) -> Recorded {
        lock(&self.recorded).clone()
    }
    /// Records it at this moment.
    pub fn record_now(&self) {
        let mark = Arc::new(Mark::default());
        mark.set();
        *lock(&self.recorded) = Recorded::Mark(mark);
    }
    /// Waits for what it stands for.
    pub fn wait(&self) {
        let recorded = self.recorded();
        if let Recorded::Mark(mark) = recorded {
            mark.wait();
        }
    }
    fn same_context(&self, stream: &Stream) -> bool {
        self.context.ptr_eq(&stream.context)
    }
}

fn create(out: *mut Handle, flags: c_uint) -> Result {
    let context = current()?;
    need(out)?;
    if flags & !7 != 0 || (flags & INTERPROCESS != 0 && flags & DISABLE_TIMING == 0) {
        return Err(Error::INVALID_VALUE);
    }
    let event = Event {
        context: Arc::downgrade(&context),
        flags,
        recorded: Mutex::new(Recorded::Never),
    };
    put(out, EVENTS.insert(Arc::new(event)))
}

fn destroy(event: Handle) -> Result {
    driver()?;
    let event = EVENTS.remove(event)?;
    // The event is gone even if the context's error is what the caller hears of.
    event
        .context
        .upgrade()
        .map_or(Ok(()), |context| context.check())
}

fn record(event: Handle, on: Handle) -> Result {
    record_with_flags(event, on, 0)
}

fn record_with_flags(event: Handle, on: Handle, flags: c_uint) -> Result {
    let stream = stream::find(on)?;
    let event = find(event)?;
    if flags & !1 != 0 {
        return Err(Error::INVALID_VALUE);
    }
    if !event.same_context(&stream) {
        return Err(Error::INVALID_HANDLE);
    }
    if let Some((capture, tails)) = capture::position(&stream)? {
        if flags == 1 {
            return stream::enqueue(&stream, Task::RecordEvent(event));
        }
        *lock(&event.recorded) = Recorded::Captured(capture, tails);
        return Ok(());
    }
    let mark = Arc::new(Mark::default());
    *lock(&event.recorded) = Recorded::Mark(Arc::clone(&mark));
    stream::enqueue(&stream, Task::Record(mark))
}

fn query(event: Handle) -> Result {
    let event = usable(event)?;
    match event.recorded() {
        Recorded::Mark(mark) if !mark.is_done() => Err(Error::NOT_READY),
        _ => event
            .context
            .upgrade()
            .map_or(Ok(()), |context| context.check()),
    }
}

/// The event of a handle for a call that asks the host about it, which a capture forbids.
fn usable(handle: Handle) -> Result<Arc<Event>> {
    current_any()?;
    let event = find(handle)?;
    if let Recorded::Captured(capture, _) = event.recorded() {
        capture.invalidate();
        return Err(Error::CAPTURED_EVENT);
    }
    event
        .context
        .upgrade()
        .ok_or(Error::CONTEXT_IS_DESTROYED)?
        .check()?;
    capture::forbid()?;
    Ok(event)
}

fn synchronize(event: Handle) -> Result {
    let event = usable(event)?;
    event.wait();
    event
        .context
        .upgrade()
        .map_or(Ok(()), |context| context.check())
}

fn elapsed(out: *mut f32, start: Handle, end: Handle) -> Result {
    need(out)?;
    let (start, end) = (usable(start)?, usable(end)?);
    if (start.flags | end.flags) & DISABLE_TIMING != 0 || !start.context.ptr_eq(&end.context) {
        return Err(Error::INVALID_HANDLE);
    }
    let (Recorded::Mark(start), Recorded::Mark(end)) = (start.recorded(), end.recorded()) else {
        return Err(Error::INVALID_HANDLE);
    };
    let (start, end) = (*lock(&start.time), *lock(&end.time));
    let (Some(start), Some(end)) = (start, end) else {
        return Err(Error::NOT_READY);
    };
    let ms = |time: std::time::Duration| (time.as_nanos() as f64 / 1e6) as f32;
    put(
        out,
        if end >= start {
            ms(end - start)
        } else {
            -ms(start - end)
        },
    )
}

entry_points! {
    cuEventCreate(out: *mut Handle, flags: c_uint) = create;
    cuEventDestroy(event: Handle) = destroy;
    cuEventDestroy_v2(event: Handle) = destroy;
    cuEventRecord(event: Handle, stream: Handle) = record;
    cuEventRecord_ptsz(event: Handle, stream: Handle) = record;
    cuEventRecordWithFlags(event: Handle, stream: Handle, flags: c_uint) = record_with_flags;
    cuEventRecordWithFlags_ptsz(event: Handle, stream: Handle, flags: c_uint) = record_with_flags;
    cuEventQuery(event: Handle) = query;
    cuEventSynchronize(event: Handle) = synchronize;
    cuEventElapsedTime(out: *mut f32, start: Handle, end: Handle) = elapsed;
    cuEventElapsedTime_v2(out: *mut f32, start: Handle, end: Handle) = elapsed;
}
