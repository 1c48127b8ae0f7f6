//! What a launch whose costs are counted is looked at for, and what has been seen: addresses, and the chains of warps.

use super::chains::{Paused, Steps, UnderWay};
use super::counts::{BlockCount, Site};
use super::program::{Adds, BlockInfo};
use super::request::{Request, space_of};
use crate::checks::Addresses;
use crate::costs::{Chain, Costs, Pipes};
use crate::engine::traffic::footprint::Touch;
use crate::engine::traffic::lookups::LookUp;
use crate::engine::traffic::scattered::Packed;
use crate::engine::traffic::serial::Chains;
use crate::finding::{Space, What};
use crate::memory::{View, fetch_ahead};

/// A memory instruction that is looked at.
#[derive(Clone, Copy)]
pub(crate) struct Looked {
    /// What it asks for.
    pub request: Request,
    /// What it adds, if it is an atomic.
    pub adds: Adds,
    /// Its number among those that are looked at.
    pub index: u32,
}

/// Which of two blocks has executed more; of two that have executed as much, always the same.
fn busier(one: Pipes, other: Pipes) -> Pipes {
    std::cmp::max_by_key(one, other, |pipes| (pipes.total() + pipes.warpgroup, *pipes))
}

/// Notes that `block` reads or writes what is remembered of a request, where that begins at `first`. `again`: so it was
/// before, too, and may be again.
#[inline(always)]
fn note(touch: &mut Touch, block: u64, (look_up, first): (&mut LookUp, u64), is_read: bool, again: bool) {
    if again && let Some((line, whole)) = look_up.whole(first) {
        touch.whole(block, line, whole.sectors, is_read);
        touch.passes(whole.passes);
        return;
    }
    let lines = touch.pieces(block, look_up.pieces(first), is_read);
    touch.passes(look_up.passes(lines));
}

/// What a worker has seen.
pub(crate) struct Seen {
    /// What the instructions that are looked at asked for last, by their numbers.
    look_ups: Vec<LookUp>,
    touch: Touch,
    chains: Chains,
    /// How often the warps that others have waited for executed each basic block: their chains are those of the blocks.
    waited_for: Vec<u64>,
    /// The cycles of the longest chain of a block.
    longest: u64,
    /// What the block that executed the most instructions has executed.
    busiest: Pipes,
    /// The cycles of the chain of each basic block.
    cycles: Vec<u64>,
    /// How often the warps that differed last executed each basic block, and their effort: most warps do as others did.
    last: [(Vec<u64>, Ended); LAST],
    /// Which of these is the oldest, which was found last, and how many there were.
    oldest: usize,
    found: usize,
    efforts: u64,
}

/// Warps that are remembered: the first of a block, the last, those at its edge.
const LAST: usize = 4;

/// What a warp has executed from its start to its end.
#[derive(Clone, Copy, Default)]
struct Ended {
    /// From 1.
    number: u64,
    cycles: u64,
    pipes: Pipes,
}

impl Seen {
    /// Nothing yet. `retries`: the kernel's loops try again until no other thread was faster; `looked`: so many
    /// instructions are looked at; `blocks`: its basic blocks.
    pub fn new(retries: bool, looked: usize, blocks: &[BlockInfo]) -> Seen {
        Seen {
            look_ups: std::iter::repeat_with(LookUp::default).take(looked).collect(),
            touch: Touch::new(),
            chains: Chains::new(retries),
            waited_for: vec![0; blocks.len()],
            longest: 0,
            busiest: Pipes::default(),
            cycles: blocks.iter().map(|info| info.effort.chain.cycles()).collect(),
            last: Default::default(),
            oldest: 0,
            found: 0,
            efforts: 0,
        }
    }

