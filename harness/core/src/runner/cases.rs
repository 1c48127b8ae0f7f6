//! The cases of a lab: each is launched, checked and judged, and makes a row.
use std::{cell::RefCell, rc::Rc, time::Instant};

use cudarc::driver::LaunchConfig;
use predict::GpuModel;
use record::{Columns, HotLine, MachineReport, Record, Verdict};
use wire::{Checks, SettingsPatch};

use crate::{
    device::{
        launch::{launch_1d, launched},
        machine,
    },
    error::{Error, Result},
    export::{chart::Chart, event::Event, listeners::Events},
    lab::{
        case::Case,
        case_context::CaseContext,
        question::Question,
        row::{Expect, Variant},
        run::{Body, CaseRunner, Run},
    },
    measure::{
        case_result::{CaseAccumulator, Pass},
        forecast::{self, Forecasts},
        interrupt,
        recorder::{Recorder, Setup},
        sampling::Sampling,
        timer,
    },
    runner::{
        child::{self, End},
        judge_rounds::{HeldCase, JudgeRounds},
        predict_process::{self, EmulatedPredictions},
        verdict::{expectation, verdict},
    },
};

/// The cases of one lab's run.
#[derive(Debug)]
pub(crate) struct Cases {
    /// The columns of the lab's rows.
    columns: Rc<Columns>,
    /// The part for which times are predicted.
    part: Option<GpuModel>,
    /// The predictions of an emulated run of the same cases, to be shown with a GPU's times.
    emulated: Option<EmulatedPredictions>,
    events: Rc<Events>,
    progress: RefCell<CasesSoFar>,
}

/// What changes from case to case.
#[derive(Debug, Default)]
struct CasesSoFar {
    records: Vec<Record>,
    /// What the lab has said once.
    said: Vec<String>,
    /// The emulation speed of this computer.
    forecasts: Forecasts,
    /// The rounds so far, if the lab runs in rounds.
    rounds: Option<JudgeRounds>,
    /// The case whose kernel has faulted and corrupted the context, if any.
    lost: Option<String>,
}

impl CaseRunner for Cases {
    fn case(&self, run: &Run, case: &Case, body: &mut Body<'_>) -> Result<Option<Record>> {
        let variant = variant(run, &case.variant)?;
        let cases = &run.options().cases;
        if !run.wants(variant.name) || !(cases.is_empty() || cases.contains(&case.label)) {
            return Ok(None);
        }
        if timer::is_set() && (variant.own_process || variant.expect != Expect::Right) {
            return Ok(None);
        }
        interrupt::check()?;
        let role = &run.process.role;
        if (role.is_prediction() && variant.own_process) || !role.runs_case(&case.key()) {
            return Ok(None);
        }
        if !role.is_case() && run.options().starts_a_process(variant.own_process) {
            return self.in_own_process(run, variant, case);
        }
        self.in_this_process(run, variant, case, body).map(Some)
    }

    fn records(&self) -> Vec<Record> {
        self.progress.borrow().records.clone()
    }

    fn say(&self, line: &str) {
        self.events.show(Event::Remark(line));
    }

    fn say_once(&self, line: &str) {
        let said = &mut self.progress.borrow_mut().said;
        if !said.iter().any(|known| known == line) {
            said.push(line.into());
            self.events.show(Event::Remark(line));
        }
    }

    fn draw(&self, name: &str, chart: &Chart) -> Result<()> {
        self.events.emit(Event::Chart { name, chart })
    }
}

impl Cases {
    /// Returns the cases of a run, before the first.
    pub(crate) fn new(
        columns: Rc<Columns>,
        part: Option<GpuModel>,
        emulated: Option<EmulatedPredictions>,
        events: Rc<Events>,
    ) -> Self {
        Self { columns, part, emulated, events, progress: RefCell::default() }
    }

    /// Returns the case whose kernel has corrupted the device's context, if any.
    pub(crate) fn lost(&self) -> Option<String> {
        self.progress.borrow().lost.clone()
    }

    /// Begins the first of several rounds.
    pub(crate) fn begin_rounds(&self) {
        self.progress.borrow_mut().rounds = Some(JudgeRounds::first());
    }

