//! What the workers of a launch share.

use super::buffer::Buffer;
use super::dice::shuffle;
use super::printed::{Printed, Text};
use super::program::{Handler, Op, Program};
use super::seen::Looked;
use super::sums::Turns;
use super::tables::Order;
use crate::checks::bounds::Bounds;
use crate::checks::launch::LaunchRaces;
use crate::finding::{Finding, Findings, What};
use crate::kernel::{Fault, Geometry, Param, Progress, Watch};
use crate::memory::{Heap, View};
use crate::profile::Profile;
use crate::texture::Objects;
use std::ops::Range;
use std::sync::atomic::{AtomicBool, AtomicU32, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Instant;

/// A count that all workers change. It has a cache line of its own, so that data which they only read does not travel
/// with it.
#[repr(align(128))]
#[derive(Default)]
pub(crate) struct Count(pub AtomicU64);

/// What is looked at before the instructions of a program, if the launch's costs are counted.
#[derive(Default)]
pub(crate) struct Looks {
    /// The program's instructions, of which those that are looked at have handlers that look first. Empty unless the
    /// launch's costs are counted.
    pub ops: Vec<Op>,
    /// Those that are looked at.
    pub ahead: Vec<Ahead>,
    /// For each instruction that is looked at, its place among these.
    pub of: Vec<u32>,
}

/// A memory instruction that is looked at, and the handlers that execute it.
pub(crate) struct Ahead {
    pub looked: Looked,
    pub full: Handler,
    pub part: Handler,
}

impl Looks {
    /// Whether the launch's costs are counted.
    pub fn any(&self) -> bool {
        !self.ops.is_empty()
    }

    /// What is looked at before an instruction, which is one of those.
    #[inline(always)]
    pub fn before(&self, op: &Op) -> &Ahead {
        &self.ahead[self.of[op.site as usize] as usize]
    }
}

/// Memory that stands for what lies outside of all allocations: it reads as zero, and what is written there is lost.
pub(crate) struct Nowhere {
    /// Large enough for the widest access, and written by no one.
    zeros: [u64; 16],
    written: Buffer,
}

// SAFETY: no thread relies on what another one writes there.
unsafe impl Sync for Nowhere {}
// SAFETY: as above.
unsafe impl Send for Nowhere {}

impl Nowhere {
    pub fn new() -> Nowhere {
        Nowhere { zeros: [0; 16], written: Buffer::new(size_of::<[u64; 16]>()) }
    }

    /// Where one lane's access leads.
    pub fn pointer(&self, what: What) -> *mut u8 {
        if what == What::Read { self.zeros.as_ptr().cast::<u8>().cast_mut() } else { self.written.ptr() }
    }
}

/// What the workers of a launch share.
pub(crate) struct Shared<'l> {
    pub program: &'l Arc<Program>,
    pub view: Arc<View>,
    /// The textures and surfaces.
    pub objects: Arc<Objects>,
    pub params: Vec<u8>,
    /// Where each parameter lies in them.
    pub param_list: &'l [Param],
    pub profile: &'l Profile,
    pub geometry: Geometry,
    /// Threads of a block.
    pub threads: u32,
    pub shared_bytes: u32,
    /// Bytes of local memory of each thread, with its stack.
    pub local_bytes: u32,
    /// Bytes of the stack.
    pub stack_bytes: u32,
    /// Where the dynamic part of shared memory begins.
    pub dynamic_start: u32,
    pub counting: bool,
    pub sync_check: bool,
    /// Whether findings of the memory check that are not faults are reported.
    pub memory_check: bool,
    /// Where accesses outside of all allocations lead, if they do not stop the kernel.
    pub nowhere: Option<Nowhere>,
    /// The race check, if it is on.
    pub races: Option<LaunchRaces>,
    /// Whether the initialisation check is on.
    pub init: bool,
    /// How each instruction orders memory. Empty if both of these checks are off.
    pub orders: Vec<Order>,
    /// Whether blocks copy in bulk, and may miss fences before that. In clusters, other blocks' fences would count.
    pub bulk: bool,
    /// For each instruction, where its addresses may lie, if that is known. Empty unless the memory check and one of
    /// the two others are on.
    pub bounds: Vec<Option<Bounds>>,
    /// For each instruction, the memory in which its accesses may be usual ones for the checks. Empty in clusters, and
    /// if the race check is off.
    pub rooms: Vec<Range<u64>>,
    /// What is looked at before the instructions.
    pub looks: Looks,
    pub seed: u64,
    pub budget: u64,
    /// Blocks that a worker may have resident.
    pub resident: usize,
    /// Blocks among which a worker shares the work that they fetch.
    pub sharing: usize,
    pub spent: Count,
    pub stop: AtomicBool,
    /// Whoever launched it stops it by this, and hears how far it is.
    pub watch: Watch<'l>,
    /// How often they have heard that.
    pub looked: AtomicU32,
    /// When it began, for the clocks.
    pub began: Instant,
    /// What `malloc` allocates from.
    pub heap: Option<&'l Heap>,
    /// Address of the workspace of a cooperative grid.
    pub workspace: u64,
    /// The workers' turns at adding the sums that they keep; none if sums are not kept.
    pub turns: Option<Turns>,
    /// The blocks of the grid that no worker has taken.
    pub blocks: Blocks,
    /// The fault and the printed text.
    pub outcome: Outcome,
    /// Bytes of printed text for which there is room.
    pub print_bytes: usize,
}

