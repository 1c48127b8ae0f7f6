//! What a launch whose costs are counted is looked at for, and what has been seen: addresses, and the chains of warps.

use super::counts::BlockCount;
use super::program::{Adds, BlockInfo};
use super::request::{Request, space_of};
use crate::costs::{Chain, Costs, Pipes};
use crate::engine::traffic::footprint::Touch;
use crate::engine::traffic::lookups::look_up;
use crate::engine::traffic::serial::Chains;
use crate::finding::{Space, What};
use crate::lane::LANES;
use crate::memory::View;
use std::collections::BTreeMap;

/// What is looked at before an instruction.
#[derive(Clone, Copy)]
pub(crate) enum Look {
    /// Nothing.
    Away,
    /// The addresses that it accesses; what it adds, if it is an atomic.
    Addresses(Request, Adds),
    /// It guards the next instruction, and executes it itself if the guard holds in some lanes only.
    Guard,
}

/// Which of two blocks has executed more; of two that have executed as much, always the same.
fn busier(one: Pipes, other: Pipes) -> Pipes {
    std::cmp::max_by_key(one, other, |pipes| (pipes.total() + pipes.warpgroup, *pipes))
}

/// What a worker has seen.
pub(crate) struct Seen {
    touch: Touch,
    chains: Chains,
    /// The chain of the longest warp of each block that has ended, summed.
    chain: Chain,
    /// The cycles of the longest of these.
    longest: u64,
    /// What the block that executed the most instructions has executed.
    busiest: Pipes,
    /// The blocks under way, by their numbers.
    under_way: BTreeMap<u64, UnderWay>,
    /// How often the warp that ended last executed each basic block, and its effort: most warps do the same.
    last: Vec<u64>,
    last_effort: UnderWay,
}

/// What the warps of a block that have ended have executed.
#[derive(Clone, Copy, Default)]
struct UnderWay {
    /// The cycles of the longest chain of a warp, and that chain.
    cycles: u64,
    chain: Chain,
    /// Instructions of all of them.
    pipes: Pipes,
}

impl Seen {
    /// Nothing yet. `retries`: the kernel's loops try again until no other thread was faster.
    pub fn new(retries: bool) -> Seen {
        Seen {
            touch: Touch::new(),
            chains: Chains::new(retries),
            chain: Chain::default(),
            longest: 0,
            busiest: Pipes::default(),
            under_way: BTreeMap::new(),
            last: Vec::new(),
            last_effort: UnderWay::default(),
        }
    }

    /// A warp of a block has ended after so many executions of the basic blocks with these chains.
    pub fn warp_ended(&mut self, block: u64, chains: &[BlockInfo], executed: &[BlockCount]) {
        if !executed.iter().map(|count| count.executions).eq(self.last.iter().copied()) {
            self.last.clear();
            self.last.extend(executed.iter().map(|count| count.executions));
            let mut own = UnderWay::default();
            for (info, &times) in chains.iter().zip(&self.last).filter(|(_, times)| **times > 0) {
                own.chain.add(&info.effort.chain, times);
                own.pipes.add(&info.effort.pipes, times);
            }
            self.last_effort = UnderWay { cycles: own.chain.cycles(), ..own };
        }
        let last = &self.last_effort;
        let sum = self.under_way.entry(block).or_default();
        sum.pipes.add(&last.pipes, 1);
        if last.cycles > sum.cycles {
            (sum.cycles, sum.chain) = (last.cycles, last.chain);
        }
    }

    /// A block has ended.
    pub fn block_ended(&mut self, block: u64) {
        let UnderWay { cycles, chain, pipes } = self.under_way.remove(&block).unwrap_or_default();
        self.chain.add(&chain, 1);
        self.longest = self.longest.max(cycles);
        self.busiest = busier(self.busiest, pipes);
    }

    /// What several workers have seen in this memory, without the instructions.
    pub fn joined<'s>(all: impl Iterator<Item = &'s Seen>, memory: &View) -> Costs {
        let mut sum = Seen::new(false);
        for seen in all {
            sum.touch.join(&seen.touch);
            sum.chains.join(&seen.chains);
            sum.chain.add(&seen.chain, 1);
            sum.longest = sum.longest.max(seen.longest);
            sum.busiest = busier(sum.busiest, seen.busiest);
        }
        let serial = sum.chains.serial(|address| memory.find(address).map_or(0, |range| range.start));
        Costs {
            chain: sum.chain,
            longest_chain: sum.longest,
            busiest: sum.busiest,
            footprint: sum.touch.footprint(),
            serial,
            ..Costs::default()
        }
    }

    /// Notes that a copy in bulk reads or writes so many bytes of global memory.
    pub fn copied(&mut self, address: u64, bytes: u32, is_read: bool) {
        self.touch.copied(address, bytes, is_read);
    }

    /// Notes an access of the lanes of `mask` of a warp of `block`. `adds`: what it adds, if it is an atomic.
    #[inline(always)]
    pub fn access(&mut self, block: u64, address: &[u64; LANES], mask: u32, request: Request, adds: Adds) {
        let space = match request.space {
            Space::Generic => space_of(address[mask.trailing_zeros() as usize & 31]).0,
            named => named,
        };
        match (space, request.what) {
            (Space::Shared, What::Atomic) => self.chains.shared(address, mask, adds == Adds::One),
            (Space::Global, what) => {
                if what == What::Atomic {
                    self.chains.global(address, mask, adds == Adds::Float);
                }
                let (touch, is_read) = (&mut self.touch, what == What::Read);
                let tell = |line, sectors| touch.line(block, line, sectors, is_read);
                let passes = look_up(address, mask, request.size, tell);
                self.touch.passes(passes);
            }
            _ => {}
        }
    }
}
