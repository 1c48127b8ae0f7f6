//! Events (`cuEvent*`).

use crate::abi::constants::{event_flags, event_record_flags};
use crate::abi::error::{Error, Result};
use crate::abi::pointers::{need, put};
use crate::abi::types::Handle;
use crate::state::contexts::current::{current, current_any};
use crate::state::contexts::streams;
use crate::state::device::driver::driver;
use crate::state::device::{ordering, output};
use crate::state::graphs::capture;
use crate::state::graphs::event::{self, Event, Recorded, find};
use crate::state::graphs::task::Task;
use std::ffi::c_uint;
use std::sync::Arc;

const FLAGS: u32 = event_flags::BLOCKING_SYNC | event_flags::DISABLE_TIMING | event_flags::INTERPROCESS;

fn create(out: *mut Handle, flags: c_uint) -> Result {
    let context = current()?;
    need(out)?;
    let timed = flags & event_flags::DISABLE_TIMING == 0;
    if flags & !FLAGS != 0 || (flags & event_flags::INTERPROCESS != 0 && timed) {
        return Err(Error::INVALID_VALUE);
    }
    put(out, event::create(&context, flags)?)
}

fn destroy(event: Handle) -> Result {
    driver()?;
    // The event is destroyed even if the call returns the context's error.
    event::forget(event)?.check()
}

fn record(event: Handle, on: Handle) -> Result {
    record_with_flags(event, on, 0)
}

fn record_with_flags(event: Handle, on: Handle, flags: c_uint) -> Result {
    let stream = streams::find(on)?;
    let event = find(event)?;
    if flags & !event_record_flags::EXTERNAL != 0 {
        return Err(Error::INVALID_VALUE);
    }
    if !event.same_context(&stream) {
        return Err(Error::INVALID_HANDLE);
    }
    if let Some((capture, tails)) = capture::position(&stream)? {
        if flags == event_record_flags::EXTERNAL {
            return capture::enqueue(&stream, Task::RecordEvent(event));
        }
        event.set(Recorded::Captured(capture, tails));
        return Ok(());
    }
    let mark = event.mark();
    // No stream may wait for a record that is not in a stream.
    capture::enqueue(&stream, Task::Record(Arc::clone(&mark))).inspect_err(|_| mark.set())
}

fn query(event: Handle) -> Result {
    let event = usable(event)?;
    match event.recorded() {
        Recorded::Mark(mark) if !mark.is_done() => Err(Error::NOT_READY),
        _ => {
            ordering::BY_HOST.all_until_now();
            event.check()
        }
    }
}

/// Returns the event of a handle, for a call in which the host queries it. A capture forbids such calls.
fn usable(handle: Handle) -> Result<Arc<Event>> {
    current_any()?;
    let event = find(handle)?;
    if let Recorded::Captured(capture, _) = event.recorded() {
        capture.invalidate();
        return Err(Error::CAPTURED_EVENT);
    }
    event.context()?.check()?;
    capture::forbid()?;
    Ok(event)
}

fn synchronize(event: Handle) -> Result {
    let event = usable(event)?;
    event.wait();
    ordering::BY_HOST.all_until_now();
    output::flush();
    event.check()
}

fn elapsed(out: *mut f32, start: Handle, end: Handle) -> Result {
    need(out)?;
    let (start, end) = (usable(start)?, usable(end)?);
    put(out, end.since(&start)?)
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
