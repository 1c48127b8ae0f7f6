//! The streams by handle, and each thread's own default stream.

use super::attributes::{Attributes, number};
use super::context::Context;
use super::current::current_any;
use super::green::Green;
use super::stream::Stream;
use crate::abi::constants::default_stream::{LEGACY, PER_THREAD};
use crate::abi::constants::launch_attribute::PRIORITY;
use crate::abi::error::{Error, Result};
use crate::abi::types::Handle;
use crate::state::device::driver::driver;
use crate::state::device::handles::HandleTable;
use std::cell::RefCell;
use std::sync::Arc;

static STREAMS: HandleTable<Stream> = HandleTable::new();

thread_local! {
    /// This thread's own default streams, one for each context that it has used.
    static OWN: RefCell<Vec<Arc<Stream>>> = const { RefCell::new(Vec::new()) };
}

fn per_thread(context: &Arc<Context>) -> Arc<Stream> {
    let weak = Arc::downgrade(context);
    let mine = OWN.try_with(|own| {
        let mut own = own.borrow_mut();
        own.retain(|stream| stream.context.strong_count() > 0);
        if let Some(stream) = own.iter().find(|stream| stream.context.ptr_eq(&weak)) {
            return Arc::clone(stream);
        }
        let stream = Stream::new(weak, 0, Attributes::default(), false);
        context.add_stream(&stream);
        own.push(Arc::clone(&stream));
        stream
    });
    // In a destructor of another thread-local object, after this thread's streams were dropped, the default stream of
    // all threads is used: it keeps a stricter order.
    mine.unwrap_or_else(|_| Arc::clone(&context.legacy))
}

/// Returns the stream of a handle, including the special ones, in a context without a sticky error.
///
/// # Errors
/// If the handle is not a stream, or its context was destroyed or has failed.
pub fn find(handle: Handle) -> Result<Arc<Stream>> {
    let stream = find_any(handle)?;
    stream.context()?.check()?;
    Ok(stream)
}

/// Refuses a stream whose green context has ended.
fn unended(stream: Arc<Stream>) -> Result<Arc<Stream>> {
    let is_ended = stream.green.as_ref().is_some_and(|green| green.is_ended());
    if is_ended { Err(Error::CONTEXT_IS_DESTROYED) } else { Ok(stream) }
}

/// Returns the stream of a handle, regardless of the state of its context.
///
/// # Errors
/// When the handle is not a stream.
pub fn find_any(handle: Handle) -> Result<Arc<Stream>> {
    let context = current_any()?;
    match handle {
        0 | LEGACY => Ok(Arc::clone(&context.legacy)),
        PER_THREAD => Ok(per_thread(&context)),
        _ => STREAMS.get(handle).and_then(unended),
    }
}

/// Creates a stream in a context, or in a green one, and returns its handle. A priority outside the range is clamped.
pub fn create(context: &Arc<Context>, flags: u32, priority: i32, green: Option<Arc<Green>>) -> Handle {
    let mut attributes = Attributes::default();
    // A priority is never refused.
    let _ = attributes.set(PRIORITY, number(priority));
    let stream = Stream::of_green(Arc::downgrade(context), flags, attributes, false, green);
    context.add_stream(&stream);
    STREAMS.insert(stream)
}

/// Returns the stream of a handle, if it can be destroyed.
///
/// # Errors
/// `CUDA_ERROR_INVALID_HANDLE` for the default streams, and for handles that are not streams.
pub fn find_created(handle: Handle) -> Result<Arc<Stream>> {
    driver()?;
    if handle <= PER_THREAD {
        return Err(Error::INVALID_HANDLE);
    }
    STREAMS.get(handle)
}

/// Removes a stream from the table.
///
/// # Errors
/// `CUDA_ERROR_INVALID_HANDLE` when it is not in the table.
pub fn forget(handle: Handle) -> Result {
    STREAMS.remove(handle).map(drop)
}

/// Removes all streams of a context that ends.
pub fn forget_all(context: &Arc<Context>) {
    let weak = Arc::downgrade(context);
    STREAMS.retain(|stream| !stream.context.ptr_eq(&weak));
}
