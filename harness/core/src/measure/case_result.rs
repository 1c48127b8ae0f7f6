//! The results of the passes over a case's body: each pass has its own order of warps and blocks, and in a judged run
//! its own inputs. Together they make one row.
use kernels::Error as KernelError;
use record::{Ceiling, Ceilings, Columns, Counters, HotLine, MachineReport, Predicted, Record, Times, Value, Verdict};
use wire::{RenderedFinding, Report};

use crate::{
    device::{fault, machine, session::Session},
    error::{Error, Result},
    measure::{check::Check, interrupt},
};

/// A pass over a case's body.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Pass {
    /// The order of warps and blocks.
    pub(crate) schedule: u64,
    /// Whether it is the first pass, which provides the counters, notes and the lab's own columns.
    pub(crate) is_first: bool,
    /// The round's number, if every round has its own inputs; the first round is 1.
    pub(crate) round: Option<u64>,
}

/// The results of the passes so far.
#[derive(Debug, Clone)]
pub(crate) struct CaseAccumulator {
    pub(crate) record: Record,
    pub(crate) ceiling: Ceiling,
    pass: Pass,
    /// The check of this pass, and the largest error of the earlier passes.
    check: Option<Check>,
    worst: Option<f64>,
    /// The times of the earlier rounds.
    earlier: Vec<Times>,
    notes: Vec<String>,
    /// The lines at which several threads stored the same value in the first pass.
    same_values: Vec<String>,
    machine: MachineReport,
    /// The first wrong answer, an error that no variant may have (even if wrong on purpose), why the case cannot run
    /// here, and every finding once.
    wrong: Option<String>,
    /// A description of the input that was changed in this pass.
    changed: Option<String>,
    broken: Option<String>,
    skip: Option<String>,
    findings: Vec<RenderedFinding>,
    /// Whether a kernel has corrupted the device's context.
    context_lost: bool,
}

impl CaseAccumulator {
    /// Starts with no passes; results are accumulated into `record`, which identifies the case.
    pub(crate) fn new(record: Record) -> Self {
        Self {
            record,
            ceiling: Ceiling::default(),
            pass: Pass { is_first: true, ..Pass::default() },
            check: None,
            worst: None,
            earlier: Vec::new(),
            notes: Vec::new(),
            same_values: Vec::new(),
            machine: MachineReport::default(),
            wrong: None,
            changed: None,
            broken: None,
            skip: None,
            findings: Vec::new(),
            context_lost: false,
        }
    }

    /// Begins a pass.
    ///
    /// # Errors
    /// When the machine's report cannot be read.
    pub(crate) fn begin(&mut self, pass: Pass) -> Result<()> {
        self.pass = pass;
        self.worst = self.check.take().map(|check| check.worst(self.worst)).or(self.worst);
        if pass.round.is_some() {
            self.earlier.extend(self.record.times.take());
        }
        // A body that reads counters gets those of its own pass.
        self.machine = MachineReport::default();
        machine::report().map(drop)
    }

    /// Records the result of a pass. `hot` returns the costliest lines of the first pass, if requested. With
    /// `is_partial`, a kernel that is missing from the file of `--kernel` makes a skipped row.
    ///
    /// # Errors
    /// An outcome that ends the whole run.
    pub(crate) fn absorb(
        &mut self,
        outcome: Result<()>,
        (session, is_partial): (&Session, bool),
        hot: impl FnOnce(&MachineReport) -> Vec<HotLine>,
    ) -> Result<()> {
        let mut fault = None;
        match outcome {
            Ok(()) => {}
            Err(Error::Skip(reason)) => self.skip = Some(reason.to_string()),
            Err(Error::Driver(error)) => {
                // The kernel may have been ended by the interruption.
                interrupt::check()?;
                self.context_lost = session.context.synchronize().is_err();
                let words = Error::Driver(error).to_string();
                match fault::class(error.0) {
                    fault::Class::Kernel => fault = Some(words),
                    fault::Class::Memory => {
                        self.skip = Some(format!("not enough memory here: {words}"));
                    }
                    fault::Class::Host => self.broken = Some(words),
                }
            }
            // A module that the driver rejects, or a kernel that cannot be launched, is a failure of this case; other
            // cases may run.
            Err(error @ (Error::Module { .. } | Error::OtherParameters { .. })) => {
                self.broken = Some(error.to_string());
                if let Error::Module { findings, .. } = error {
                    self.machine.findings.extend(findings);
                }
            }
            Err(Error::Kernel(
                error
                @ (KernelError::TooNew { .. } | KernelError::OtherDevice { .. } | KernelError::ArchDropped { .. }),
            )) => {
                self.skip = Some(error.to_string());
            }
            Err(error @ Error::NoSuchKernel { .. }) if is_partial => {
                self.record.missing_kernel = error.missing_kernel().map(str::to_string);
                self.skip = Some(error.to_string());
            }
            Err(other) => return Err(other),
        }
        self.machine()?;
        if self.pass.is_first {
            self.record.counters = Counters::from_report(&self.machine);
            self.record.hot = hot(&self.machine);
            self.same_values = self.machine.same_value_lines();
        }
        for finding in std::mem::take(&mut self.machine.findings) {
            let key = finding.finding.key();
            if self.findings.iter().all(|f| f.finding.key() != key) {
                self.findings.push(finding);
            }
        }
        self.end(fault);
        Ok(())
    }