    /// Begins the next round: its rows take the place of all but the first `before`.
    pub(crate) fn begin_round(&self, before: usize) {
        let mut so_far = self.progress.borrow_mut();
        so_far.records.truncate(before);
        if let Some(rounds) = &mut so_far.rounds {
            rounds.begin();
        }
    }

    /// Ends the rounds: removes their rows, all but the first `before`, and returns the cases from which the final rows
    /// are made.
    pub(crate) fn end_rounds(&self, before: usize) -> Vec<HeldCase> {
        let mut so_far = self.progress.borrow_mut();
        so_far.records.truncate(before);
        so_far.rounds.take().map_or_else(Vec::new, JudgeRounds::into_held)
    }

    /// Reports that a case starts; `time` is its estimated duration, if known.
    fn started(&self, run: &Run, case: &Case, time: Option<&str>) {
        let Case { variant, label, .. } = case;
        self.events.show(Event::CaseStarted { lab: run.lab.name, variant, case: label, time });
    }

    fn in_own_process(&self, run: &Run, variant: &Variant, case: &Case) -> Result<Option<Record>> {
        let (launch, _) = launch(run, case)?;
        let time = self.forecast(run, case, launch)?;
        self.started(run, case, time.as_deref());
        let most = run.options().timeout;
        run.session.give_back_freed();
        let ceilings = run.session.ceilings;
        let end = child::run(&run.process, run.lab.name, case, ceilings, most, |line| self.say(line));
        self.events.show(Event::CaseEnded);
        let records = match end? {
            End::Reported(records) => records,
            End::Crashed(how) => vec![self.crashed(run, variant, case, launch, how)],
            End::Late => vec![self.late(run, case, launch)],
        };
        let first = records.first().cloned();
        for record in records {
            self.finish(run, record)?;
        }
        Ok(first)
    }

    fn in_this_process(
        &self,
        run: &Run,
        variant: &'static Variant,
        case: &Case,
        body: &mut Body<'_>,
    ) -> Result<Record> {
        run.kernels.forget_asked();
        let (launch, mut refused) = launch(run, case)?;
        let checks = checks(run, variant.expect);
        let (round, earlier) = match &self.progress.borrow().rounds {
            Some(rounds) => (Some(rounds.number), rounds.next(variant)),
            None => (None, None),
        };
        let is_new = earlier.is_none();
        let (known, passes) =
            earlier.unwrap_or_else(|| (case.clone(), CaseAccumulator::new(self.record(run, case, launch))));
        if passes.is_over() {
            return self.ended(run, variant, known, passes);
        }
        let orders = if run.is_emulated() { u64::from(run.options().schedules.unwrap_or(1)) } else { 1 };
        // Each round has one of the orders, in turn.
        let (first, schedules) =
            round.map_or((first_seed(), orders), |round| (first_seed().saturating_add((round - 1) % orders), 1));
        let key = known.key();
        let mut time = None;
        if refused.is_none() {
            self.watch(run, checks, first, &key);
            match self.forecast(run, case, launch) {
                Err(long @ Error::Skip(_)) => refused = Some(long),
                known => time = known?,
            }
        }
        // A GPU gives freed addresses out again. If the machine does too, the cases of all rounds have the same ones,
        // and an answer that a kernel keeps by the address of its input meets another input there.
        if round.is_some() && run.is_emulated() {
            run.session.give_back_freed();
        }
        self.started(run, case, time.as_deref());
        let (began, elements) = (Instant::now(), elements(run, case, launch).1);
        let mut is_whole = run.is_emulated();
        let mut context = CaseContext::new(run, case, launch, self.recorder(run, passes));
        let mut all_passes = || -> Result<()> {
            for schedule in first..first.saturating_add(schedules) {
                self.watch(run, checks, schedule, &key);
                context.recorder.begin(Pass { schedule, is_first: is_new && schedule == first, round })?;
                let outcome = match refused.take() {
                    Some(error) => Err(error),
                    None => self.context().and_then(|()| body(&mut context)),
                };
                let outcome = inputs_after(run, &mut context, outcome);
                is_whole &= outcome.is_ok();
                let more = context.recorder.absorb(outcome, |report| hot_lines(run, report))?;
                if !more {
                    break;
                }
            }
            Ok(())
        };
        let ended = all_passes();
        self.events.show(Event::CaseEnded);
        ended?;
        if is_whole {
            self.progress.borrow_mut().forecasts.took(&case.variant, elements, began.elapsed());
        }
        self.between_cases(run);
        let resources = context.resources();
        let passes = context.recorder.into_accumulator(resources);
        if passes.has_lost_context() {
            self.progress.borrow_mut().lost = Some(variant.name.into());
        }
        self.ended(run, variant, known, passes)
    }

