//! Stream capture: what is put into a capturing stream becomes nodes of a graph instead of work.

use crate::abi::{EdgeData, Handle, get, get_all, need, put, put_optional};
use crate::context::current_any;
use crate::driver::{driver, lock};
use crate::error::{Error, Result};
use crate::event::{Event, Recorded};
use crate::graph::{self, Graph};
use crate::queue::Stream;
use crate::stream;
use crate::task::Task;
use std::cell::Cell;
use std::ffi::{c_int, c_uint};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, Weak};
use std::thread::ThreadId;

const GLOBAL: c_int = 0;
const THREAD_LOCAL: c_int = 1;
const RELAXED: c_int = 2;

/// One capture sequence, of one stream and those that joined it.
pub struct Capture {
    id: u64,
    mode: c_int,
    thread: ThreadId,
    origin: Weak<Stream>,
    graph: Arc<Graph>,
    invalid: AtomicBool,
    members: Mutex<Vec<Weak<Stream>>>,
}

/// A stream's part in a capture.
#[derive(Clone)]
pub struct Participation {
    capture: Arc<Capture>,
    /// The nodes that the next one comes after.
    tails: Vec<usize>,
}

static NEXT_ID: AtomicU64 = AtomicU64::new(1);
/// The captures under way.
static ACTIVE: Mutex<Vec<Arc<Capture>>> = Mutex::new(Vec::new());

thread_local! {
    static MODE: Cell<c_int> = const { Cell::new(GLOBAL) };
}

impl Capture {
    /// A call broke it: from now on it can only be ended.
    pub fn invalidate(&self) {
        self.invalid.store(true, Ordering::Release);
    }
    fn check(&self) -> Result {
        if self.invalid.load(Ordering::Acquire) {
            Err(Error::STREAM_CAPTURE_INVALIDATED)
        } else {
            Ok(())
        }
    }
    fn end(&self) {
        lock(&ACTIVE).retain(|capture| capture.id != self.id);
        for stream in lock(&self.members)
            .drain(..)
            .filter_map(|stream| stream.upgrade())
        {
            *lock(&stream.capture) = None;
        }
    }
}

/// A stream goes: a capture that it takes part in goes with it.
pub fn abandon(stream: &Stream) {
    let part = lock(&stream.capture).take();
    if let Some(part) = part {
        part.capture.invalidate();
        part.capture.end();
    }
}

/// Ends all captures, and this thread's wish for a mode.
#[cfg(test)]
pub fn abandon_all() {
    let all = lock(&ACTIVE).clone();
    for capture in all {
        capture.end();
    }
    MODE.set(GLOBAL);
}

/// Refuses a call that waits, or works outside any stream, while a capture forbids it; that breaks the capture.
///
/// # Errors
/// `CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED`.
pub fn forbid() -> Result {
    let mode = MODE.get();
    let me = std::thread::current().id();
    let mut result = Ok(());
    for capture in lock(&ACTIVE).iter() {
        let forbids = match mode {
            GLOBAL => {
                capture.mode == GLOBAL || (capture.thread == me && capture.mode == THREAD_LOCAL)
            }
            THREAD_LOCAL => capture.thread == me && capture.mode != RELAXED,
            _ => false,
        };
        if forbids {
            capture.invalidate();
            result = Err(Error::STREAM_CAPTURE_UNSUPPORTED);
        }
    }
    result
}

/// Refuses to wait for a stream that is captured; that breaks the capture.
///
/// # Errors
/// `CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED`, `CUDA_ERROR_STREAM_CAPTURE_IMPLICIT` for the default stream of a context in which
/// a blocking stream is captured.
pub fn forbid_on(stream: &Arc<Stream>) -> Result {
    if let Some(part) = &*lock(&stream.capture) {
        part.capture.invalidate();
        return Err(Error::STREAM_CAPTURE_UNSUPPORTED);
    }
    forbid_implicit(stream)
}

