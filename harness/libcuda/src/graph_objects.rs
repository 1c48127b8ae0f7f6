//! User objects: something of the caller's that lives as long as the graphs that were given it.

use crate::abi::{Handle, HostFn, need, put};
use crate::context;
use crate::driver::{driver, lock};
use crate::error::{Error, Result};
use crate::graph;
use crate::handles::Table;
use std::ffi::{c_uint, c_void};
use std::sync::{Arc, Mutex};

/// One object: what destroys it, and how many hold it.
pub struct Object {
    destroy: unsafe extern "C" fn(*mut c_void),
    data: *mut c_void,
    held: Mutex<u64>,
}
// SAFETY: the C API hands the pointer to whatever thread lets go of it last; that it may is the caller's promise.
unsafe impl Send for Object {}
// SAFETY: as above.
unsafe impl Sync for Object {}

static OBJECTS: Table<Object> = Table::new();

impl Object {
    /// Lets go of it `count` times; the last one destroys it.
    fn release(self: &Arc<Self>, count: u64) -> Result {
        let mut held = lock(&self.held);
        *held = held.checked_sub(count).ok_or(Error::INVALID_VALUE)?;
        let last = *held == 0;
        drop(held);
        if last {
            let _ = OBJECTS.remove(OBJECTS.handle_of(self));
            // SAFETY: the creator promised a good function and argument; nobody holds the object any more.
            context::in_callback(|| unsafe { (self.destroy)(self.data) });
        }
        Ok(())
    }
}

/// A graph's hold on an object.
pub struct Hold(Arc<Object>);

impl Clone for Hold {
    fn clone(&self) -> Self {
        *lock(&self.0.held) += 1;
        Hold(Arc::clone(&self.0))
    }
}

impl Drop for Hold {
    fn drop(&mut self) {
        // A hold is one of those counted.
        let _ = self.0.release(1);
    }
}

fn create(
    out: *mut Handle,
    data: *mut c_void,
    destroy: HostFn,
    count: c_uint,
    flags: c_uint,
) -> Result {
    driver()?;
    need(out)?;
    let destroy = destroy.ok_or(Error::INVALID_VALUE)?;
    // That destructors are not waited for is the one way there is, and must be said.
    if count == 0 || count > i32::MAX as u32 || flags != 1 {
        return Err(Error::INVALID_VALUE);
    }
    put(
        out,
        OBJECTS.insert(Arc::new(Object {
            destroy,
            data,
            held: Mutex::new(u64::from(count)),
        })),
    )
}

fn find(object: Handle, count: c_uint) -> Result<Arc<Object>> {
    driver()?;
    if count == 0 || count > i32::MAX as u32 {
        return Err(Error::INVALID_VALUE);
    }
    OBJECTS.get(object).map_err(|_| Error::INVALID_VALUE)
}

fn retain(object: Handle, count: c_uint) -> Result {
    *lock(&find(object, count)?.held) += u64::from(count);
    Ok(())
}

fn release(object: Handle, count: c_uint) -> Result {
    find(object, count)?.release(u64::from(count))
}

const MOVE: c_uint = 1;
/// More holds of one graph on one object than this are a number gone wrong.
const MOST: c_uint = 1 << 16;

fn graph_retain(graph: Handle, object: Handle, count: c_uint, flags: c_uint) -> Result {
    let (graph, object) = (graph::find(graph)?, find(object, count)?);
    if flags & !MOVE != 0 || count > MOST {
        return Err(Error::INVALID_VALUE);
    }
    if flags & MOVE == 0 {
        *lock(&object.held) += u64::from(count);
    } else if *lock(&object.held) < u64::from(count) {
        return Err(Error::INVALID_VALUE);
    }
    lock(&graph.objects).extend((0..count).map(|_| Hold(Arc::clone(&object))));
    Ok(())
}

fn graph_release(graph: Handle, object: Handle, count: c_uint) -> Result {
    let (graph, object) = (graph::find(graph)?, find(object, count)?);
    let mut holds = lock(&graph.objects);
    let of_it = |hold: &Hold| Arc::ptr_eq(&hold.0, &object);
    if holds.iter().filter(|hold| of_it(hold)).count() < count as usize {
        return Err(Error::INVALID_VALUE);
    }
    let mut gone = Vec::new();
    for _ in 0..count {
        if let Some(at) = holds.iter().position(of_it) {
            gone.push(holds.swap_remove(at));
        }
    }
    drop(holds);
    drop(gone);
    Ok(())
}

entry_points! {
    cuUserObjectCreate(out: *mut Handle, data: *mut c_void, destroy: HostFn, count: c_uint, flags: c_uint) = create;
    cuUserObjectRetain(object: Handle, count: c_uint) = retain;
    cuUserObjectRelease(object: Handle, count: c_uint) = release;
    cuGraphRetainUserObject(graph: Handle, object: Handle, count: c_uint, flags: c_uint) = graph_retain;
    cuGraphReleaseUserObject(graph: Handle, object: Handle, count: c_uint) = graph_release;
}
