//! Streams: the API over their queues.

use crate::abi::{Handle, HostFn, need, put};
use crate::context::{Context, current, current_any};
use crate::driver::{driver, lock};
use crate::error::{Error, Result};
use crate::handles::Table;
use crate::queue::Stream;
use crate::task::{Callback, HostCall, Task};
use crate::{capture, event};
use simt::memory::AccessError;
use std::ffi::{c_int, c_uint, c_void};
use std::sync::Arc;

/// The range of priorities: greater is less urgent. Kept and given back; the machine has one class of work.
pub const LEAST_PRIORITY: i32 = 0;
/// The other end.
pub const GREATEST_PRIORITY: i32 = -5;

/// `CU_STREAM_LEGACY` and `CU_STREAM_PER_THREAD`.
const LEGACY: Handle = 1;
const PER_THREAD: Handle = 2;

static STREAMS: Table<Stream> = Table::new();

thread_local! {
    /// This thread's own default streams, by context.
    static OWN: std::cell::RefCell<Vec<Arc<Stream>>> = const { std::cell::RefCell::new(Vec::new()) };
}

fn per_thread(context: &Arc<Context>) -> Arc<Stream> {
    let weak = Arc::downgrade(context);
    OWN.with_borrow_mut(|own| {
        own.retain(|stream| stream.context.strong_count() > 0);
        if let Some(stream) = own.iter().find(|stream| stream.context.ptr_eq(&weak)) {
            return Arc::clone(stream);
        }
        let stream = Stream::new(weak, 0, 0, false);
        lock(&context.streams).push(Arc::downgrade(&stream));
        own.push(Arc::clone(&stream));
        stream
    })
}

/// The stream of a handle, the special ones included, in a context that is fit for use.
///
/// # Errors
/// When it is none, or its context is gone or has failed.
pub fn find(handle: Handle) -> Result<Arc<Stream>> {
    let stream = find_any(handle)?;
    stream
        .context
        .upgrade()
        .ok_or(Error::CONTEXT_IS_DESTROYED)?
        .check()?;
    Ok(stream)
}

fn find_any(handle: Handle) -> Result<Arc<Stream>> {
    let context = current_any()?;
    match handle {
        0 | LEGACY => Ok(Arc::clone(&context.legacy)),
        PER_THREAD => Ok(per_thread(&context)),
        _ => STREAMS.get(handle),
    }
}

/// Puts a task into a stream, or into the graph that the stream is captured into.
///
/// # Errors
/// When a capture forbids it.
pub fn enqueue(stream: &Arc<Stream>, task: Task) -> Result {
    if let Some(task) = capture::add(stream, task)? {
        stream.submit(task);
    }
    Ok(())
}

/// The context's streams are gone with it.
pub fn forget_all(context: &Arc<Context>) {
    let weak = Arc::downgrade(context);
    STREAMS.retain(|stream| !stream.context.ptr_eq(&weak));
}

fn create(out: *mut Handle, flags: c_uint) -> Result {
    create_with_priority(out, flags, 0)
}

fn create_with_priority(out: *mut Handle, flags: c_uint, priority: c_int) -> Result {
    let context = current()?;
    need(out)?;
    if flags & !1 != 0 {
        return Err(Error::INVALID_VALUE);
    }
    let priority = priority.clamp(GREATEST_PRIORITY, LEAST_PRIORITY);
    let stream = Stream::new(Arc::downgrade(&context), flags, priority, false);
    lock(&context.streams).push(Arc::downgrade(&stream));
    put(out, STREAMS.insert(stream))
}

/// Returns at once; what was submitted still runs, on a thread that keeps the stream alive.
fn destroy(handle: Handle) -> Result {
    driver()?;
    if handle <= PER_THREAD {
        return Err(Error::INVALID_HANDLE);
    }
    let stream = STREAMS.get(handle)?;
    capture::abandon(&stream);
    STREAMS.remove(handle)?;
    let context = stream
        .context
        .upgrade()
        .ok_or(Error::CONTEXT_IS_DESTROYED)?;
    context.check()
}

fn synchronize(handle: Handle) -> Result {
    let stream = find(handle)?;
    capture::forbid_on(&stream)?;
    stream.finish();
    stream
        .context
        .upgrade()
        .map_or(Ok(()), |context| context.check())
}

fn query(handle: Handle) -> Result {
    let stream = find(handle)?;
    capture::forbid_on(&stream)?;
    if !stream.is_idle() {
        return Err(Error::NOT_READY);
    }
    stream
        .context
        .upgrade()
        .map_or(Ok(()), |context| context.check())
}

fn wait_event(handle: Handle, event: Handle, flags: c_uint) -> Result {
    let stream = find(handle)?;
    let event = event::find(event)?;
    if flags & !1 != 0 {
        return Err(Error::INVALID_VALUE);
    }
    if capture::wait(&stream, &event, flags == 1)? {
        return Ok(());
    }
    match event.recorded() {
        event::Recorded::Mark(mark) if !mark.is_done() => enqueue(&stream, Task::Wait(mark)),
        _ => Ok(()),
    }
}

fn flags(handle: Handle, out: *mut c_uint) -> Result {
    put(out, find(handle)?.flags)
}

fn priority(handle: Handle, out: *mut c_int) -> Result {
    put(out, find(handle)?.priority)
}

fn id(handle: Handle, out: *mut u64) -> Result {
    put(out, find(handle)?.id)
}

fn context(handle: Handle, out: *mut Handle) -> Result {
    let stream = find_any(handle)?;
    put(
        out,
        stream
            .context
            .upgrade()
            .ok_or(Error::CONTEXT_IS_DESTROYED)?
            .handle,
    )
}

