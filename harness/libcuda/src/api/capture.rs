//! Stream capture (`cuStreamBeginCapture` and its companions).

use crate::abi::constants::capture_mode;
use crate::abi::error::Result;
use crate::abi::pointers::{get, get_all, need, put, put_optional};
use crate::abi::types::{EdgeData, Handle};
use crate::state::contexts::current::current_any;
use crate::state::contexts::streams;
use crate::state::device::driver::driver;
use crate::state::graphs::capture::{self, Mode};
use crate::state::graphs::graph::{self, Graph};
use std::cell::RefCell;
use std::ffi::{c_int, c_uint};
use std::mem::ManuallyDrop;
use std::ptr::null_mut;
use std::sync::Arc;

fn begin_on(stream: Handle, mode: c_int, graph: Arc<Graph>, tails: Vec<usize>) -> Result {
    let stream = streams::find(stream)?;
    capture::begin(&stream, Mode::try_from(mode)?, graph, tails)
}

fn begin(stream: Handle, mode: c_int) -> Result {
    begin_on(stream, mode, Graph::new(), Vec::new())
}

fn begin_v1(stream: Handle) -> Result {
    begin(stream, capture_mode::GLOBAL)
}

fn begin_to_graph(
    stream: Handle,
    graph: Handle,
    dependencies: *const Handle,
    _edges: *const EdgeData,
    count: usize,
    mode: c_int,
) -> Result {
    driver()?;
    let graph = graph::find(graph)?;
    let tails = graph.indices(&get_all(dependencies, count)?)?;
    begin_on(stream, mode, graph, tails)
}

fn end(stream: Handle, out: *mut Handle) -> Result {
    let ended = capture::end(&streams::find(stream)?)?;
    // A caller that has captured into a graph already has its handle.
    put_optional(out, 0);
    ended.whole?;
    put_optional(out, graph::handle_of(&ended.graph));
    Ok(())
}

fn is_capturing(stream: Handle, out: *mut c_int) -> Result {
    let stream = streams::find(stream)?;
    need(out)?;
    put(out, capture::status(&stream)?.0)
}

fn info(stream: Handle, status: *mut c_int, id: *mut u64) -> Result {
    info_all(stream, status, id, null_mut(), null_mut(), null_mut())
}

thread_local! {
    /// The list to which the result of `cuStreamGetCaptureInfo` points: valid until the next such call, as the driver
    /// documents. It is never dropped, because destructors of the program's thread-local objects may still make calls.
    static LISTED: RefCell<ManuallyDrop<Vec<Handle>>> = const { RefCell::new(ManuallyDrop::new(Vec::new())) };
}

fn info_all(
    stream: Handle,
    status: *mut c_int,
    id: *mut u64,
    graph: *mut Handle,
    dependencies: *mut *const Handle,
    count: *mut usize,
) -> Result {
    let stream = streams::find(stream)?;
    need(status)?;
    let (code, part) = capture::status(&stream)?;
    put(status, code)?;
    let Some(part) = part else { return Ok(()) };
    put_optional(id, part.capture.id);
    put_optional(graph, graph::handle_of(&part.capture.graph));
    let handles = part.capture.graph.handles(&part.tails);
    put_optional(count, handles.len());
    LISTED.with_borrow_mut(|listed| {
        **listed = handles;
        put_optional(dependencies, listed.as_ptr());
    });
    Ok(())
}

fn info_edges(
    stream: Handle,
    status: *mut c_int,
    id: *mut u64,
    graph: *mut Handle,
    dependencies: *mut *const Handle,
    edges: *mut *const EdgeData,
    count: *mut usize,
) -> Result {
    put_optional(edges, std::ptr::null());
    info_all(stream, status, id, graph, dependencies, count)
}

fn update_dependencies(stream: Handle, nodes: *const Handle, count: usize, flags: c_uint) -> Result {
    let stream = streams::find(stream)?;
    capture::update_dependencies(&stream, &get_all(nodes, count)?, flags)
}

fn update_dependencies_v2(
    stream: Handle,
    nodes: *const Handle,
    _edges: *const EdgeData,
    count: usize,
    flags: c_uint,
) -> Result {
    update_dependencies(stream, nodes, count, flags)
}

fn exchange_mode(mode: *mut c_int) -> Result {
    current_any()?;
    let new = Mode::try_from(get(mode)?)?;
    put(mode, capture::exchange_mode(new).code())
}

entry_points! {
    cuStreamBeginCapture(stream: Handle) = begin_v1;
    cuStreamBeginCapture_v2(stream: Handle, mode: c_int) = begin;
    cuStreamBeginCaptureToGraph(stream: Handle, graph: Handle, dependencies: *const Handle, edges: *const EdgeData,
        count: usize, mode: c_int) = begin_to_graph;
    cuStreamEndCapture(stream: Handle, out: *mut Handle) = end;
    cuStreamIsCapturing(stream: Handle, out: *mut c_int) = is_capturing;
    cuStreamGetCaptureInfo(stream: Handle, status: *mut c_int, id: *mut u64) = info;
    cuStreamGetCaptureInfo_v2(stream: Handle, status: *mut c_int, id: *mut u64, graph: *mut Handle,
        dependencies: *mut *const Handle, count: *mut usize) = info_all;
    cuStreamGetCaptureInfo_v3(stream: Handle, status: *mut c_int, id: *mut u64, graph: *mut Handle,
        dependencies: *mut *const Handle, edges: *mut *const EdgeData, count: *mut usize) = info_edges;
    cuStreamUpdateCaptureDependencies(stream: Handle, nodes: *const Handle, count: usize, flags: c_uint)
        = update_dependencies;
    cuStreamUpdateCaptureDependencies_v2(stream: Handle, nodes: *const Handle, edges: *const EdgeData, count: usize,
        flags: c_uint) = update_dependencies_v2;
    cuThreadExchangeStreamCaptureMode(mode: *mut c_int) = exchange_mode;
}
