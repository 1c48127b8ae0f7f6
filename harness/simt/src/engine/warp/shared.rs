//! What the workers of a launch share.

use super::buffer::Buffer;
use super::printed::{Printed, Text};
use super::program::{Handler, Op, Program};
use super::rng::shuffle;
use super::sums::Turns;
use super::tables::Order;
use crate::checks::bounds::Bounds;
use crate::checks::in_flight::StoresInFlight;
use crate::checks::launch::LaunchRaces;
use crate::engine::costs::recorder::Observed;
use crate::finding::{AccessKind, Finding, Findings, Space};
use crate::kernel::{Fault, Geometry, Param, Progress, Watch};
use crate::memory::{Heap, View};
use crate::texture::Objects;
use gpu::Part;
use std::ops::Range;
use std::sync::atomic::{AtomicBool, AtomicU32, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Instant;

/// A counter that all workers change. It has its own cache line, so that read-only data next to it is not invalidated
/// with it.
#[repr(align(128))]
#[derive(Default)]
pub(crate) struct Count(pub AtomicU64);

/// The cost probes, which run before the memory instructions of a program if the launch's costs are counted.
#[derive(Default)]
pub(crate) struct CostProbes {
    /// The program's instructions; the observed ones have handlers that run the probe first. Empty unless the launch's
    /// costs are counted.
    pub ops: Vec<Op>,
    /// The observed instructions.
    pub ahead: Vec<Ahead>,
    /// For each instruction, its index in `ahead` if it is observed.
    pub of: Vec<u32>,
}

/// An observed memory instruction, and the handlers that execute it.
pub(crate) struct Ahead {
    pub looked: Observed,
    pub full: Handler,
    pub part: Handler,
}

impl CostProbes {
    /// Whether the launch's costs are counted.
    pub fn any(&self) -> bool {
        !self.ops.is_empty()
    }

    /// Returns the probe of an instruction, which must be an observed one.
    #[inline(always)]
    pub fn before(&self, op: &Op) -> &Ahead {
        &self.ahead[self.of[op.site as usize] as usize]
    }
}

/// The bytes of a kernel's parameters, aligned for the widest vector.
pub(crate) struct ParamBytes {
    words: Box<[u128]>,
    len: usize,
}

impl ParamBytes {
    /// Copies the bytes.
    pub fn new(bytes: &[u8]) -> ParamBytes {
        let word = |chunk: &[u8]| {
            let mut word = [0; size_of::<u128>()];
            word[..chunk.len()].copy_from_slice(chunk);
            u128::from_ne_bytes(word)
        };
        ParamBytes { words: bytes.chunks(size_of::<u128>()).map(word).collect(), len: bytes.len() }
    }
}

impl std::ops::Deref for ParamBytes {
    type Target = [u8];
    fn deref(&self) -> &[u8] {
        // SAFETY: the words hold at least `len` bytes.
        unsafe { std::slice::from_raw_parts(self.words.as_ptr().cast(), self.len) }
    }
}

/// Memory that replaces accesses outside of all allocations: it reads as zero, and writes to it are lost.
pub(crate) struct Nowhere {
    /// Never written. Both are large enough for the widest access, and aligned for it.
    zeros: Buffer,
    written: Buffer,
}

// SAFETY: no thread relies on what another one writes there.
unsafe impl Sync for Nowhere {}
// SAFETY: as above.
unsafe impl Send for Nowhere {}

impl Nowhere {
    pub fn new() -> Nowhere {
        const WIDEST: usize = 128;
        Nowhere { zeros: Buffer::new(WIDEST), written: Buffer::new(WIDEST) }
    }

    /// Returns the host memory for one lane's access.
    pub fn pointer(&self, what: AccessKind) -> *mut u8 {
        if what == AccessKind::Read { self.zeros.ptr() } else { self.written.ptr() }
    }
}

/// What the workers of a launch share.
pub(crate) struct Shared<'l> {
    pub program: &'l Arc<Program>,
    pub view: Arc<View>,
    /// Textures and surfaces.
    pub objects: Arc<Objects>,
    pub params: ParamBytes,
    /// The position of each parameter in `params`.
    pub param_list: &'l [Param],
    pub profile: &'l Part,
    pub geometry: Geometry,
    /// Threads per block.
    pub threads: u32,
    pub shared_bytes: u32,
    /// Bytes of local memory per thread, including its stack.
    pub local_bytes: u32,
    /// Bytes of the stack.
    pub stack_bytes: u32,
    /// Where the dynamic part of shared memory begins.
    pub dynamic_start: u32,
    pub counting: bool,
    pub sync_check: bool,
    /// Whether to report those findings of the memory check that are not faults.
    pub memory_check: bool,
    /// The target of accesses outside of all allocations, if they do not stop the kernel.
    pub nowhere: Option<Nowhere>,
    /// The race check, if it is on.
    pub races: Option<LaunchRaces>,
    /// Whether the race check reports stores of one value by several threads.
    pub strict: bool,
    /// Whether the initialisation check is on.
    pub init: bool,
    /// How each instruction orders memory. Empty if both of these checks are off.
    pub orders: Vec<Order>,
    /// Whether blocks make bulk copies, for which fences can be missing. Not set in clusters, where other blocks'
    /// fences would count.
    pub bulk: bool,
    /// For each instruction, the range in which its addresses should lie, if known. Empty unless the memory check and
    /// one of the two others are on.
    pub bounds: Vec<Option<Bounds>>,
    /// For each instruction, the memory range in which its accesses may be usual ones for the checks. Empty in
    /// clusters, and if the race check is off.
    pub rooms: Vec<Range<u64>>,
    /// The cost probes.
    pub looks: CostProbes,
    pub seed: u64,
    pub budget: u64,
    /// The maximum number of resident blocks of a worker.
    pub resident: usize,
    /// Blocks among which a worker shares the work that they fetch.
    pub sharing: usize,
    pub spent: Count,
    pub stop: AtomicBool,
    /// The caller's handle to stop the launch and follow its progress.
    pub watch: Watch<'l>,
    /// How often progress has been reported.
    pub looked: AtomicU32,
    /// The start time, for the clocks.
    pub began: Instant,
    /// The heap of `malloc`.
    pub heap: Option<&'l Heap>,
    /// Address of the workspace of a cooperative grid.
    pub workspace: u64,
    /// The workers' turns at adding the sums that they keep; `None` if sums are not kept.
    pub turns: Option<Turns>,
    /// The blocks of the grid that no worker has taken yet.
    pub blocks: Blocks,
    /// The fault and the printed text.
    pub outcome: Outcome,
    /// The capacity of the buffer for printed text, in bytes.
    pub print_bytes: usize,
}

