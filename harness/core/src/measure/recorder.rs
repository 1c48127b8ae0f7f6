//! What a case's body records: samples, checks, bytes moved and the lab's own columns.
use std::{rc::Rc, time::Instant};

use cudarc::driver::sys::CUevent_flags;
use wire::Told;

use crate::{
    device::{
        ceilings::Ceiling,
        fault,
        machine::{self, MachineReport},
        nvml::Monitor,
        session::Session,
    },
    error::{Error, Result, is_unmodelled},
    measure::{check::Check, flush::Flush, interrupt, plan::Plan},
    record::{
        columns::Columns,
        counters,
        hot::HotLine,
        row::{Record, Value, Verdict},
    },
    stats::{self, Times},
};

/// What a recorder takes from the run that its case belongs to.
#[derive(Debug)]
pub(crate) struct Setup<'r> {
    /// The open device.
    pub(crate) session: &'r Session,
    /// The lab's columns.
    pub(crate) columns: Rc<Columns>,
    /// How many samples are taken.
    pub(crate) plan: Plan,
    /// Whether a kernel that the file of `--kernel` lacks makes a skipped row (`--partial`).
    pub(crate) partial: bool,
}

/// What is timed as one sample.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Clock {
    /// The stream's own time between two events.
    Events,
    /// The host's time from before the body to the end of the stream's work.
    Wall,
}

/// Records one case. A lab's body calls [`Recorder::measure`] or, where nothing is timed,
/// [`Recorder::check`]; and says what was moved and computed.
#[derive(Debug)]
pub struct Recorder<'r> {
    setup: Setup<'r>,
    record: Record,
    /// What was checked in this pass, and the largest error of the passes before it.
    check: Option<Check>,
    worst: Option<f64>,
    notes: Vec<String>,
    ceiling: Ceiling,
    cold: bool,
    machine: MachineReport,
    /// The schedule of this pass over the case's body, and whether it is the first.
    seed: u64,
    is_first: bool,
    /// Of all passes: the first wrong answer, what no variant is allowed (wrong on purpose or not), why the case
    /// cannot run here, and every finding once.
    wrong: Option<String>,
    broken: Option<String>,
    skip: Option<String>,
    findings: Vec<Told>,
    /// A kernel has ruined the device's context.
    context_lost: bool,
}

impl<'r> Recorder<'r> {
    /// A recorder that completes `record`, which says what the case is.
    pub(crate) fn new(setup: Setup<'r>, record: Record) -> Self {
        Self {
            setup,
            record,
            check: None,
            worst: None,
            notes: Vec::new(),
            ceiling: Ceiling::default(),
            cold: false,
            machine: MachineReport::default(),
            seed: 0,
            is_first: true,
            wrong: None,
            broken: None,
            skip: None,
            findings: Vec::new(),
            context_lost: false,
        }
    }

    /// Times what `launch` puts on [`crate::Run::stream`], by CUDA events. For each sample: `prepare` (poison
    /// the outputs, reset counters), then `launch`, timed, then `verify` (copy back and compare). One
    /// warm-up comes first, verified too. On a GPU samples are taken until their noise is small or the
    /// time is up; `--samples` fixes their number. `state` is what the three share, e.g. `&mut output`.
    ///
    /// # Errors
    /// The closures', the driver's, and [`Error::Interrupted`].
    pub fn measure<S: ?Sized>(
        &mut self,
        state: &mut S,
        prepare: impl FnMut(&mut S) -> Result<()>,
        launch: impl FnMut(&mut S) -> Result<()>,
        verify: impl FnMut(&mut S) -> Result<Check>,
    ) -> Result<Times> {
        self.sample(Clock::Events, state, prepare, launch, verify)
    }

    /// As [`Recorder::measure`], by the host's clock, from before `launch` until the stream is idle: for
    /// what a user waits for, allocation and copies included.
    ///
    /// # Errors
    /// As [`Recorder::measure`].
    pub fn measure_wall<S: ?Sized>(
        &mut self,
        state: &mut S,
        prepare: impl FnMut(&mut S) -> Result<()>,
        launch: impl FnMut(&mut S) -> Result<()>,
        verify: impl FnMut(&mut S) -> Result<Check>,
    ) -> Result<Times> {
        self.sample(Clock::Wall, state, prepare, launch, verify)
    }