    /// Returns the record of a case after its passes. It is final, unless another round may follow.
    fn ended(&self, run: &Run, variant: &'static Variant, case: Case, passes: CaseAccumulator) -> Result<Record> {
        let record = self.judged(run, variant, passes.clone());
        let mut so_far = self.progress.borrow_mut();
        if let Some(rounds) = &mut so_far.rounds {
            rounds.hold(variant, case, passes);
            so_far.records.push(record.clone());
            return Ok(record);
        }
        drop(so_far);
        self.finish(run, record)
    }

    /// Returns the record of a case with these passes.
    pub(crate) fn judged(&self, run: &Run, variant: &Variant, passes: CaseAccumulator) -> Record {
        let judge = |wrong: Option<&str>, found: Option<&str>| verdict(expect(run, variant), wrong, found);
        let mut record = passes.judge(run.session.ceilings, judge);
        self.add_published(run, &mut record);
        record
    }

    /// Estimates the duration of a case's emulation, if it is long, and informs the user.
    fn forecast(&self, run: &Run, case: &Case, launch: Option<LaunchConfig>) -> Result<Option<String>> {
        if !run.is_emulated() || run.process.role.is_case() {
            return Ok(None);
        }
        let is_prediction = run.process.role.is_prediction();
        let (launch, elements) = elements(run, case, launch);
        let forecasts = &mut self.progress.borrow_mut().forecasts;
        let time = match forecasts.of_variant(&case.variant, elements) {
            Some(time) => (time >= forecast::LONG).then_some(time),
            // Kernels take between a hundredth and a hundred times what this estimate says, which only bounds the
            // emulation for a GPU's run. Otherwise the machine announces an estimate from a long launch's first blocks.
            None if is_prediction && !run.kernels.is_replaced() => {
                forecasts.estimate(&run.session, launch, elements)?
            }
            None => None,
        };
        if let Some(long) = predict_process::too_long(time).filter(|_| is_prediction) {
            return Err(long);
        }
        if let Some(time) = time.filter(|time| forecasts.is_news(*time)) {
            let what = format!("{} {}", run.lab.name, case.variant);
            self.events.show(Event::Warning(&format!(
                "{what}: the emulation takes about {} on this computer; use --quick or a smaller --n for less",
                forecast::in_words(time)
            )));
        }
        Ok(time.map(forecast::in_words))
    }

    /// Returns a recorder that continues with `passes`.
    fn recorder<'r>(&'r self, run: &'r Run, passes: CaseAccumulator) -> Recorder<'r> {
        let options = run.options();
        let has_rounds = self.progress.borrow().rounds.is_some();
        let usual = || Sampling::new(options.samples, options.quick, run.is_emulated());
        let setup = Setup {
            session: &run.session,
            columns: self.columns.clone(),
            sampling: if has_rounds { Sampling::one() } else { usual() },
            part: self.part.as_ref(),
            partial: options.partial,
        };
        Recorder::new(setup, passes)
    }

    /// Returns the record of `case` before it has run.
    fn record(&self, run: &Run, case: &Case, launch: Option<LaunchConfig>) -> Record {
        let own = self.columns.own.len();
        let device = run.session.device.kind();
        let record = Record::new(run.lab.name, own, device, run.options().seed);
        Record {
            variant: case.variant.clone(),
            case: case.label.clone(),
            n: case.n.map(|n| n as u64),
            memory_mode: case.memory_mode.clone(),
            ..launched(record, launch)
        }
    }