/// The number of blocks among which a seed changes the order. It is smaller than the number of blocks that any device
/// holds at once, so that a kernel that relies on the order in which devices start blocks still ends.
const WINDOW: u64 = 64;

/// Distributes the blocks of a grid to the workers.
pub(crate) struct Blocks {
    next: Count,
    /// The blocks of finished batches.
    ended: Count,
    count: u64,
    /// The number of blocks that a worker takes together. They are neighbours in the grid, and so is their data: one
    /// processor should not prefetch data that another is about to write.
    batch: u64,
}

impl Blocks {
    /// Creates a grid of `count` blocks, of which a worker takes `batch` together.
    pub fn new(count: u64, batch: u64) -> Blocks {
        Blocks { next: Count::default(), ended: Count::default(), count, batch }
    }
}

/// The outcome of a launch: how it ended, and what its blocks printed.
pub(crate) struct Outcome {
    fault: Mutex<Option<Fault>>,
    printed: Mutex<Printed>,
    /// What failed assertions wrote.
    asserted: Mutex<Vec<u8>>,
}

/// The outcome of a launch that has ended.
pub(crate) struct EndedLaunch {
    /// The first fault.
    pub fault: Option<Fault>,
    /// What the blocks printed.
    pub printed: Printed,
    /// What failed assertions wrote.
    pub asserted: Vec<u8>,
}

impl Outcome {
    /// Creates the outcome of a launch that has not begun, with room for `print_bytes` bytes of printed text.
    pub fn new(print_bytes: usize) -> Outcome {
        let printed = Mutex::new(Printed::new(print_bytes));
        Outcome { fault: Mutex::default(), printed, asserted: Mutex::default() }
    }

    /// Returns the final outcome.
    pub fn end(self) -> EndedLaunch {
        let fault = self.fault.into_inner().unwrap_or_else(PoisonError::into_inner);
        let printed = self.printed.into_inner().unwrap_or_else(PoisonError::into_inner);
        let asserted = self.asserted.into_inner().unwrap_or_else(PoisonError::into_inner);
        EndedLaunch { fault, printed, asserted }
    }
}

