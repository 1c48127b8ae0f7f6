//! What decides a launch's time beside its traffic: instructions by pipe, each block's dependent chain, what the
//! launch touches in all, and the chains of atomics. Counted when [`crate::Settings::costs`] asks for it.

use serde::{Deserialize, Serialize};

/// Instructions of the hardware that warps execute, by the pipe that executes them, as the machine estimates them from
/// the PTX: some of its instructions are removed by the assembler, others become several.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Pipes {
    /// Single precision, and half precision by pairs.
    pub single: u64,
    /// Sums of integers, logic, comparisons, selections.
    pub integer: u64,
    /// Products of integers: half of the lanes for single precision execute them.
    pub product: u64,
    /// Double precision.
    pub double: u64,
    /// Functions of the special function unit, conversions, and counts of bits.
    pub special: u64,
    /// Products of matrices by a warp.
    pub tensor: u64,
    /// Products of matrices by a warpgroup, in those of 16 rows by 8 columns that each of its warps makes. They are not
    /// instructions: one makes up to 32.
    pub warpgroup: u64,
    /// Loads, stores and atomics of every space.
    pub memory: u64,
    /// Shuffles, votes, matches and reductions of a warp.
    pub exchange: u64,
    /// Branches, calls, barriers.
    pub control: u64,
}

impl Pipes {
    /// All of them, less what warpgroups make.
    pub fn total(&self) -> u64 {
        self.parts().iter().sum::<u64>() - self.warpgroup
    }

    /// Adds `times` times those.
    #[inline]
    pub fn add(&mut self, other: &Pipes, times: u64) {
        let parts = self.parts_mut().into_iter().zip(other.parts());
        parts.for_each(|(to, from)| *to += from * times);
    }

    #[inline]
    fn parts(&self) -> [u64; 10] {
        let Pipes { single, integer, product, double, special, tensor, warpgroup, memory, exchange, control } = *self;
        [single, integer, product, double, special, tensor, warpgroup, memory, exchange, control]
    }

    #[inline]
    fn parts_mut(&mut self) -> [&mut u64; 10] {
        let Pipes { single, integer, product, double, special, tensor, warpgroup, memory, exchange, control } = self;
        [single, integer, product, double, special, tensor, warpgroup, memory, exchange, control]
    }
}

/// The steps of a dependent chain by what each waits for: the longest path through the basic blocks that a warp
/// executes, one block after another.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Chain {
    /// Results of ordinary arithmetic.
    pub arithmetic: u64,
    /// Results of double precision.
    pub double: u64,
    /// Results of the special function unit.
    pub special: u64,
    /// Results of the tensor cores.
    pub tensor: u64,
    /// Products by the warpgroup on the same sums, in those of [`Pipes::warpgroup`]: a tensor core makes one after
    /// another.
    pub warpgroup: u64,
    /// Loads from shared memory.
    pub shared: u64,
    /// Exchanges between the lanes.
    pub exchange: u64,
    /// Loads from global memory.
    pub global: u64,
    /// Loads from local memory.
    pub local: u64,
    /// Old values from atomics.
    pub atomics: u64,
    /// Ends of basic blocks that jump.
    pub branches: u64,
    /// Barriers of the block.
    pub barriers: u64,
    /// Fences that other blocks can tell: until what was written before has come to the L2 cache.
    #[serde(default)]
    pub fences: u64,
    /// Instructions that a warp can execute while it waits for loads from global memory: those that neither lead to
    /// such a load of the same piece of code nor need what it brings. They are no steps of the chain.
    #[serde(default)]
    pub meanwhile: u64,
}

impl Chain {
    /// Adds `times` times those steps.
    #[inline]
    pub fn add(&mut self, other: &Chain, times: u64) {
        let parts = self.parts_mut().into_iter().zip(other.parts());
        parts.for_each(|(to, from)| *to += from * times);
    }

    /// Roughly how many cycles these steps take on a GPU of any of the last generations: what tells the longer of two
    /// chains.
    #[inline]
    pub fn cycles(&self) -> u64 {
        const CYCLES: [u64; 14] = [4, 16, 20, 32, 4, 28, 24, 600, 40, 600, 10, 20, 600, 0];
        self.parts().iter().zip(CYCLES).map(|(steps, cycles)| steps * cycles).sum()
    }

