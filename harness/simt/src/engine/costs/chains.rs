//! The critical path of a block, for launches whose costs are counted: from each block barrier to the next, the chain
//! of its slowest warp.

use super::tables::ANY_BLOCK;
use crate::costs::Pipes;
use crate::engine::traffic::counts::BlockCount;

/// The basic blocks of a program, as far as the chains need them.
pub(crate) struct Steps<'s> {
    /// The cycles of each block's dependent chain.
    pub cycles: &'s [u64],
    /// How often each block was executed by the warps that the others waited for.
    pub waited_for: &'s mut [u64],
}

/// What the warps of a block have executed. All wait at a block barrier for the last one to arrive, so from each
/// barrier to the next, the chain of the block is that of its slowest warp.
#[derive(Default)]
pub(crate) struct UnderWay {
    /// The cycles up to the latest barrier from which a warp has reached the next one, or its end.
    before: u64,
    /// The number of that barrier.
    barriers: usize,
    /// The cycles of the slowest warp since then.
    cycles: u64,
    /// The first basic block that the slowest warp may have executed since; `slowest` counts its executions of that
    /// block and the following ones.
    first: usize,
    slowest: Vec<u64>,
    /// Instructions of the warps that have ended, without the latest series of identical ones.
    pipes: Pipes,
    /// That series: what each of its warps has executed, the number of that effort, and how many warps there are.
    last: (Pipes, u64, u64),
}

impl UnderWay {
    /// Resets it for another block.
    pub fn begin(&mut self) {
        let mut slowest = std::mem::take(&mut self.slowest);
        slowest.clear();
        *self = UnderWay { slowest, ..UnderWay::default() };
    }

    /// Records that a warp has gone from the barrier with this number to the next one, or to its end, in `cycles`
    /// cycles. `times` counts its executions of the basic blocks from `first` on.
    #[inline(always)]
    pub fn part(
        &mut self,
        number: usize,
        cycles: u64,
        (first, times): (usize, impl Iterator<Item = u64>),
        waited_for: &mut [u64],
    ) {
        if number > self.barriers {
            self.end(waited_for);
            self.barriers = number;
        }
        if cycles > self.cycles {
            (self.cycles, self.first) = (cycles, first);
            self.slowest.clear();
            self.slowest.extend(times);
        }
    }

    /// Ends a part: all warps have reached a barrier, or their end. Returns the cycles up to there.
    pub fn end(&mut self, waited_for: &mut [u64]) -> u64 {
        for (all, times) in waited_for[self.first..].iter_mut().zip(self.slowest.drain(..)) {
            *all += times;
        }
        self.before += std::mem::take(&mut self.cycles);
        self.before
    }

    /// Records that a warp has ended, with the instructions it executed. `number`, from 1, identifies that effort.
    #[inline(always)]
    pub fn executed(&mut self, pipes: &Pipes, number: u64) {
        if self.last.1 != number {
            self.pipes = self.pipes();
            self.last = (*pipes, number, 0);
        }
        self.last.2 += 1;
    }

    /// Returns the instructions of all warps that have ended.
    pub fn pipes(&self) -> Pipes {
        let (last, _, times) = &self.last;
        let mut all = self.pipes;
        all.add(last, *times);
        all
    }
}

/// A warp's progress at the last barrier of its block.
#[derive(Default)]
pub(crate) struct Paused {
    /// The number of barriers of the block that it has reached.
    pub barriers: usize,
    /// Its lanes at that time, if they have been together ever since: none has reached a barrier alone. Otherwise 0.
    lanes: u32,
    /// Its executions of each basic block up to that time; empty before a first barrier.
    executed: Vec<u64>,
}

impl Paused {
    /// Resets it for a warp that begins with these lanes.
    pub fn begin(&mut self, lanes: u32) {
        if self.barriers > 0 {
            self.executed.fill(0);
        }
        (self.barriers, self.lanes) = (0, lanes);
    }

