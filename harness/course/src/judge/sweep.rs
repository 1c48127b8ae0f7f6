//! Runs many variants in one process, for a fast answer. Variants that are right there are right; all others run again
//! in isolation, so that no variant is blamed for another one's failure.
use std::{collections::HashMap, env};

use harness::{Error, Record, Verdict};

use super::{
    baseline::{instructions, own},
    child::{self, EndedRun, Outcome, SLOWER, command},
    task::Task,
};

/// The most warp instructions of a launch, at least: a variant that takes more runs in isolation, with a larger budget.
const BUDGET: u64 = 1_000_000;

/// A variant with its options, at a size.
type SizedVariantKey = (Vec<String>, Option<usize>, &'static str);

/// The outcomes of variants that need not run again.
#[derive(Debug, Default)]
pub struct Swept(HashMap<SizedVariantKey, Outcome>);

impl Swept {
    /// The outcome of `variant` of the task at this size, if known.
    pub(super) fn outcome(&self, task: &Task, variant: &'static str, size: Option<usize>) -> Option<&Outcome> {
        self.0.get(&(task.options.clone(), size, variant))
    }

    /// Whether every variant of the task is right at this size.
    pub fn is_right(&self, task: &Task, size: Option<usize>) -> bool {
        let is_right = |outcome: &Outcome| matches!(outcome, Outcome::Ran { rows, .. } if is_clean(rows.iter()));
        task.variants.iter().all(|variant| self.outcome(task, variant, size).is_some_and(is_right))
    }

    /// Adds the outcomes of `other`.
    pub fn extend(&mut self, other: Self) {
        self.0.extend(other.0);
    }
}

/// Runs all variants of each task at each of these sizes, in one process per task and size. The lab's own kernels run
/// first: a variant that they refuse does not take part.
///
/// # Errors
/// Why runs cannot be started or read.
pub fn sweep(tasks: &[Task], sizes: &[Option<usize>]) -> Result<Swept, Error> {
    let places: Vec<(&Task, Option<usize>)> =
        tasks.iter().flat_map(|task| sizes.iter().map(move |size| (task, *size))).collect();
    let each: Vec<_> =
        places.iter().flat_map(|(task, size)| task.variants.iter().map(|variant| (*task, *size, *variant))).collect();
    let own = harness::parallel(each.len(), |i| own(each[i].0, each[i].2, each[i].1));
    let mut takes = own.into_iter();
    let mut runs = Vec::new();
    for (task, size) in places {
        let (mut variants, mut most) = (Vec::new(), 0);
        for (variant, own) in task.variants.iter().zip(takes.by_ref()) {
            let own = own?;
            if matches!(own, Outcome::Ran { .. }) {
                variants.push(*variant);
                most = instructions(&own).max(most);
            }
        }
        // An option that one of them does not take cannot be given to all.
        let (sized, others): (Vec<_>, Vec<_>) = variants.into_iter().partition(|v| task.lab.takes("n", v));
        runs.extend([sized, others].into_iter().filter(|v| !v.is_empty()).map(|variants| (task, size, variants, most)));
    }
    let swept = harness::parallel(runs.len(), |i| {
        let (task, size, variants, most) = &runs[i];
        together(task, variants, *size, *most)
    });
    let mut all = Swept::default();
    for (swept, (task, size, ..)) in swept.into_iter().zip(&runs) {
        let place = |(variant, outcome)| ((task.options.clone(), *size, variant), outcome);
        all.0.extend(swept?.into_iter().map(place));
    }
    Ok(all)
}

/// Returns the outcomes of these variants in one process: of a single variant in any case, of several only those that
/// are right. The lab's own kernels take `most` warp instructions.
fn together(
    task: &Task,
    variants: &[&'static str],
    size: Option<usize>,
    most: u64,
) -> Result<Vec<(&'static str, Outcome)>, Error> {
    if let [variant] = variants {
        return Ok(vec![(variant, child::alone(task, variant, size, most)?)]);
    }
    if variants.iter().any(|variant| task.bounds.refusal(&task.options, variant, size).is_some()) {
        return Ok(Vec::new());
    }
    let mut command = child::in_place(command(task, variants, size)?, task);
    if env::var_os(child::BUDGET_NAME).is_none() {
        command.env(child::BUDGET_NAME, BUDGET.max(most.saturating_mul(SLOWER)).to_string());
    }
    let ended = EndedRun::run(command, &task.bounds.within(&task.limits))?;
    task.printed.add(variants, size, ended.printed());
    let Some(rows) = ended.whole() else {
        return Ok(Vec::new());
    };
    let right =
        |variant: &&'static str| Some((*variant, Outcome::Ran { rows: right(&rows, variant)?, missing: vec![] }));
    Ok(variants.iter().filter_map(right).collect())
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
    use super::{
        super::sample::{race, record},
        *,
    };

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
