//! The interface through which the state reports events. The telemetry implements it.

use crate::state::device::issue::Issued;
use crate::state::device::leftover::Leftover;
use gpu::Part;
use recording::BlockRange;
use simt::finding::{self, Limit};
use simt::kernel::{Fault, Geometry};
use simt::machine::{Kernel, Progress, Recorded, Report};
use simt::memory::{AccessError, Allocation, FreeError};
use std::any::Any;
use std::time::Duration;

/// The direction of a copy.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Direction {
    HostToDevice,
    DeviceToHost,
    DeviceToDevice,
    HostToHost,
}

/// The memory at one end of a copy.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CopyEnd {
    Device,
    /// Host memory that the driver must lock page by page.
    Pageable,
    /// Page-locked or registered memory.
    Pinned,
    Managed,
}

/// A launch that has ended.
pub struct Launched<'a> {
    pub kernel: &'a Kernel,
    /// The part that it ran on.
    pub profile: &'a Part,
    pub geometry: Geometry,
    /// The machine's counters and findings.
    pub report: Report,
    /// The seed for the order in which warps and blocks took turns.
    pub seed: u64,
    /// The call that issued it.
    pub issued: Issued,
    /// The duration on the host.
    pub took: Duration,
}

/// A launch of which blocks were recorded.
pub struct RecordedLaunch<'a> {
    /// The file that the client wants.
    pub file: &'a str,
    /// The number of the launch among those that the client counts.
    pub number: u64,
    pub kernel: &'a Kernel,
    pub profile: &'a Part,
    pub geometry: Geometry,
    /// The blocks.
    pub blocks: BlockRange,
    /// The bytes that the steps may take.
    pub limit: u64,
    /// Its parameters.
    pub params: &'a [u8],
    /// What the machine recorded.
    pub recorded: Recorded,
    /// Why the launch was stopped, if it did not run to its end.
    pub fault: Option<Fault>,
    /// The PTX of the module.
    pub ptx: &'a str,
}

/// A launch that exceeds a limit of the part or the kernel.
pub struct RefusedLaunch<'a> {
    /// The kernel's name as in the PTX.
    pub kernel: &'a str,
    pub limit: Limit,
    /// The requested value, and the maximum, in the limit's unit.
    pub asked: u64,
    pub allowed: u64,
    /// A description of what would fit. Without it the report uses its general remedy.
    pub remedy: Option<String>,
}

/// Receives every event worth reporting, immediately, on the thread on which it happens.
pub trait Observer: Sync {
    /// A launch has ended.
    fn launched(&self, launch: Launched<'_>);
    /// A launch has ended of which blocks were recorded.
    fn recorded(&self, launch: RecordedLaunch<'_>);
    /// A launch has run for a long time, and still runs.
    fn slow(&self, kernel: &Kernel, progress: Progress);
    /// A launch was stopped from outside while a warp was at this location.
    fn stopped(&self, kernel: &Kernel, place: &finding::SourcePlace);
    /// The process ends without its handlers being called.
    fn ends(&self);
    /// A launch was refused.
    fn refused(&self, launch: RefusedLaunch<'_>);
    /// Bytes were copied between two places.
    fn copied(&self, direction: Direction, ends: [CopyEnd; 2], bytes: u64);
    /// Bytes were filled.
    fn filled(&self, bytes: u64);
    /// Bytes of managed memory moved to the device or to the host.
    fn migrated(&self, direction: Direction, bytes: u64);
    /// A prefetch was made.
    fn prefetched(&self);
    /// Advice was given.
    fn advised(&self);
    /// A copy or fill leaves its allocation.
    fn bad_access(&self, error: &AccessError);
    /// A copy of `bytes` bytes to the host reads `unset` bytes that nothing has written, the first of them at `first`.
    fn unset(&self, first: u64, unset: u64, bytes: u64);
    /// A launch, a copy or a fill uses stream-ordered memory before its allocation.
    fn early_use(&self, address: u64, allocation: &Allocation, kernel: &str);
    /// An address cannot be freed.
    fn wrong_free(&self, error: &FreeError);
    /// A context ended with memory in it that its owner could have freed.
    fn left_behind(&self, left: &[Leftover]);
    /// A program uses a feature that the machine does not model.
    fn unsupported(&self, what: &str);
    /// A warning: the call proceeds, but may misbehave.
    fn warn(&self, what: &str);
    /// An explanation of a failed call, if its error code does not give the reason.
    fn explain_error(&self, why: &str);
    /// A failure of the driver itself.
    fn internal(&self, place: &str, what: &str);
}

/// Returns the message of a panic.
pub fn panic_text(panic: &(dyn Any + Send)) -> String {
    let text = panic.downcast_ref::<String>().map(String::as_str).or(panic.downcast_ref::<&str>().copied());
    text.unwrap_or("it says nothing").to_owned()
}
