//! What a case's body records: samples, checks, bytes moved and the lab's own columns.
use std::time::{Duration, Instant};

use cudarc::driver::{DevicePtrMut, sys::CUevent_flags};

use crate::{
    Case, Ceiling, Check, Error, Finding, MachineReport, Result, Run, Variant,
    case::dims,
    counters, fault,
    flush::Flush,
    hot, interrupt, machine,
    record::{Record, Times, Value, Verdict},
    run::verdict,
    stats,
};

/// What a case takes as one sample.
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
    run: &'r Run,
    record: Record,
    check: Option<Check>,
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
    findings: Vec<Finding>,
}

impl<'r> Recorder<'r> {
    pub(crate) fn new(run: &'r Run, case: &Case) -> Self {
        Self {
            run,
            record: Record {
                lab: run.lab.name.into(),
                variant: case.variant.clone(),
                case: case.label.clone(),
                device: run.session.device.kind().into(),
                n: case.n.map(|n| n as u64),
                grid: case.launch.map(|l| dims(l.grid_dim)),
                block: case.launch.map(|l| dims(l.block_dim)),
                shared_bytes: case.launch.map(|l| l.shared_mem_bytes),
                memory_mode: case.memory_mode.clone(),
                seed: run.options.seed,
                times: None,
                bytes: None,
                gb_per_s: None,
                flop: None,
                gflop_per_s: None,
                percent_of_ceiling: None,
                max_abs_error: None,
                verdict: Verdict::Fail,
                note: String::new(),
                own: vec![Value::Empty; run.lab.columns.len()],
                findings: Vec::new(),
                counters: Vec::new(),
                hot: Vec::new(),
            },
            check: None,
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
        }
    }