    /// Returns the record of a case whose process ended without one.
    fn crashed(&self, run: &Run, variant: &Variant, case: &Case, launch: Option<LaunchConfig>, how: String) -> Record {
        let (verdict, note) = verdict(expect(run, variant), Some(&how), None);
        Record { verdict, note, wrong: Some(how), ..self.record(run, case, launch) }
    }

    /// Returns the record of a case that took longer than `--timeout` allows. It fails whatever the variant's
    /// expectation, because its answer is unknown.
    fn late(&self, run: &Run, case: &Case, launch: Option<LaunchConfig>) -> Record {
        let most = humantime::format_duration(run.options().timeout.unwrap_or_default());
        let how = format!("did not end within {most} (--timeout)");
        Record { verdict: Verdict::Fail, note: how.clone(), wrong: Some(how), ..self.record(run, case, launch) }
    }

    /// Sets the columns of the published figures that belong to this row.
    fn add_published(&self, run: &Run, record: &mut Record) {
        let device = Some(run.session.device.name.as_str()).filter(|_| !run.is_emulated());
        for published in run.lab.published {
            if let Some(figure) = published.value(&record.variant, &record.case, record.n, device) {
                self.columns.set(record, published.column, figure);
            }
        }
    }

    /// Sets the machine's checks and the order of warps and blocks for future launches, and names the activity under
    /// which leaks will be reported.
    fn watch(&self, run: &Run, checks: Checks, seed: u64, during: &str) {
        machine::configure(&SettingsPatch {
            checks: Some(checks),
            lines: Some(run.options().hot.is_some()),
            costs: Some(self.part.is_some()),
            seed: Some(seed),
            announce: Some(!run.options().quiet && !run.process.role.is_prediction()),
            during: Some(during.into()),
            ..SettingsPatch::default()
        });
    }

    /// Sets the machine's checks for the lab's work outside of its cases.
    pub(crate) fn between_cases(&self, run: &Run) {
        self.watch(run, checks(run, Expect::Right), first_seed(), "");
    }

    /// Writes a row for each case that has left device memory allocated, if the leak check is on. Called after the
    /// lab's function has returned, which frees buffers that live from one case to the next.
    pub(crate) fn leaks(&self, run: &Run) -> Result<()> {
        self.between_cases(run);
        for leak in machine::leaks()? {
            let outside = leak.during.is_empty();
            // Child processes repeat the lab's work before its cases, so they would report these leaks again.
            if outside && run.process.role.is_case() {
                continue;
            }
            let known = self.records().into_iter().find(|r| r.key() == leak.during);
            let place = known.unwrap_or_else(|| {
                let label = if outside { "outside of every case" } else { &leak.during };
                self.record(run, &Case::new("-").label(label), None)
            });
            let expect = variant(run, &place.variant).map_or(Expect::Right, |variant| expect(run, variant));
            let record = place.leaked(leak);
            let (verdict, note) = verdict(expect, None, Some(&record.note));
            self.finish(run, Record { verdict, note, ..record })?;
        }
        Ok(())
    }

    /// Checks that the context is still usable: a kernel that faulted has corrupted it for all later cases.
    fn context(&self) -> Result<()> {
        match &self.progress.borrow().lost {
            Some(by) => Err(Error::skip(format!("the device's context was lost in case {by}"))),
            None => Ok(()),
        }
    }

    /// Writes a row with the reason why the lab, or the rest of it, is left out: its default sizes do not fit here.
    pub(crate) fn left_out(&self, run: &Run, reason: String) -> Result<()> {
        let record = self.record(run, &Case::new("-").label("left out"), None);
        self.finish(run, Record { verdict: Verdict::Skip, note: reason, ..record }).map(drop)
    }

    /// Writes a row.
    pub(crate) fn finish(&self, run: &Run, mut record: Record) -> Result<Record> {
        let expect = variant(run, &record.variant).map_or(Expect::Right, |variant| expect(run, variant));
        record.expectation = expectation(expect, &record);
        if let Some(emulated) = self.emulated.as_ref().filter(|_| record.grid.is_some()) {
            record.predicted = Some(emulated.predicted(&record));
        }
        self.events.emit(Event::Row(&record))?;
        self.progress.borrow_mut().records.push(record.clone());
        Ok(record)
    }
}