impl Shared<'_> {
    /// Returns whether a race between lanes of a warp at this store is reported only if the location is read: it is a
    /// plain store to shared memory of which all reads pass the check.
    pub fn may_be_spare(&self, op: &Op, space: Space) -> bool {
        let order = self.orders[op.site as usize];
        let is_plain = !(order.strong || order.volatile || order.asynchronous || order.bulk);
        let is_seen = self.geometry.cluster.is_none() && !self.bulk && !self.program.products;
        space == Space::Shared && is_plain && is_seen
    }

    /// Returns the stores that other workers may not have made yet; `None` if there is no other worker, or if the race
    /// check is off.
    #[inline(always)]
    pub fn in_flight(&self) -> Option<&StoresInFlight> {
        self.races.as_ref()?.in_flight.as_ref()
    }

    /// Returns the number of the next block, or `None` if all are taken. `batch` holds the blocks that the worker has
    /// taken and not yet begun.
    pub fn take(&self, batch: &mut Range<u64>) -> Option<u64> {
        if batch.is_empty() {
            if batch.end > 0 {
                self.blocks.ended.0.fetch_add(self.blocks.batch, Ordering::Relaxed);
            }
            let first = self.blocks.next.0.fetch_add(self.blocks.batch, Ordering::Relaxed);
            *batch = first..self.blocks.count.min(first + self.blocks.batch);
        }
        let n = batch.next()?;
        if self.seed == 0 {
            return Some(n);
        }
        let first = n / WINDOW * WINDOW;
        let len = WINDOW.min(self.blocks.count - first) as usize;
        let mut order = [0u32; WINDOW as usize];
        shuffle(&mut order[..len], self.seed ^ first);
        Some(first + u64::from(order[(n - first) as usize]))
    }

    /// Whether no block is left to take.
    pub fn taken(&self) -> bool {
        self.blocks.next.0.load(Ordering::Relaxed) >= self.blocks.count
    }

    /// Reports the launch's progress to the caller's watch, if it is due.
    pub fn look(&self) {
        let elapsed = self.began.elapsed();
        let told = self.looked.load(Ordering::Relaxed);
        let is_time = self.watch.patience.checked_mul(told + 1).is_some_and(|next| elapsed >= next);
        // Only one of several workers reports.
        let mine = || self.looked.compare_exchange(told, told + 1, Ordering::Relaxed, Ordering::Relaxed).is_ok();
        if is_time && mine() {
            let blocks = self.blocks.count;
            let [ended, begun] =
                [&self.blocks.ended, &self.blocks.next].map(|n| n.0.load(Ordering::Relaxed).min(blocks));
            (self.watch.slow)(Progress { elapsed, ended, begun, blocks });
        }
    }

    /// Keeps what a block printed.
    pub fn print(&self, block: u64, text: Text) {
        if !text.is_empty() {
            self.outcome.printed.lock().unwrap_or_else(PoisonError::into_inner).add(block, text);
        }
    }

    /// Keeps what a failed assertion wrote.
    #[cold]
    pub fn assertion_failed(&self, text: &[u8]) {
        self.outcome.asserted.lock().unwrap_or_else(PoisonError::into_inner).extend_from_slice(text);
    }

    /// Stops the launch, and adds the finding to the worker's `findings`. The launch reports the first fault.
    #[cold]
    pub fn fail(&self, fault: Fault, mut finding: Finding, findings: &mut Findings) {
        finding.seed = self.seed;
        findings.add(finding);
        let mut first = self.outcome.fault.lock().unwrap_or_else(PoisonError::into_inner);
        first.get_or_insert(fault);
        self.stop.store(true, Ordering::Relaxed);
    }
}

#[cfg(test)]
impl Shared<'static> {
    /// Creates an empty launch, for tests of single instructions.
    pub fn empty() -> &'static Shared<'static> {
        use std::sync::LazyLock;
        static SHARED: LazyLock<Shared<'static>> =
            LazyLock::new(|| Shared::with_geometry(Geometry::new([1; 3], [1; 3])));
        &SHARED
    }

    /// Creates an empty launch with this geometry.
    pub fn with_geometry(geometry: Geometry) -> Shared<'static> {
        use std::sync::LazyLock;
        static PROGRAM: LazyLock<Arc<Program>> = LazyLock::new(Arc::default);
        static NEVER: AtomicBool = AtomicBool::new(false);
        Shared {
            program: &PROGRAM,
            view: crate::memory::Memory::new(1 << 20).view(),
            objects: Arc::default(),
            params: ParamBytes::new(&[]),
            param_list: &[],
            profile: &gpu::PARTS[0],
            geometry,
            threads: 1,
            shared_bytes: 0,
            local_bytes: 0,
            stack_bytes: 0,
            dynamic_start: 0,
            counting: false,
            sync_check: false,
            memory_check: false,
            nowhere: None,
            races: None,
            strict: false,
            init: false,
            orders: Vec::new(),
            bulk: false,
            bounds: Vec::new(),
            rooms: Vec::new(),
            looks: CostProbes::default(),
            seed: 0,
            budget: 0,
            resident: 1,
            sharing: 1,
            spent: Count::default(),
            stop: AtomicBool::new(false),
            watch: Watch {
                cancel: &NEVER,
                patience: std::time::Duration::MAX,
                slow: &|_| {},
                stopped: &|_| {},
                runtime: None,
                record: None,
            },
            looked: AtomicU32::new(0),
            began: Instant::now(),
            heap: None,
            workspace: 0,
            turns: None,
            blocks: Blocks::new(1, 1),
            outcome: Outcome::new(1 << 20),
            print_bytes: 1 << 20,
        }
    }
}