    fn sample<S: ?Sized>(
        &mut self,
        clock: Clock,
        state: &mut S,
        prepare: impl FnMut(&mut S) -> Result<()>,
        launch: impl FnMut(&mut S) -> Result<()>,
        mut verify: impl FnMut(&mut S) -> Result<Check>,
    ) -> Result<Times> {
        let mut checked = None;
        let verify = |state: &mut S| {
            let check = verify(state)?;
            match &mut checked {
                Some(all) => Check::again(all, check),
                None => checked = Some(check),
            }
            Ok(())
        };
        let result = self.samples(clock, state, prepare, launch, verify);
        // What was wrong before an error counts as well.
        if let Some(check) = checked {
            self.check(check);
        }
        result
    }

    fn samples<S: ?Sized>(
        &mut self,
        clock: Clock,
        state: &mut S,
        mut prepare: impl FnMut(&mut S) -> Result<()>,
        mut launch: impl FnMut(&mut S) -> Result<()>,
        mut verify: impl FnMut(&mut S) -> Result<()>,
    ) -> Result<Times> {
        let (plan, session) = (self.setup.plan, self.setup.session);
        let context = &session.context;
        let start = context.new_event(Some(CUevent_flags::CU_EVENT_DEFAULT))?;
        let end = context.new_event(Some(CUevent_flags::CU_EVENT_DEFAULT))?;
        let stream = session.stream.clone();
        let mut flush = if self.cold { Some(Flush::new(session)?) } else { None };
        let began = Instant::now();
        let mut samples = Vec::new();
        let mut throttled = Vec::new();
        for i in 0.. {
            interrupt::check()?;
            prepare(state)?;
            if let Some(flush) = &mut flush {
                flush.flush(&stream)?;
            }
            stream.synchronize()?;
            let wall = Instant::now();
            start.record(&stream)?;
            launch(state)?;
            end.record(&stream)?;
            stream.synchronize()?;
            let wall_ms = wall.elapsed().as_secs_f64() * 1e3;
            let ms = if clock == Clock::Wall { wall_ms } else { f64::from(start.elapsed_ms(&end)?) };
            verify(state)?;
            if i >= plan.warmups {
                let hot = session.monitor.as_ref().is_ok_and(Monitor::is_throttled);
                if hot && throttled.len() < Plan::MOST_THROTTLED {
                    throttled.push(ms);
                } else {
                    samples.push(ms);
                }
            }
            if plan.done(&samples, began.elapsed()) {
                break;
            }
        }
        let dropped = throttled.len() as u32;
        if dropped > 0 {
            self.note(format!("{dropped} samples at a throttled clock dropped"));
        }
        let times = stats::times(&samples, dropped).expect("a plan takes at least one sample");
        if self.is_first {
            self.record.times = Some(times);
            self.record.samples_ms = samples;
        }
        Ok(times)
    }

    /// Adds the check of an output.
    pub fn check(&mut self, check: Check) {
        match &mut self.check {
            Some(all) => all.merge(check),
            None => self.check = Some(check),
        }
    }

    /// Sets the row's times from samples in milliseconds that the lab took itself.
    pub fn times(&mut self, samples_ms: &[f64]) {
        if self.is_first {
            self.record.times = stats::times(samples_ms, 0);
            self.record.samples_ms = samples_ms.to_vec();
        }
    }

    /// Bytes moved by one sample; gives GB/s on a GPU.
    pub fn bytes(&mut self, bytes: usize) {
        self.record.bytes = Some(bytes as u64);
    }

    /// Floating-point operations of one sample; gives GFLOP/s on a GPU.
    pub fn flop(&mut self, flop: u64) {
        self.record.flop = Some(flop);
    }

    /// The ceiling with which the GB/s are compared (by default, device copy).
    pub fn ceiling(&mut self, ceiling: Ceiling) {
        self.ceiling = ceiling;
    }

    /// Takes no more samples than `most`, for a case that is one of many or whose samples take long. The number that
    /// `--samples` gives is taken all the same.
    pub fn at_most(&mut self, most: usize) {
        self.setup.plan = self.setup.plan.at_most(most);
    }

    /// Flush the L2 cache before each sample.
    pub fn cold(&mut self) {
        self.cold = true;
    }

    /// Sets one of the lab's own columns.
    ///
    /// # Panics
    /// When the lab has no such column: a mistake in the lab, not in its use.
    pub fn set(&mut self, column: &str, value: impl Into<Value>) {
        self.setup.columns.set(&mut self.record, column, value);
    }

