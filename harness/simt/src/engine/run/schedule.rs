//! The schedule of a block: its warps take turns until all have exited or none makes progress.

use super::turn::turn;
use super::worker::Worker;
use crate::engine::warp::block::{BARRIERS, Barrier, Block};
use crate::engine::warp::mbarrier::Mbarrier;
use crate::engine::warp::program::Program;
use crate::engine::warp::{State, Status, Turn};
use crate::finding::{Access, AccessKind, Finding, FindingKind};
use crate::kernel::Fault;

/// The maximum number of places of waiting threads that a deadlock finding names.
const MOST_PLACES: usize = 16;

/// How far a block's execution got.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Progress {
    /// All threads have exited.
    Finished,
    /// All warps that can run spin, or have used up their time slice.
    Yielded,
    /// One of its warps has fetched a piece of work: other blocks may fetch theirs.
    Fetched,
    /// None of its warps can run: all wait.
    Stuck,
    /// The launch was stopped.
    Stopped,
}

/// Runs a block until it has finished or nothing in it makes progress.
pub(super) fn run<'l>(block: &mut Block<'l>, worker: &mut Worker<'l>) -> Progress {
    loop {
        let (mut ran, mut advanced) = (false, false);
        for i in 0..block.order.len() {
            let index = block.order[i] as usize;
            // The warp is taken out for its turn: while it uses the block, the block holds only the other warps.
            let Some(mut warp) = block.warps[index].take() else {
                continue;
            };
            match warp.status {
                Status::New => worker.start(block, &mut warp, index),
                Status::Ready => {}
                Status::Blocked | Status::Done => {
                    block.warps[index] = Some(warp);
                    continue;
                }
            }
            ran = true;
            let end = turn(&mut warp, block, &mut worker.notes);
            match end {
                Turn::Done => {
                    warp.status = Status::Done;
                    block.done += 1;
                    worker.finish(block, &mut warp);
                    advanced = true;
                }
                Turn::Blocked => {
                    warp.status = Status::Blocked;
                    advanced = true;
                }
                Turn::Yield | Turn::Fault => worker.finish_sums(),
            }
            block.warps[index] = Some(warp);
            if end == Turn::Fault || (worker.is_due() && worker.over_budget(block, index)) {
                return Progress::Stopped;
            }
        }
        if block.done as usize == block.order.len() {
            return Progress::Finished;
        }
        if !ran {
            worker.finish_sums();
            return Progress::Stuck;
        }
        if std::mem::take(&mut block.fetched) {
            return Progress::Fetched;
        }
        if !advanced {
            return Progress::Yielded;
        }
        if worker.stopped() {
            return Progress::Stopped;
        }
    }
}

/// Returns the places of the block's threads whose state is as `wanted`. Threads at the same place are reported
/// together.
pub(super) fn places(block: &Block<'_>, program: &Program, wanted: impl Fn(State) -> bool) -> Vec<Access> {
    let mut accesses: Vec<Access> = Vec::new();
    for warp in block.warps.iter().flatten() {
        for group in warp.groups.iter().filter(|g| wanted(g.state)) {
            let what = match group.state {
                State::Barrier(_) | State::Phase(_) | State::Cluster => AccessKind::Barrier,
                State::Lanes(_) | State::Warp(_) | State::Whole => AccessKind::SyncWarp,
                State::Ready | State::Deferred => AccessKind::Execute,
            };
            let threads = group.mask.count_ones();
            let mut access = Access::at(what, program.place_of(group.pc));
            access.threads = threads;
            let same = |a: &&mut Access| a.what == what && a.place == access.place;
            if let Some(known) = accesses.iter_mut().find(same) {
                known.threads += threads;
                known.warps += 1;
            } else if accesses.len() < MOST_PLACES {
                accesses.push(warp.located(access, group.mask.trailing_zeros() as usize));
            }
        }
    }
    accesses
}

/// Records a deadlock finding with the places of the threads: all of them wait for something that will not happen.
pub(super) fn deadlock(block: &Block<'_>, worker: &mut Worker<'_>) {
    let mut missing = None;
    let launch = worker.launch();
    let (program, threads) = (launch.program, launch.threads);
    for warp in block.warps.iter().flatten() {
        for group in &warp.groups {
            let exited = warp.started() & !warp.live;
            match group.state {
                State::Lanes(mask) | State::Warp(mask) => {
                    let exited = mask & exited;
                    missing.get_or_insert(FindingKind::MissingLanes { mask, arrived: group.mask, exited });
                }
                State::Whole => {
                    missing.get_or_insert(FindingKind::PartialWarp { arrived: group.mask, exited });
                }
                _ => {}
            }
        }
    }
    let accesses = places(block, program, |_| true);
    let open: Vec<u32> = (0..BARRIERS as u32).filter(|b| block.waiting & (1 << b) != 0).collect();
    let kind = match (missing, open.as_slice()) {
        (Some(kind), _) => kind,
        (None, [barrier, _, ..]) => FindingKind::MismatchedBarrier { barrier: *barrier },
        (None, [barrier]) if block.live < threads => FindingKind::BarrierExited {
            barrier: *barrier,
            waiting: accesses.iter().map(|a| a.threads).sum(),
            exited: threads - block.live,
        },
        _ => FindingKind::Deadlock,
    };
    let mut finding = Finding::new(kind, program.name.clone());
    finding.accesses = accesses;
    finding.notes = waits_at_mbarriers(block, launch.shared_bytes);
    if let FindingKind::BarrierExited { barrier, .. } = finding.kind {
        let Barrier { arrived, expected, .. } = block.barriers[barrier as usize];
        finding.notes.push(format!("barrier {barrier} waits for {expected} threads, of which {arrived} have come"));
    }
    worker.fail(Fault::Deadlock, finding);
}

/// Describes, one sentence each, what the phases of the mbarriers lack at which threads of the block wait.
fn waits_at_mbarriers(block: &Block<'_>, shared_bytes: u32) -> Vec<String> {
    let groups = block.warps.iter().flatten().flat_map(|warp| &warp.groups);
    let mut offsets: Vec<u32> = groups
        .filter_map(|group| match group.state {
            State::Phase(offset) if offset.is_multiple_of(8) && offset + 8 <= shared_bytes => Some(offset),
            _ => None,
        })
        .collect();
    offsets.sort_unstable();
    offsets.dedup();
    let lacks = |offset: u32| {
        // SAFETY: eight bytes of the block's shared memory; nothing changes them meanwhile.
        let word = unsafe { block.shared.ptr().add(offset as usize).cast::<u64>().read() };
        let Mbarrier { pending, bytes, expected, .. } = Mbarrier::from_word(word).ok()?;
        Some(format!(
            "the phase of the mbarrier at offset {offset:#x} of shared memory lacks {pending} of {expected} arrivals and \
             {bytes} bytes"
        ))
    };
    offsets.into_iter().filter_map(lacks).collect()
}
