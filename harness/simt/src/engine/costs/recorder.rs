//! The cost recorder, for launches whose costs are counted: it records the addresses of memory instructions and the
//! chains of warps.

use super::chains::{Paused, Steps, UnderWay};
use super::footprint::Touch;
use super::l1_request::L1Request;
use super::scattered::Packed;
use super::serial::Chains;
use super::tables::{Adds, CostTables, Effort};
use crate::checks::Addresses;
use crate::costs::{Chain, Costs, Pipes};
use crate::engine::traffic::counts::{BlockCount, Site};
use crate::engine::traffic::request::{Request, space_of};
use crate::finding::{AccessKind, Space};
use crate::memory::{View, fetch_ahead};

/// A memory instruction that the recorder observes.
#[derive(Clone, Copy)]
pub(crate) struct Observed {
    /// Its request.
    pub request: Request,
    /// What it adds, if it is an atomic.
    pub adds: Adds,
    /// Its number among the observed instructions.
    pub index: u32,
}

/// Returns the block that has executed more; of two with the same total, the choice is deterministic.
fn busier(one: Pipes, other: Pipes) -> Pipes {
    std::cmp::max_by_key(one, other, |pipes| (pipes.total() + pipes.warpgroup, *pipes))
}

/// Records that `block` reads or writes the remembered request, which begins at `first`. `again`: the request repeats
/// an earlier one, and may be repeated.
#[inline(always)]
fn note(touch: &mut Touch, block: u64, (look_up, first): (&mut L1Request, u64), is_read: bool, again: bool) {
    if again && let Some((line, whole)) = look_up.whole(first) {
        touch.whole(block, line, whole.sectors, is_read);
        touch.passes(whole.passes);
        return;
    }
    let lines = touch.pieces(block, look_up.pieces(first), is_read);
    touch.passes(look_up.passes(lines));
}

/// What a worker has recorded.
pub(crate) struct CostRecorder {
    /// The last request of each observed instruction, by its number.
    look_ups: Vec<L1Request>,
    touch: Touch,
    chains: Chains,
    /// How often each basic block was executed by the warps that the others waited for: their chains are the chains of
    /// their blocks.
    waited_for: Vec<u64>,
    /// The cycles of the longest chain of any block.
    longest: u64,
    /// The instructions of the block that executed the most.
    busiest: Pipes,
    /// The cycles of the chain of each basic block.
    cycles: Vec<u64>,
    /// Cache of the latest distinct warps: their executions of each basic block, and their effort. Most warps do the
    /// same as an earlier one.
    last: [(Vec<u64>, WarpEffort); LAST],
    /// The oldest of these entries. `found` is the one found last, `efforts` the number of entries ever made.
    oldest: usize,
    found: usize,
    efforts: u64,
}

/// The number of remembered warps: the first of a block, the last, and those at its edge.
const LAST: usize = 4;

/// What a warp has executed from its start to its end.
#[derive(Clone, Copy, Default)]
struct WarpEffort {
    /// The number of this effort, from 1.
    number: u64,
    cycles: u64,
    pipes: Pipes,
}

impl CostRecorder {
    /// Creates an empty recorder. `retries`: the kernel has loops that retry until no other thread was faster;
    /// `looked`: the number of observed instructions; `efforts`: the costs of the kernel's basic blocks.
    pub fn new(retries: bool, looked: usize, efforts: &[Effort]) -> CostRecorder {
        CostRecorder {
            look_ups: std::iter::repeat_with(L1Request::default).take(looked).collect(),
            touch: Touch::new(),
            chains: Chains::new(retries),
            waited_for: vec![0; efforts.len()],
            longest: 0,
            busiest: Pipes::default(),
            cycles: efforts.iter().map(|effort| effort.chain.cycles()).collect(),
            last: Default::default(),
            oldest: 0,
            found: 0,
            efforts: 0,
        }
    }