    /// Times what `launch` puts on [`Run::stream`], by CUDA events. For each sample: `prepare` (poison
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
        mut prepare: impl FnMut(&mut S) -> Result<()>,
        mut launch: impl FnMut(&mut S) -> Result<()>,
        mut verify: impl FnMut(&mut S) -> Result<Check>,
    ) -> Result<Times> {
        let plan = Plan::of(self.run);
        let context = &self.run.session.context;
        let start = context.new_event(Some(CUevent_flags::CU_EVENT_DEFAULT))?;
        let end = context.new_event(Some(CUevent_flags::CU_EVENT_DEFAULT))?;
        let stream = self.run.session.stream.clone();
        let mut flush = if self.cold {
            Some(Flush::new(&self.run.session)?)
        } else {
            None
        };
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
            let ms = if clock == Clock::Wall {
                wall_ms
            } else {
                f64::from(start.elapsed_ms(&end)?)
            };
            self.check(verify(state)?);
            if i >= plan.warmups {
                let hot = self
                    .run
                    .session
                    .monitor
                    .as_ref()
                    .is_ok_and(crate::nvml::Monitor::is_throttled);
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
        }
        Ok(times)
    }

    /// Takes in a check of an output.
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

    /// The ceiling that the GB/s are a per cent of (device copy, unless said).
    pub fn ceiling(&mut self, ceiling: Ceiling) {
        self.ceiling = ceiling;
    }

    /// Flush the L2 cache before each sample.
    pub fn cold(&mut self) {
        self.cold = true;
    }

    /// Sets one of the lab's own columns.
    ///
    /// # Panics
    /// When the lab has no such column: a slip in the lab, not in its use.
    pub fn set(&mut self, column: &str, value: impl Into<Value>) {
        let i = self
            .run
            .lab
            .columns
            .iter()
            .position(|c| *c == column)
            .unwrap_or_else(|| panic!("lab {} has no column {column}", self.run.lab.name));
        self.record.own[i] = value.into();
    }

    /// What the embedded machine counted and found in this case so far; empty on a GPU. Synchronise first.
    pub fn machine(&mut self) -> &MachineReport {
        self.machine.extend(machine::report());
        &self.machine
    }

    /// Adds to the row's note.
    pub fn note(&mut self, note: impl Into<String>) {
        if self.is_first {
            self.notes.push(note.into());
        }
    }

    /// Begins a pass over the case's body, under a schedule seed.
    pub(crate) fn begin(&mut self, seed: u64, is_first: bool) {
        self.seed = seed;
        self.is_first = is_first;
        // What a body asks of the counters is of its own pass.
        self.machine = MachineReport::default();
        let _ = machine::report();
    }

    /// Takes in how a pass over the body ended; true when another may follow.
    pub(crate) fn absorb(&mut self, outcome: Result<()>) -> Result<bool> {
        let mut wrong = None;
        match outcome {
            Ok(()) => {}
            Err(Error::Skip(reason)) => self.skip = Some(reason),
            Err(Error::Driver(error)) => {
                if self.run.session.context.synchronize().is_err() {
                    *self.run.lost.borrow_mut() = Some(self.record.variant.clone());
                }
                let words = Error::Driver(error).to_string();
                match fault::class(error.0) {
                    fault::Class::Kernel => wrong = Some(words),
                    fault::Class::Memory => {
                        self.skip = Some(format!("not enough memory here: {words}"));
                    }
                    fault::Class::Host => self.broken = Some(words),
                }
            }
            // A module that the driver refuses is this case's failure; the others may run.
            Err(error @ Error::Module { .. }) => self.broken = Some(error.to_string()),
            Err(Error::Kernel(
                error @ (kernels::Error::TooNew { .. } | kernels::Error::ArchDropped { .. }),
            )) => self.skip = Some(error.to_string()),
            Err(error @ Error::NoSuchKernel { .. }) if self.run.options.partial => {
                self.skip = Some(error.to_string());
            }
            Err(other) => return Err(other),
        }
        self.machine.extend(machine::report());
        if self.is_first {
            self.record.counters = counters::values(&self.machine);
            if let Some(most) = self.run.options.hot {
                let text = |path: &str| self.run.source_text(path);
                self.record.hot = hot::lines(&self.machine, most, text);
            }
        }
        for finding in std::mem::take(&mut self.machine.findings) {
            if self.findings.iter().any(|f| f.key() == finding.key()) {
                continue;
            }
            self.findings.push(finding);
        }
        let bad = self.check.as_ref().filter(|c| !c.passed());
        wrong = wrong.or_else(|| bad.map(Check::summary));
        if let (None, Some(wrong)) = (&self.wrong, wrong) {
            self.wrong = Some(if self.is_first {
                wrong
            } else {
                format!("under schedule seed {}: {wrong}", self.seed)
            });
        }
        let lost = self.run.lost.borrow().is_some();
        Ok(!lost && self.skip.is_none() && self.broken.is_none())
    }

    /// Judges the case and completes its row.
    pub(crate) fn judge(mut self, variant: &Variant) -> Record {
        if let Some(reason) = self.skip {
            self.record.verdict = Verdict::Skip;
            self.record.note = reason;
            return self.record;
        }
        let texts = self.findings.iter().map(|f| f.text.trim_end().to_string());
        self.record.findings = texts.filter(|t| !t.is_empty()).collect();
        let finding = self
            .findings
            .first()
            .map(|first| match self.findings.len() {
                1 => first.line(),
                more => format!("{} (and {} more)", first.line(), more - 1),
            });
        if let Some(check) = &self.check {
            self.record.max_abs_error = Some(check.max_abs_error);
        } else if self.wrong.is_none() && finding.is_none() && self.broken.is_none() {
            self.broken = Some("nothing was checked".into());
        }
        let (verdict, what) = verdict(variant.expect, self.wrong.as_deref(), finding.as_deref());
        self.record.verdict = if self.broken.is_some() {
            Verdict::Fail
        } else {
            verdict
        };
        self.notes.extend(
            [self.broken.take().unwrap_or_default(), what]
                .into_iter()
                .filter(|w| !w.is_empty()),
        );
        self.record.note = self.notes.join("; ");
        self.rates();
        self.record
    }

    /// The row as it is: nothing was run for it.
    pub(crate) fn record(self) -> Record {
        self.record
    }

    /// The row of a case whose process ended without one.
    pub(crate) fn crashed(mut self, variant: &Variant, how: &str) -> Record {
        let (verdict, note) = verdict(variant.expect, Some(how), None);
        self.record.verdict = verdict;
        self.record.note = note;
        self.record
    }

    /// Rates and per cents: of a GPU's times only.
    fn rates(&mut self) {
        let Some(ceilings) = self.run.session.ceilings else {
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
        self.record.percent_of_ceiling = self
            .record
            .gb_per_s
            .zip(ceilings.gb_per_s(self.ceiling))
            .map(|(rate, ceiling)| 100.0 * rate / ceiling);
    }
}

