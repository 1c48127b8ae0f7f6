//! The chains of blocks that run, where a launch's costs are counted: from each barrier of a block to the next, that of
//! its slowest warp.

use super::counts::BlockCount;
use super::program::{ANY_BLOCK, BlockInfo};
use crate::costs::{Chain, Pipes};

/// The basic blocks of a program, as far as chains are made of them.
#[derive(Clone, Copy)]
pub(crate) struct Steps<'p> {
    pub blocks: &'p [BlockInfo],
    /// The cycles of the chain of each.
    pub cycles: &'p [u64],
}

/// What the warps of a block have executed. All wait at a barrier of the block for the one that comes last: the chain
/// of the block is, from each barrier to the next, that of the slowest warp.
#[derive(Clone, Default)]
pub(crate) struct UnderWay {
    /// The chain up to the last barrier behind which a warp has come to another or to its end.
    before: Chain,
    /// The number of that barrier.
    barriers: usize,
    /// The longest chain from there on, and its cycles.
    chain: Chain,
    cycles: u64,
    /// Instructions of the warps that have ended.
    pub pipes: Pipes,
}

impl UnderWay {
    /// A warp has come from the barrier with this number to the next one, or to its end: after so many cycles, which
    /// are those of the chain.
    pub fn part(&mut self, number: usize, cycles: u64, chain: impl FnOnce() -> Chain) {
        if number > self.barriers {
            self.before = self.whole();
            (self.barriers, self.chain, self.cycles) = (number, Chain::default(), 0);
        }
        if cycles > self.cycles {
            (self.chain, self.cycles) = (chain(), cycles);
        }
    }

    /// The chain from the start of the block.
    pub fn whole(&self) -> Chain {
        let mut whole = self.before;
        whole.add(&self.chain, 1);
        whole
    }
}

/// How far a warp had come at the last barrier of its block.
#[derive(Default)]
pub(crate) struct Paused {
    /// How many barriers of the block it has come to.
    pub barriers: usize,
    /// Its lanes then, if they have all been together since: none has ended, and none has come to a barrier alone.
    lanes: u32,
    /// How often it had executed each basic block then; empty before a first barrier.
    executed: Vec<u64>,
}

impl Paused {
    /// The warp, all of whose lanes are these, has come to a barrier of its block, after so many executions of the
    /// basic blocks. If all of its lanes come from the barrier before, they have executed no blocks since but some of
    /// `since`.
    pub fn comes(
        &mut self,
        block: &mut UnderWay,
        steps: Steps<'_>,
        executed: &[BlockCount],
        lanes: u32,
        since: (u32, u32),
    ) {
        let since = if self.lanes == lanes { since } else { ANY_BLOCK };
        self.goes_on(block, steps, executed, since);
        self.lanes = lanes;
    }

    /// The warp has ended.
    pub fn ends(&mut self, block: &mut UnderWay, steps: Steps<'_>, executed: &[BlockCount]) {
        self.goes_on(block, steps, executed, ANY_BLOCK);
    }

    /// Some of the warp's lanes have come to a barrier alone.
    pub fn parts(&mut self) {
        self.lanes = 0;
    }

    #[inline(always)]
    fn goes_on(&mut self, block: &mut UnderWay, steps: Steps<'_>, executed: &[BlockCount], since: (u32, u32)) {
        if self.executed.is_empty() {
            self.executed.resize(executed.len(), 0);
        }
        let all = executed.len();
        let those = since.0 as usize..all.min(since.1 as usize);
        let counts = |at: usize| !those.contains(&at) && steps.cycles[at] > 0;
        let went = |at: usize| counts(at) && executed[at].executions != self.executed[at];
        debug_assert!(!(0..all).any(went), "a warp has executed more than it could since the last barrier");
        let (executed, before) = (&executed[those.clone()], &mut self.executed[those.clone()]);
        let times = || executed.iter().zip(&*before).map(|(now, before)| now.executions - before);
        // Most warps are no slower than the others, and their cycles are all that need be known.
        let cycles = times().zip(&steps.cycles[those.clone()]).map(|(times, cycles)| times * cycles).sum();
        block.part(self.barriers, cycles, || {
            let mut chain = Chain::default();
            for (times, info) in times().zip(&steps.blocks[those.clone()]).filter(|(times, _)| *times > 0) {
                chain.add(&info.effort.chain, times);
            }
            chain
        });
        for (before, now) in before.iter_mut().zip(executed) {
            *before = now.executions;
        }
        self.barriers += 1;
    }

    /// Begins again, for another warp.
    pub fn reset(&mut self) {
        (self.barriers, self.lanes) = (0, 0);
        self.executed.fill(0);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::engine::warp::program::Effort;

    #[test]
    fn a_block_takes_as_long_as_its_slowest_warp_between_all_barriers() {
        let chain = |arithmetic, global| Chain { arithmetic, global, ..Chain::default() };
        let chains = [chain(5, 0), chain(1, 1), chain(100, 0)];
        let blocks =
            chains.map(|chain| BlockInfo { effort: Effort { chain, ..Effort::default() }, ..Default::default() });
        let cycles = chains.map(|chain| chain.cycles());
        let steps = Steps { blocks: &blocks, cycles: &cycles };
        let counts = |times: [u64; 3]| times.map(|executions| BlockCount { executions, lanes: 32 * executions });
        let mut block = UnderWay::default();
        // One warp takes longer before the first barrier, and the other between it and the second; both then end.
        let ways = [[[0, 2, 0], [0, 2, 1], [1, 2, 1]], [[3, 0, 0], [3, 3, 0], [3, 3, 0]]];
        let mut warps = [Paused::default(), Paused::default()];
        for part in 0..3 {
            for (warp, way) in warps.iter_mut().zip(ways) {
                warp.comes(&mut block, steps, &counts(way[part]), 1, ANY_BLOCK);
            }
        }
        assert_eq!(block.whole(), chain(2 + 3 + 5, 2 + 3));
        // Another warp begins at the start of its block.
        warps[0].reset();
        let mut next = UnderWay::default();
        warps[0].ends(&mut next, steps, &counts([1, 0, 0]));
        assert_eq!(next.whole(), chain(5, 0));
    }
}
