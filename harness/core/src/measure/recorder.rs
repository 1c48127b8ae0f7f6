//! The recorder of a case's body: samples, checks, bytes moved and the lab's own columns.
use std::{rc::Rc, time::Instant};

use cudarc::driver::{LaunchConfig, sys::CUevent_flags};
use predict::GpuModel;
use record::{Beside, Ceiling, Columns, HotLine, MachineReport, Peak, Predicted, Resources, Times, Value};
use wire::{Launch, Report};

use crate::{
    device::{blocking_kernel::BlockingKernel, launch::launched, machine, nvml::Monitor, session::Session},
    error::Result,
    measure::{
        case_result::{CaseAccumulator, Pass},
        check::Check,
        flush::Flush,
        interrupt,
        sampling::Sampling,
        timer::{self, Timed},
    },
};
use predict::transfer::{Moved, Transfer, Way};

/// A recorder's settings from the run that its case belongs to.
#[derive(Debug)]
pub(crate) struct Setup<'r> {
    /// The open device.
    pub(crate) session: &'r Session,
    /// The lab's columns.
    pub(crate) columns: Rc<Columns>,
    /// The number of samples.
    pub(crate) sampling: Sampling,
    /// The part for which the time of the first sample is predicted.
    pub(crate) part: Option<&'r GpuModel>,
    /// Whether a kernel that is missing from the file of `--kernel` makes a skipped row (`--partial`).
    pub(crate) partial: bool,
}

/// The clock for one sample.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Clock {
    /// The stream's own time between two events.
    Events,
    /// The host's time from before the body until the stream's work is complete.
    Wall,
}

/// The steps of a sample, type-erased so that the sampling loop is not monomorphized for every case of every lab.
trait Steps {
    fn prepare(&mut self) -> Result<()>;
    fn launch(&mut self) -> Result<()>;
    fn verify(&mut self) -> Result<Check>;
}

/// The steps as closures from a lab, and their shared state.
struct Closures<'s, S: ?Sized, P, L, V> {
    state: &'s mut S,
    prepare: P,
    launch: L,
    verify: V,
}

impl<S: ?Sized, P, L, V> Steps for Closures<'_, S, P, L, V>
where
    P: FnMut(&mut S) -> Result<()>,
    L: FnMut(&mut S) -> Result<()>,
    V: FnMut(&mut S) -> Result<Check>,
{
    fn prepare(&mut self) -> Result<()> {
        (self.prepare)(self.state)
    }

    fn launch(&mut self) -> Result<()> {
        (self.launch)(self.state)
    }

    fn verify(&mut self) -> Result<Check> {
        (self.verify)(self.state)
    }
}

/// The machine's reports around the first sample, so that its launches are known.
#[derive(Debug, Default)]
struct Watched {
    /// All reports, in order, which the row's counters need too.
    told: Vec<Report>,
    /// The launches of the first sample; `None` if the machine did not keep them all.
    launches: Option<Vec<Launch>>,
    /// The number of memory fills in the first sample.
    fills: u64,
    is_over: bool,
}

impl Watched {
    /// Called before a sample.
    fn before(&mut self) -> Result<()> {
        if !self.is_over {
            self.told.extend(machine::report()?);
        }
        Ok(())
    }

    /// Called after a sample.
    fn after(&mut self) -> Result<()> {
        if !std::mem::replace(&mut self.is_over, true) {
            let report = machine::report()?;
            self.launches = report.iter().find(|r| r.launches_dropped == 0).map(|r| r.launches.clone());
            self.fills = report.iter().map(|r| r.copies.fill.count).sum();
            self.told.extend(report);
        }
        Ok(())
    }
}

/// Records one case. A lab's body calls [`Recorder::measure`] or, if nothing is timed, [`Recorder::check`], and sets
/// the bytes moved and the operations.
#[derive(Debug)]
pub struct Recorder<'r> {
    setup: Setup<'r>,
    cold: bool,
    /// The data that a sample moves between host and device.
    transfer: Option<Transfer>,
    /// The results of the passes over the body.
    passes: CaseAccumulator,
}

impl<'r> Recorder<'r> {
    /// Returns a recorder that continues with `passes`, which identify the case.
    pub(crate) fn new(setup: Setup<'r>, passes: CaseAccumulator) -> Self {
        Self { setup, cold: false, transfer: None, passes }
    }

    /// Begins a pass over the case's body. The machine counts copies when it executes them: those that were enqueued
    /// before are not the row's, so they are awaited.
    ///
    /// # Errors
    /// When the machine's report cannot be read.
    pub(crate) fn begin(&mut self, pass: Pass) -> Result<()> {
        // An error of earlier work stays in the context, and is reported where the body uses it.
        let _ = self.setup.session.stream.synchronize();
        self.passes.begin(pass)
    }

