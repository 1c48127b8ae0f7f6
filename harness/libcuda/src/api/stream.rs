//! Streams (`cuStream*`), and host functions in their order.

use crate::abi::constants::launch_attribute::PRIORITY;
use crate::abi::constants::{event_wait_flags, stream_flags};
use crate::abi::error::{Error, Result};
use crate::abi::pointers::{get, need, put, put_optional};
use crate::abi::types::{Handle, HostFn};
use crate::state::contexts::attributes::{OF_STREAMS, Value, bytes_of, number_at};
use crate::state::contexts::current::{current, top};
use crate::state::contexts::green;
use crate::state::contexts::streams::{self, find, find_any};
use crate::state::device::sync::lock;
use crate::state::graphs::capture::{self, enqueue};
use crate::state::graphs::event::{self, Recorded};
use crate::state::graphs::task::{Callback, HostCall, Task};
use std::ffi::{c_int, c_uint, c_void};

fn create(out: *mut Handle, flags: c_uint) -> Result {
    create_with_priority(out, flags, 0)
}

fn create_with_priority(out: *mut Handle, flags: c_uint, priority: c_int) -> Result {
    let context = current()?;
    need(out)?;
    if flags & !stream_flags::NON_BLOCKING != 0 {
        return Err(Error::INVALID_VALUE);
    }
    put(out, streams::create(&context, flags, priority, green::of_context(top())))
}

/// Returns immediately; submitted work still runs, on a thread that keeps the stream alive.
fn destroy(handle: Handle) -> Result {
    let stream = streams::find_created(handle)?;
    capture::abandon(&stream);
    streams::forget(handle)?;
    stream.context()?.check()
}

fn synchronize(handle: Handle) -> Result {
    let stream = find(handle)?;
    capture::forbid_on(&stream)?;
    stream.finish();
    stream.check()
}

fn query(handle: Handle) -> Result {
    let stream = find(handle)?;
    capture::forbid_on(&stream)?;
    if !stream.is_idle() {
        return Err(Error::NOT_READY);
    }
    stream.host_has_waited();
    stream.check()
}

fn wait_event(handle: Handle, event: Handle, flags: c_uint) -> Result {
    let stream = find(handle)?;
    let event = event::find(event)?;
    if flags & !event_wait_flags::EXTERNAL != 0 {
        return Err(Error::INVALID_VALUE);
    }
    if capture::wait(&stream, &event, flags == event_wait_flags::EXTERNAL)? {
        return Ok(());
    }
    stream.joined.all_until_now();
    match event.recorded() {
        Recorded::Mark(mark) if !mark.is_done() => enqueue(&stream, Task::Wait(mark)),
        _ => Ok(()),
    }
}

fn flags(handle: Handle, out: *mut c_uint) -> Result {
    put(out, find(handle)?.flags)
}

fn priority(handle: Handle, out: *mut c_int) -> Result {
    put(out, number_at(&lock(&find(handle)?.attributes).get(PRIORITY), 0))
}

fn id(handle: Handle, out: *mut u64) -> Result {
    put(out, find(handle)?.id)
}

fn context(handle: Handle, out: *mut Handle) -> Result {
    put(out, find_any(handle)?.context()?.handle)
}

fn context_v2(handle: Handle, out: *mut Handle, green: *mut Handle) -> Result {
    put_optional(green, find_any(handle)?.green.as_ref().map_or(0, |green| green.handle));
    context(handle, out)
}

fn device(handle: Handle, out: *mut c_int) -> Result {
    find(handle)?;
    put(out, 0)
}

fn host_function(handle: Handle, function: HostFn, data: *mut c_void) -> Result {
    let stream = find(handle)?;
    if function.is_none() {
        return Err(Error::INVALID_VALUE);
    }
    enqueue(&stream, Task::Host(HostCall { function, data }))
}

type CallbackFn = Option<unsafe extern "C" fn(usize, i32, *mut c_void)>;

fn add_callback(handle: Handle, function: CallbackFn, data: *mut c_void, flags: c_uint) -> Result {
    let stream = find(handle)?;
    let (Some(function), 0) = (function, flags) else {
        return Err(Error::INVALID_VALUE);
    };
    if capture::is_captured(&stream) {
        return capture::forbid_on(&stream);
    }
    enqueue(&stream, Task::Callback(Callback { function, stream: handle, data }))
}

fn get_attribute(handle: Handle, attribute: c_int, out: *mut Value) -> Result {
    let stream = find(handle)?;
    if !OF_STREAMS.contains(&attribute) {
        return Err(Error::INVALID_VALUE);
    }
    let value = lock(&stream.attributes).get(attribute);
    put_value(out, attribute, &value)
}

/// Writes the bytes of a value that an attribute uses; the rest of the caller's union is not changed.
pub fn put_value(out: *mut Value, attribute: c_int, value: &Value) -> Result {
    need(out)?;
    // SAFETY: it points to a value, and no attribute uses more bytes than that has.
    unsafe { std::ptr::copy_nonoverlapping(value.as_ptr(), out.cast::<u8>(), bytes_of(attribute)) };
    Ok(())
}

fn set_attribute(handle: Handle, attribute: c_int, value: *const Value) -> Result {
    let stream = find(handle)?;
    let value = get(value)?;
    if !OF_STREAMS.contains(&attribute) {
        return Err(Error::INVALID_VALUE);
    }
    lock(&stream.attributes).set(attribute, value)
}

fn copy_attributes(to: Handle, from: Handle) -> Result {
    let to = find(to)?;
    let set = lock(&find(from)?.attributes).clone();
    lock(&to.attributes).extend(&set);
    Ok(())
}

entry_points! {
    cuStreamCreate(out: *mut Handle, flags: c_uint) = create;
    cuStreamCreateWithPriority(out: *mut Handle, flags: c_uint, priority: c_int) = create_with_priority;
    cuStreamDestroy(stream: Handle) = destroy;
    cuStreamDestroy_v2(stream: Handle) = destroy;
    cuStreamSynchronize(stream: Handle) = synchronize;
    cuStreamSynchronize_ptsz(stream: Handle) = synchronize;
    cuStreamQuery(stream: Handle) = query;
    cuStreamQuery_ptsz(stream: Handle) = query;
    cuStreamWaitEvent(stream: Handle, event: Handle, flags: c_uint) = wait_event;
    cuStreamWaitEvent_ptsz(stream: Handle, event: Handle, flags: c_uint) = wait_event;
    cuStreamGetFlags(stream: Handle, out: *mut c_uint) = flags;
    cuStreamGetPriority(stream: Handle, out: *mut c_int) = priority;
    cuStreamGetId(stream: Handle, out: *mut u64) = id;
    cuStreamGetCtx(stream: Handle, out: *mut Handle) = context;
    cuStreamGetCtx_v2(stream: Handle, out: *mut Handle, green: *mut Handle) = context_v2;
    cuStreamGetDevice(stream: Handle, out: *mut c_int) = device;
    cuLaunchHostFunc(stream: Handle, function: HostFn, data: *mut c_void) = host_function;
    cuLaunchHostFunc_ptsz(stream: Handle, function: HostFn, data: *mut c_void) = host_function;
    cuStreamAddCallback(stream: Handle, function: CallbackFn, data: *mut c_void, flags: c_uint) = add_callback;
    cuStreamGetAttribute(stream: Handle, attribute: c_int, out: *mut Value) = get_attribute;
    cuStreamSetAttribute(stream: Handle, attribute: c_int, value: *const Value) = set_attribute;
    cuStreamCopyAttributes(to: Handle, from: Handle) = copy_attributes;
}
