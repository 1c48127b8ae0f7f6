//! What decides a launch's time besides its traffic: instructions by pipe, each block's dependent chain, the launch's
//! footprint in memory, and the chains of atomics. Counted if [`crate::Settings::costs`] is set.

use serde::{Deserialize, Serialize};

/// Hardware instructions that warps execute, by the pipe that executes them. The machine estimates them from the PTX:
/// the assembler removes some instructions and splits others.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Pipes {
    /// Single precision, and half precision in pairs.
    pub single: u64,
    /// Integer additions, logic, comparisons, selections.
    pub integer: u64,
    /// Integer multiplications: half of the lanes for single precision execute them.
    pub product: u64,
    /// Double precision.
    pub double: u64,
    /// Functions of the special function unit, conversions, and bit counts.
    pub special: u64,
    /// Matrix products by a warp (`mma`).
    pub tensor: u64,
    /// Matrix products by a warpgroup (`wgmma`), counted in products of 16 rows by 8 columns for each of its warps.
    /// These are not instructions: one instruction makes up to 32 of them.
    pub warpgroup: u64,
    /// Loads, stores and atomics of every space.
    pub memory: u64,
    /// Shuffles, votes, matches and reductions of a warp.
    pub exchange: u64,
    /// Branches, calls, barriers.
    pub control: u64,
}

impl Pipes {
    /// The number of all instructions, without the products of warpgroups.
    pub fn total(&self) -> u64 {
        self.parts().iter().sum::<u64>() - self.warpgroup
    }

    /// Adds `other`, `times` times.
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

/// The steps of a dependent chain, by what each step waits for. The chain is the longest path through the basic blocks
/// that a warp executes, one block after another.
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
    /// Products by the warpgroup that accumulate into the same sums, counted as in [`Pipes::warpgroup`]: a tensor core
    /// makes one after another.
    pub warpgroup: u64,
    /// Loads from shared memory.
    pub shared: u64,
    /// Exchanges between the lanes.
    pub exchange: u64,
    /// Loads from global memory.
    pub global: u64,
    /// Loads from local memory.
    pub local: u64,
    /// Values returned by atomics.
    pub atomics: u64,
    /// Basic blocks that end with a jump.
    pub branches: u64,
    /// Barriers of the block.
    pub barriers: u64,
    /// Memory fences that other blocks can observe: each waits until all earlier writes have reached the L2 cache.
    #[serde(default)]
    pub fences: u64,
    /// Instructions that a warp can execute while it waits for loads from global memory: those that neither lead to
    /// such a load in the same basic block nor use the loaded value. They are not steps of the chain.
    #[serde(default)]
    pub meanwhile: u64,
}

impl Chain {
    /// Adds the steps of `other`, `times` times.
    #[inline]
    pub fn add(&mut self, other: &Chain, times: u64) {
        let parts = self.parts_mut().into_iter().zip(other.parts());
        parts.for_each(|(to, from)| *to += from * times);
    }

    /// A rough number of cycles for these steps on any GPU of the last generations. Used to find the longer of two
    /// chains.
    #[inline]
    pub fn cycles(&self) -> u64 {
        const CYCLES: [u64; 14] = [4, 16, 20, 32, 4, 28, 24, 600, 40, 600, 10, 20, 600, 0];
        self.parts().iter().zip(CYCLES).map(|(steps, cycles)| steps * cycles).sum()
    }

    /// Returns the steps that this chain has beyond `shorter`. If it took another path, and has fewer steps of some
    /// kind, returns its own steps scaled so that their [cycles](Chain::cycles) equal the difference.
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

/// The global memory that a launch touches, each 32-byte sector counted once.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Footprint {
    /// Sectors that the launch reads.
    pub read_sectors: u64,
    /// Sectors that it writes or changes by atomics.
    pub written_sectors: u64,
    /// Sectors that it reads, writes or changes.
    pub sectors: u64,
    /// Sectors that each block reads, counted once for each block and summed over the blocks: an L1 cache cannot avoid
    /// these reads.
    pub block_read_sectors: u64,
    /// Pairs of neighbouring sectors of which it reads at least one: device memory transfers 64 bytes together.
    pub read_pairs: u64,
    /// Pairs of neighbouring sectors of which it writes at least one.
    pub written_pairs: u64,
    /// Passes of the L1 cache that the launch's requests need, summed: one pass looks up two lines of 128 bytes, and
    /// each of its 32 banks returns one word of 4 bytes.
    pub request_passes: u64,
    /// Sectors that bulk copies read or write, counted once for each copy.
    pub copied_sectors: u64,
    /// The part of the sectors touched by loads (see [`Totals`](crate::counters::Totals)) that belongs to loops which
    /// only wait for other blocks. It depends on the order in which blocks run.
    #[serde(default)]
    pub spun_sectors: u64,
}

/// Where atomics wait for each other (contention).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Serial {
    /// Steps of all atomics on global memory: at each sector, a request takes as many steps as it has lanes at the
    /// sector's busiest word.
    pub steps: u64,
    /// The most steps that any 512 bytes of memory, which one slice of the L2 cache serves, take.
    pub longest: u64,
    /// The steps of the longest chain that add or compare floating-point numbers.
    pub longest_float: u64,
    /// The most requests at one word, for a kernel whose loops retry (compare-and-swap) until no other thread
    /// interferes: these requests succeed one after another.
    pub retried: u64,
    /// Steps of all atomics on shared memory: a request takes as many steps as it has lanes at its busiest bank.
    pub shared_steps: u64,
}

/// What decides a launch's time besides its traffic.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Costs {
    /// Instructions by pipe.
    pub pipes: Pipes,
    /// Instructions, by pipe, of the block that executes the most of them.
    #[serde(default)]
    pub busiest: Pipes,
    /// The chains of all blocks, summed. A block's chain consists, between two barriers of the whole block, of the
    /// chain of the slowest warp, because all others wait for that warp at the barrier.
    pub chain: Chain,
    /// The [cycles](Chain::cycles) of the longest of these chains.
    pub longest_chain: u64,
    /// The global memory that the launch touches.
    pub footprint: Footprint,
    /// Contention between atomics.
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
        // 1200 cycles instead of 608.
        let other = Chain { shared: 40, branches: 8, ..Chain::default() };
        assert_eq!(other.beyond(&load), Chain { shared: 20, branches: 4, ..Chain::default() });
        assert_eq!(load.beyond(&load), Chain::default());
        assert_eq!(load.beyond(&used), Chain::default());
    }
}
