//! Stream capture: work for a captured stream becomes nodes of a graph instead of being run.

use super::event::{Event, Recorded};
use super::graph::Graph;
use super::task::{Numbered, Task};
use crate::abi::constants::{capture_dependencies, capture_mode, capture_status};
use crate::abi::error::{Error, Result};
use crate::abi::types::Handle;
use crate::state::contexts::context::Context;
use crate::state::contexts::current::current;
use crate::state::contexts::stream::{CaptureSlot, Stream};
use crate::state::device::settings::is_blocking;
use crate::state::device::sync::lock;
use std::cell::Cell;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, Weak};
use std::thread::ThreadId;

/// The calls that a capture forbids (`CUstreamCaptureMode`).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mode {
    /// All calls that are not safe in a capture, from every thread.
    Global,
    /// Unsafe calls from the thread that began it.
    ThreadLocal,
    /// No calls.
    Relaxed,
}

impl TryFrom<i32> for Mode {
    type Error = Error;

    fn try_from(mode: i32) -> Result<Self> {
        match mode {
            capture_mode::GLOBAL => Ok(Mode::Global),
            capture_mode::THREAD_LOCAL => Ok(Mode::ThreadLocal),
            capture_mode::RELAXED => Ok(Mode::Relaxed),
            _ => Err(Error::INVALID_VALUE),
        }
    }
}

impl Mode {
    /// `CUstreamCaptureMode`.
    pub fn code(self) -> i32 {
        match self {
            Mode::Global => capture_mode::GLOBAL,
            Mode::ThreadLocal => capture_mode::THREAD_LOCAL,
            Mode::Relaxed => capture_mode::RELAXED,
        }
    }
}

/// A capture, of one stream and of those that joined it.
pub struct Capture {
    /// Unique in the process.
    pub id: u64,
    mode: Mode,
    thread: ThreadId,
    /// The stream on which it began.
    origin: Weak<Stream>,
    /// The graph into which it captures.
    pub graph: Arc<Graph>,
    invalid: AtomicBool,
    members: Mutex<Vec<Weak<Stream>>>,
}

/// A stream's participation in a capture.
#[derive(Clone)]
pub struct Participation {
    pub capture: Arc<Capture>,
    /// The tails: the nodes that precede the next one.
    pub tails: Vec<usize>,
}

static NEXT_ID: AtomicU64 = AtomicU64::new(1);
/// The active captures.
static ACTIVE: Mutex<Vec<Arc<Capture>>> = Mutex::new(Vec::new());

thread_local! {
    static MODE: Cell<Mode> = const { Cell::new(Mode::Global) };
}

/// Returns the participation in a stream's slot, which never holds anything else.
fn part_of(slot: &mut CaptureSlot) -> Option<&mut Participation> {
    slot.as_mut()?.downcast_mut()
}

impl Capture {
    /// Marks the capture as broken by a call: from now on it can only be ended.
    pub fn invalidate(&self) {
        self.invalid.store(true, Ordering::Release);
    }
    fn check(&self) -> Result {
        if self.invalid.load(Ordering::Acquire) { Err(Error::STREAM_CAPTURE_INVALIDATED) } else { Ok(()) }
    }
    fn end(&self) {
        lock(&ACTIVE).retain(|capture| capture.id != self.id);
        for stream in lock(&self.members).drain(..).filter_map(|stream| stream.upgrade()) {
            *lock(&stream.capture) = None;
        }
    }
}

impl Participation {
    /// Adds a node after the current tails.
    fn add(&mut self, task: Task) -> Result {
        self.capture.check()?;
        let node = self.capture.graph.add(task, &self.tails)?;
        self.tails = vec![node];
        Ok(())
    }
    /// Adds these nodes to the tails.
    fn join(&mut self, nodes: impl IntoIterator<Item = usize>) {
        self.tails.extend(nodes);
        self.tails.sort_unstable();
        self.tails.dedup();
    }
}

/// Handles the destruction of a stream. If a capture began on it, the capture ends; a stream that only joined leaves
/// the capture.
pub fn abandon(stream: &Arc<Stream>) {
    let mut slot = lock(&stream.capture).take();
    if let Some(part) = part_of(&mut slot)
        && part.capture.origin.ptr_eq(&Arc::downgrade(stream))
    {
        part.capture.invalidate();
        part.capture.end();
    }
}

/// Ends all captures, and resets this thread's mode.
#[cfg(test)]
pub fn abandon_all() {
    let all = lock(&ACTIVE).clone();
    for capture in all {
        capture.end();
    }
    MODE.set(Mode::Global);
}

