//! Runs many variants in one process, for a fast answer. Variants that are right there are right; all others run again
//! in isolation, so that no variant is blamed for another one's failure.
use std::collections::HashMap;

use harness::{Error, Record, Verdict};

use super::{baseline::instructions, outcome::Outcome, process::EndedRun, runner::Runner};
use crate::judge::plan::{JudgeRequest, Plan, VariantFacts, plan_at};

/// The most warp instructions of a launch, at least: a variant that takes more runs in isolation, with a larger budget.
const BUDGET: u64 = 1_000_000;

/// A variant with its options, at a size.
type SizedVariantKey = (Vec<String>, Option<usize>, &'static str);

/// The outcomes of variants that need not run again.
#[derive(Debug, Default)]
pub struct SharedOutcomes(HashMap<SizedVariantKey, Outcome>);

impl SharedOutcomes {
    /// The outcome of `variant` of the request at this size, if known.
    pub(super) fn outcome(
        &self,
        request: &JudgeRequest,
        variant: &'static str,
        size: Option<usize>,
    ) -> Option<&Outcome> {
        self.0.get(&(request.options.clone(), size, variant))
    }

    /// Whether every variant of the request is right at this size.
    pub fn is_right(&self, request: &JudgeRequest, size: Option<usize>) -> bool {
        let is_right = |outcome: &Outcome| matches!(outcome, Outcome::Ran { rows, .. } if is_clean(rows.iter()));
        request.variants.iter().all(|variant| self.outcome(request, variant, size).is_some_and(is_right))
    }

    /// Adds the outcomes of `other`.
    pub fn extend(&mut self, other: Self) {
        self.0.extend(other.0);
    }
}

/// A plan whose variants all run in one process, at one size.
struct SharedRun<'r> {
    plan: Plan<'r>,
    size: Option<usize>,
    /// The most warp instructions of the lab's own kernels.
    own_instructions: u64,
}

impl Runner {
    /// Runs all variants of each request at each of these sizes, in one process per request and size. The lab's own
    /// kernels run first: a variant that they refuse does not take part.
    ///
    /// # Errors
    /// Why runs cannot be started or read.
    pub fn together(&self, requests: &[JudgeRequest], sizes: &[Option<usize>]) -> Result<SharedOutcomes, Error> {
        let runs = self.shared_runs(requests, sizes)?;
        let outcomes = harness::parallel(runs.len(), |i| self.shared(&runs[i]));
        let mut all = SharedOutcomes::default();
        for (outcomes, run) in outcomes.into_iter().zip(&runs) {
            let key = |variant| (run.plan.request.options.clone(), run.size, variant);
            all.0.extend(outcomes?.into_iter().map(|(variant, outcome)| (key(variant), outcome)));
        }
        Ok(all)
    }

    /// The shared runs of these requests and sizes.
    fn shared_runs<'r>(
        &self,
        requests: &'r [JudgeRequest],
        sizes: &[Option<usize>],
    ) -> Result<Vec<SharedRun<'r>>, Error> {
        let places: Vec<(&JudgeRequest, Option<usize>)> =
            requests.iter().flat_map(|request| sizes.iter().map(move |size| (request, *size))).collect();
        let each: Vec<_> = places
            .iter()
            .flat_map(|(request, size)| request.variants.iter().map(|variant| (*request, *size, *variant)))
            .collect();
        let own = harness::parallel(each.len(), |i| self.own(each[i].0, each[i].2, each[i].1));
        let mut takes = own.into_iter();
        let mut runs = Vec::new();
        for (request, size) in places {
            let (mut variants, mut own_instructions) = (Vec::new(), 0);
            for (variant, own) in request.variants.iter().zip(takes.by_ref()) {
                let own = own?;
                if matches!(own, Outcome::Ran { .. }) {
                    variants.push(*variant);
                    own_instructions = instructions(&own).max(own_instructions);
                }
            }
            // An option that one of them does not take cannot be given to all.
            let (sized, others): (Vec<_>, Vec<_>) = variants.into_iter().partition(|v| request.lab.takes("n", v));
            for variants in [sized, others].into_iter().filter(|variants| !variants.is_empty()) {
                let fact = |variant| VariantFacts { variant, uses_file: true, is_long: false };
                let facts: Vec<VariantFacts> = variants.into_iter().map(fact).collect();
                runs.push(SharedRun { plan: plan_at(request, size, &facts), size, own_instructions });
            }
        }
        Ok(runs)
    }

    /// Returns the outcomes of these variants in one process: of a single variant in any case, of several only those
    /// that are right.
    fn shared(&self, run: &SharedRun) -> Result<Vec<(&'static str, Outcome)>, Error> {
        let SharedRun { plan, size, own_instructions } = run;
        let variants = &plan.variants;
        if let [variant] = variants[..] {
            return Ok(vec![(variant, self.alone(plan, variant, *size, *own_instructions)?)]);
        }
        if variants.iter().any(|variant| self.bounds.refusal(&plan.request.options, variant, *size).is_some()) {
            return Ok(Vec::new());
        }
        let command = self.submitted(plan, variants, *size, (BUDGET, *own_instructions))?;
        let ended = EndedRun::run(command, &self.bounds.within(&self.limits))?;
        self.printed.add(variants, *size, ended.printed());
        let Some(rows) = ended.whole() else {
            return Ok(Vec::new());
        };
        let right =
            |variant: &&'static str| Some((*variant, Outcome::Ran { rows: right(&rows, variant)?, missing: vec![] }));
        Ok(variants.iter().filter_map(right).collect())
    }
}

/// The rows of `variant`, if it is right.
fn right(rows: &[Record], variant: &str) -> Option<Vec<Record>> {
    let mine = || rows.iter().filter(|row| row.variant == variant);
    is_clean(mine()).then(|| mine().cloned().collect())
}

/// Whether these rows exist and nothing is wrong in them.
fn is_clean<'a>(mut rows: impl Iterator<Item = &'a Record> + Clone) -> bool {
    let is_good = |row: &Record| {
        row.verdict == Verdict::Pass && row.wrong.is_none() && row.findings.is_empty() && row.missing_kernel.is_none()
    };
    rows.clone().next().is_some() && rows.all(is_good)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::judge::verdict::sample::{race, record};

    #[test]
    fn only_a_variant_of_which_nothing_is_wrong_need_not_run_alone() {
        let of = |variant: &str, verdict| Record { variant: variant.into(), ..record(verdict) };
        let rows = [
            of("right", Verdict::Pass),
            of("wrong", Verdict::Pass),
            of("wrong", Verdict::Fail),
            Record { findings: vec![race(3, 1)], ..of("found", Verdict::Pass) },
            Record { wrong: Some("1 of 9".into()), ..of("lucky", Verdict::Pass) },
            Record { missing_kernel: Some("k".into()), ..of("missing", Verdict::Pass) },
            of("lost", Verdict::Skip),
            of("right", Verdict::Pass),
        ];
        assert_eq!(right(&rows, "right").map(|rows| rows.len()), Some(2));
        for variant in ["wrong", "found", "lucky", "missing", "lost", "absent"] {
            assert!(right(&rows, variant).is_none(), "{variant}");
        }
    }
}
