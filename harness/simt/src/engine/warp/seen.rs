//! What a launch whose costs are counted is looked at for, and what has been seen: addresses, and the chains of warps.

use super::counts::BlockCount;
use super::program::{Adds, BlockInfo};
use super::request::{Request, space_of};
use crate::checks::Addresses;
use crate::costs::{Chain, Costs, Pipes};
use crate::engine::traffic::footprint::Touch;
use crate::engine::traffic::lookups::LookUp;
use crate::engine::traffic::serial::Chains;
use crate::finding::{Space, What};
use crate::memory::View;
use std::collections::BTreeMap;

/// What is looked at before an instruction.
#[derive(Clone, Copy)]
pub(crate) enum Look {
    /// Nothing.
    Away,
    /// The addresses that it accesses.
    Addresses(Looked),
    /// It guards the next instruction, and executes it itself if the guard holds in some lanes only.
    Guard,
}

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

/// What a worker has seen.
pub(crate) struct Seen {
    /// What the instructions that are looked at asked for last, by their numbers.
    look_ups: Vec<LookUp>,
    touch: Touch,
    chains: Chains,
    /// The chains of the blocks that have ended, summed.
    chain: Chain,
    /// The cycles of the longest of these.
    longest: u64,
    /// What the block that executed the most instructions has executed.
    busiest: Pipes,
    /// The blocks under way, by their numbers.
    under_way: BTreeMap<u64, UnderWay>,
    /// What their warps have executed up to their last barrier, by the numbers of block and warp.
    paused: BTreeMap<(u64, u32), Paused>,
    /// How often the warps that differed last executed each basic block, and their effort: most warps do as others did.
    last: [(Vec<u64>, Ended); LAST],
    /// Which of these is the oldest.
    oldest: usize,
}

/// Warps that are remembered: the first of a block, the last, those at its edge.
const LAST: usize = 4;

/// What a warp has executed from its start to its end.
#[derive(Clone, Copy, Default)]
struct Ended {
    chain: Chain,
    pipes: Pipes,
}

/// What the warps of a block have executed. All wait at a barrier of the block for the one that comes last: the chain
/// of the block is, from each barrier to the next, that of the slowest warp.
#[derive(Clone, Default)]
struct UnderWay {
    /// The chain up to the last barrier behind which a warp has come to another or to its end.
    before: Chain,
    /// The number of that barrier.
    barriers: usize,
    /// The longest chain from there on, and its cycles.
    chain: Chain,
    cycles: u64,
    /// Instructions of the warps that have ended.
    pipes: Pipes,
}

/// A warp at a barrier of its block.
struct Paused {
    /// How many barriers of the block it has come to.
    barriers: usize,
    /// How often it had executed each basic block then.
    executed: Vec<u64>,
}

impl Paused {
    /// The chain since the last barrier.
    fn goes_on(&mut self, chains: &[BlockInfo], executed: &[BlockCount]) -> Chain {
        let mut chain = Chain::default();
        for ((info, now), before) in chains.iter().zip(executed).zip(&mut self.executed) {
            if now.executions > *before {
                chain.add(&info.effort.chain, now.executions - *before);
                *before = now.executions;
            }
        }
        chain
    }
}

impl UnderWay {
    /// A warp has come from the barrier with this number to the next one, or to its end.
    fn part(&mut self, number: usize, chain: Chain) {
        if number > self.barriers {
            self.before = self.whole();
            (self.barriers, self.chain, self.cycles) = (number, Chain::default(), 0);
        }
        let cycles = chain.cycles();
        if cycles > self.cycles {
            (self.chain, self.cycles) = (chain, cycles);
        }
    }

    /// The chain from the start of the block.
    fn whole(&self) -> Chain {
        let mut whole = self.before;
        whole.add(&self.chain, 1);
        whole
    }
}

