//! Copies and fills as the calls make them: immediately, or in the order of a stream.

use super::capture::{current_uncaptured, enqueue, forbid_on, position};
use super::task::Task;
use crate::abi::error::Result;
use crate::state::contexts::stream::Stream;
use crate::state::memory::copy::MemoryCopy;
use crate::state::memory::fill::Fill;
use std::sync::Arc;

/// Makes a copy in the default stream and waits for it.
///
/// # Errors
/// When an end is invalid, a capture forbids the copy, or an earlier kernel has failed.
pub fn copy_now(mut copy: MemoryCopy) -> Result {
    let context = current_uncaptured()?;
    forbid_on(&context.legacy)?;
    copy.check()?;
    copy.waited = true;
    enqueue(&context.legacy, Task::Copy(copy))?;
    context.legacy.finish();
    context.check()
}

/// Submits a copy to a stream. A pageable source is read before the call returns; for a pageable target the call waits.
///
/// # Errors
/// If an end is invalid, or a kernel of the context has failed by the time a pageable target is written.
pub fn copy_in(stream: &Arc<Stream>, mut copy: MemoryCopy) -> Result {
    copy.check()?;
    if position(stream)?.is_some() {
        return enqueue(stream, Task::Copy(copy));
    }
    let waits = copy.is_to_pageable();
    // An idle stream copies immediately, unless another thread submits work first; therefore the call waits below.
    let direct = copy.is_from_pageable() && stream.is_idle();
    if copy.is_from_pageable() && !direct {
        copy.stage()?;
    }
    enqueue(stream, Task::Copy(copy))?;
    if waits || direct {
        stream.finish();
    }
    if waits { stream.check() } else { Ok(()) }
}

/// Submits copies that were checked to a stream. The call never waits: a pageable source is read when the stream
/// reaches it, unless its lifetime ends with the call.
///
/// # Errors
/// When a capture is broken.
pub fn copy_batch(stream: &Arc<Stream>, copies: Vec<MemoryCopy>) -> Result {
    let captured = position(stream)?.is_some();
    for mut copy in copies {
        if copy.source_ends_with_call && !captured && !copy.is_from_device() {
            copy.stage()?;
        }
        enqueue(stream, Task::Copy(copy))?;
    }
    Ok(())
}

/// Makes a fill in the default stream and waits for it.
///
/// # Errors
/// As [`copy_now`].
pub fn fill_now(fill: Fill) -> Result {
    let context = current_uncaptured()?;
    forbid_on(&context.legacy)?;
    fill.check()?;
    enqueue(&context.legacy, Task::Fill(fill))?;
    context.legacy.finish();
    context.check()
}

/// Submits a fill to a stream.
///
/// # Errors
/// When the target is invalid, or a capture forbids the fill.
pub fn fill_in(stream: &Arc<Stream>, fill: Fill) -> Result {
    fill.check()?;
    enqueue(stream, Task::Fill(fill))
}