    /// The chains of the basic blocks.
    pub fn steps(&mut self) -> Steps<'_> {
        Steps { cycles: &self.cycles, waited_for: &mut self.waited_for }
    }

    /// A warp of a block has ended after so many executions of the basic blocks, of which it may have executed those of
    /// `last` behind its last barrier.
    pub fn warp_ended(
        &mut self,
        block: &mut UnderWay,
        paused: &mut Paused,
        (blocks, last): (&[BlockInfo], (u32, u32)),
        executed: &[BlockCount],
    ) {
        let executions = || executed.iter().map(|count| count.executions);
        if !executions().eq(self.last[self.found].0.iter().copied()) {
            let at = self.last.iter().position(|(last, _)| executions().eq(last.iter().copied()));
            self.found = at.unwrap_or_else(|| self.learn(blocks, executions()));
        }
        let (times, effort) = &self.last[self.found];
        block.executed(&effort.pipes, effort.number);
        if paused.barriers == 0 {
            block.part(0, effort.cycles, (0, times.iter().copied()), &mut self.waited_for);
        } else {
            paused.ends(block, self.steps(), executed, last);
        }
    }

    /// Remembers the effort of a warp that has executed the basic blocks so often; returns where.
    fn learn(&mut self, blocks: &[BlockInfo], executions: impl Iterator<Item = u64>) -> usize {
        let at = self.oldest;
        self.oldest = (at + 1) % LAST;
        self.efforts += 1;
        let (last, effort) = &mut self.last[at];
        last.clear();
        last.extend(executions);
        *effort = Ended { number: self.efforts, ..Ended::default() };
        for ((info, cycles), &times) in blocks.iter().zip(&self.cycles).zip(&*last) {
            effort.cycles += cycles * times;
            effort.pipes.add(&info.effort.pipes, times);
        }
        at
    }

    /// A block has ended.
    pub fn block_ended(&mut self, block: &mut UnderWay) {
        self.longest = self.longest.max(block.end(&mut self.waited_for));
        self.busiest = busier(self.busiest, block.pipes());
    }

    /// What several workers have seen of a program of these basic blocks in this memory, without the instructions.
    pub fn joined<'s>(all: impl Iterator<Item = &'s Seen>, blocks: &[BlockInfo], memory: &View) -> Costs {
        let (mut sum, mut chain) = (Seen::new(false, 0, &[]), Chain::default());
        for seen in all {
            sum.touch.join(&seen.touch);
            sum.chains.join(&seen.chains);
            for (info, times) in blocks.iter().zip(&seen.waited_for) {
                chain.add(&info.effort.chain, *times);
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

    /// Notes that a block reads or writes the sector with this number through the L1 cache.
    pub fn sector(&mut self, block: u64, sector: u64, is_read: bool) {
        self.touch.line(block, sector >> 2, 1 << (sector & 3), is_read);
    }

    /// Notes that a copy in bulk reads or writes so many bytes of global memory.
    pub fn copied(&mut self, address: u64, bytes: u32, is_read: bool) {
        self.touch.copied(address, bytes, is_read);
    }

    /// What an instruction asked for last, and the address of the first lane of `mask`, if that is in global memory and
    /// the lanes have the same distances now.
    ///
    /// # Safety
    /// The processor has what `W` promises.
    #[inline(always)]
    unsafe fn known<'s, const W: u8>(
        look_ups: &'s mut [LookUp],
        address: Addresses<'_>,
        mask: u32,
        looked: Looked,
    ) -> Option<(&'s mut LookUp, u64)> {
        let look_up = look_ups.get_mut(looked.index as usize)?;
        // SAFETY: the caller's contract.
        let first = unsafe { look_up.known::<W>(address, mask)? };
        let elsewhere = looked.request.space == Space::Generic && space_of(first).0 != Space::Global;
        if elsewhere { None } else { Some((look_up, first)) }
    }

    /// Notes that the lanes of `mask` of a warp of `block` read global memory, if they have the distances that they had
    /// at this instruction before: most reads of loops are such. Returns whether that is so, and else nothing has been
    /// noted.
    ///
    /// Where the block has not read all of it, the host is asked for what the instruction reads next, if it goes on as
    /// far as it went now: the time that the look takes is not lost where data come from memory.
    ///
    /// # Safety
    /// The processor has what `W` promises.
    #[inline(always)]
    pub unsafe fn reads_again<const W: u8>(
        &mut self,
        block: u64,
        address: Addresses<'_>,
        mask: u32,
        looked: Looked,
        site: &Site,
    ) -> bool {
        // SAFETY: the caller's contract.
        let Some((look_up, first)) = (unsafe { Seen::known::<W>(&mut self.look_ups, address, mask, looked) }) else {
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

    /// Notes that the lanes of `mask` of a warp of `block` write global memory, if they have the distances that they
    /// had at this instruction before. Returns whether that is so.
    ///
    /// # Safety
    /// The processor has what `W` promises.
    #[inline(always)]
    pub unsafe fn writes_again<const W: u8>(
        &mut self,
        block: u64,
        address: Addresses<'_>,
        mask: u32,
        looked: Looked,
    ) -> bool {
        // SAFETY: the caller's contract.
        let Some((look_up, first)) = (unsafe { Seen::known::<W>(&mut self.look_ups, address, mask, looked) }) else {
            return false;
        };
        note(&mut self.touch, block, (look_up, first), false, true);
        true
    }

    /// Notes an access of the lanes of `mask` of a warp of `block`.
    ///
    /// # Safety
    /// The processor has what `W` promises.
    #[inline(always)]
    pub unsafe fn access<const W: u8>(&mut self, block: u64, address: Addresses<'_>, mask: u32, looked: Looked) {
        let Looked { request, adds, index } = looked;
        let space = match request.space {
            Space::Generic => space_of(address.at(mask.trailing_zeros() as usize & 31)).0,
            named => named,
        };
        let touch = &mut self.touch;
        match (space, request.what) {
            (Space::Shared, What::Atomic) => self.chains.shared(&address.all(), mask, adds == Adds::One),
            (Space::Global, What::Atomic) => {
                let packed = Packed::of(address, mask);
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
                let is_read = what == What::Read;
                // SAFETY: the caller's contract.
                unsafe {
                    if let Some(first) = look_up.find::<W>(address, mask, request.size) {
                        note(touch, block, (look_up, first), is_read, false);
                    } else {
                        let packed = Packed::of(address, mask);
                        packed.lines::<W>(|line, sectors| touch.line(block, line, sectors, is_read));
                        touch.passes(packed.passes::<W>(request.size));
                    }
                }
            }
            _ => {}
        }
    }
}