    /// Returns the chains of the basic blocks.
    pub fn steps(&mut self) -> Steps<'_> {
        Steps { cycles: &self.cycles, waited_for: &mut self.waited_for }
    }

    /// Records that a warp of a block has ended with `executed` executions of the basic blocks.
    pub fn warp_ended(
        &mut self,
        block: &mut UnderWay,
        paused: &mut Paused,
        tables: &CostTables,
        executed: &[BlockCount],
    ) {
        let executions = || executed.iter().map(|count| count.executions);
        if !executions().eq(self.last[self.found].0.iter().copied()) {
            let at = self.last.iter().position(|(last, _)| executions().eq(last.iter().copied()));
            self.found = at.unwrap_or_else(|| self.learn(&tables.efforts, executions()));
        }
        let (times, effort) = &self.last[self.found];
        block.executed(&effort.pipes, effort.number);
        if paused.barriers == 0 {
            block.part(0, effort.cycles, (0, times.iter().copied()), &mut self.waited_for);
        } else {
            paused.ends(block, self.steps(), executed, tables.last);
        }
    }

    /// Remembers the effort of a warp with these executions of the basic blocks. Returns its index.
    fn learn(&mut self, efforts: &[Effort], executions: impl Iterator<Item = u64>) -> usize {
        let at = self.oldest;
        self.oldest = (at + 1) % LAST;
        self.efforts += 1;
        let (last, effort) = &mut self.last[at];
        last.clear();
        last.extend(executions);
        *effort = WarpEffort { number: self.efforts, ..WarpEffort::default() };
        for ((one, cycles), &times) in efforts.iter().zip(&self.cycles).zip(&*last) {
            effort.cycles += cycles * times;
            effort.pipes.add(&one.pipes, times);
        }
        at
    }

    /// Records that a block has ended.
    pub fn block_ended(&mut self, block: &mut UnderWay) {
        self.longest = self.longest.max(block.end(&mut self.waited_for));
        self.busiest = busier(self.busiest, block.pipes());
    }

    /// Combines what several workers have recorded of a program in this memory, without the instructions. `efforts`:
    /// the costs of its basic blocks.
    pub fn joined<'s>(all: impl Iterator<Item = &'s CostRecorder>, efforts: &[Effort], memory: &View) -> Costs {
        let (mut sum, mut chain) = (CostRecorder::new(false, 0, &[]), Chain::default());
        for seen in all {
            sum.touch.join(&seen.touch);
            sum.chains.join(&seen.chains);
            for (effort, times) in efforts.iter().zip(&seen.waited_for) {
                chain.add(&effort.chain, *times);
            }
            sum.longest = sum.longest.max(seen.longest);
            sum.busiest = busier(sum.busiest, seen.busiest);
        }
        let serial = sum.chains.serial(|address| memory.find(address).map_or(0, |range| range.start));
        Costs {
            chain,
            longest_chain: sum.longest,
            busiest: sum.busiest,
            footprint: sum.touch.footprint(),
            serial,
            ..Costs::default()
        }
    }

    /// Records that a block reads or writes the sector with this number through the L1 cache.
    pub fn sector(&mut self, block: u64, sector: u64, is_read: bool) {
        self.touch.line(block, sector >> 2, 1 << (sector & 3), is_read);
    }

    /// Records that a bulk copy reads or writes `bytes` bytes of global memory.
    pub fn copied(&mut self, address: u64, bytes: u32, is_read: bool) {
        self.touch.copied(address, bytes, is_read);
    }

    /// Returns the last request of an instruction, and the address of the first lane of `mask`, if that is in global
    /// memory and the lanes' distances are unchanged.
    ///
    /// # Safety
    /// The processor supports what `W` requires.
    #[inline(always)]
    unsafe fn known<'s, const W: u8>(
        look_ups: &'s mut [L1Request],
        address: Addresses<'_>,
        mask: u32,
        looked: Observed,
    ) -> Option<(&'s mut L1Request, u64)> {
        let look_up = look_ups.get_mut(looked.index as usize)?;
        // SAFETY: the caller's contract.
        let first = unsafe { look_up.known::<W>(address, mask)? };
        let elsewhere = looked.request.space == Space::Generic && space_of(first).0 != Space::Global;
        if elsewhere { None } else { Some((look_up, first)) }
    }

    /// Records that the lanes of `mask` of a warp of `block` read global memory, if their distances are the same as at
    /// the last execution of this instruction: most reads of loops are like that. Otherwise records nothing and returns
    /// false.
    ///
    /// Where the block has not read all of it, this also prefetches the host memory that the instruction reads next if
    /// it repeats its last step. That hides the cost of the lookup where data come from memory.
    ///
    /// # Safety
    /// The processor supports what `W` requires.
    #[inline(always)]
    pub unsafe fn reads_again<const W: u8>(
        &mut self,
        block: u64,
        address: Addresses<'_>,
        mask: u32,
        looked: Observed,
        site: &Site,
    ) -> bool {
        // SAFETY: the caller's contract.
        let Some((look_up, first)) = (unsafe { CostRecorder::known::<W>(&mut self.look_ups, address, mask, looked) })
        else {
            return false;
        };
        let passes = match look_up.whole(first) {
            Some((line, whole)) => self.touch.has_read_whole(block, line, whole.sectors).then_some(whole.passes),
            None => self.touch.has_read(block, look_up.pieces(first)).map(|lines| look_up.passes(lines)),
        };
        if let Some(passes) = passes {
            self.touch.passes(passes);
        } else {
            let next = look_up.next(first).wrapping_add(site.delta);
            fetch_ahead(next);
            fetch_ahead(next.wrapping_add(64));
            note(&mut self.touch, block, (look_up, first), true, true);
        }
        true
    }

    /// Records that the lanes of `mask` of a warp of `block` write global memory, if their distances are the same as at
    /// the last execution of this instruction. Otherwise records nothing and returns false.
    ///
    /// # Safety
    /// The processor supports what `W` requires.
    #[inline(always)]
    pub unsafe fn writes_again<const W: u8>(
        &mut self,
        block: u64,
        address: Addresses<'_>,
        mask: u32,
        looked: Observed,
    ) -> bool {
        // SAFETY: the caller's contract.
        let Some((look_up, first)) = (unsafe { CostRecorder::known::<W>(&mut self.look_ups, address, mask, looked) })
        else {
            return false;
        };
        note(&mut self.touch, block, (look_up, first), false, true);
        true
    }

    /// Records an access of the lanes of `mask` of a warp of `block`.
    ///
    /// # Safety
    /// The processor supports what `W` requires.
    #[inline(always)]
    pub unsafe fn access<const W: u8>(&mut self, block: u64, address: Addresses<'_>, mask: u32, looked: Observed) {
        let Observed { request, adds, index } = looked;
        let space = match request.space {
            Space::Generic => space_of(address.at(mask.trailing_zeros() as usize & 31)).0,
            named => named,
        };
        let touch = &mut self.touch;
        match (space, request.what) {
            (Space::Shared, AccessKind::Atomic) => self.chains.shared(&address.all(), mask, adds == Adds::One),
            (Space::Global, AccessKind::Atomic) => {
                let packed = Packed::from_addresses(address, mask);
                self.chains.global(&packed, adds == Adds::Float);
                // SAFETY: the caller's contract.
                unsafe {
                    match packed.sectors() {
                        Some((piece, sectors)) => touch.written(piece, sectors),
                        None => packed.lines::<W>(|line, sectors| touch.line(block, line, sectors, false)),
                    }
                    touch.passes(packed.passes::<W>(request.size));
                }
            }
            (Space::Global, what) => {
                let Some(look_up) = self.look_ups.get_mut(index as usize) else {
                    return;
                };
                let is_read = what == AccessKind::Read;
                // SAFETY: the caller's contract.
                unsafe {
                    if let Some(first) = look_up.find::<W>(address, mask, request.size) {
                        note(touch, block, (look_up, first), is_read, false);
                    } else {
                        let packed = Packed::from_addresses(address, mask);
                        packed.lines::<W>(|line, sectors| touch.line(block, line, sectors, is_read));
                        touch.passes(packed.passes::<W>(request.size));
                    }
                }
            }
            _ => {}
        }
    }
}