    /// Keeps the error of this pass (a changed input, `fault` or a wrong answer), if it is the first pass with one.
    fn end(&mut self, fault: Option<String>) {
        let bad = self.check.as_ref().filter(|check| !check.passed());
        let answer = fault.or_else(|| bad.map(Check::summary));
        let all: Vec<String> = self.changed.take().into_iter().chain(answer).collect();
        if self.wrong.is_none() && !all.is_empty() {
            self.wrong = Some(self.in_this_pass(&all.join("; ")));
        }
    }

    /// Sets the description of the input that a kernel has changed in this pass, if any.
    pub(crate) fn changed_input(&mut self, changed: Option<String>) {
        self.changed = changed;
    }

    /// Whether further passes are pointless.
    pub(crate) fn is_over(&self) -> bool {
        self.context_lost || self.skip.is_some() || self.broken.is_some()
    }

    /// Adds to the error of this pass which pass it is.
    fn in_this_pass(&self, wrong: &str) -> String {
        let Pass { schedule, is_first, round } = self.pass;
        match round {
            _ if is_first => wrong.into(),
            Some(round) => {
                // A finding already explains the error.
                let is_open = self.findings.is_empty();
                let question = if is_open { "; does it keep something from one launch to the next?" } else { "" };
                format!(
                    "right with the first inputs, wrong with other ones (round {round}, under schedule seed \
                     {schedule}): {wrong}{question}"
                )
            }
            None => format!("under schedule seed {schedule}: {wrong}"),
        }
    }

    /// Adds the check of an output.
    pub(crate) fn check(&mut self, check: Check) {
        match &mut self.check {
            Some(all) => all.then(check),
            None => self.check = Some(check),
        }
    }

    /// Sets the times of this pass and the samples behind them, in milliseconds, if they count.
    pub(crate) fn times(&mut self, times: Option<Times>, samples_ms: Vec<f64>) {
        if self.pass.is_first || self.pass.round.is_some() {
            self.record.times = times;
            self.record.samples_ms = samples_ms;
        }
    }

    /// Adds a note, in the first pass only.
    pub(crate) fn note(&mut self, note: String) {
        if self.pass.is_first {
            self.notes.push(note);
        }
    }

    /// Sets one of the lab's own columns. In rounds with other inputs its values differ, and would not match the
    /// counters.
    pub(crate) fn set(&mut self, columns: &Columns, column: &str, value: Value) {
        if self.pass.is_first || self.pass.round.is_none() {
            columns.set(&mut self.record, column, value);
        }
    }

    /// Returns the embedded machine's counters and findings in this pass so far; empty on a GPU.
    ///
    /// # Errors
    /// When the machine's report cannot be read.
    pub(crate) fn machine(&mut self) -> Result<&MachineReport> {
        if let Some(report) = machine::report()? {
            self.machine.extend(report);
        }
        Ok(&self.machine)
    }

    /// Adds a report of the machine.
    pub(crate) fn told(&mut self, report: Report) {
        self.machine.extend(report);
    }

    /// Sets the predicted time of the launches of a sample, in the first pass only.
    pub(crate) fn predicted(&mut self, predicted: Option<Predicted>) {
        if self.pass.is_first {
            self.record.predicted = predicted;
        }
    }

    /// Whether a kernel of this case has ruined the device's context.
    pub(crate) fn has_lost_context(&self) -> bool {
        self.context_lost
    }

    /// Judges the case and completes its row. `verdict` returns the verdict and its text, from the error of the answer
    /// and from the findings; with the `ceilings` of a GPU, rates are derived from its times.
    pub(crate) fn judge(
        mut self,
        ceilings: Option<Ceilings>,
        verdict: impl FnOnce(Option<&str>, Option<&str>) -> (Verdict, String),
    ) -> Record {
        self.time_rounds();
        if let Some(reason) = self.skip {
            self.record.verdict = Verdict::Skip;
            self.record.note = reason;
            return self.record;
        }
        let finding = self.findings.first().map(|first| match self.findings.len() {
            1 => first.headline.clone(),
            more => format!("{} (and {} more)", first.headline, more - 1),
        });
        self.record.findings = std::mem::take(&mut self.findings);
        if record::is_unmodelled(&self.record.findings) {
            self.record.verdict = Verdict::Skip;
            self.record.note = format!("not judged: {}", finding.unwrap_or_default());
            return self.record;
        }
        let worst = self.check.as_ref().map(|check| check.worst(self.worst)).or(self.worst);
        if worst.is_some() {
            self.record.max_abs_error = worst;
        } else if self.wrong.is_none() && finding.is_none() && self.broken.is_none() {
            self.broken = Some("nothing was checked".into());
        }
        self.record.wrong = self.broken.clone().or_else(|| self.wrong.clone());
        let (verdict, what) = verdict(self.wrong.as_deref(), finding.as_deref());
        self.record.verdict = if self.broken.is_some() { Verdict::Fail } else { verdict };
        // A case with findings has more to say than that.
        if !self.same_values.is_empty() && self.record.findings.is_empty() {
            self.notes.push(format!("several threads store one value at {}", self.same_values.join(", ")));
        }
        self.notes.extend([self.broken.take().unwrap_or_default(), what].into_iter().filter(|w| !w.is_empty()));
        self.record.note = self.notes.join("; ");
        self.rates(ceilings);
        self.record
    }

