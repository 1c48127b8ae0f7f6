//! The reliability of the run.
use harness::Verdict;
use record::{Row, Run};

use crate::number_format::{count, list, short};

/// The numbers of rows by verdict.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
#[allow(missing_docs)] // Each field is the verdict of its name.
pub struct Totals {
    pub pass: usize,
    pub fail: usize,
    pub finding: usize,
    pub skip: usize,
}

impl Totals {
    /// Counts these rows.
    pub fn from_rows<'r>(rows: impl Iterator<Item = &'r Row>) -> Self {
        let mut totals = Self::default();
        for row in rows {
            *match row.verdict {
                Verdict::Pass => &mut totals.pass,
                Verdict::Fail => &mut totals.fail,
                Verdict::Finding => &mut totals.finding,
                Verdict::Skip => &mut totals.skip,
            } += 1;
        }
        totals
    }

    /// Returns the totals with their names.
    pub fn named(&self) -> [(&'static str, usize); 4] {
        [("passed", self.pass), ("failed", self.fail), ("finding", self.finding), ("skipped", self.skip)]
    }
}

/// The noise above which a row's time is unreliable, in per cent.
const NOISY: f64 = 10.0;

/// Describes the reliability of the run, a sentence each.
pub fn says(run: &Run) -> Vec<String> {
    let mut says = Vec::new();
    let emulated = run.rows().filter(|row| row.is_emulated()).count();
    if emulated > 0 {
        says.push(format!(
            "{} emulated: their counters are exact, and their times are those of an emulation, so that this page shows no rates and no speed-ups of them.",
            if emulated == 1 { "1 row is".into() } else { format!("{emulated} rows are") }
        ));
    }
    let mut noise: Vec<(f64, &Row)> = run.rows().filter_map(|row| Some((row.noise_percent()?, row))).collect();
    noise.sort_by(|a, b| a.0.total_cmp(&b.0));
    if let Some((middle, _)) = noise.get(noise.len() / 2) {
        let noisy: Vec<&(f64, &Row)> = noise.iter().filter(|(percent, _)| *percent > NOISY).collect();
        says.push(format!(
            "{} timed more than once; in half of them the samples scatter by less than {} % of their median (standard deviation).",
            if noise.len() == 1 { "1 row was".into() } else { format!("{} rows were", noise.len()) },
            short(*middle)
        ));
        if !noisy.is_empty() {
            let worst = noisy.iter().rev().take(3);
            let worst: Vec<String> =
                worst.map(|(percent, row)| format!("{} {} (± {} %)", &row.lab, row.name(), short(*percent))).collect();
            says.push(format!("{} by more than {NOISY} %, most of all {}.", scatter(noisy.len()), list(&worst)));
        }
    }
    let modified =
        run.sessions.iter().any(|session| session.git_revision.as_ref().is_some_and(|r| r.ends_with("-modified")));
    if modified {
        says.push("The program was built from files that were changed after the revision that it names.".into());
    }
    for lab in run.sessions.iter().flat_map(|session| &session.labs) {
        if let Some(error) = &lab.error {
            says.push(format!("{} ended early: {error}.", lab.lab));
        }
    }
    let throttled = run.sessions.iter().filter_map(|session| session.nvml.as_ref()?.throttle_reasons.as_ref());
    if throttled.into_iter().any(|reasons| !reasons.is_empty() && reasons != "none") {
        says.push("The GPU was throttled when the run ended.".into());
    }
    says
}

fn scatter(rows: usize) -> String {
    let verb = if rows == 1 { "scatters" } else { "scatter" };
    format!("{} {verb}", count(rows, "row"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use record::{LabRows, fixtures::row};

    #[test]
    fn emulated_and_noisy_rows_are_said() {
        let rows = vec![
            row(&[("variant", "a"), ("time_median_ms", "2"), ("time_stdev_ms", "0.02")]),
            row(&[("variant", "b"), ("lab", "x"), ("time_median_ms", "2"), ("time_stdev_ms", "1")]),
            row(&[("device", "emulated"), ("verdict", "fail")]),
        ];
        let lab = LabRows { lab: "x".into(), rows, ..LabRows::default() };
        let run = Run { folder: "x".into(), sessions: Vec::new(), labs: vec![lab], remarks: Vec::new() };
        let says = says(&run);
        assert!(says[0].starts_with("1 row is emulated"), "{says:?}");
        assert!(says[2].contains("1 row scatters by more than 10 %, most of all x b (± 50 %)"), "{says:?}");
        assert_eq!(Totals::from_rows(run.rows()), Totals { pass: 2, fail: 1, ..Totals::default() });
    }
}