/// The default stream waits for blocking streams, which a captured one cannot be waited for.
fn forbid_implicit(stream: &Arc<Stream>) -> Result {
    let Some(context) = stream.context.upgrade().filter(|_| stream.legacy) else {
        return Ok(());
    };
    if lock(&ACTIVE).is_empty() {
        return Ok(());
    }
    for other in context.all_streams() {
        if let Some(part) = &*lock(&other.capture)
            && other.is_blocking()
            && part.capture.mode != RELAXED
        {
            part.capture.invalidate();
            return Err(Error::STREAM_CAPTURE_IMPLICIT);
        }
    }
    Ok(())
}

/// Adds the task to the stream's capture, or gives it back if there is none.
///
/// # Errors
/// When the capture is broken, or the task would break one.
pub fn add(stream: &Arc<Stream>, task: Task) -> Result<Option<Task>> {
    let mut capture = lock(&stream.capture);
    let Some(part) = &mut *capture else {
        drop(capture);
        forbid_implicit(stream)?;
        return Ok(Some(task));
    };
    part.capture.check()?;
    let node = part.capture.graph.add(task, &part.tails)?;
    part.tails = vec![node];
    Ok(None)
}

/// The capture that a stream takes part in, and the nodes it has come to.
///
/// # Errors
/// When that capture is broken.
pub fn position(stream: &Arc<Stream>) -> Result<Option<(Arc<Capture>, Vec<usize>)>> {
    match &*lock(&stream.capture) {
        Some(part) => {
            part.capture.check()?;
            Ok(Some((Arc::clone(&part.capture), part.tails.clone())))
        }
        None => Ok(None),
    }
}

/// Makes a stream wait for an event, where one of the two is captured. `false`: neither is.
///
/// # Errors
/// When the two belong to different captures, or only one to any.
pub fn wait(stream: &Arc<Stream>, event: &Arc<Event>, external: bool) -> Result<bool> {
    let recorded = event.recorded();
    let mut part = lock(&stream.capture);
    match (&mut *part, recorded) {
        (Some(part), _) if external => {
            part.capture.check()?;
            let node = part
                .capture
                .graph
                .add(Task::WaitEvent(Arc::clone(event)), &part.tails)?;
            part.tails = vec![node];
            Ok(true)
        }
        (Some(part), Recorded::Captured(capture, nodes)) => {
            part.capture.check()?;
            if !Arc::ptr_eq(&part.capture, &capture) {
                part.capture.invalidate();
                capture.invalidate();
                return Err(Error::STREAM_CAPTURE_MERGE);
            }
            part.tails.extend(nodes);
            part.tails.sort_unstable();
            part.tails.dedup();
            Ok(true)
        }
        (Some(part), Recorded::Mark(_)) => {
            part.capture.invalidate();
            Err(Error::STREAM_CAPTURE_ISOLATION)
        }
        (None, Recorded::Captured(capture, nodes)) => {
            if !lock(&ACTIVE).iter().any(|active| active.id == capture.id) {
                return Err(Error::CAPTURED_EVENT);
            }
            capture.check()?;
            if stream.legacy {
                capture.invalidate();
                return Err(Error::STREAM_CAPTURE_IMPLICIT);
            }
            lock(&capture.members).push(Arc::downgrade(stream));
            *part = Some(Participation {
                capture,
                tails: nodes,
            });
            Ok(true)
        }
        (Some(_), Recorded::Never) => Ok(true),
        (None, _) => Ok(false),
    }
}

fn begin_on(stream: Handle, mode: c_int, graph: Arc<Graph>, tails: Vec<usize>) -> Result {
    let stream = stream::find(stream)?;
    if !(GLOBAL..=RELAXED).contains(&mode) {
        return Err(Error::INVALID_VALUE);
    }
    if stream.legacy {
        return Err(Error::STREAM_CAPTURE_UNSUPPORTED);
    }
    let mut part = lock(&stream.capture);
    if part.is_some() {
        return Err(Error::ILLEGAL_STATE);
    }
    let capture = Arc::new(Capture {
        id: NEXT_ID.fetch_add(1, Ordering::Relaxed),
        mode,
        thread: std::thread::current().id(),
        origin: Arc::downgrade(&stream),
        graph,
        invalid: AtomicBool::new(false),
        members: Mutex::new(vec![Arc::downgrade(&stream)]),
    });
    lock(&ACTIVE).push(Arc::clone(&capture));
    *part = Some(Participation { capture, tails });
    Ok(())
}

