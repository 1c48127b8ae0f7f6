//! What a lab's run shows, in a few lines: a ladder of rows with one number each, and a claim about them that the rows
//! of every run confirm or refute.
use predict::scaling::Powers;
use record::{Bar, Holds, Record, Source, StorySummary, Verdict, count, ratio as times, time};
use wire::Check;

use crate::{
    export::layout::significant,
    lab::row::{Expect, Variant},
};

/// The story of a lab, as its table declares it.
#[derive(Debug, Clone, Copy)]
pub struct Story {
    /// The lab's question, in one line.
    pub question: &'static str,
    /// The rows of the ladder, the textbook's first.
    pub ladder: &'static [Rung],
    /// The number that a rung shows.
    pub measure: Measure,
    /// The problem size for which times are predicted when emulated.
    pub size: Size,
    /// Options of the lab that restrict a companion run to the ladder's rows.
    pub options: &'static [&'static str],
    /// What the ladder shows.
    pub claim: Claim,
}

/// A row of the lab, by its variant and the label of its case.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Rung {
    /// The variant.
    pub variant: &'static str,
    /// The case's label; `None`: the first of the variant's rows with the largest size.
    pub case: Option<&'static str>,
}

/// Returns the rung of a variant.
pub const fn rung(variant: &'static str) -> Rung {
    Rung { variant, case: None }
}

impl Rung {
    /// Chooses the case with this label.
    #[must_use]
    pub const fn of(mut self, case: &'static str) -> Self {
        self.case = Some(case);
        self
    }

    /// Returns the rung's row: of those with this label, or of all of the variant, the first one of the largest size.
    pub(crate) fn row(self, rows: &[Record]) -> Option<&Record> {
        let is_mine = |row: &&Record| row.variant == self.variant && self.case.is_none_or(|case| row.case == case);
        // The last of several maxima is returned, so that the rows are walked from the end.
        rows.iter().rev().filter(is_mine).max_by_key(|row| row.n)
    }
}

/// The number that a rung shows.
#[derive(Debug, Clone, Copy)]
pub enum Measure {
    /// The time: measured on a GPU, predicted when emulated.
    Time,
    /// When emulated, a count that a function takes from the row, with its unit; on a GPU, the time.
    Count(&'static str, fn(&Record) -> Option<f64>),
}

/// The problem size for which times are predicted when emulated.
#[derive(Debug, Clone, Copy)]
pub enum Size {
    /// The size at which the lab runs when emulated.
    Own,
    /// This size.
    Given(usize),
    /// The size on a GPU, from the counts at three smaller ones, which are emulated.
    Scaled(Scaled),
}

/// How the counts at a GPU's size follow from those at emulated sizes.
#[derive(Debug, Clone, Copy)]
pub struct Scaled {
    /// The emulated sizes, the smallest first. The counts of the two larger ones define a curve, and those of the
    /// smallest one confirm it.
    pub from: [usize; 3],
    /// The GPU's size.
    pub to: usize,
    /// The two powers of n whose sum each count is.
    pub powers: Powers,
}

impl Size {
    /// Returns the size `to` of a GPU, scaled from three emulated sizes, where the work is proportional to n.
    pub const fn scaled(from: [usize; 3], to: usize) -> Self {
        Self::Scaled(Scaled { from, to, powers: Powers(0, 1) })
    }

    /// Like [`Size::scaled`], but n is the side of a square.
    pub const fn scaled_square(from: [usize; 3], to: usize) -> Self {
        Self::Scaled(Scaled { from, to, powers: Powers(0, 2) })
    }

    /// Like [`Size::scaled`], but for a product of square matrices of this side.
    pub const fn scaled_product(from: [usize; 3], to: usize) -> Self {
        Self::Scaled(Scaled { from, to, powers: Powers(2, 3) })
    }
}

/// What a ladder shows.
#[derive(Debug, Clone, Copy)]
pub enum Claim {
    /// One rung has a smaller number than another by at least this factor.
    Less {
        /// The rung with the smaller number.
        less: Rung,
        /// The rung with the larger number.
        more: Rung,
        /// The least ratio of the two.
        by: f64,
        /// Why: the end of a sentence.
        why: &'static str,
    },
    /// All rows are as expected. The text says what that shows: the end of a sentence.
    AsExpected(&'static str),
}

/// The rows of a ladder: those of the run, and those of companion runs, which have predictions.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Rows<'r> {
    /// The rows of the run.
    pub(crate) run: &'r [Record],
    /// The predicted time of each rung when emulated; empty if the ladder shows no times. `None` on a GPU.
    pub(crate) predicted: Option<&'r [Predicted]>,
    /// The emulated GPU's name; empty if its times cannot be predicted.
    pub(crate) part: &'r str,
}

/// A rung's predicted time.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Predicted {
    /// The time with its interval in milliseconds, or why there is none.
    pub(crate) time: Result<(f64, (f64, f64)), String>,
    /// The size for which it holds.
    pub(crate) n: Option<u64>,
    /// Why it holds for another size than the story's, if so.
    pub(crate) why: String,
}