/// When to stop sampling.
#[derive(Debug, Clone, Copy)]
struct Plan {
    warmups: usize,
    least: usize,
    most: usize,
    time: Duration,
}

impl Plan {
    /// Relative standard deviation below which more samples tell nothing new (nvbench's default).
    const NOISE: f64 = 0.005;

    /// Samples taken however long they last: a median of fewer says nothing.
    const FEWEST: usize = 3;

    /// Throttled samples dropped before the clock is taken as it is: this GPU will not cool down today.
    const MOST_THROTTLED: usize = 50;

    fn of(run: &Run) -> Self {
        let fixed = run.options.samples.map(|s| s as usize);
        match (fixed, run.is_emulated()) {
            (Some(n), emulated) => Self {
                warmups: usize::from(!emulated),
                least: n,
                most: n,
                time: Duration::MAX,
            },
            (None, true) => Self {
                warmups: 0,
                least: 1,
                most: 1,
                time: Duration::MAX,
            },
            (None, false) if run.options.quick => Self {
                warmups: 1,
                least: 3,
                most: 3,
                time: Duration::MAX,
            },
            (None, false) => Self {
                warmups: 1,
                least: 10,
                most: 1000,
                time: Duration::from_secs(2),
            },
        }
    }

    fn done(&self, samples: &[f64], elapsed: Duration) -> bool {
        let n = samples.len();
        if self.most == self.least {
            return n >= self.most;
        }
        let quiet = stats::times(samples, 0).is_some_and(|t| t.stdev < Self::NOISE * t.mean);
        n >= self.most || (n >= self.least && quiet) || (n >= Self::FEWEST && elapsed >= self.time)
    }
}

/// Fills a device buffer with bytes 0xFF on its stream: NaN as a float, -1 as an integer. An element
/// that the kernel does not write is then seen to be wrong.
///
/// # Errors
/// The driver's.
pub fn poison<T>(run: &Run, buffer: &mut impl DevicePtrMut<T>) -> Result<()> {
    let bytes = buffer.len() * size_of::<T>();
    let (pointer, _sync) = buffer.device_ptr_mut(&run.session.stream);
    // SAFETY: the buffer's memory is `bytes` long and stays alive until `_sync` is dropped.
    unsafe {
        cudarc::driver::result::memset_d8_async(
            pointer,
            0xFF,
            bytes,
            run.session.stream.cu_stream(),
        )
    }?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    const GPU: Plan = Plan {
        warmups: 1,
        least: 10,
        most: 1000,
        time: Duration::from_secs(2),
    };

    #[test]
    fn sampling_ends_when_it_is_quiet_or_late_and_not_before() {
        let (quiet, noisy): (Vec<f64>, Vec<f64>) =
            (vec![1.0; 10], (0..10).map(f64::from).collect());
        let soon = Duration::from_millis(1);
        assert!(!GPU.done(&quiet[..9], soon));
        assert!(GPU.done(&quiet, soon));
        assert!(!GPU.done(&noisy, soon));
        assert!(!GPU.done(&noisy[..2], Duration::from_secs(9)));
        assert!(GPU.done(&noisy[..3], Duration::from_secs(9)));
        assert!(GPU.done(&noisy.repeat(100), soon));
    }

    #[test]
    fn a_number_of_samples_that_is_asked_for_is_taken() {
        let four = Plan {
            least: 4,
            most: 4,
            time: Duration::MAX,
            ..GPU
        };
        assert!(!four.done(&[1.0; 3], Duration::from_secs(99)));
        assert!(four.done(&[1.0; 4], Duration::ZERO));
    }
}
