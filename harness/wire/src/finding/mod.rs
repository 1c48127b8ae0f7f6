//! Findings: the results of the checks, as typed data.
//!
//! A finding records what went wrong, in which kernel, and which accesses took part. Only the machine's renderer turns
//! it into text; nothing here is worded for people.

mod access;
mod judge;
mod kind;
#[cfg(test)]
mod tests;

use std::mem::Discriminant;

use serde::{Deserialize, Serialize};

use crate::version::required;
pub use access::{Access, AccessKind, Allocation, CalledFrom, Relation, SourcePlace};
pub use kind::{
    Blame, FailureOf, FindingKind, Limit, MbarrierMisuse, Passed, Scope, Space, TensorMapMisuse, WarpgroupMisuse,
};

/// A class of mistakes: findings of one class differ only in their places, threads and numbers.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Class {
    kind: Discriminant<FindingKind>,
    space: Option<Space>,
    /// For a race, what its two sides did; for any other kind, what the first access did; each with its number of
    /// bytes.
    accesses: Vec<(AccessKind, u32)>,
}

/// One thing found.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Finding {
    /// The kind of mistake.
    #[serde(flatten)]
    pub kind: FindingKind,
    /// The kernel that ran, mangled; empty when no kernel is concerned (a leak).
    pub kernel: String,
    /// Every access that took part: first the one that failed, then those that it collided with.
    pub accesses: Vec<Access>,
    /// The allocation concerned, or the nearest.
    #[serde(deserialize_with = "required")]
    pub allocation: Option<Allocation>,
    /// Further facts, one sentence each.
    pub notes: Vec<String>,
    /// A better remedy than the kind's own, if the check that found it has one (a launch that would fit).
    #[serde(deserialize_with = "required")]
    pub remedy: Option<String>,
    /// Which part of the program has to change: the kind's own blame, unless the check that found it says otherwise.
    pub blame: Blame,
    /// How often it occurred.
    pub count: u64,
    /// The schedule under which it occurred.
    pub seed: u64,
}

impl Finding {
    /// Returns a finding for a kernel, with a count of 1 and without accesses.
    pub fn new(kind: FindingKind, kernel: impl Into<String>) -> Self {
        Finding {
            blame: kind.blame(),
            kind,
            kernel: kernel.into(),
            accesses: Vec::new(),
            allocation: None,
            notes: Vec::new(),
            remedy: None,
            count: 1,
            seed: 0,
        }
    }

    /// Adds an access.
    #[must_use]
    pub fn with(mut self, access: Access) -> Self {
        self.accesses.push(access);
        self
    }

    /// Whether two findings are the same mistake: the same kind (whatever its numbers) in the same kernel on the same
    /// lines. For a race, the order of the two accesses does not matter, nor whether the observed access is a read or a
    /// write: `x += 1` by two threads does both.
    pub fn same_mistake(&self, other: &Finding) -> bool {
        let same_kind = match (&self.kind, &other.kind) {
            (FindingKind::OutOfBounds { space: a }, FindingKind::OutOfBounds { space: b })
            | (FindingKind::Uninitialized { space: a }, FindingKind::Uninitialized { space: b })
            | (FindingKind::Race { space: a, .. }, FindingKind::Race { space: b, .. }) => a == b,
            (FindingKind::LaunchLimit { limit: a, .. }, FindingKind::LaunchLimit { limit: b, .. }) => a == b,
            (FindingKind::Unsupported { what: a }, FindingKind::Unsupported { what: b })
            | (FindingKind::Internal { what: a }, FindingKind::Internal { what: b }) => a == b,
            (a, b) => std::mem::discriminant(a) == std::mem::discriminant(b),
        };
        if !same_kind || self.kernel != other.kernel {
            return false;
        }
        let same = |a: &Access, b: &Access| a.place.same_line(&b.place);
        match (&self.kind, &self.accesses[..], &other.accesses[..]) {
            (FindingKind::Race { .. }, [a, b], [c, d]) => (same(a, c) && same(b, d)) || (same(a, d) && same(b, c)),
            // The other lanes may be at different places each time.
            (FindingKind::DivergentBarrier { .. }, [a, ..], [b, ..]) => same(a, b),
            (_, these, those) => {
                these.len() == those.len() && std::iter::zip(these, those).all(|(a, b)| a.what == b.what && same(a, b))
            }
        }
    }