    /// Records the result of a pass over the body, and returns whether another one may follow. `hot` returns the
    /// costliest lines of the first pass, if requested.
    ///
    /// # Errors
    /// An outcome that ends the whole run.
    pub(crate) fn absorb(
        &mut self,
        outcome: Result<()>,
        hot: impl FnOnce(&MachineReport) -> Vec<HotLine>,
    ) -> Result<bool> {
        self.passes.absorb(outcome, (self.setup.session, self.setup.partial), hot)?;
        Ok(!self.passes.is_over())
    }

    /// Sets the description of the input that a kernel has changed, if any.
    pub(crate) fn changed_input(&mut self, changed: Option<String>) {
        self.passes.changed_input(changed);
    }

    /// Returns the results of the passes, of a kernel with these `resources`.
    pub(crate) fn into_accumulator(mut self, resources: Option<Resources>) -> CaseAccumulator {
        self.passes.record.resources = resources;
        self.passes
    }

    /// Sets the row's launch.
    pub(crate) fn launches_as(&mut self, launch: LaunchConfig) {
        let record = std::mem::take(&mut self.passes.record);
        self.passes.record = launched(record, Some(launch));
    }

    /// Times the work that `launch` enqueues on [`crate::Run::stream`], by CUDA events. For each sample: `prepare`
    /// (poison the outputs, reset counters), then `launch`, timed, then `verify` (copy back and compare). One warm-up
    /// comes first, verified too, unless launches are very long. On a GPU samples are taken until their noise is small
    /// or the time is up; `--samples` fixes their number. `state` is shared by the three, e.g. `&mut output`.
    ///
    /// # Errors
    /// The closures', the driver's, and [`crate::Error::Interrupted`].
    pub fn measure<S: ?Sized>(
        &mut self,
        state: &mut S,
        prepare: impl FnMut(&mut S) -> Result<()>,
        launch: impl FnMut(&mut S) -> Result<()>,
        verify: impl FnMut(&mut S) -> Result<Check>,
    ) -> Result<Times> {
        self.sample(Clock::Events, &mut Closures { state, prepare, launch, verify })
    }