/// Sets which captures forbid calls to this thread. Returns the previous mode.
pub fn exchange_mode(mode: Mode) -> Mode {
    MODE.replace(mode)
}

/// Refuses a call that waits or works outside of all streams, if a capture forbids it. Such a call also breaks the
/// capture.
///
/// # Errors
/// `CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED`.
pub fn forbid() -> Result {
    let mode = MODE.get();
    let me = std::thread::current().id();
    let mut result = Ok(());
    for capture in lock(&ACTIVE).iter() {
        let mine = capture.thread == me;
        let forbids = match mode {
            Mode::Global => capture.mode == Mode::Global || (mine && capture.mode == Mode::ThreadLocal),
            Mode::ThreadLocal => mine && capture.mode != Mode::Relaxed,
            Mode::Relaxed => false,
        };
        if forbids {
            capture.invalidate();
            result = Err(Error::STREAM_CAPTURE_UNSUPPORTED);
        }
    }
    result
}

/// Returns the current context for a call that a stream capture forbids (it would wait, or run outside of the capture).
///
/// # Errors
/// As [`current`]; `CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED` if a capture forbids it, which also breaks the capture.
pub fn current_uncaptured() -> Result<Arc<Context>> {
    let context = current()?;
    forbid()?;
    Ok(context)
}

/// Refuses to wait for a captured stream. The attempt breaks the capture.
///
/// # Errors
/// `CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED`, `CUDA_ERROR_STREAM_CAPTURE_IMPLICIT` for the default stream of a context in
/// which a blocking stream is captured.
pub fn forbid_on(stream: &Arc<Stream>) -> Result {
    if let Some(part) = part_of(&mut lock(&stream.capture)) {
        part.capture.invalidate();
        return Err(Error::STREAM_CAPTURE_UNSUPPORTED);
    }
    forbid_implicit(stream)
}

/// Refuses the default stream while a blocking stream is captured: it would have to wait for that stream, which is
/// impossible.
fn forbid_implicit(stream: &Arc<Stream>) -> Result {
    let Some(context) = stream.context.upgrade().filter(|_| stream.legacy) else {
        return Ok(());
    };
    if lock(&ACTIVE).is_empty() {
        return Ok(());
    }
    for other in context.all_streams() {
        if let Some(part) = part_of(&mut lock(&other.capture))
            && other.is_blocking()
            && part.capture.mode != Mode::Relaxed
        {
            part.capture.invalidate();
            return Err(Error::STREAM_CAPTURE_IMPLICIT);
        }
    }
    Ok(())
}

/// Submits a task to a stream, or to the graph into which the stream is captured.
///
/// # Errors
/// If the capture is broken, if the task would break one, or if another thread ends the process.
pub fn enqueue(stream: &Arc<Stream>, task: Task) -> Result {
    let mut slot = lock(&stream.capture);
    if let Some(part) = part_of(&mut slot) {
        return part.add(task);
    }
    drop(slot);
    forbid_implicit(stream)?;
    task.look_at_order(stream);
    let waits = matches!(task, Task::Kernel(_)) && is_blocking();
    stream.submit(Numbered::new(task, stream.id))?;
    if waits {
        stream.finish();
        stream.context()?.check()?;
    }
    Ok(())
}

/// Returns the capture in which a stream participates, and its tails there.
///
/// # Errors
/// When that capture is broken.
pub fn position(stream: &Arc<Stream>) -> Result<Option<(Arc<Capture>, Vec<usize>)>> {
    match part_of(&mut lock(&stream.capture)) {
        Some(part) => {
            part.capture.check()?;
            Ok(Some((Arc::clone(&part.capture), part.tails.clone())))
        }
        None => Ok(None),
    }
}

/// Returns whether a stream participates in a capture, broken or not.
pub fn is_captured(stream: &Stream) -> bool {
    lock(&stream.capture).is_some()
}

/// Makes a stream wait for an event if one of the two is captured. `false` if neither is.
///
/// # Errors
/// If the two belong to different captures, or only the stream belongs to one.
pub fn wait(stream: &Arc<Stream>, event: &Arc<Event>, external: bool) -> Result<bool> {
    let recorded = event.recorded();
    let mut slot = lock(&stream.capture);
    match (part_of(&mut slot), recorded) {
        (Some(part), _) if external => {
            part.add(Task::WaitEvent(Arc::clone(event)))?;
            Ok(true)
        }
        (Some(part), Recorded::Captured(capture, nodes)) => {
            part.capture.check()?;
            if !Arc::ptr_eq(&part.capture, &capture) {
                part.capture.invalidate();
                capture.invalidate();
                return Err(Error::STREAM_CAPTURE_MERGE);
            }
            part.join(nodes);
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
            *slot = Some(Box::new(Participation { capture, tails: nodes }));
            Ok(true)
        }
        (Some(_), Recorded::Never) => Ok(true),
        (None, _) => Ok(false),
    }
}

