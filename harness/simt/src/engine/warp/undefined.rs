//! Tracks a warp's values that come from unwritten memory.

use super::tables::Operand;
use super::worker_scratch::Unjudged;
use crate::lane::LANES;
use smallvec::SmallVec;
use std::collections::HashMap;

/// All lanes of a register; a narrow register uses only part of it.
pub(crate) type Content = [u64; LANES];

/// The maximum number of loads whose values are tracked at a time.
pub(crate) const MOST_ORIGINS: usize = 64;

/// What a register would hold if the unwritten bits were inverted.
pub(crate) struct Alternative {
    /// The register.
    pub register: Operand,
    /// Its contents in that case.
    pub content: Content,
    /// A mask of the loads on which it depends.
    pub origins: u64,
    /// The lanes in which the content only stands for any other value. In the rest it would be exactly this, because
    /// another path would have been taken.
    pub guessed: u32,
}

/// A load of unwritten bytes.
pub(crate) struct Origin {
    /// The load.
    pub read: Unjudged,
    /// Whether it has been reported, and is no longer tracked.
    pub is_told: bool,
}

/// A warp's undefined values.
#[derive(Default)]
pub(crate) struct Undefined {
    /// What the last load has read.
    pub loaded: Vec<Unjudged>,
    /// The loads on which registers may depend.
    pub origins: Vec<Origin>,
    /// The registers that are partly undefined.
    pub alternatives: Vec<Alternative>,
    /// For bytes of local memory that count as unwritten, because an undefined value was stored there: the undefined
    /// bits, by lane and offset.
    pub partly: HashMap<(usize, u64), u8>,
    /// The branches around a few instructions that lanes took, or did not take, by an undefined value.
    pub forks: Vec<Fork>,
    /// The lane whose value each lane reads in the last shuffle.
    pub sources: [u32; LANES],
}

/// Lanes that go one way from a branch because of an undefined value: with another value, they would go the other way.
pub(crate) struct Fork {
    /// Their instructions up to where both ways meet.
    pub way: SmallVec<[u32; 64]>,
    /// The lanes.
    pub lanes: u32,
    /// What the registers that both ways write would hold after the other way, and the lanes in which that is a guess.
    pub skipped: Vec<(Operand, Content, u32)>,
    /// A mask of the loads on which the branch depends.
    pub origins: u64,
}

impl Undefined {
    /// Returns the alternative of a register, if the register is partly undefined.
    pub fn find(&self, register: Operand) -> Option<&Alternative> {
        self.alternatives.iter().find(|known| known.register.place() == register.place())
    }

    /// Stores the alternative of a register.
    pub fn set(&mut self, register: Operand, content: Content, origins: u64, guessed: u32) {
        self.alternatives.retain(|known| known.register.place() != register.place());
        self.alternatives.push(Alternative { register, content, origins, guessed });
    }

    /// Records that all of a register is defined.
    pub fn forget(&mut self, register: Operand) {
        self.alternatives.retain(|known| known.register.place() != register.place());
    }

    /// Adds a load, and returns its number. If there are too many, a load of the same instruction is replaced, or else
    /// the one whose values have been there for the longest: in code that is not optimised, those are mostly registers
    /// that are not read again.
    pub fn add(&mut self, read: Unjudged) -> usize {
        let used = self.alternatives.iter().fold(0, |all, known| all | known.origins);
        let used = self.forks.iter().fold(used, |all, fork| all | fork.origins);
        let free = (0..self.origins.len()).find(|at| used & (1 << at) == 0);
        let origin = Origin { read, is_told: false };
        if free.is_none() && self.origins.len() < MOST_ORIGINS {
            self.origins.push(origin);
            return self.origins.len() - 1;
        }
        let at = free.unwrap_or_else(|| {
            let same = self.origins.iter().position(|known| known.read.site == origin.read.site);
            same.unwrap_or_else(|| self.drop_oldest())
        });
        self.origins[at] = origin;
        at
    }

    /// Stops tracking what depends on a load, and returns the load's number.
    fn drop_oldest(&mut self) -> usize {
        let oldest =
            self.alternatives.first().map_or(0, |known| known.origins.trailing_zeros() as usize % MOST_ORIGINS);
        let others = !(1u64 << oldest);
        self.alternatives.retain(|known| known.origins & others != 0);
        self.alternatives.iter_mut().for_each(|known| known.origins &= others);
        oldest
    }
}

/// Returns the lanes in which two contents of a register differ.
pub(crate) fn differ(register: Operand, one: &Content, other: &Content) -> u32 {
    match register.width() {
        0 => (one[0] ^ other[0]) as u32,
        width => (0..LANES).filter(|&l| lane_of(one, width, l) != lane_of(other, width, l)).fold(0, |m, l| m | 1 << l),
    }
}

/// Returns one lane of a register of `width` bytes a lane.
pub(crate) fn lane_of(content: &Content, width: u32, lane: usize) -> u64 {
    let per_word = 8 / width as usize;
    let word = content[lane / per_word] >> (8 * width as usize * (lane % per_word));
    if width == 8 { word } else { word & ((1 << (8 * width)) - 1) }
}

/// Inverts the bits of `flip` in one lane of a register of `width` bytes a lane.
pub(crate) fn flip_lane(content: &mut Content, width: u32, lane: usize, flip: u64) {
    let per_word = 8 / width as usize;
    let kept = if width == 8 { flip } else { flip & ((1 << (8 * width)) - 1) };
    content[lane / per_word] ^= kept << (8 * width as usize * (lane % per_word));
}