fn begin(stream: Handle, mode: c_int) -> Result {
    begin_on(stream, mode, Graph::new(), Vec::new())
}

fn begin_v1(stream: Handle) -> Result {
    begin(stream, GLOBAL)
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
    let stream = stream::find(stream)?;
    need(out)?;
    let part = lock(&stream.capture).clone().ok_or(Error::ILLEGAL_STATE)?;
    let capture = part.capture;
    if !capture.origin.ptr_eq(&Arc::downgrade(&stream)) {
        capture.invalidate();
        return Err(Error::STREAM_CAPTURE_UNMATCHED);
    }
    if capture.mode != RELAXED && capture.thread != std::thread::current().id() {
        return Err(Error::STREAM_CAPTURE_WRONG_THREAD);
    }
    let valid = capture.check();
    // Every node that some joined stream has come to must be one that this stream has waited for.
    let members: Vec<_> = lock(&capture.members)
        .iter()
        .filter_map(Weak::upgrade)
        .collect();
    let unjoined = members
        .iter()
        .filter(|member| !Arc::ptr_eq(member, &stream))
        .any(|member| {
            let tails = lock(&member.capture)
                .as_ref()
                .map(|part| part.tails.clone())
                .unwrap_or_default();
            !capture.graph.all_before(&tails, &part.tails)
        });
    capture.end();
    put(out, 0)?;
    valid?;
    if unjoined {
        return Err(Error::STREAM_CAPTURE_UNJOINED);
    }
    put(out, graph::handle_of(&capture.graph))
}

fn status_of(stream: &Arc<Stream>) -> (c_int, Option<Participation>) {
    match &*lock(&stream.capture) {
        None => (0, None),
        Some(part) if part.capture.check().is_ok() => (1, Some(part.clone())),
        Some(_) => (2, None),
    }
}

fn is_capturing(stream: Handle, out: *mut c_int) -> Result {
    let stream = stream::find(stream)?;
    need(out)?;
    forbid_implicit(&stream)?;
    put(out, status_of(&stream).0)
}

fn info(stream: Handle, status: *mut c_int, id: *mut u64) -> Result {
    info_all(
        stream,
        status,
        id,
        std::ptr::null_mut(),
        std::ptr::null_mut(),
        std::ptr::null_mut(),
    )
}

thread_local! {
    /// What `cuStreamGetCaptureInfo` points its caller to: valid until the next such call, as the driver says.
    static LISTED: std::cell::RefCell<Vec<Handle>> = const { std::cell::RefCell::new(Vec::new()) };
}

fn info_all(
    stream: Handle,
    status: *mut c_int,
    id: *mut u64,
    graph: *mut Handle,
    dependencies: *mut *const Handle,
    count: *mut usize,
) -> Result {
    let stream = stream::find(stream)?;
    need(status)?;
    forbid_implicit(&stream)?;
    let (code, part) = status_of(&stream);
    put(status, code)?;
    let Some(part) = part else { return Ok(()) };
    put_optional(id, part.capture.id);
    put_optional(graph, graph::handle_of(&part.capture.graph));
    let handles = part.capture.graph.handles(&part.tails);
    put_optional(count, handles.len());
    LISTED.with_borrow_mut(|listed| {
        *listed = handles;
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

fn update_dependencies(
    stream: Handle,
    nodes: *const Handle,
    count: usize,
    flags: c_uint,
) -> Result {
    let stream = stream::find(stream)?;
    let nodes = get_all(nodes, count)?;
    let mut part = lock(&stream.capture);
    let part = part.as_mut().ok_or(Error::ILLEGAL_STATE)?;
    part.capture.check()?;
    let nodes = part.capture.graph.indices(&nodes)?;
    match flags {
        0 => part.tails.extend(nodes),
        1 => part.tails = nodes,
        _ => return Err(Error::INVALID_VALUE),
    }
    part.tails.sort_unstable();
    part.tails.dedup();
    Ok(())
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
    let new = get(mode)?;
    if !(GLOBAL..=RELAXED).contains(&new) {
        return Err(Error::INVALID_VALUE);
    }
    put(mode, MODE.replace(new))
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