/// Begins to capture a stream into a graph, after the nodes `tails`.
///
/// # Errors
/// `CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED` for the default stream, `CUDA_ERROR_ILLEGAL_STATE` for a captured one.
pub fn begin(stream: &Arc<Stream>, mode: Mode, graph: Arc<Graph>, tails: Vec<usize>) -> Result {
    if stream.legacy {
        return Err(Error::STREAM_CAPTURE_UNSUPPORTED);
    }
    let mut slot = lock(&stream.capture);
    if slot.is_some() {
        return Err(Error::ILLEGAL_STATE);
    }
    let capture = Arc::new(Capture {
        id: NEXT_ID.fetch_add(1, Ordering::Relaxed),
        mode,
        thread: std::thread::current().id(),
        origin: Arc::downgrade(stream),
        graph,
        invalid: AtomicBool::new(false),
        members: Mutex::new(vec![Arc::downgrade(stream)]),
    });
    lock(&ACTIVE).push(Arc::clone(&capture));
    *slot = Some(Box::new(Participation { capture, tails }));
    Ok(())
}

/// The result of a capture.
pub struct EndedCapture {
    /// The captured graph.
    pub graph: Arc<Graph>,
    /// `Ok` if the capture was complete; otherwise the reason.
    pub whole: Result,
}

/// Ends the capture that began on a stream.
///
/// # Errors
/// When the stream is not captured, or its capture cannot be ended by this call.
pub fn end(stream: &Arc<Stream>) -> Result<EndedCapture> {
    let part = part_of(&mut lock(&stream.capture)).cloned();
    let part = part.ok_or(Error::ILLEGAL_STATE)?;
    let capture = part.capture;
    if !capture.origin.ptr_eq(&Arc::downgrade(stream)) {
        capture.invalidate();
        return Err(Error::STREAM_CAPTURE_UNMATCHED);
    }
    if capture.mode != Mode::Relaxed && capture.thread != std::thread::current().id() {
        return Err(Error::STREAM_CAPTURE_WRONG_THREAD);
    }
    let valid = capture.check();
    // This stream must have waited for the tails of all streams that joined.
    let members: Vec<_> = lock(&capture.members).iter().filter_map(Weak::upgrade).collect();
    let unjoined = members.iter().filter(|member| !Arc::ptr_eq(member, stream)).any(|member| {
        let tails = part_of(&mut lock(&member.capture)).map(|part| part.tails.clone());
        let tails = tails.unwrap_or_default();
        !capture.graph.all_before(&tails, &part.tails)
    });
    capture.end();
    let joined = if unjoined { Err(Error::STREAM_CAPTURE_UNJOINED) } else { Ok(()) };
    Ok(EndedCapture { graph: Arc::clone(&capture.graph), whole: valid.and(joined) })
}

/// Returns the status of a stream (`CUstreamCaptureStatus`), and its participation if the capture is valid.
///
/// # Errors
/// `CUDA_ERROR_STREAM_CAPTURE_IMPLICIT` for the default stream while a blocking stream is captured.
pub fn status(stream: &Arc<Stream>) -> Result<(i32, Option<Participation>)> {
    forbid_implicit(stream)?;
    Ok(match part_of(&mut lock(&stream.capture)) {
        None => (capture_status::NONE, None),
        Some(part) if part.capture.check().is_ok() => (capture_status::ACTIVE, Some(part.clone())),
        Some(_) => (capture_status::INVALIDATED, None),
    })
}

/// Changes the tails of a captured stream (`CUstreamUpdateCaptureDependencies_flags`).
///
/// # Errors
/// `CUDA_ERROR_ILLEGAL_STATE` for a stream that is not captured, `CUDA_ERROR_INVALID_VALUE` for nodes of other graphs
/// and unknown flags.
pub fn update_dependencies(stream: &Arc<Stream>, nodes: &[Handle], flags: u32) -> Result {
    let mut slot = lock(&stream.capture);
    let part = part_of(&mut slot).ok_or(Error::ILLEGAL_STATE)?;
    part.capture.check()?;
    let nodes = part.capture.graph.indices(nodes)?;
    match flags {
        capture_dependencies::ADD_CAPTURE_DEPENDENCIES => {}
        capture_dependencies::SET_CAPTURE_DEPENDENCIES => part.tails.clear(),
        _ => return Err(Error::INVALID_VALUE),
    }
    part.join(nodes);
    Ok(())
}
