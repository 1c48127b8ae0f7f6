//! The cases of a run: each is launched, checked and judged, and makes a row.
use std::time::Instant;

use cudarc::driver::LaunchConfig;

use record::{HotLine, MachineReport, Record, Verdict};
use wire::{Checks, SettingsPatch};

use crate::{
    device::{
        launch::{launch_1d, launched},
        machine,
    },
    error::{Error, Result},
    lab::{
        case::Case,
        case_context::CaseContext,
        child::{self, End},
        predict_process, records,
        row::{Expect, Variant},
        run::Run,
        verdict::{expectation, verdict},
    },
    measure::{
        case_result::{CaseAccumulator, Pass},
        forecast, interrupt,
        plan::Plan,
        recorder::{Recorder, Setup},
        timer,
    },
};

impl Run {
    /// Runs one case: creates its launch and checks it against the device's limits, calls `body`, judges the results
    /// against the variant's expectation, and writes the row. A case whose variant was not chosen is skipped, and
    /// `None` is returned.
    ///
    /// An error inside `body` is the case's, not the run's: [`Error::Skip`] makes a skipped row, a driver error a
    /// failed one (or a pass, of a variant that is wrong on purpose). With `--schedules` the body runs once for every
    /// schedule; times, notes and counters are those of the first.
    ///
    /// # Errors
    /// Errors that end the whole run: a usage error, an unwritable row, Ctrl-C.
    #[expect(
        clippy::needless_pass_by_value,
        reason = "a case is made where it is run; `&Case::new(..)` would only be noise"
    )]
    pub fn case(&self, case: Case, mut body: impl FnMut(&mut CaseContext<'_>) -> Result<()>) -> Result<Option<Record>> {
        self.run_case(&case, &mut body)
    }

    /// [`Run::case`], type-erased so that it is not monomorphized for the bodies of all labs.
    fn run_case(
        &self,
        case: &Case,
        body: &mut dyn FnMut(&mut CaseContext<'_>) -> Result<()>,
    ) -> Result<Option<Record>> {
        let variant = self.variant(&case.variant)?;
        let cases = &self.options.cases;
        if !self.wants(variant.name) || !(cases.is_empty() || cases.contains(&case.label)) {
            return Ok(None);
        }
        if timer::is_set() && (variant.own_process || variant.expect != Expect::Right) {
            return Ok(None);
        }
        interrupt::check()?;
        let role = &self.process.role;
        if (role.is_prediction() && variant.own_process) || !role.runs_case(&case.key()) {
            return Ok(None);
        }
        if !role.is_case() && self.options.starts_a_process(variant.own_process) {
            return self.in_own_process(variant, case);
        }
        self.in_this_process(variant, case, body).map(Some)
    }

    fn in_own_process(&self, variant: &Variant, case: &Case) -> Result<Option<Record>> {
        let (launch, _) = self.launch(case)?;
        let time = self.forecast(case, launch)?;
        self.report.borrow().begin(&case.variant, &case.label, time);
        let most = self.options.timeout;
        self.session.give_back_freed();
        let ceilings = self.session.ceilings;
        let end = child::run(&self.process, self.lab.name, case, ceilings, most, |line| self.say(line))?;
        let records = match end {
            End::Reported(records) => records,
            End::Crashed(how) => vec![self.crashed(variant, case, launch, how)],
            End::Late => vec![self.late(case, launch)],
        };
        let first = records.first().cloned();
        for record in records {
            self.finish(record)?;
        }
        Ok(first)
    }

    fn in_this_process(
        &self,
        variant: &'static Variant,
        case: &Case,
        body: &mut dyn FnMut(&mut CaseContext<'_>) -> Result<()>,
    ) -> Result<Record> {
        self.kernels.forget_asked();
        let (launch, mut refused) = self.launch(case)?;
        let checks = self.checks(variant.expect);
        let round = self.rounds.borrow().as_ref().map(|rounds| rounds.number);
        let earlier = self.rounds.borrow().as_ref().and_then(|rounds| rounds.next(variant));
        let is_new = earlier.is_none();
        let (known, passes) =
            earlier.unwrap_or_else(|| (case.clone(), CaseAccumulator::new(self.record(case, launch))));
        if passes.is_over() {
            return self.ended(variant, known, passes);
        }
        let orders = if self.is_emulated() { u64::from(self.options.schedules.unwrap_or(1)) } else { 1 };
        // Each round has one of the orders, in turn.
        let (first, schedules) =
            round.map_or((first_seed(), orders), |round| (first_seed().saturating_add((round - 1) % orders), 1));
        let key = known.key();
        let mut time = None;
        if refused.is_none() {
            self.watch(checks, first, &key);
            match self.forecast(case, launch) {
                Err(long @ Error::Skip(_)) => refused = Some(long),
                known => time = known?,
            }
        }
        self.report.borrow().begin(&case.variant, &case.label, time);
        let terminal = self.report.borrow().terminal();
        let (began, elements) = (Instant::now(), self.elements(case, launch).1);
        let mut is_whole = self.is_emulated();
        let mut context = CaseContext::new(self, case, launch, self.recorder(passes));
        for schedule in first..first.saturating_add(schedules) {
            self.watch(checks, schedule, &key);
            context.recorder.begin(Pass { schedule, is_first: is_new && schedule == first, round })?;
            let outcome = match refused.take() {
                Some(error) => Err(error),
                None => self.context().and_then(|()| {
                    let _aloud = terminal.aloud();
                    body(&mut context)
                }),
            };
            let outcome = self.inputs_after(&mut context, outcome);
            is_whole &= outcome.is_ok();
            let more = context.recorder.absorb(outcome, |report| self.hot_lines(report))?;
            if !more {
                break;
            }
        }
        if is_whole {
            self.forecasts.borrow_mut().took(&case.variant, elements, began.elapsed());
        }
        self.between_cases();
        let resources = context.resources();
        let passes = context.recorder.into_accumulator(resources);
        if passes.has_lost_context() {
            *self.lost.borrow_mut() = Some(variant.name.into());
        }
        self.ended(variant, known, passes)
    }

    /// Returns the result of a pass with this outcome, after reading back the inputs in a judged run.
    fn inputs_after(&self, context: &mut CaseContext<'_>, outcome: Result<()>) -> Result<()> {
        match self.unchanged.as_ref().map_or(Ok(None), |inputs| inputs.seen()) {
            Ok(changed) => context.recorder.changed_input(changed),
            // After a fault nothing can be read back.
            Err(error) => return outcome.and(Err(error.into())),
        }
        outcome
    }

    /// Returns the record of a case after its passes. It is final, unless another round may follow.
    fn ended(&self, variant: &'static Variant, case: Case, passes: CaseAccumulator) -> Result<Record> {
        let record = self.judged(variant, passes.clone());
        match &mut *self.rounds.borrow_mut() {
            Some(rounds) => {
                rounds.hold(variant, case, passes);
                self.records.borrow_mut().push(record.clone());
                Ok(record)
            }
            None => self.finish(record),
        }
    }

    /// Returns the record of a case with these passes.
    pub(crate) fn judged(&self, variant: &Variant, passes: CaseAccumulator) -> Record {
        let judge = |wrong: Option<&str>, found: Option<&str>| verdict(self.expect(variant), wrong, found);
        let mut record = passes.judge(self.session.ceilings, judge);
        self.add_published(&mut record);
        record
    }

    /// Returns the launch for which a case's duration is estimated, and the elements that its passes work on.
    fn elements(&self, case: &Case, launch: Option<LaunchConfig>) -> (LaunchConfig, u64) {
        // A case without its own launch is assumed to keep the device busy.
        let launch = launch.unwrap_or(launch_1d(1 << 10, 256));
        let dims = [launch.grid_dim, launch.block_dim];
        let threads = dims.iter().flat_map(|d| [d.0, d.1, d.2]).fold(1_u64, |all, d| all.saturating_mul(u64::from(d)));
        let elements = case.work.or(case.n.map(|n| forecast::STEPS.saturating_mul(n as u64))).unwrap_or(0).max(threads);
        let passes = u64::from(self.options.samples.unwrap_or(1)) * u64::from(self.options.schedules.unwrap_or(1));
        (launch, elements.saturating_mul(passes))
    }

    /// Estimates the duration of a case's emulation, if it is long, and informs the user.
    fn forecast(&self, case: &Case, launch: Option<LaunchConfig>) -> Result<Option<String>> {
        if !self.is_emulated() || self.process.role.is_case() {
            return Ok(None);
        }
        let (launch, elements) = self.elements(case, launch);
        let mut forecasts = self.forecasts.borrow_mut();
        let time = match forecasts.of_variant(&case.variant, elements) {
            Some(time) => (time >= forecast::LONG).then_some(time),
            // Kernels take between a hundredth and a hundred times what this estimate says, which only bounds the
            // emulation for a GPU's run. Otherwise the machine announces an estimate from a long launch's first blocks.
            None if self.process.role.is_prediction() && !self.kernels.is_replaced() => {
                forecasts.estimate(&self.session, launch, elements)?
            }
            None => None,
        };
        if let Some(long) = predict_process::too_long(time).filter(|_| self.process.role.is_prediction()) {
            return Err(long);
        }
        if let Some(time) = time.filter(|time| forecasts.is_news(*time)) {
            let what = format!("{} {}", self.lab.name, case.variant);
            self.report.borrow().warn(&format!(
                "{what}: the emulation takes about {} on this computer; use --quick or a smaller --n for less",
                forecast::in_words(time)
            ));
        }
        Ok(time.map(forecast::in_words))
    }

    /// Returns a recorder that continues with `passes`.
    fn recorder(&self, passes: CaseAccumulator) -> Recorder<'_> {
        let plan = || Plan::new(self.options.samples, self.options.quick, self.is_emulated());
        let setup = Setup {
            session: &self.session,
            columns: self.columns.clone(),
            plan: if self.rounds.borrow().is_some() { Plan::one() } else { plan() },
            part: self.part.as_ref(),
            partial: self.options.partial,
        };
        Recorder::new(setup, passes)
    }

    /// Returns the record of `case` before it has run.
    fn record(&self, case: &Case, launch: Option<LaunchConfig>) -> Record {
        let own = self.columns.own.len();
        let device = self.session.device.kind();
        let record = Record::new(self.lab.name, own, device, self.options.seed);
        Record {
            variant: case.variant.clone(),
            case: case.label.clone(),
            n: case.n.map(|n| n as u64),
            memory_mode: case.memory_mode.clone(),
            ..launched(record, launch)
        }
    }

    /// Returns the record of a case whose process ended without one.
    fn crashed(&self, variant: &Variant, case: &Case, launch: Option<LaunchConfig>, how: String) -> Record {
        let (verdict, note) = verdict(self.expect(variant), Some(&how), None);
        Record { verdict, note, wrong: Some(how), ..self.record(case, launch) }
    }

    /// Returns the record of a case that took longer than `--timeout` allows. It fails whatever the variant's
    /// expectation, because its answer is unknown.
    fn late(&self, case: &Case, launch: Option<LaunchConfig>) -> Record {
        let most = humantime::format_duration(self.options.timeout.unwrap_or_default());
        let how = format!("did not end within {most} (--timeout)");
        Record { verdict: Verdict::Fail, note: how.clone(), wrong: Some(how), ..self.record(case, launch) }
    }

    /// Returns the costliest lines of the source, if `--hot` is given.
    fn hot_lines(&self, report: &MachineReport) -> Vec<HotLine> {
        let text = |path: &str| self.kernels.source_text(path);
        if self.options.hot.is_some() { record::hot_lines(report, text) } else { Vec::new() }
    }

    /// Returns the launch according to the case's rule, if it has one; or why this case alone cannot start: its kernel
    /// is missing, or the lab itself chose a launch that this device does not support.
    fn launch(&self, case: &Case) -> Result<(Option<LaunchConfig>, Option<Error>)> {
        let Some(rule) = case.launch else {
            return Ok((None, None));
        };
        let kernel = || {
            let (file, name) = case.kernel.as_ref().expect("a case with a grid of one wave names its kernel");
            self.function(file, name)
        };
        match rule.resolve(case.n.unwrap_or(1), &self.options, &self.session.device, kernel) {
            Ok(launch) => Ok((Some(launch), None)),
            Err(error @ (Error::NoSuchKernel { .. } | Error::OtherParameters { .. })) => Ok((None, Some(error))),
            // If the user chose the launch, the user must change it; if the lab chose it, the row cannot run here.
            Err(error @ Error::Limit { .. }) if !self.options.sets_a_launch() => {
                Ok((None, Some(Error::Skip(error.to_string()))))
            }
            Err(other) => Err(other),
        }
    }

    /// Sets the columns of the published figures that belong to this row.
    fn add_published(&self, record: &mut Record) {
        let device = Some(self.session.device.name.as_str()).filter(|_| !self.is_emulated());
        for published in self.lab.published {
            if let Some(figure) = published.value(&record.variant, &record.case, record.n, device) {
                self.columns.set(record, published.column, figure);
            }
        }
    }

    /// Returns the checks for a case with this expectation: those of `--check`, or the usual ones.
    fn checks(&self, expect: Expect) -> Checks {
        match (self.options.check, expect) {
            (Some(asked), _) => asked,
            (None, Expect::Right) => {
                // Unknown names were rejected when the driver started.
                let asked = std::env::var("WARPLAB_CHECKS").ok();
                let asked = asked.and_then(|text| text.parse().ok());
                asked.unwrap_or(Checks::MEMORY)
            }
            (None, Expect::Wrong(_) | Expect::Racy(_) | Expect::Planted(_)) => Checks::ALL,
        }
    }

    /// Returns the expectation for the variant in this run: in a file that replaces the lab's own, a planted mistake
    /// must have been fixed.
    fn expect(&self, variant: &Variant) -> Expect {
        match variant.expect {
            Expect::Planted(_) if self.options.kernel.is_some() => Expect::Right,
            expect => expect,
        }
    }

    /// Sets the machine's checks and the order of warps and blocks for future launches, and names the activity under
    /// which leaks will be reported.
    fn watch(&self, checks: Checks, seed: u64, during: &str) {
        machine::configure(&SettingsPatch {
            checks: Some(checks),
            lines: Some(self.options.hot.is_some()),
            costs: Some(self.part.is_some()),
            seed: Some(seed),
            announce: Some(!self.options.quiet && !self.process.role.is_prediction()),
            during: Some(during.into()),
            ..SettingsPatch::default()
        });
    }

    /// Sets the machine's checks for the lab's work outside of its cases.
    pub(crate) fn between_cases(&self) {
        self.watch(self.checks(Expect::Right), first_seed(), "");
    }

    /// Writes a row for each case that has left device memory allocated, if the leak check is on. Called after the
    /// lab's function has returned, which frees buffers that live from one case to the next.
    pub(crate) fn leaks(&self) -> Result<()> {
        self.between_cases();
        for leak in machine::leaks()? {
            let outside = leak.during.is_empty();
            // Child processes repeat the lab's work before its cases, so they would report these leaks again.
            if outside && self.process.role.is_case() {
                continue;
            }
            let known = self.records().into_iter().find(|r| r.key() == leak.during);
            let place = known.unwrap_or_else(|| {
                let label = if outside { "outside of every case" } else { &leak.during };
                self.record(&Case::new("-").label(label), None)
            });
            let expect = self.variant(&place.variant).map_or(Expect::Right, |variant| self.expect(variant));
            let record = place.leaked(leak);
            let (verdict, note) = verdict(expect, None, Some(&record.note));
            self.finish(Record { verdict, note, ..record })?;
        }
        Ok(())
    }

    /// Checks that the context is still usable: a kernel that faulted has corrupted it for all later cases.
    fn context(&self) -> Result<()> {
        match self.lost.borrow().as_ref() {
            Some(by) => Err(Error::Skip(format!("the device's context was lost in case {by}"))),
            None => Ok(()),
        }
    }

    /// Writes a row with the reason why the lab, or the rest of it, is left out: its default sizes do not fit here.
    pub(crate) fn left_out(&self, reason: String) -> Result<()> {
        let record = self.record(&Case::new("-").label("left out"), None);
        self.finish(Record { verdict: Verdict::Skip, note: reason, ..record }).map(drop)
    }

    fn variant(&self, name: &str) -> Result<&'static Variant> {
        self.lab
            .variants()
            .into_iter()
            .find(|v| v.name == name)
            .ok_or_else(|| Error::usage(format!("lab {} declares no variant `{name}`", self.lab.name)))
    }

    pub(crate) fn finish(&self, mut record: Record) -> Result<Record> {
        let expect = self.variant(&record.variant).map_or(Expect::Right, |variant| self.expect(variant));
        record.expectation = expectation(expect, &record);
        if let Some(emulated) = self.emulated.as_ref().filter(|_| record.grid.is_some()) {
            record.predicted = Some(emulated.predicted(&record));
        }
        if let Some(path) = &self.options.records {
            records::append(path, &record)?;
        }
        self.report.borrow_mut().row(&record)?;
        self.records.borrow_mut().push(record.clone());
        Ok(record)
    }

    /// Returns the records so far, for a lab's own summary at the end.
    pub fn records(&self) -> Vec<Record> {
        self.records.borrow().clone()
    }
}

/// Returns the first schedule's seed.
fn first_seed() -> u64 {
    let seed = std::env::var("WARPLAB_SEED").ok();
    seed.and_then(|s| s.parse().ok()).unwrap_or(0)
}