    /// Records that the warp, whose live lanes are all in `lanes`, has reached a barrier of its block, with `executed`
    /// executions of the basic blocks. If all of its lanes come from the barrier before, the blocks executed since are
    /// among `since`.
    pub fn comes(
        &mut self,
        block: &mut UnderWay,
        steps: Steps<'_>,
        executed: &[BlockCount],
        lanes: u32,
        since: (u32, u32),
    ) {
        // A lane that has exited took another path.
        let since = if self.lanes == lanes { since } else { ANY_BLOCK };
        self.goes_on(block, steps, executed, since);
        self.lanes = lanes;
    }

    /// Records that the warp has ended. If its lanes were together at the last barrier, the blocks executed since are
    /// among `last`.
    pub fn ends(&mut self, block: &mut UnderWay, steps: Steps<'_>, executed: &[BlockCount], last: (u32, u32)) {
        self.goes_on(block, steps, executed, if self.lanes == 0 { ANY_BLOCK } else { last });
    }

    /// Records that some of the warp's lanes have reached a barrier alone.
    pub fn parts(&mut self) {
        self.lanes = 0;
    }

    #[inline(always)]
    fn goes_on(
        &mut self,
        block: &mut UnderWay,
        Steps { cycles, waited_for }: Steps<'_>,
        executed: &[BlockCount],
        since: (u32, u32),
    ) {
        if self.executed.is_empty() {
            self.executed.resize(executed.len(), 0);
        }
        let all = executed.len();
        let those = since.0 as usize..all.min(since.1 as usize);
        let counts = |at: usize| !those.contains(&at) && cycles[at] > 0;
        let went = |at: usize| counts(at) && executed[at].executions != self.executed[at];
        debug_assert!(!(0..all).any(went), "a warp has executed more than it could since the last barrier");
        let first = those.start;
        let (executed, before) = (&executed[those.clone()], &mut self.executed[those.clone()]);
        let times = || executed.iter().zip(&*before).map(|(now, before)| now.executions - before);
        // Most warps are no slower than the others, and only their cycles are needed.
        let cycles = times().zip(&cycles[those]).map(|(times, cycles)| times * cycles).sum();
        block.part(self.barriers, cycles, (first, times()), waited_for);
        for (before, now) in before.iter_mut().zip(executed) {
            *before = now.executions;
        }
        self.barriers += 1;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_block_takes_as_long_as_its_slowest_warp_between_all_barriers() {
        let (cycles, all) = ([5, 1000, 3000], &mut [0; 3]);
        let counts = |times: [u64; 3]| times.map(|executions| BlockCount { executions, lanes: 32 * executions });
        let mut block = UnderWay::default();
        // One warp takes longer before the first barrier, the other between the first and the second; both then end.
        let ways = [[[0, 2, 0], [0, 2, 1], [1, 2, 1]], [[3, 0, 0], [3, 4, 0], [3, 4, 0]]];
        let mut warps = [Paused::default(), Paused::default()];
        for warp in &mut warps {
            warp.begin(1);
        }
        for part in 0..3 {
            for (warp, way) in warps.iter_mut().zip(ways) {
                let steps = Steps { cycles: &cycles, waited_for: all };
                warp.comes(&mut block, steps, &counts(way[part]), 1, ANY_BLOCK);
            }
        }
        assert_eq!((block.end(all), *all), (2000 + 4000 + 5, [1, 2 + 4, 0]));
        // Another warp begins, in a new block.
        warps[0].begin(1);
        block.begin();
        warps[0].ends(&mut block, Steps { cycles: &cycles, waited_for: all }, &counts([1, 0, 0]), ANY_BLOCK);
        assert_eq!((block.end(all), *all), (5, [2, 6, 0]));
    }

    #[test]
    fn what_a_block_executes_is_what_its_warps_execute() {
        let memory = |memory| Pipes { memory, ..Pipes::default() };
        let mut block = UnderWay::default();
        for (warp, number) in [(1, 1), (1, 1), (20, 2), (1, 1)] {
            block.executed(&memory(warp), number);
        }
        assert_eq!(block.pipes(), memory(23));
        block.begin();
        block.executed(&memory(5), 1);
        assert_eq!(block.pipes(), memory(5));
    }
}
