//! User objects (`cuUserObject*`), and graphs that hold them.

use crate::abi::constants::{retain_flags, user_object_flags};
use crate::abi::error::{Error, Result};
use crate::abi::pointers::{need, put};
use crate::abi::types::{Handle, HostFn};
use crate::state::device::driver::driver;
use crate::state::graphs::graph;
use crate::state::graphs::user_object::{self, UserObject};
use std::ffi::{c_uint, c_void};
use std::sync::Arc;

/// The maximum number of references of one graph to one object. A larger number is a mistake of the caller.
const MOST_HOLDS: c_uint = 1 << 16;

/// Refuses numbers of references that `cuUserObject*` does not accept.
fn check_count(count: c_uint) -> Result {
    if count == 0 || count > i32::MAX as u32 { Err(Error::INVALID_VALUE) } else { Ok(()) }
}

fn create(out: *mut Handle, data: *mut c_void, destroy: HostFn, count: c_uint, flags: c_uint) -> Result {
    driver()?;
    need(out)?;
    let destroy = destroy.ok_or(Error::INVALID_VALUE)?;
    check_count(count)?;
    // There is no way to wait for destructors; the caller must confirm that it knows this.
    if flags != user_object_flags::NO_DESTRUCTOR_SYNC {
        return Err(Error::INVALID_VALUE);
    }
    put(out, user_object::create(destroy, data, count))
}

fn find(object: Handle, count: c_uint) -> Result<Arc<UserObject>> {
    driver()?;
    check_count(count)?;
    user_object::find(object)
}

fn retain(object: Handle, count: c_uint) -> Result {
    find(object, count)?.retain(u64::from(count));
    Ok(())
}

fn release(object: Handle, count: c_uint) -> Result {
    find(object, count)?.release(u64::from(count))
}

fn graph_retain(graph: Handle, object: Handle, count: c_uint, flags: c_uint) -> Result {
    let (graph, object) = (graph::find(graph)?, find(object, count)?);
    if flags & !retain_flags::MOVE != 0 || count > MOST_HOLDS {
        return Err(Error::INVALID_VALUE);
    }
    let moved = flags & retain_flags::MOVE != 0;
    user_object::give(&graph.objects, &object, count, moved)
}

fn graph_release(graph: Handle, object: Handle, count: c_uint) -> Result {
    let (graph, object) = (graph::find(graph)?, find(object, count)?);
    user_object::take(&graph.objects, &object, count)
}

entry_points! {
    cuUserObjectCreate(out: *mut Handle, data: *mut c_void, destroy: HostFn, count: c_uint, flags: c_uint) = create;
    cuUserObjectRetain(object: Handle, count: c_uint) = retain;
    cuUserObjectRelease(object: Handle, count: c_uint) = release;
    cuGraphRetainUserObject(graph: Handle, object: Handle, count: c_uint, flags: c_uint) = graph_retain;
    cuGraphReleaseUserObject(graph: Handle, object: Handle, count: c_uint) = graph_release;
}
