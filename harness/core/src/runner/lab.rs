//! Runs one lab: its experiment, its exercises, and what follows from its rows.
use std::{rc::Rc, time::Instant};

use predict::GpuModel;
use record::{LabRun, Record, Verdict};

use crate::{
    device::kernels::Kernels,
    error::{Error, Result},
    exit::Exit,
    export::{
        crossovers::crossovers_text,
        event::{Event, RowsStart, View},
        layout::{paragraphs, width},
        warnings::warnings,
    },
    lab::{
        declaration::Lab,
        run::Run,
        story::{self, Measure},
    },
    measure::{input_guard::InputGuard, interrupt, pace},
    options::common::LabOptions,
    plan::{command::command, repro_command::ReproCommand, run_plan::PlannedLab, unused_options},
    runner::{
        cases::{Cases, answer},
        judge_rounds,
        labs::Runner,
        ladder,
        predict_process::{self, EmulatedPredictions},
    },
};

impl Runner<'_> {
    /// Runs one lab: the experiment, the exercises, the leak check, and then its tables.
    pub(super) fn lab(&mut self, planned: &PlannedLab) -> Result<()> {
        let (plan, lab) = (Rc::clone(&self.plan), planned.lab);
        self.events.emit(Event::LabStarted { lab: lab.name })?;
        let started = Instant::now();
        let (mut run, cases) = self.run_of(planned)?;
        for remark in &planned.remarks {
            self.events.show(Event::Note(&paragraphs(remark)));
        }
        cases.between_cases(&run);
        // An interruption makes other calls fail.
        let result = experiment(planned, &mut run, &cases).map_err(|error| interrupt::check().err().unwrap_or(error));
        self.events.show(Event::Idle);
        // Compiler warnings matter only for user-supplied kernels.
        let warned = run.kernels.warnings();
        if plan.replaced.is_some() && !warned.is_empty() {
            self.events.show(Event::Note(&format!("\n{}", warnings(&warned))));
        }
        let result = result.and_then(|()| self.tell(planned, &run));
        let result = result.and(self.events.emit(Event::RowsEnded));
        let result = result.and_then(|()| if self.is_collected() { Ok(()) } else { self.check(&run) });
        let wrong = run.records().iter().any(|r| matches!(r.verdict, Verdict::Fail | Verdict::Finding));
        // Errors after a kernel has corrupted the context are that kernel's fault, which has already been judged. The
        // same holds in the process of a single case if its kernel is wrong on purpose.
        let by = cases.lost().filter(|_| wrong || self.process.role.is_case());
        let result = match (result, by) {
            (Err(Error::Driver(_) | Error::Module { .. }), Some(by)) => {
                let lost =
                    format!("{}: the rest is left out, because the device's context was lost in case {by}", lab.name);
                self.events.show(Event::Note(&lost));
                Ok(())
            }
            (result, _) => result,
        };
        let asked = (self.session.as_ref(), plan.options.seed);
        let repeat = ReproCommand::new(lab, plan.is_own, &command(lab), plan.matches, asked);
        self.summary.add(&run.records(), |record| repeat.command(record));
        let written = self.events.emit(Event::LabEnded(&lab_run(&run, started, result.as_ref().err())));
        // The lab's own error came first, and is the one to report.
        if result.is_ok() {
            written?;
        }
        self.judge(&run, wrong);
        result
    }

    /// Summarises the rows of a lab. When emulated, companion runs predict the times of the ladder.
    fn tell(&self, planned: &PlannedLab, run: &Run) -> Result<()> {
        let (lab, options) = (planned.lab, &self.plan.options);
        let Some(story) = lab.story.as_ref().filter(|_| planned.has_story) else {
            return Ok(());
        };
        if let Some(sweep) = planned.sweep {
            let text = crossovers_text(lab.name, &(sweep.tell)(run), &run.records(), width());
            self.events.show(Event::Note(&format!("\n{text}")));
            return Ok(());
        }
        let device = &self.session.device;
        let part = GpuModel::find(&device.profile).ok().filter(|_| device.is_emulated);
        let is_timed = matches!(story.measure, Measure::Time) && !story.ladder.is_empty();
        let predicted = match &part {
            _ if !device.is_emulated => None,
            None => Some(story.unpredicted(&format!("no times are predicted for {}", device.profile))),
            Some(_) if options.quick => Some(story.unpredicted("--quick predicts no times")),
            Some(_) if !is_timed => Some(Vec::new()),
            Some(part) => {
                let companion = |options: LabOptions| {
                    self.events.show(Event::Working(&format!("{}: predicts the ladder's times", lab.name)));
                    let companion = self.companion(lab, part, options);
                    (lab.run)(&companion)?;
                    lab.exercises.map_or(Ok(()), |exercises| exercises(&companion))?;
                    Ok(companion.records().into())
                };
                let predicted = ladder::predicted(lab, story, part, options, companion);
                self.events.show(Event::Idle);
                Some(predicted?)
            }
        };
        let part = part.map(|part| part.full_name).unwrap_or_default();
        let records = run.records();
        let told = story.tell(
            lab.name,
            &lab.variants(),
            story::Rows { run: &records, predicted: predicted.as_deref(), part: &part },
        );
        self.events.emit(Event::Story(&told))
    }

    /// Returns a run of a lab that predicts times, and writes nothing.
    fn companion(&self, lab: &'static Lab, part: &GpuModel, options: LabOptions) -> Run {
        let (columns, silent) = (Rc::new(lab.all_columns()), Rc::default());
        Run {
            lab,
            session: self.session.clone(),
            kernels: Kernels::new(lab.name, lab.kernels, &self.session, None),
            options,
            process: Rc::clone(&self.process),
            has_gpu_sizes: true,
            inputs: None,
            cases: Rc::new(Cases::new(columns, Some(part.clone()), None, silent)),
        }
    }

    /// Creates the run that is passed to the lab's function, and its cases.
    fn run_of(&self, planned: &PlannedLab) -> Result<(Run, Rc<Cases>)> {
        let (lab, options) = (planned.lab, &planned.options.common);
        let emulated = self.beside.as_ref().map(|part| {
            self.events.show(Event::Note(&format!(
                "{}: runs emulated first, to predict the times that are compared with the GPU's",
                lab.name
            )));
            EmulatedPredictions::from_run(part, || predict_process::run(&self.process, lab.name, part))
        });
        let columns = Rc::new(lab.all_columns());
        let view = if planned.has_story { options.shown() } else { View::EVERYTHING };
        let rows = RowsStart { lab: lab.name, about: lab.summary, columns: &columns, view };
        self.events.emit(Event::RowsStarted(rows))?;
        let cases = Rc::new(Cases::new(columns, self.part.clone(), emulated, self.events.clone()));
        let run = Run {
            lab,
            session: self.session.clone(),
            kernels: Kernels::new(lab.name, lab.kernels, &self.session, self.plan.replaced.clone()),
            options: planned.options.clone(),
            process: Rc::clone(&self.process),
            has_gpu_sizes: self.process.role.is_prediction(),
            inputs: options.is_judged().then(|| Rc::new(InputGuard::new(&self.session.context))),
            cases: cases.clone(),
        };
        Ok((run, cases))
    }

    /// Checks that the requested cases have run.
    fn check(&self, run: &Run) -> Result<()> {
        let records = run.records();
        unused_options::check(run.lab, &self.plan.options, self.plan.matches, &records)?;
        let Some(file) = self.plan.replaced.as_ref().map(|replaced| &replaced.path) else {
            return Ok(());
        };
        // A case may load its kernels in a separate process, and one that did not pass may not have loaded them at all.
        let variants = run.lab.variants();
        let may_have = |variant: &str| variants.iter().any(|v| v.name == variant && v.own_process);
        let is_in_vain = |record: &Record| record.verdict == Verdict::Pass && !may_have(&record.variant);
        if !run.kernels.origins().contains_key(file.as_ref()) && records.iter().all(is_in_vain) {
            return Err(Error::usage(format!("--kernel {file}: nothing that ran uses it; choose other variants")));
        }
        Ok(())
    }

    /// Updates how the command ends: the worst ending counts, and a wrong answer is worse than a slow one.
    fn judge(&mut self, run: &Run, wrong: bool) {
        let slow = self.plan.options.min_percent.map_or_else(Vec::new, |least| pace::too_slow(&run.records(), least));
        for line in &slow {
            self.events.show(Event::Failure(&format!("too slow: {line}")));
        }
        let fast = pace::too_fast(&run.records(), self.session.device.l2_bytes);
        for line in fast.iter().filter(|_| !self.process.role.is_case()) {
            self.events.show(Event::Failure(&format!(
                "{line}, which is impossible: the ceiling was measured wrongly. Run again while no one else uses the GPU"
            )));
        }
        let wrong = wrong || !fast.is_empty();
        let unmodelled = run.records().iter().any(Record::is_unmodelled);
        self.exit = match (wrong, slow.is_empty()) {
            (true, _) => Exit::Wrong,
            _ if unmodelled => self.exit.max(Exit::CannotRun),
            (false, false) if self.exit == Exit::Passed => Exit::Slow,
            _ => self.exit,
        };
    }
}