    /// What this chain has more than `shorter`. Where it is another path, and has fewer steps of some kind, it is so
    /// much of each of its steps as makes up the difference in [cycles](Chain::cycles).
    #[must_use]
    pub fn beyond(&self, shorter: &Chain) -> Chain {
        let goes_on = self.parts().iter().zip(shorter.parts()).all(|(all, before)| *all >= before);
        let (all, more) = (self.cycles(), self.cycles().saturating_sub(shorter.cycles()));
        let mut rest = *self;
        for (step, before) in rest.parts_mut().into_iter().zip(shorter.parts()) {
            *step = if goes_on { *step - before } else { (*step * more + all / 2) / all.max(1) };
        }
        rest
    }

    #[inline]
    fn parts(&self) -> [u64; 14] {
        let Chain { arithmetic, double, special, tensor, warpgroup, shared, exchange, .. } = *self;
        let Chain { global, local, atomics, branches, barriers, fences, meanwhile, .. } = *self;
        let [a, b, c, d, e, f, g] = [global, local, atomics, branches, barriers, fences, meanwhile];
        [arithmetic, double, special, tensor, warpgroup, shared, exchange, a, b, c, d, e, f, g]
    }

    #[inline]
    fn parts_mut(&mut self) -> [&mut u64; 14] {
        let Chain { arithmetic, double, special, tensor, warpgroup, shared, exchange, .. } = self;
        let Chain { global, local, atomics, branches, barriers, fences, meanwhile, .. } = self;
        let [a, b, c, d, e, f, g] = [global, local, atomics, branches, barriers, fences, meanwhile];
        [arithmetic, double, special, tensor, warpgroup, shared, exchange, a, b, c, d, e, f, g]
    }
}

/// What a launch touches in global memory, each 32-byte sector once.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Footprint {
    /// Sectors that the launch reads.
    pub read_sectors: u64,
    /// Sectors that it writes or changes by atomics.
    pub written_sectors: u64,
    /// Sectors that it reads, writes or changes.
    pub sectors: u64,
    /// Sectors that each block reads, each once a block, summed over the blocks: what a cache of the SM cannot save.
    pub block_read_sectors: u64,
    /// Pairs of neighbouring sectors that it reads at least one of: device memory gives 64 bytes at once.
    pub read_pairs: u64,
    /// Pairs of neighbouring sectors that it writes at least one of.
    pub written_pairs: u64,
    /// Passes of the L1 cache that its requests need, summed: two lines of 128 bytes are looked up in one, and of each
    /// of its 32 banks it gives one word of 4 bytes.
    pub request_passes: u64,
    /// Sectors that copies in bulk read or write, each as often as a copy does.
    pub copied_sectors: u64,
    /// Of the sectors that loads touch, as [`Totals`](crate::counters::Totals) has them, those of loops that do nothing
    /// but wait for other blocks. How many there are depends on the order in which blocks run.
    #[serde(default)]
    pub spun_sectors: u64,
}

/// Where atomics wait for each other.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Serial {
    /// Steps of all atomics on global memory: a request takes as many at each sector as lanes meet at its busiest word.
    pub steps: u64,
    /// The most of these steps at 512 bytes of memory, which one part of the L2 cache serves.
    pub longest: u64,
    /// How many steps of the longest chain add or compare floating-point numbers.
    pub longest_float: u64,
    /// The most requests at one word, of a kernel whose loops try again until no other thread was faster: so many
    /// succeed one after another.
    pub retried: u64,
    /// Steps of all atomics on shared memory: a request takes as many as lanes meet at its busiest bank.
    pub shared_steps: u64,
}

/// What decides a launch's time beside its traffic.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Costs {
    /// Instructions by pipe.
    pub pipes: Pipes,
    /// Instructions of the block that executes the most of them, by pipe.
    #[serde(default)]
    pub busiest: Pipes,
    /// The chain of each block, summed over the blocks: from each barrier of the whole block to the next that of the
    /// warp which takes longest, because all others wait for it there.
    pub chain: Chain,
    /// The [cycles](Chain::cycles) of the longest of these chains.
    pub longest_chain: u64,
    /// What is touched in all.
    pub footprint: Footprint,
    /// Atomics that wait for each other.
    pub serial: Serial,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_chain_that_goes_on_has_the_rest_and_another_path_a_share_of_its_own() {
        let load = Chain { global: 1, arithmetic: 2, ..Chain::default() };
        let used = Chain { shared: 3, ..load };
        assert_eq!(used.beyond(&load), Chain { shared: 3, ..Chain::default() });
        // 1200 cycles in place of 608.
        let other = Chain { shared: 40, branches: 8, ..Chain::default() };
        assert_eq!(other.beyond(&load), Chain { shared: 20, branches: 4, ..Chain::default() });
        assert_eq!(load.beyond(&load), Chain::default());
        assert_eq!(load.beyond(&used), Chain::default());
    }
}