    /// Combines the times of rounds: a sample of each, except for the first, in which the driver loads the kernel.
    fn time_rounds(&mut self) {
        let mut rounds = std::mem::take(&mut self.earlier);
        rounds.extend(self.record.times);
        if rounds.len() > 1 {
            let samples: Vec<f64> = rounds[1..].iter().map(|times| times.median).collect();
            self.record.times = record::times(&samples, rounds[1..].iter().map(|times| times.throttled).sum());
            self.record.samples_ms = samples;
        }
    }

    /// Sets rates and percentages, for a GPU's times only.
    fn rates(&mut self, ceilings: Option<Ceilings>) {
        let Some(ceilings) = ceilings else {
            return;
        };
        let Some(times) = self.record.times else {
            return;
        };
        let seconds = times.median / 1e3;
        if seconds <= 0.0 || self.record.verdict != Verdict::Pass {
            return;
        }
        self.record.gb_per_s = self.record.bytes.map(|b| b as f64 / seconds / 1e9);
        self.record.gflop_per_s = self.record.flop.map(|f| f as f64 / seconds / 1e9);
        self.record.percent_of_ceiling =
            self.record.gb_per_s.zip(ceilings.gb_per_s(self.ceiling)).map(|(rate, ceiling)| 100.0 * rate / ceiling);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use record::fixtures::record;

    fn pass(schedule: u64, round: Option<u64>) -> Pass {
        Pass { schedule, is_first: schedule == 0, round }
    }

    fn sample(milliseconds: f64) -> Option<Times> {
        record::times(&[milliseconds], 0)
    }

    /// Returns the passes of three rounds that take 9, 2 and 4 ms.
    fn rounds(is_right: [bool; 3]) -> CaseAccumulator {
        let mut passes = CaseAccumulator::new(Record { times: None, wrong: None, ..record() });
        for (round, (ms, is_right)) in [9.0, 2.0, 4.0].into_iter().zip(is_right).enumerate() {
            passes.begin(pass(round as u64, Some(round as u64 + 1))).unwrap();
            passes.times(sample(ms), vec![ms]);
            passes.check(Check::that(is_right, "1 of 9"));
            passes.end(None);
        }
        passes
    }

    fn judged(passes: CaseAccumulator) -> Record {
        passes.judge(None, |wrong, _| (if wrong.is_some() { Verdict::Fail } else { Verdict::Pass }, String::new()))
    }

    #[test]
    fn rounds_make_one_row_with_a_sample_of_each_but_the_first() {
        let row = judged(rounds([true; 3]));
        let times = row.times.unwrap();
        assert_eq!((row.verdict, times.samples, times.min, times.median), (Verdict::Pass, 2, 2.0, 3.0));
        assert_eq!(row.samples_ms, [2.0, 4.0]);
        let mut orders = CaseAccumulator::new(Record { times: None, ..record() });
        for (schedule, ms) in [(0, 9.0), (1, 2.0)] {
            orders.begin(pass(schedule, None)).unwrap();
            orders.times(sample(ms), vec![ms]);
            orders.check(Check::that(true, ""));
        }
        assert_eq!(judged(orders).times.unwrap().median, 9.0);
    }

    #[test]
    fn a_changed_input_is_wrong_even_if_the_answer_is_right() {
        for (is_right, words) in [(true, "changed `x`"), (false, "changed `x`; 1 of 1 wrong: 1 of 9")] {
            let mut passes = CaseAccumulator::new(Record { times: None, wrong: None, ..record() });
            passes.begin(pass(0, None)).unwrap();
            passes.check(Check::that(is_right, "1 of 9"));
            passes.changed_input(Some("changed `x`".into()));
            passes.end(None);
            let row = judged(passes);
            assert_eq!((row.verdict, row.wrong.as_deref()), (Verdict::Fail, Some(words)));
        }
    }

    #[test]
    fn what_is_wrong_with_other_inputs_is_said_so() {
        for (is_right, round) in [([true, false, true], "round 2"), ([true, true, false], "round 3")] {
            let row = judged(rounds(is_right));
            let wrong = row.wrong.unwrap();
            assert_eq!(row.verdict, Verdict::Fail);
            assert!(wrong.starts_with("right with the first inputs") && wrong.contains(round), "{wrong}");
            assert!(wrong.contains("1 of 9"), "{wrong}");
        }
        let from_the_start = judged(rounds([false, true, false])).wrong.unwrap();
        assert!(from_the_start.contains("1 of 9") && !from_the_start.contains("right with"), "{from_the_start}");
    }
}
