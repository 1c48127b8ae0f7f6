//! What a launch whose costs are counted is looked at for, and what has been seen: addresses, and the chains of warps.

use super::program::Adds;
use super::request::{Request, space_of};
use crate::costs::{Chain, Costs};
use crate::engine::traffic::footprint::Touch;
use crate::engine::traffic::serial::Chains;
use crate::finding::{Space, What};
use crate::lane::{LANES, lanes};
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

/// What a worker has seen.
pub(crate) struct Seen {
    touch: Touch,
    chains: Chains,
    /// The chain of the longest warp of each block that has ended, summed.
    chain: Chain,
    /// That of each block under way, by its number.
    under_way: BTreeMap<u64, Chain>,
}

impl Seen {
    /// Nothing yet. `retries`: the kernel's loops try again until no other thread was faster.
    pub fn new(retries: bool) -> Seen {
        Seen { touch: Touch::new(), chains: Chains::new(retries), chain: Chain::default(), under_way: BTreeMap::new() }
    }

    /// A warp of a block has ended after so many executions of basic blocks with these chains.
    pub fn warp_ended<'c>(&mut self, block: u64, executed: impl Iterator<Item = (&'c Chain, u64)>) {
        let mut own = Chain::default();
        executed.for_each(|(chain, times)| own.add(chain, times));
        let longest = self.under_way.entry(block).or_default();
        if own.cycles() > longest.cycles() {
            *longest = own;
        }
    }

    /// A block has ended.
    pub fn block_ended(&mut self, block: u64) {
        let longest = self.under_way.remove(&block).unwrap_or_default();
        self.chain.add(&longest, 1);
    }

    /// What several workers have seen in this memory, without the instructions.
    pub fn joined<'s>(all: impl Iterator<Item = &'s Seen>, memory: &View) -> Costs {
        let mut sum = Seen::new(false);
        for seen in all {
            sum.touch.join(&seen.touch);
            sum.chains.join(&seen.chains);
            sum.chain.add(&seen.chain, 1);
        }
        let serial = sum.chains.serial(|address| memory.find(address).map_or(0, |range| range.start));
        Costs { chain: sum.chain, footprint: sum.touch.footprint(), serial, ..Costs::default() }
    }

    /// Notes an access of the lanes of `mask` of a warp of `block`. `adds`: what it adds, if it is an atomic.
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
                self.sectors(block, address, mask, (request.size, what == What::Read));
            }
            _ => {}
        }
    }

    /// Notes the sectors of an access, those of neighbouring lanes in one line at once.
    fn sectors(&mut self, block: u64, address: &[u64; LANES], mask: u32, (size, is_read): (u32, bool)) {
        let (mut line, mut sectors) = (u64::MAX, 0u8);
        let mut lines = 0u32;
        let mut banks = Banks::default();
        for lane in lanes(mask) {
            let first = address[lane] >> 5;
            if first >> 2 != line {
                if sectors != 0 {
                    self.touch.line(block, line, sectors, is_read);
                }
                (line, sectors) = (first >> 2, 0);
                lines += 1;
            }
            sectors |= 1 << (first & 3);
            debug_assert!(size <= 32, "an access of one sector at most");
            banks.read(address[lane] >> 2, size.div_ceil(4));
        }
        if sectors != 0 {
            self.touch.line(block, line, sectors, is_read);
        }
        self.touch.passes(banks.passes().max(lines.div_ceil(2)));
    }
}

/// The words that a request asks of each bank of the L1 cache. A word that neighbouring lanes share is asked for once.
#[derive(Default)]
struct Banks {
    latest: [u64; 32],
    words: [u8; 32],
}

impl Banks {
    fn read(&mut self, word: u64, count: u32) {
        for word in word..word + u64::from(count) {
            let bank = word as usize % 32;
            if self.words[bank] == 0 || self.latest[bank] != word {
                (self.latest[bank], self.words[bank]) = (word, self.words[bank].saturating_add(1));
            }
        }
    }

    fn passes(&self) -> u32 {
        self.words.iter().copied().max().unwrap_or(0).into()
    }
}