impl Seen {
    /// Nothing yet. `retries`: the kernel's loops try again until no other thread was faster; `looked`: so many
    /// instructions are looked at.
    pub fn new(retries: bool, looked: usize) -> Seen {
        Seen {
            look_ups: std::iter::repeat_with(LookUp::default).take(looked).collect(),
            touch: Touch::new(),
            chains: Chains::new(retries),
            chain: Chain::default(),
            longest: 0,
            busiest: Pipes::default(),
            under_way: BTreeMap::new(),
            paused: BTreeMap::new(),
            last: Default::default(),
            oldest: 0,
        }
    }

    /// A warp has come to a barrier of its whole block, after so many executions of the basic blocks with these chains.
    pub fn barrier(&mut self, block: u64, warp: u32, chains: &[BlockInfo], executed: &[BlockCount]) {
        let new = || Paused { barriers: 0, executed: vec![0; executed.len()] };
        let paused = self.paused.entry((block, warp)).or_insert_with(new);
        let chain = paused.goes_on(chains, executed);
        paused.barriers += 1;
        self.under_way.entry(block).or_default().part(paused.barriers - 1, chain);
    }

    /// A warp of a block has ended after so many executions of the basic blocks with these chains.
    pub fn warp_ended(&mut self, block: u64, warp: u32, chains: &[BlockInfo], executed: &[BlockCount]) {
        let alike =
            |(last, _): &(Vec<u64>, Ended)| executed.iter().map(|count| count.executions).eq(last.iter().copied());
        let at = self.last.iter().position(alike).unwrap_or_else(|| {
            let at = self.oldest;
            self.oldest = (at + 1) % LAST;
            let (last, effort) = &mut self.last[at];
            last.clear();
            last.extend(executed.iter().map(|count| count.executions));
            *effort = Ended::default();
            for (info, &times) in chains.iter().zip(&*last).filter(|(_, times)| **times > 0) {
                effort.chain.add(&info.effort.chain, times);
                effort.pipes.add(&info.effort.pipes, times);
            }
            at
        });
        let last = &self.last[at].1;
        let (number, chain) = match self.paused.remove(&(block, warp)) {
            Some(mut paused) => (paused.barriers, paused.goes_on(chains, executed)),
            None => (0, last.chain),
        };
        let sum = self.under_way.entry(block).or_default();
        sum.pipes.add(&last.pipes, 1);
        sum.part(number, chain);
    }

    /// A block has ended.
    pub fn block_ended(&mut self, block: u64) {
        let ended = self.under_way.remove(&block).unwrap_or_default();
        let chain = ended.whole();
        self.chain.add(&chain, 1);
        self.longest = self.longest.max(chain.cycles());
        self.busiest = busier(self.busiest, ended.pipes);
    }

    /// What several workers have seen in this memory, without the instructions.
    pub fn joined<'s>(all: impl Iterator<Item = &'s Seen>, memory: &View) -> Costs {
        let mut sum = Seen::new(false, 0);
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

    /// Notes that a block reads or writes the sector with this number through the L1 cache.
    pub fn sector(&mut self, block: u64, sector: u64, is_read: bool) {
        self.touch.line(block, sector >> 2, 1 << (sector & 3), is_read);
    }

    /// Notes that a copy in bulk reads or writes so many bytes of global memory.
    pub fn copied(&mut self, address: u64, bytes: u32, is_read: bool) {
        self.touch.copied(address, bytes, is_read);
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
        match (space, request.what) {
            (Space::Shared, What::Atomic) => self.chains.shared(&address.all(), mask, adds == Adds::One),
            (Space::Global, what) => {
                if what == What::Atomic {
                    self.chains.global(&address.all(), mask, adds == Adds::Float);
                }
                let (touch, is_read) = (&mut self.touch, what == What::Read);
                if let Some(look_up) = self.look_ups.get_mut(index as usize) {
                    let tell = |line, sectors| touch.line(block, line, sectors, is_read);
                    // SAFETY: the caller's contract.
                    let passes = unsafe { look_up.find::<W>(address, mask, request.size, tell) };
                    self.touch.passes(passes);
                }
            }
            _ => {}
        }
    }
}