impl Story {
    /// Returns the story of rows of `lab` that a GPU has measured.
    pub fn of_measured(&self, lab: &str, variants: &[&Variant], rows: &[Record]) -> StorySummary {
        self.tell(lab, variants, Rows { run: rows, predicted: None, part: "" })
    }

    /// Returns rungs that all lack a predicted time, for this reason.
    pub(crate) fn unpredicted(&self, why: &str) -> Vec<Predicted> {
        let none = |_: &Rung| Predicted { time: Err(why.into()), n: None, why: String::new() };
        self.ladder.iter().map(none).collect()
    }

    /// Returns the story of these rows of `lab`.
    pub(crate) fn tell(&self, lab: &str, variants: &[&Variant], rows: Rows<'_>) -> StorySummary {
        let bars: Vec<(Bar, Option<u64>)> = (0..self.ladder.len()).map(|i| self.bar(i, rows)).collect();
        let sizes: Vec<u64> = bars.iter().filter(|(bar, _)| bar.value.is_some()).filter_map(|(_, n)| *n).collect();
        let size = sizes.iter().max().copied();
        let bars: Vec<Bar> = bars.into_iter().map(|(bar, n)| at_another_size(bar, n, size)).collect();
        let (sentence, holds) = self.sentence(&bars, rows);
        let label = self.ladder.first().and_then(|rung| rung.row(rows.run));
        let label = label.filter(|_| !self.has_cases()).map(|row| row.case.clone()).unwrap_or_default();
        // A label such as 512x512 is the size of the run's own row.
        let is_elsewhere = !matches!(self.size, Size::Own) && rows.predicted.is_some();
        let label = if is_elsewhere && label.starts_with(char::is_numeric) { String::new() } else { label };
        StorySummary {
            schema: StorySummary::SCHEMA,
            lab: lab.into(),
            question: self.question.into(),
            source: self.source(rows),
            case: label,
            n: size,
            bars: if bars.iter().any(|bar| bar.value.is_some()) { bars } else { Vec::new() },
            sentence,
            holds,
            wrong: wrong_on_purpose(variants, rows.run),
        }
    }

    fn source(&self, rows: Rows<'_>) -> Source {
        match (self.measure, rows.predicted) {
            (Measure::Count(unit, _), Some(_)) => Source::Counted(unit.into()),
            (Measure::Time, Some(_)) => Source::Predicted(rows.part.into()),
            (_, None) => Source::Measured,
        }
    }

    /// Returns a rung's name: what distinguishes it from the others, its variant or its case or both.
    fn name(&self, rung: Rung) -> String {
        let is_only_variant = self.ladder.iter().all(|other| other.variant == rung.variant);
        match rung.case.filter(|_| self.has_cases()) {
            Some(case) if is_only_variant => case.into(),
            Some(case) => format!("{} {case}", rung.variant),
            None => rung.variant.into(),
        }
    }

    /// Whether the rungs differ in their cases.
    fn has_cases(&self) -> bool {
        let first = self.ladder.first().and_then(|rung| rung.case);
        self.ladder.iter().any(|rung| rung.case != first)
    }

    /// Returns the `i`th rung with its number, and the number's size.
    fn bar(&self, i: usize, rows: Rows<'_>) -> (Bar, Option<u64>) {
        let rung = self.ladder[i];
        let name = self.name(rung);
        let row = rung.row(rows.run);
        let nothing = |remark: String| Bar {
            name: name.clone(),
            variant: rung.variant.into(),
            case: row.map(|row| row.case.clone()).unwrap_or_default(),
            remark,
            ..Bar::default()
        };
        let Some(row) = row else {
            return (nothing("no such row".into()), None);
        };
        let some = |value| Bar { value, ..nothing(String::new()) };
        if !matches!(row.verdict, Verdict::Pass) {
            return (nothing(format!("{}: {}", row.verdict.word(), row.note)), None);
        }
        match (self.measure, rows.predicted) {
            (Measure::Count(_, count), Some(_)) => (some(count(row)), row.n),
            (Measure::Time, Some(predicted)) => match predicted.get(i) {
                Some(Predicted { time: Ok((ms, interval)), n, why }) => {
                    (Bar { interval: Some(*interval), remark: why.clone(), ..some(Some(*ms)) }, *n)
                }
                Some(Predicted { time: Err(why), .. }) => (nothing(why.clone()), None),
                None => (nothing("not predicted".into()), None),
            },
            (_, None) => {
                let in_all = row.predicted.as_ref().and_then(|predicted| predicted.in_all.as_ref());
                let predicted = in_all.map(|all| (all.ms, (all.low_ms, all.high_ms)));
                let time = row.times.map(|times| times.median);
                (Bar { predicted, percent_of_ceiling: row.percent_of_ceiling, ..some(time) }, row.n)
            }
        }
    }