/// Runs the experiment, the questions and the exercises, as far as they were chosen, and then the leak check.
fn experiment(planned: &PlannedLab, run: &mut Run, cases: &Cases) -> Result<()> {
    let lab = planned.lab;
    if planned.has_experiment {
        match judge_rounds::run(run, cases, &command(lab), lab.run) {
            Err(Error::Skip(reason)) => cases.left_out(run, reason.to_string())?,
            result => result?,
        }
    }
    if planned.has_exercises {
        answer(run, &(lab.questions)())?;
        let exercises = |exercises| judge_rounds::run(run, cases, &command(lab), exercises);
        lab.exercises.map_or(Ok(()), exercises)?;
    }
    cases.leaks(run)
}

/// Returns the lab's entry in session.json.
fn lab_run(run: &Run, started: Instant, error: Option<&Error>) -> LabRun {
    let records = run.records();
    let count = |v| records.iter().filter(|r| r.verdict == v).count();
    LabRun {
        lab: run.lab.name.into(),
        rows: Some(records.len()),
        pass: count(Verdict::Pass),
        fail: count(Verdict::Fail),
        finding: count(Verdict::Finding),
        skip: count(Verdict::Skip),
        seconds: started.elapsed().as_secs_f64(),
        ptx: run.kernels.origins(),
        error: error.map(ToString::to_string),
        missing_kernel: error.and_then(Error::missing_kernel).map(Into::into),
        kernel_error: error.filter(|e| e.is_of_kernel()).map(ToString::to_string),
        unmodelled: error.is_some_and(Error::is_unmodelled),
        ..LabRun::default()
    }
}
