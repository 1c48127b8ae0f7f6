//! Rounds: the state of each case while a judged lab runs several times ([`crate::lab::again`]).
use crate::{
    lab::{case::Case, row::Variant},
    measure::passes::Passes,
};

/// The rounds so far.
#[derive(Debug)]
pub(crate) struct Rounds {
    /// The number of this round; the first one is 1.
    pub(crate) number: u64,
    /// The number of cases in this round so far.
    had: usize,
    held: Vec<Held>,
}

/// A case between two rounds.
#[derive(Debug)]
pub(crate) struct Held {
    pub(crate) variant: &'static Variant,
    /// The case in its first round: random options may change its label.
    case: Case,
    pub(crate) passes: Passes,
}

impl Rounds {
    /// Returns the first round, before its first case.
    pub(crate) fn first() -> Self {
        Self { number: 1, had: 0, held: Vec::new() }
    }

    /// Begins the next round.
    pub(crate) fn begin(&mut self) {
        self.number += 1;
        self.had = 0;
    }

    /// Returns all cases, in order.
    pub(crate) fn into_held(self) -> Vec<Held> {
        self.held
    }

    /// Returns the state of the next case in this round, if an earlier round had it. The order of cases is the same in
    /// all rounds.
    pub(crate) fn next(&self, variant: &Variant) -> Option<(Case, Passes)> {
        let held = self.held.get(self.had).filter(|held| held.variant.name == variant.name);
        held.map(|held| (held.case.clone(), held.passes.clone()))
    }

    /// Keeps the state of a case until the next round.
    pub(crate) fn hold(&mut self, variant: &'static Variant, case: Case, passes: Passes) {
        let held = Held { variant, case, passes };
        match self.held.get_mut(self.had) {
            Some(known) if known.variant.name == variant.name => *known = held,
            _ => self.held.insert(self.had, held),
        }
        self.had += 1;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{lab::row::Expect, record::row::Record};

    const fn variant(name: &'static str) -> Variant {
        Variant { name, summary: "", expect: Expect::Right, own_process: false }
    }
    static A: Variant = variant("a");
    static B: Variant = variant("b");

    #[test]
    fn a_case_goes_on_where_the_round_before_left_it() {
        let passes = |case: &str| Passes::new(Record { case: case.into(), ..Record::default() });
        let mut rounds = Rounds::first();
        for (variant, case) in [(&A, "32 rows"), (&A, "64 rows"), (&B, "")] {
            assert!(rounds.next(variant).is_none());
            rounds.hold(variant, Case::new(variant.name).label(case), passes(case));
        }
        rounds.begin();
        assert_eq!(rounds.number, 2);
        // Random options change labels, but not the order.
        for (variant, case) in [(&A, "32 rows"), (&A, "64 rows"), (&B, "")] {
            let (known, passes) = rounds.next(variant).unwrap();
            assert_eq!(known.key(), Case::new(variant.name).label(case).key());
            rounds.hold(variant, known, passes);
        }
        assert!(rounds.next(&B).is_none());
        rounds.begin();
        assert!(rounds.next(&B).is_none(), "another variant's case");
        let cases: Vec<String> = rounds.into_held().into_iter().map(|held| held.passes.record.case).collect();
        assert_eq!(cases, ["32 rows", "64 rows", ""]);
    }
}