    /// Returns what the bars show, and whether they confirm the claim.
    fn sentence(&self, bars: &[Bar], rows: Rows<'_>) -> (String, Holds) {
        match self.claim {
            Claim::AsExpected(why) => as_expected(rows.run, why),
            Claim::Less { less, more, by, why } => {
                let of = |rung| self.ladder.iter().position(|r| *r == rung).map(|i| &bars[i]);
                let (Some(less), Some(more)) = (of(less), of(more)) else {
                    return ("The ladder lacks a row of the lab's claim.".into(), Holds::Unknown);
                };
                compared(less, more, by, why, &self.source(rows))
            }
        }
    }
}

/// Returns what two bars show, and whether they confirm that the first is less by this factor.
fn compared(less: &Bar, more: &Bar, by: f64, why: &str, source: &Source) -> (String, Holds) {
    let unit = |value: f64| match source {
        Source::Counted(unit) => format!("{} {unit}", significant(value)),
        Source::Measured | Source::Predicted(_) => time(value),
    };
    let verb = match source {
        Source::Measured => "takes",
        Source::Predicted(_) => "is predicted to take",
        Source::Counted(_) => "has",
    };
    let (Some(a), Some(b)) = (less.value, more.value) else {
        let lacking = [less, more].into_iter().find(|bar| bar.value.is_none()).unwrap_or(less);
        let why = if lacking.remark.is_empty() { String::new() } else { format!(": {}", lacking.remark) };
        return (format!("{} has no number in this run{why}.", lacking.name), Holds::Unknown);
    };
    if !(less.remark.is_empty() && more.remark.is_empty()) {
        let both = format!("{} and {} are predicted for different sizes", less.name, more.name);
        return (format!("{both}, so that they cannot be compared."), Holds::Unknown);
    }
    let both = format!("{} {verb} {}, and {} {}", less.name, unit(a), more.name, unit(b));
    let overlap = less.interval.zip(more.interval).is_some_and(|(less, more)| less.1 >= more.0);
    if b < a * by {
        let said =
            format!("This run does not confirm that {} {verb} less than {} by a factor of {by}", less.name, more.name);
        return (format!("{said}: {both}."), Holds::No);
    }
    if overlap {
        return (format!("{both}; the intervals overlap, so that this is not certain."), Holds::Unknown);
    }
    (format!("{both}, {} times as much: {why}.", times(b / a)), Holds::Yes)
}

/// Says that all rows are as expected, and what that shows; or how many are not.
fn as_expected(rows: &[Record], why: &str) -> (String, Holds) {
    let ran = rows.iter().filter(|row| row.verdict != Verdict::Skip).count();
    let passed = rows.iter().filter(|row| row.verdict == Verdict::Pass).count();
    if ran == 0 {
        return ("Nothing ran.".into(), Holds::Unknown);
    }
    if passed < ran {
        return (format!("{} of {ran} rows are not as expected.", ran - passed), Holds::No);
    }
    (format!("{passed} of {ran} rows are as expected: {why}."), Holds::Yes)
}

/// Notes the size of a bar if it is not that of the others.
fn at_another_size(bar: Bar, n: Option<u64>, size: Option<u64>) -> Bar {
    match (bar.value, n) {
        (Some(_), Some(n)) if Some(n) != size => {
            let why = if bar.remark.is_empty() { String::new() } else { format!(": {}", bar.remark) };
            Bar { remark: format!("at n = {}{why}", count(n)), ..bar }
        }
        _ => bar,
    }
}

/// Returns what the variants that are wrong on purpose have shown, those of a kind together.
fn wrong_on_purpose(variants: &[&Variant], rows: &[Record]) -> String {
    let mut kinds: Vec<(String, Vec<&str>)> = Vec::new();
    for variant in variants.iter().filter(|variant| variant.expect != Expect::Right) {
        let mine = || rows.iter().filter(|row| row.variant == variant.name && row.verdict == Verdict::Pass);
        let Some(first) = mine().find(|row| !row.findings.is_empty()).or_else(|| mine().next()) else {
            continue;
        };
        let kind = match first.findings.first() {
            Some(finding) => shown_by(finding.check).into(),
            None if mine().any(|row| row.wrong.is_some()) => "wrong answer".into(),
            None => "right by luck".into(),
        };
        match kinds.iter_mut().find(|(known, _)| *known == kind) {
            Some((_, variants)) => variants.push(variant.name),
            None => kinds.push((kind, vec![variant.name])),
        }
    }
    let kinds: Vec<String> =
        kinds.into_iter().map(|(kind, variants)| format!("{kind}: {}", variants.join(", "))).collect();
    kinds.join("; ")
}

/// Returns what a finding of this check shows.
fn shown_by(check: Check) -> &'static str {
    match check {
        Check::Memcheck => "invalid access",
        Check::Racecheck => "race",
        Check::Initcheck => "uninitialized read",
        Check::Synccheck => "barrier or shuffle",
        Check::Leakcheck => "leak",
        Check::Launch => "refused launch",
    }
}