/// Answers each question, as a case.
pub(crate) fn answer(run: &Run, questions: &[Question]) -> Result<()> {
    for question in questions {
        run.case(Case::new(question.variant).label(question.case.as_str()), |case| {
            case.check(question.check());
            case.set("question", question.asks.as_str());
            case.set("expected", question.expected.to_string());
            case.set("obtained", question.obtained.to_string());
            case.note(format!("expected {}, obtained {}", question.expected, question.obtained));
            Ok(())
        })?;
    }
    Ok(())
}

/// Returns the result of a pass with this outcome, after reading back the inputs in a judged run.
fn inputs_after(run: &Run, context: &mut CaseContext<'_>, outcome: Result<()>) -> Result<()> {
    match run.inputs.as_ref().map_or(Ok(None), |inputs| inputs.seen()) {
        Ok(changed) => context.recorder.changed_input(changed),
        // After a fault nothing can be read back.
        Err(error) => return outcome.and(Err(error.into())),
    }
    outcome
}

/// Returns the launch for which a case's duration is estimated, and the elements that its passes work on.
fn elements(run: &Run, case: &Case, launch: Option<LaunchConfig>) -> (LaunchConfig, u64) {
    // A case without its own launch is assumed to keep the device busy.
    let launch = launch.unwrap_or(launch_1d(1 << 10, 256));
    let dims = [launch.grid_dim, launch.block_dim];
    let threads = dims.iter().flat_map(|d| [d.0, d.1, d.2]).fold(1_u64, |all, d| all.saturating_mul(u64::from(d)));
    let elements = case.work.or(case.n.map(|n| forecast::STEPS.saturating_mul(n as u64))).unwrap_or(0).max(threads);
    let passes = u64::from(run.options().samples.unwrap_or(1)) * u64::from(run.options().schedules.unwrap_or(1));
    (launch, elements.saturating_mul(passes))
}

/// Returns the costliest lines of the source, if `--hot` is given.
fn hot_lines(run: &Run, report: &MachineReport) -> Vec<HotLine> {
    let text = |path: &str| run.kernels.source_text(path);
    if run.options().hot.is_some() { record::hot_lines(report, text) } else { Vec::new() }
}

/// Returns the launch according to the case's rule, if it has one; or why this case alone cannot start: its kernel
/// is missing, or the lab itself chose a launch that this device does not support.
fn launch(run: &Run, case: &Case) -> Result<(Option<LaunchConfig>, Option<Error>)> {
    let Some(rule) = case.launch else {
        return Ok((None, None));
    };
    let kernel = || {
        let (file, name) = case.kernel.as_ref().expect("a case with a grid of one wave names its kernel");
        run.function(file, name)
    };
    match rule.resolve(case.n.unwrap_or(1), run.options(), &run.session.device, kernel) {
        Ok(launch) => Ok((Some(launch), None)),
        Err(error @ (Error::NoSuchKernel { .. } | Error::OtherParameters { .. })) => Ok((None, Some(error))),
        // If the user chose the launch, the user must change it; if the lab chose it, the row cannot run here.
        Err(error @ Error::Limit { .. }) if !run.options().sets_a_launch() => {
            Ok((None, Some(Error::skip(error.to_string()))))
        }
        Err(other) => Err(other),
    }
}

/// Returns the checks for a case with this expectation: those of `--check`, or the usual ones.
fn checks(run: &Run, expect: Expect) -> Checks {
    match (run.options().check, expect) {
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

/// Returns the expectation for the variant in this run.
fn expect(run: &Run, variant: &Variant) -> Expect {
    variant.expected(run.options().kernel.is_some())
}

/// Returns the variant with this name.
fn variant(run: &Run, name: &str) -> Result<&'static Variant> {
    let found = run.lab.variants().into_iter().find(|variant| variant.name == name);
    found.ok_or_else(|| Error::usage(format!("lab {} declares no variant `{name}`", run.lab.name)))
}

/// Returns the first schedule's seed.
fn first_seed() -> u64 {
    let seed = std::env::var("WARPLAB_SEED").ok();
    seed.and_then(|s| s.parse().ok()).unwrap_or(0)
}