    /// As [`Recorder::measure`], by the host's clock, from before `launch` until the stream is idle: the time that a
    /// user waits for, allocation and copies included.
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
        self.sample(Clock::Wall, &mut Closures { state, prepare, launch, verify })
    }

    fn sample(&mut self, clock: Clock, steps: &mut dyn Steps) -> Result<Times> {
        let mut checked = None;
        let result = self.samples(clock, steps, &mut checked);
        // A wrong answer before an error counts as well.
        if let Some(check) = checked {
            self.check(check);
        }
        result
    }

    fn samples(&mut self, clock: Clock, steps: &mut dyn Steps, checked: &mut Option<Check>) -> Result<Times> {
        let (sampling, session) = (self.setup.sampling, self.setup.session);
        let context = &session.context;
        let start = context.new_event(Some(CUevent_flags::CU_EVENT_DEFAULT))?;
        let end = context.new_event(Some(CUevent_flags::CU_EVENT_DEFAULT))?;
        let stream = session.stream.clone();
        let is_emulated = session.device.is_emulated;
        let mut flush = if self.cold && !is_emulated { Some(Flush::new(session)?) } else { None };
        let is_by_events = clock == Clock::Events && !is_emulated;
        let busy =
            if is_by_events { Some(BlockingKernel::new(&session.busy, context, &session.stream)?) } else { None };
        // The launches of the first sample, if needed, and the machine's reports around them.
        let mut watched = self.setup.part.map(|_| Watched::default());
        let mut one = |is_checked: bool| {
            interrupt::check()?;
            steps.prepare()?;
            stream.synchronize()?;
            if let Some(flush) = &mut flush {
                flush.flush(&stream)?;
                stream.synchronize()?;
            }
            watched.iter_mut().try_for_each(Watched::before)?;
            let wall = Instant::now();
            let mut enqueue = || -> Result<()> {
                start.record(&stream)?;
                steps.launch()?;
                Ok(end.record(&stream)?)
            };
            match &busy {
                Some(busy) => busy.during(enqueue)?,
                None => enqueue()?,
            }
            stream.synchronize()?;
            let wall_ms = wall.elapsed().as_secs_f64() * 1e3;
            let ms = if clock == Clock::Wall { wall_ms } else { f64::from(start.elapsed_ms(&end)?) };
            watched.iter_mut().try_for_each(Watched::after)?;
            if is_checked {
                let check = steps.verify()?;
                match checked {
                    Some(all) => all.again(check),
                    None => *checked = Some(check),
                }
            }
            Ok(ms)
        };
        let began = Instant::now();
        let mut throttled = Vec::new();
        let timed = self.timed();
        let all = || match timer::samples(|| timed, &mut one)? {
            Some(samples) => Ok(samples),
            None => {
                let mut samples = Vec::new();
                for i in 0.. {
                    let ms = one(true)?;
                    if i >= sampling.warmups || (clock == Clock::Events && sampling.is_long(ms)) {
                        let hot = session.monitor.as_ref().is_ok_and(Monitor::is_throttled);
                        if hot && throttled.len() < Sampling::MOST_THROTTLED {
                            throttled.push(ms);
                        } else {
                            samples.push(ms);
                        }
                    }
                    if sampling.done(&samples, began.elapsed()) {
                        break;
                    }
                }
                Ok(samples)
            }
        };
        let samples: Result<Vec<f64>> = all();
        // Findings before an error count as well.
        if let (Some(watched), Some(part)) = (watched, self.setup.part) {
            let beside = Beside { fills: watched.fills, transfer: self.transfer, flushed: self.cold };
            let of = |all: &[Launch]| Predicted::from_launches(all, beside, part);
            self.passes.predicted(watched.launches.as_deref().and_then(of));
            watched.told.into_iter().for_each(|report| self.passes.told(report));
        }
        let samples = samples?;
        let dropped = throttled.len() as u32;
        if dropped > 0 {
            self.note(format!("{dropped} samples at a throttled clock dropped"));
        }
        let times = record::times(&samples, dropped).expect("at least one sample is taken");
        self.passes.times(Some(times), samples);
        Ok(times)
    }

    /// Describes the case for a timer.
    fn timed(&self) -> Timed {
        let device = &self.setup.session.device;
        let (record, is_emulated) = (&self.passes.record, device.is_emulated);
        let name = if is_emulated { format!("emulated:{}", device.profile) } else { device.name.clone() };
        let words = [record.variant.clone(), record.case.clone(), record.n.map_or_else(String::new, |n| n.to_string())];
        let case = words.into_iter().filter(|word| !word.is_empty()).collect::<Vec<_>>().join("/");
        Timed { case, bytes: record.bytes, device: name, is_emulated }
    }

    /// Adds the check of an output.
    pub fn check(&mut self, check: Check) {
        self.passes.check(check);
    }

    /// Sets the row's times from samples in milliseconds that the lab took itself.
    pub fn times(&mut self, samples_ms: &[f64]) {
        self.passes.times(record::times(samples_ms, 0), samples_ms.to_vec());
    }

    /// Sets the bytes moved by one sample, which yield GB/s on a GPU.
    pub fn bytes(&mut self, bytes: usize) {
        self.passes.record.bytes = Some(bytes as u64);
    }

    /// Sets the bytes that one sample moves in several passes over the same data. A later pass may find a part of them
    /// in the device's cache. As [`Recorder::bytes`], which counts all of them, but such a row may exceed its ceiling.
    pub fn bytes_of_passes(&mut self, bytes: usize, passes: usize) {
        self.bytes(bytes);
        self.passes.record.passes = Some(passes as u64);
    }

    /// Sets the bytes that one sample reads, while it writes next to nothing: as [`Recorder::bytes`], with the ceiling
    /// of reading alone.
    pub fn reads(&mut self, bytes: usize) {
        self.bytes(bytes);
        self.ceiling(Ceiling::DeviceRead);
    }

    /// Sets the data that one sample moves between host and device, and how: a part of the time that `--predict`
    /// predicts.
    pub fn transfer(&mut self, way: Way, moved: Moved) {
        self.transfer = Some(Transfer { way, moved });
    }

    /// Sets the floating-point operations of one sample, which yield GFLOP/s on a GPU.
    pub fn flop(&mut self, flop: u64) {
        self.passes.record.flop = Some(flop);
    }

    /// Sets the unit that executes a sample's operations, if their number may be the bottleneck: they are compared to
    /// its peak.
    pub fn peak(&mut self, peak: Peak) {
        self.passes.record.peak = Some(peak);
    }

    /// Sets the ceiling to which the GB/s are compared (by default, device copy).
    pub fn ceiling(&mut self, ceiling: Ceiling) {
        self.passes.ceiling = ceiling;
    }

    /// Limits the number of samples, for a case that is one of many or whose samples take long. `--samples` takes
    /// precedence.
    pub fn at_most(&mut self, most: usize) {
        self.setup.sampling = self.setup.sampling.at_most(most);
    }

    /// Flushes the L2 cache before each sample. On the emulated device, which has no times, this affects only
    /// predictions.
    pub fn cold(&mut self) {
        self.cold = true;
    }

    /// Sets one of the lab's own columns.
    ///
    /// # Panics
    /// When the lab has no such column: a bug in the lab.
    pub fn set(&mut self, column: &str, value: impl Into<Value>) {
        self.passes.set(&self.setup.columns, column, value.into());
    }

    /// Returns the embedded machine's counters and findings in this case so far; empty on a GPU. Synchronise first.
    ///
    /// # Errors
    /// When the machine's report cannot be read.
    pub fn machine(&mut self) -> Result<&MachineReport> {
        self.passes.machine()
    }

    /// Adds to the row's note.
    pub fn note(&mut self, note: impl Into<String>) {
        self.passes.note(note.into());
    }
}