    /// The class of the mistake, without its place, threads and numbers.
    pub fn class(&self) -> Class {
        let race = matches!(self.kind, FindingKind::Race { .. });
        let takes_part = self.accesses.iter().take(if race { 2 } else { 1 });
        Class {
            kind: std::mem::discriminant(&self.kind),
            space: self.kind.space(),
            accesses: takes_part.map(|access| (access.what, if race { 0 } else { access.size })).collect(),
        }
    }

    /// The places of its accesses, in their order. Consecutive accesses at the same place count once. Callers of
    /// inlined code are left out, and so are host accesses, which have no place.
    pub fn places(&self) -> Vec<SourcePlace> {
        let groups = self.accesses.chunk_by(Access::stands_with);
        groups.filter_map(|group| group[0].place.spot()).collect()
    }

    /// Identifies the finding among those of a case, whichever threads took part: its kind and its places.
    pub fn key(&self) -> (Discriminant<FindingKind>, Vec<SourcePlace>) {
        (std::mem::discriminant(&self.kind), self.places())
    }

    /// How far apart the threads of a race are; `None` if it is not a race.
    fn scope(&self) -> Option<Scope> {
        match self.kind {
            FindingKind::Race { scope, .. } => Some(scope),
            _ => None,
        }
    }
}

/// Findings of one run, each mistake kept once with its count.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Findings {
    /// The findings, in the order first seen.
    pub list: Vec<Finding>,
    /// Further mistakes that were not kept because the list was full.
    pub dropped: u64,
}

impl Findings {
    /// The maximum number of different mistakes that are kept: a longer report helps no one.
    pub const MOST: usize = 256;

    /// Adds a finding, or increments the count of the same mistake. For a race, the example whose threads are farthest
    /// apart is kept, because its remedy helps in the other cases too.
    pub fn add(&mut self, mut finding: Finding) {
        if let Some(known) = self.list.iter_mut().find(|f| f.same_mistake(&finding)) {
            let count = known.count.saturating_add(finding.count);
            if finding.scope() > known.scope() {
                std::mem::swap(known, &mut finding);
            }
            known.count = count;
        } else if self.list.len() < Self::MOST {
            self.list.push(finding);
        } else {
            self.dropped = self.dropped.saturating_add(finding.count);
        }
    }

    /// Removes findings that only follow from another mistake: a read that is not ordered after the write may come too
    /// early, and then reads memory that was never written.
    pub fn distill(&mut self) {
        let follows = |finding: &Finding, race: &Finding| match (finding.kind.clone(), &race.kind) {
            (FindingKind::Uninitialized { space: a }, FindingKind::Race { space: b, .. }) => {
                a == *b
                    && finding.kernel == race.kernel
                    && finding.accesses.iter().all(|read| {
                        let mut all = race.accesses.iter();
                        all.any(|access| access.place.same_line(&read.place))
                    })
            }
            _ => false,
        };
        let all = std::mem::take(&mut self.list);
        let races: Vec<Finding> = all.iter().filter(|f| f.scope().is_some()).cloned().collect();
        let kept = |f: &Finding| !races.iter().any(|race| follows(f, race));
        self.list = all.into_iter().filter(kept).collect();
    }

    /// Whether nothing was found.
    pub fn is_empty(&self) -> bool {
        self.list.is_empty()
    }
}

impl Extend<Finding> for Findings {
    fn extend<I: IntoIterator<Item = Finding>>(&mut self, findings: I) {
        for finding in findings {
            self.add(finding);
        }
    }
}