    /// What the embedded machine counted and found in this case so far; empty on a GPU. Synchronise first.
    ///
    /// # Errors
    /// When the machine's report cannot be read.
    pub fn machine(&mut self) -> Result<&MachineReport> {
        if let Some(report) = machine::report()? {
            self.machine.extend(report);
        }
        Ok(&self.machine)
    }

    /// Adds to the row's note.
    pub fn note(&mut self, note: impl Into<String>) {
        if self.is_first {
            self.notes.push(note.into());
        }
    }

    /// Begins a pass over the case's body, under a schedule seed.
    pub(crate) fn begin(&mut self, seed: u64, is_first: bool) -> Result<()> {
        self.seed = seed;
        self.is_first = is_first;
        self.worst = self.check.take().map(|check| check.worst(self.worst)).or(self.worst);
        // The counters that a body asks for are those of its own pass.
        self.machine = MachineReport::default();
        machine::report().map(drop)
    }

    /// Records how a pass over the body ended, and returns whether another may follow. `hot` gives the costliest lines
    /// of what the machine counted in the first pass, if they are wanted.
    ///
    /// # Errors
    /// An outcome that ends the whole run.
    pub(crate) fn absorb(
        &mut self,
        outcome: Result<()>,
        hot: impl FnOnce(&MachineReport) -> Vec<HotLine>,
    ) -> Result<bool> {
        let mut wrong = None;
        match outcome {
            Ok(()) => {}
            Err(Error::Skip(reason)) => self.skip = Some(reason),
            Err(Error::Driver(error)) => {
                // Perhaps the interruption has ended its kernel.
                interrupt::check()?;
                self.context_lost = self.setup.session.context.synchronize().is_err();
                let words = Error::Driver(error).to_string();
                match fault::class(error.0) {
                    fault::Class::Kernel => wrong = Some(words),
                    fault::Class::Memory => {
                        self.skip = Some(format!("not enough memory here: {words}"));
                    }
                    fault::Class::Host => self.broken = Some(words),
                }
            }
            // A module that the driver refuses, or a kernel that cannot be launched, is a failure of this case; other
            // cases may run.
            Err(error @ (Error::Module { .. } | Error::OtherParameters { .. })) => {
                self.broken = Some(error.to_string());
                if let Error::Module { findings, .. } = error {
                    self.machine.findings.extend(findings);
                }
            }
            Err(Error::Kernel(error @ (kernels::Error::TooNew { .. } | kernels::Error::ArchDropped { .. }))) => {
                self.skip = Some(error.to_string());
            }
            Err(error @ Error::NoSuchKernel { .. }) if self.setup.partial => {
                self.record.missing_kernel = error.missing_kernel().map(str::to_string);
                self.skip = Some(error.to_string());
            }
            Err(other) => return Err(other),
        }
        self.machine()?;
        if self.is_first {
            self.record.counters = counters::values(&self.machine);
            self.record.hot = hot(&self.machine);
        }
        for finding in std::mem::take(&mut self.machine.findings) {
            let key = finding.finding.key();
            if self.findings.iter().all(|f| f.finding.key() != key) {
                self.findings.push(finding);
            }
        }
        let bad = self.check.as_ref().filter(|c| !c.passed());
        wrong = wrong.or_else(|| bad.map(Check::summary));
        if let (None, Some(wrong)) = (&self.wrong, wrong) {
            self.wrong =
                Some(if self.is_first { wrong } else { format!("under schedule seed {}: {wrong}", self.seed) });
        }
        Ok(!self.context_lost && self.skip.is_none() && self.broken.is_none())
    }

    /// Whether a kernel of this case has ruined the device's context.
    pub(crate) fn has_lost_context(&self) -> bool {
        self.context_lost
    }

    /// Judges the case and completes its row. `verdict` gives the verdict, and what to say of it, from what is wrong
    /// with the answer and from what the checks found.
    pub(crate) fn judge(mut self, verdict: impl FnOnce(Option<&str>, Option<&str>) -> (Verdict, String)) -> Record {
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
        if is_unmodelled(&self.record.findings) {
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
        self.notes.extend([self.broken.take().unwrap_or_default(), what].into_iter().filter(|w| !w.is_empty()));
        self.record.note = self.notes.join("; ");
        self.rates();
        self.record
    }

    /// Rates and per cents: of a GPU's times only.
    fn rates(&mut self) {
        let Some(ceilings) = self.setup.session.ceilings else {
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