/// The number of blocks among which a seed changes the order. It is smaller than the number of blocks that any device
/// holds at once, so that a kernel which relies on the order in which devices start blocks still ends.
const WINDOW: u64 = 64;

/// The blocks of a grid, as workers take them.
pub(crate) struct Blocks {
    next: Count,
    /// Those of the batches that are done.
    ended: Count,
    count: u64,
    /// The number of blocks that a worker takes at once. They are neighbours in the grid, and so is their data: what
    /// one processor prefetches should not be data that another is about to write.
    batch: u64,
}

impl Blocks {
    /// A grid of `count` blocks, of which a worker takes `batch` at once.
    pub fn new(count: u64, batch: u64) -> Blocks {
        Blocks { next: Count::default(), ended: Count::default(), count, batch }
    }
}

/// How a launch ended, and what its blocks printed.
pub(crate) struct Outcome {
    fault: Mutex<Option<Fault>>,
    printed: Mutex<Printed>,
    /// What failed assertions wrote.
    asserted: Mutex<Vec<u8>>,
}

/// How a launch ended, when it has.
pub(crate) struct Ended {
    /// The first fault.
    pub fault: Option<Fault>,
    /// What the blocks printed.
    pub printed: Printed,
    /// What failed assertions wrote.
    pub asserted: Vec<u8>,
}

impl Outcome {
    /// That of a launch which has not begun, with room for so many bytes of printed text.
    pub fn new(print_bytes: usize) -> Outcome {
        let printed = Mutex::new(Printed::new(print_bytes));
        Outcome { fault: Mutex::default(), printed, asserted: Mutex::default() }
    }

    /// How the launch ended.
    pub fn end(self) -> Ended {
        let fault = self.fault.into_inner().unwrap_or_else(PoisonError::into_inner);
        let printed = self.printed.into_inner().unwrap_or_else(PoisonError::into_inner);
        let asserted = self.asserted.into_inner().unwrap_or_else(PoisonError::into_inner);
        Ended { fault, printed, asserted }
    }
}

impl Shared<'_> {
    /// The number of the next block, or `None` if all are taken. `batch` holds the blocks that the worker has taken and
    /// not yet begun.
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

    /// Tells whoever watches how far the launch is, if it is time to.
    pub fn look(&self) {
        let elapsed = self.began.elapsed();
        let told = self.looked.load(Ordering::Relaxed);
        let is_time = self.watch.patience.checked_mul(told + 1).is_some_and(|next| elapsed >= next);
        // Of several workers one tells.
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
    /// A launch of nothing, for tests of single instructions.
    pub fn empty() -> &'static Shared<'static> {
        use std::sync::LazyLock;
        static SHARED: LazyLock<Shared<'static>> =
            LazyLock::new(|| Shared::with_geometry(Geometry::new([1; 3], [1; 3])));
        &SHARED
    }

    /// A launch of nothing in this geometry.
    pub fn with_geometry(geometry: Geometry) -> Shared<'static> {
        use std::sync::LazyLock;
        static PROGRAM: LazyLock<Arc<Program>> = LazyLock::new(Arc::default);
        static NEVER: AtomicBool = AtomicBool::new(false);
        Shared {
            program: &PROGRAM,
            view: crate::memory::Memory::new(1 << 20).view(),
            objects: Arc::default(),
            params: Vec::new(),
            param_list: &[],
            profile: &crate::profile::PROFILES[0],
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
            init: false,
            orders: Vec::new(),
            bulk: false,
            bounds: Vec::new(),
            rooms: Vec::new(),
            looks: Looks::default(),
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