fn context_v2(handle: Handle, out: *mut Handle, green: *mut Handle) -> Result {
    crate::abi::put_optional(green, 0);
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
    if lock(&stream.capture).is_some() {
        return capture::forbid_on(&stream);
    }
    enqueue(
        &stream,
        Task::Callback(Callback {
            function,
            stream: handle,
            data,
        }),
    )
}

fn get_attribute(handle: Handle, attribute: c_int, out: *mut [u8; 64]) -> Result {
    let stream = find(handle)?;
    let mut value = [0; 64];
    match attribute {
        1 => {}
        3 => value[0] = 1,
        8 => value[..4].copy_from_slice(&stream.priority.to_ne_bytes()),
        _ => return Err(Error::INVALID_VALUE),
    }
    put(out, value)
}

fn set_attribute(handle: Handle, attribute: c_int, value: *const [u8; 64]) -> Result {
    find(handle)?;
    need(value)?;
    if matches!(attribute, 1 | 3) {
        Ok(())
    } else {
        Err(Error::INVALID_VALUE)
    }
}

fn copy_attributes(to: Handle, from: Handle) -> Result {
    find(to)?;
    find(from).map(drop)
}

/// Writes a word into memory in a stream's order.
fn write_value<T: Copy + Send + Sync + 'static>(
    handle: Handle,
    address: u64,
    value: T,
    flags: c_uint,
) -> Result {
    let stream = find(handle)?;
    let size = size_of::<T>() as u64;
    if flags & !1 != 0 || !address.is_multiple_of(size) {
        return Err(Error::INVALID_VALUE);
    }
    let reach = move || {
        driver()
            .map_err(|_| None)
            .and_then(|driver| driver.memory.host(address, size).map_err(Some))
    };
    reach().map_err(|_: Option<AccessError>| Error::INVALID_VALUE)?;
    let write = move || {
        if let Ok(host) = reach() {
            // SAFETY: `host` is `size` bytes of a live allocation, aligned as the address is.
            unsafe { host.cast::<T>().write_volatile(value) };
            if let Ok(driver) = driver() {
                driver.memory.wrote(address, size);
            }
            if let Ok(driver) = driver() {
                driver.memory.wrote(address, size);
            }
        }
    };
    enqueue(&stream, Task::Call(Arc::new(write)))
}

/// Makes a stream wait until a word compares as asked (0: at least, cyclic; 1: equal; 2: and; 3: nor).
fn wait_value(handle: Handle, address: u64, value: u64, flags: c_uint, bits: u32) -> Result {
    let stream = find(handle)?;
    let size = u64::from(bits / 8);
    let kind = flags & 3;
    if flags & !(3 | 1 << 30) != 0 || !address.is_multiple_of(size) {
        return Err(Error::INVALID_VALUE);
    }
    driver()?
        .memory
        .host(address, size)
        .map_err(|_| Error::INVALID_VALUE)?;
    let wait = move || {
        while let Some(host) = driver()
            .ok()
            .and_then(|driver| driver.memory.host(address, size).ok())
        {
            // SAFETY: `host` is `size` bytes of a live allocation, aligned as the address is.
            let (now, reached) = unsafe {
                if bits == 32 {
                    let now = host.cast::<u32>().read_volatile();
                    (u64::from(now), now.wrapping_sub(value as u32) as i32 >= 0)
                } else {
                    let now = host.cast::<u64>().read_volatile();
                    (now, now.wrapping_sub(value) as i64 >= 0)
                }
            };
            let mask = if bits == 32 {
                u64::from(u32::MAX)
            } else {
                u64::MAX
            };
            let done = match kind {
                0 => reached,
                1 => now == value & mask,
                2 => now & value != 0,
                _ => !(now | value) & mask != 0,
            };
            if done {
                break;
            }
            std::thread::sleep(std::time::Duration::from_micros(20));
        }
    };
    enqueue(&stream, Task::Call(Arc::new(wait)))
}

fn write_value32(handle: Handle, address: u64, value: u32, flags: c_uint) -> Result {
    write_value(handle, address, value, flags)
}
fn write_value64(handle: Handle, address: u64, value: u64, flags: c_uint) -> Result {
    write_value(handle, address, value, flags)
}
fn wait_value32(handle: Handle, address: u64, value: u32, flags: c_uint) -> Result {
    wait_value(handle, address, u64::from(value), flags, 32)
}
fn wait_value64(handle: Handle, address: u64, value: u64, flags: c_uint) -> Result {
    wait_value(handle, address, value, flags, 64)
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
    cuStreamGetAttribute(stream: Handle, attribute: c_int, out: *mut [u8; 64]) = get_attribute;
    cuStreamSetAttribute(stream: Handle, attribute: c_int, value: *const [u8; 64]) = set_attribute;
    cuStreamCopyAttributes(to: Handle, from: Handle) = copy_attributes;
    cuStreamWriteValue32(stream: Handle, address: u64, value: u32, flags: c_uint) = write_value32;
    cuStreamWriteValue32_v2(stream: Handle, address: u64, value: u32, flags: c_uint) = write_value32;
    cuStreamWriteValue64(stream: Handle, address: u64, value: u64, flags: c_uint) = write_value64;
    cuStreamWriteValue64_v2(stream: Handle, address: u64, value: u64, flags: c_uint) = write_value64;
    cuStreamWaitValue32(stream: Handle, address: u64, value: u32, flags: c_uint) = wait_value32;
    cuStreamWaitValue32_v2(stream: Handle, address: u64, value: u32, flags: c_uint) = wait_value32;
    cuStreamWaitValue64(stream: Handle, address: u64, value: u64, flags: c_uint) = wait_value64;
    cuStreamWaitValue64_v2(stream: Handle, address: u64, value: u64, flags: c_uint) = wait_value64;
}
