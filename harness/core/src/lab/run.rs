//! A run of one lab: what the lab's function is given.
use std::{cell::RefCell, rc::Rc, sync::Arc};

use cudarc::driver::{CudaFunction, CudaModule, CudaStream, DevicePtr, DeviceRepr, LaunchConfig, sys::CUdeviceptr};
use predict::Part;

use wire::{Checks, Wishes};

use crate::{
    device::{
        kernels::Kernels,
        launch::launch_1d,
        machine::{self, MachineReport},
        session::Session,
    },
    error::{Error, Result},
    export::{chart::Chart, report::Report},
    lab::{
        case::Case,
        child::{self, End},
        companion::{self, Companion},
        declaration::Lab,
        input::Input,
        options::Options,
        rounds::Rounds,
        row::{Expect, Row, Variant},
        trial::Trial,
        uploaded::Uploaded,
    },
    measure::{
        forecast::{self, Forecasts},
        inputs::Inputs,
        interrupt,
        passes::{Pass, Passes},
        plan::Plan,
        recorder::{Recorder, Setup},
        timer,
        unchanged::Unchanged,
    },
    record::{
        columns::Columns,
        hot::{self, HotLine},
        row::{Record, Verdict},
    },
};

/// Sizes for the devices that a lab meets; see [`Run::size`].
#[derive(Debug, Clone, Copy)]
pub struct Sizes {
    /// On a GPU.
    pub gpu: usize,
    /// On the emulated device, where a row should take two seconds at most.
    pub emulated: usize,
    /// With `--quick`.
    pub quick: usize,
}

impl Sizes {
    /// The same size on every device.
    pub const fn all(n: usize) -> Self {
        Self { gpu: n, emulated: n, quick: n }
    }
}

/// One lab's run: device, options, kernels and records.
pub struct Run {
    pub(crate) lab: &'static Lab,
    /// The columns of the lab's rows.
    pub(crate) columns: Rc<Columns>,
    pub(crate) session: Arc<Session>,
    pub(crate) options: Options,
    pub(crate) args: clap::ArgMatches,
    /// The part for which times are predicted.
    pub(crate) part: Option<Part>,
    /// What an emulated run of the same cases has predicted, beside those of a GPU.
    pub(crate) companion: Option<Companion>,
    pub(crate) report: RefCell<Report>,
    pub(crate) kernels: Kernels,
    pub(crate) records: RefCell<Vec<Record>>,
    /// How fast this computer emulates.
    pub(crate) forecasts: RefCell<Forecasts>,
    /// The rounds so far, if the lab runs in rounds.
    pub(crate) rounds: RefCell<Option<Rounds>>,
    /// The case whose kernel has faulted and ruined the context, if there was one.
    pub(crate) lost: RefCell<Option<String>>,
    /// The inputs, which are read back in a judged run.
    pub(crate) unchanged: Option<Rc<Unchanged>>,
}

impl Run {
    /// The open device.
    pub fn session(&self) -> &Arc<Session> {
        &self.session
    }

    /// The stream that is timed.
    pub fn stream(&self) -> &Arc<CudaStream> {
        &self.session.stream
    }

    /// True on the embedded machine.
    pub fn is_emulated(&self) -> bool {
        self.session.device.is_emulated
    }

    /// The common options.
    pub fn options(&self) -> &Options {
        &self.options
    }

    /// The lab's own options ([`Lab::options`]).
    pub fn args(&self) -> &clap::ArgMatches {
        &self.args
    }

    /// The lab being run.
    pub fn lab(&self) -> &'static Lab {
        self.lab
    }

    /// Whether `variant` was chosen (all are, without `--variant`). Cases check this themselves; a lab asks only to
    /// skip needless preparation.
    pub fn wants(&self, variant: &str) -> bool {
        self.options.variants.is_empty() || self.options.variants.iter().any(|v| v == variant)
    }

    /// `--n`, or the lab's size for this device; a default made smaller, for the emulated device or for
    /// `--quick`, is printed once.
    pub fn size(&self, sizes: Sizes) -> usize {
        if let Some(n) = self.options.n {
            return n;
        }
        let n = self.pick(sizes);
        if n != sizes.gpu {
            let whole = if self.is_emulated() { sizes.emulated } else { sizes.gpu };
            let (why, usual) = if n == whole {
                ("emulated device", format!("{} on a GPU", sizes.gpu))
            } else {
                ("--quick", format!("{whole} otherwise"))
            };
            self.report.borrow_mut().remark(&format!("n = {n} here ({why}); {usual}"));
        }
        n
    }

    /// The size for this device, whatever `--n` says: for an axis that is not n.
    pub fn pick(&self, sizes: Sizes) -> usize {
        // A companion runs the cases of a GPU.
        match (self.options.quick, self.is_emulated() && companion::wanted().is_none()) {
            (true, _) => sizes.quick,
            (_, true) => sizes.emulated,
            _ => sizes.gpu,
        }
    }

    /// Threads of a block: `--threads`, or `usual`, but never more than the device allows by default.
    pub fn threads(&self, usual: u32) -> u32 {
        self.options.threads.unwrap_or(usual.min(self.session.device.max_threads_per_block))
    }

    /// Seeded inputs for `label`; the same `--seed` gives the same data on every device.
    pub fn inputs(&self, label: &str) -> Inputs {
        Inputs::new(self.options.seed, label)
    }

    /// The lab's kernels on this device.
    pub fn kernels(&self) -> &Kernels {
        &self.kernels
    }

    /// The loaded module of one of the lab's kernel files: [`Kernels::module`].
    ///
    /// # Errors
    /// Those of [`Kernels::module`].
    pub fn module(&self, file: &str) -> Result<Arc<CudaModule>> {
        self.kernels.module(file)
    }

    /// A kernel of one of the lab's files: [`Kernels::function`].
    ///
    /// # Errors
    /// Those of [`Kernels::function`].
    pub fn function(&self, file: &str, kernel: &str) -> Result<CudaFunction> {
        self.kernels.function(file, kernel)
    }

    /// Data that rows share, called `name` as their kernels call them: `make` is called when a row first asks for them,
    /// and they are copied to the device when a row first asks for that. Kernels may only read them: a judged one that
    /// writes there is wrong.
    pub fn input<'r, T: DeviceRepr + Clone + Default + 'static>(
        &'r self,
        name: &'static str,
        make: impl FnOnce() -> Vec<T> + 'r,
    ) -> Input<'r, T> {
        Input::new(name, self.stream(), self.unchanged.clone(), make)
    }

    /// Copies an input to the device, called `name` as its kernels call it. Kernels may only read it: a judged one that
    /// writes there is wrong. What a kernel may write is no input, even if the host fills it first.
    ///
    /// # Errors
    /// The driver's errors.
    pub fn upload<T: DeviceRepr + Clone + 'static>(&self, name: &str, data: &[T]) -> Result<Uploaded<T>> {
        let slice = self.stream().clone_htod(data)?;
        let address = slice.device_ptr(self.stream()).0;
        let held = self.unchanged.as_ref().map(|inputs| inputs.hold_copy(name, data, address));
        Ok(Uploaded::new(held, slice))
    }

    /// Looks whether the input `name`, which the lab has brought to `address` itself, is there still, in a judged run.
    /// A kernel that has written there is wrong.
    pub fn look_at<T: DeviceRepr + Clone + 'static>(&self, name: &str, data: &[T], address: CUdeviceptr) {
        // When it is dropped, it is read back.
        drop(self.unchanged.as_ref().map(|inputs| inputs.hold_copy(name, data, address)));
    }

    /// The error for a case whose size does not suit `variant`, for `reason`: a usage error if the user asked for the
    /// variant by name, else a skipped row.
    pub fn unsuited(&self, variant: &str, reason: String) -> Error {
        let asked = self.options.variants.iter().any(|name| name == variant);
        if asked { Error::Usage(reason) } else { Error::Skip(reason) }
    }

    /// The rows of `table` that were chosen, in its order.
    pub fn rows<D>(&self, table: &'static [Row<D>]) -> impl Iterator<Item = &'static Row<D>> {
        table.iter().filter(|row| self.wants(row.variant.name))
    }

    /// Prints a line of the lab's own below the progress bar; nothing with `--quiet`. The line goes to standard error
    /// when standard output carries CSV or JSON.
    pub fn say(&self, line: &str) {
        self.report.borrow().say(line);
    }

    /// Draws a chart beside the CSV, as `name`, and says where it is.
    ///
    /// # Errors
    /// [`Error::Io`].
    pub fn draw(&self, name: &str, chart: &Chart) -> Result<()> {
        self.report.borrow_mut().chart(name, chart)
    }

    /// Runs one case: makes its launch and checks it against the device's limits, calls `body`, judges what it
    /// recorded by what the variant should give, and writes the row. A case whose variant was not
    /// chosen is passed over, and `None` comes back.
    ///
    /// An error inside `body` is the case's, not the run's: [`Error::Skip`] makes a skipped row, a
    /// driver error a failed one (or a pass, of a variant that is wrong on purpose). With `--schedules` the body runs
    /// once for every schedule; times, notes and counters are the first one's.
    ///
    /// # Errors
    /// Errors that end the whole run: a usage error, an unwritable row, Ctrl-C.
    #[expect(
        clippy::needless_pass_by_value,
        reason = "a case is made where it is run; `&Case::new(..)` would only be noise"
    )]
    pub fn case(&self, case: Case, body: impl FnMut(&mut Trial<'_>) -> Result<()>) -> Result<Option<Record>> {
        let variant = self.variant(&case.variant)?;
        let cases = &self.options.cases;
        if !self.wants(variant.name) || !(cases.is_empty() || cases.contains(&case.label)) {
            return Ok(None);
        }
        if timer::is_set() && (variant.own_process || variant.expect != Expect::Right) {
            return Ok(None);
        }
        interrupt::check()?;
        if companion::wanted().is_some() && variant.own_process {
            return Ok(None);
        }
        if let Some(wanted) = child::wanted() {
            if wanted != format!("{}/{}", self.lab.name, case.key()) {
                return Ok(None);
            }
        } else if !self.options.is_judged() && (variant.own_process || self.options.timeout.is_some()) {
            return self.in_own_process(variant, &case);
        }
        self.in_this_process(variant, &case, body).map(Some)
    }

    fn in_own_process(&self, variant: &Variant, case: &Case) -> Result<Option<Record>> {
        let (launch, _) = self.launch(case)?;
        let time = self.forecast(case, launch)?;
        self.report.borrow().begin(&case.variant, &case.label, time);
        let most = self.options.timeout;
        self.session.give_back_freed();
        let end = child::run(self.lab.name, case, self.session.ceilings, most, |line| self.say(line))?;
        let records = match end {
            End::Told(records) => records,
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
        mut body: impl FnMut(&mut Trial<'_>) -> Result<()>,
    ) -> Result<Record> {
        let (launch, mut refused) = self.launch(case)?;
        let checks = self.checks(variant.expect);
        let round = self.rounds.borrow().as_ref().map(|rounds| rounds.number);
        let earlier = self.rounds.borrow().as_ref().and_then(|rounds| rounds.next(variant));
        let is_new = earlier.is_none();
        let (known, passes) = earlier.unwrap_or_else(|| (case.clone(), Passes::new(self.record(case, launch))));
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
        let mut trial = Trial::new(self, case, launch, self.recorder(passes));
        for schedule in first..first.saturating_add(schedules) {
            self.watch(checks, schedule, &key);
            trial.recorder.begin(Pass { schedule, is_first: is_new && schedule == first, round })?;
            let outcome = match refused.take() {
                Some(error) => Err(error),
                None => self.context().and_then(|()| {
                    let _aloud = terminal.aloud();
                    body(&mut trial)
                }),
            };
            let outcome = self.inputs_after(&mut trial, outcome);
            let more = trial.recorder.absorb(outcome, |report| self.hot_lines(report))?;
            if !more {
                break;
            }
        }
        self.between_cases();
        let passes = trial.recorder.into_passes();
        if passes.has_lost_context() {
            *self.lost.borrow_mut() = Some(variant.name.into());
        }
        self.ended(variant, known, passes)
    }

    /// What a pass over a body ends with if it has had this outcome, once the inputs were read back in a judged run.
    fn inputs_after(&self, trial: &mut Trial<'_>, outcome: Result<()>) -> Result<()> {
        match self.unchanged.as_ref().map_or(Ok(None), |inputs| inputs.seen()) {
            Ok(changed) => trial.recorder.changed_input(changed),
            // After a fault nothing can be read.
            Err(error) => return outcome.and(Err(error.into())),
        }
        outcome
    }

    /// The record of a case after its passes. It is final, unless another round may follow.
    fn ended(&self, variant: &'static Variant, case: Case, passes: Passes) -> Result<Record> {
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

    /// The record of a case with these passes.
    pub(crate) fn judged(&self, variant: &Variant, passes: Passes) -> Record {
        let judge = |wrong: Option<&str>, found: Option<&str>| verdict(self.expect(variant), wrong, found);
        let mut record = passes.judge(self.session.ceilings, judge);
        self.add_published(&mut record);
        record
    }

    /// How long the emulation of a case will take, if that is long. The user is told.
    fn forecast(&self, case: &Case, launch: Option<LaunchConfig>) -> Result<Option<String>> {
        if !self.is_emulated() || child::wanted().is_some() {
            return Ok(None);
        }
        // Where the case has no launch of its own, it is taken to keep the device busy.
        let launch = launch.unwrap_or(launch_1d(1 << 10, 256));
        let dims = [launch.grid_dim, launch.block_dim];
        let threads = dims.iter().flat_map(|d| [d.0, d.1, d.2]).fold(1_u64, |all, d| all.saturating_mul(u64::from(d)));
        let elements = case.work.or(case.n.map(|n| forecast::STEPS.saturating_mul(n as u64))).unwrap_or(0).max(threads);
        let passes = u64::from(self.options.samples.unwrap_or(1)) * u64::from(self.options.schedules.unwrap_or(1));
        let mut forecasts = self.forecasts.borrow_mut();
        let time = forecasts.of(&self.session, launch, elements.saturating_mul(passes))?;
        if let Some(long) = companion::too_long(time).filter(|_| companion::wanted().is_some()) {
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

    /// A recorder that goes on with `passes`.
    fn recorder(&self, passes: Passes) -> Recorder<'_> {
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

    /// The record of `case` before it has run.
    fn record(&self, case: &Case, launch: Option<LaunchConfig>) -> Record {
        let own = self.columns.own.len();
        let device = self.session.device.kind();
        let record = Record::new(self.lab.name, own, device, self.options.seed);
        Record {
            variant: case.variant.clone(),
            case: case.label.clone(),
            n: case.n.map(|n| n as u64),
            memory_mode: case.memory_mode.clone(),
            ..record.launched(launch)
        }
    }

    /// The record of a case whose process ended without one.
    fn crashed(&self, variant: &Variant, case: &Case, launch: Option<LaunchConfig>, how: String) -> Record {
        let (verdict, note) = verdict(self.expect(variant), Some(&how), None);
        Record { verdict, note, wrong: Some(how), ..self.record(case, launch) }
    }

    /// The record of a case that took longer than `--timeout` allows. It fails, whatever its variant should give:
    /// nobody has seen its answer.
    fn late(&self, case: &Case, launch: Option<LaunchConfig>) -> Record {
        let most = humantime::format_duration(self.options.timeout.unwrap_or_default());
        let how = format!("did not end within {most} (--timeout)");
        Record { verdict: Verdict::Fail, note: how.clone(), wrong: Some(how), ..self.record(case, launch) }
    }

    /// The lines of the source that cost anything, if `--hot` asks for them.
    fn hot_lines(&self, report: &MachineReport) -> Vec<HotLine> {
        let text = |path: &str| self.kernels.source_text(path);
        if self.options.hot.is_some() { hot::lines(report, text) } else { Vec::new() }
    }

    /// The launch that follows from the case's rule, if it has one; or why this case alone cannot start: its kernel is
    /// missing, or the lab itself chose a launch that this device cannot do.
    fn launch(&self, case: &Case) -> Result<(Option<LaunchConfig>, Option<Error>)> {
        let Some(rule) = case.launch else {
            return Ok((None, None));
        };
        let kernel = || {
            let (file, name) = case.kernel.as_ref().expect("a case with a grid of one wave names its kernel");
            self.function(file, name)
        };
        match rule.of(case.n.unwrap_or(1), &self.options, &self.session.device, kernel) {
            Ok(launch) => Ok((Some(launch), None)),
            Err(error @ (Error::NoSuchKernel { .. } | Error::OtherParameters { .. })) => Ok((None, Some(error))),
            // If the user chose the launch, the user must change it; if the lab chose it, the row cannot run here.
            Err(error @ Error::Limit { .. }) if !self.options.sets_a_launch() => {
                Ok((None, Some(Error::Skip(error.to_string()))))
            }
            Err(other) => Err(other),
        }
    }

    /// Sets the columns of those published figures that belong to this row.
    fn add_published(&self, record: &mut Record) {
        let device = Some(self.session.device.name.as_str()).filter(|_| !self.is_emulated());
        for published in self.lab.published {
            if let Some(figure) = published.of(&record.variant, &record.case, record.n, device) {
                self.columns.set(record, published.column, figure);
            }
        }
    }

    /// The checks for a case with this expectation: those of `--check`, or the usual ones.
    fn checks(&self, expect: Expect) -> Checks {
        match (self.options.check, expect) {
            (Some(asked), _) => asked,
            (None, Expect::Right) => {
                // Unknown names were refused when the driver started.
                let asked = std::env::var("WARPLAB_CHECKS").ok();
                let asked = asked.and_then(|text| text.parse().ok());
                asked.unwrap_or(Checks::MEMORY)
            }
            (None, Expect::Wrong(_) | Expect::Racy(_) | Expect::Planted(_)) => Checks::ALL,
        }
    }

    /// What the variant should give in this run: where a file stands in for the lab's own, a planted mistake must have
    /// been mended.
    fn expect(&self, variant: &Variant) -> Expect {
        match variant.expect {
            Expect::Planted(_) if self.options.kernel.is_some() => Expect::Right,
            expect => expect,
        }
    }

    /// Sets the machine's checks and the order of warps and blocks for the launches from now on, and names the activity
    /// under which leaks will be reported.
    fn watch(&self, checks: Checks, seed: u64, during: &str) {
        machine::configure(&Wishes {
            checks: Some(checks),
            lines: Some(self.options.hot.is_some()),
            costs: Some(self.part.is_some()),
            seed: Some(seed),
            during: Some(during.into()),
            ..Wishes::default()
        });
    }

    /// Has the machine watch what the lab does outside of its cases.
    pub(crate) fn between_cases(&self) {
        self.watch(self.checks(Expect::Right), first_seed(), "");
    }

    /// After the lab: a row for each case that has left device memory allocated, if leaks are looked for. A buffer that
    /// lives from one case to the next was freed when the lab's function returned.
    pub(crate) fn leaks(&self) -> Result<()> {
        self.between_cases();
        for leak in machine::leaks()? {
            let outside = leak.during.is_empty();
            // Child processes repeat what a lab does before its cases, so that they would report it again.
            if outside && child::wanted().is_some() {
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

    /// Whether the context is still usable: a kernel that faulted has ruined it for all cases after it.
    fn context(&self) -> Result<()> {
        match self.lost.borrow().as_ref() {
            Some(by) => Err(Error::Skip(format!("the device's context was lost in case {by}"))),
            None => Ok(()),
        }
    }

    /// A row that says why the lab, or the rest of it, is left out: nobody has asked for its sizes, and they do not fit
    /// here.
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
        if let Some(companion) = self.companion.as_ref().filter(|_| record.grid.is_some()) {
            record.predicted = Some(companion.predicted(&record));
        }
        child::leave(&record)?;
        self.report.borrow_mut().row(&record)?;
        self.records.borrow_mut().push(record.clone());
        Ok(record)
    }

    /// The records so far, for a lab's own summary at the end.
    pub fn records(&self) -> Vec<Record> {
        self.records.borrow().clone()
    }
}

impl std::fmt::Debug for Run {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Run")
            .field("lab", &self.lab.name)
            .field("device", &self.session.device.name)
            .finish_non_exhaustive()
    }
}

/// The first schedule's seed.
fn first_seed() -> u64 {
    let seed = std::env::var("WARPLAB_SEED").ok();
    seed.and_then(|s| s.parse().ok()).unwrap_or(0)
}

/// The verdict on a case from its check, its findings and what its variant should give.
/// Returns the verdict and what to add to the note.
pub(crate) fn verdict(expect: Expect, wrong: Option<&str>, finding: Option<&str>) -> (Verdict, String) {
    let seen = match (wrong, finding) {
        (Some(w), Some(f)) => format!("{f}; {w}"),
        (Some(x), None) | (None, Some(x)) => x.to_string(),
        (None, None) => String::new(),
    };
    match expect {
        Expect::Right if finding.is_some() => (Verdict::Finding, seen),
        Expect::Right if wrong.is_some() => (Verdict::Fail, seen),
        Expect::Right => (Verdict::Pass, seen),
        Expect::Wrong(reason) if seen.is_empty() => {
            (Verdict::Fail, format!("should be wrong ({reason}), but was right"))
        }
        Expect::Racy(reason) | Expect::Planted(reason) if seen.is_empty() => {
            (Verdict::Pass, format!("wrong on purpose ({reason}): right by luck in this run"))
        }
        Expect::Wrong(reason) | Expect::Racy(reason) | Expect::Planted(reason) => {
            (Verdict::Pass, format!("wrong on purpose ({reason}): {seen}"))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_verdict_is_what_was_seen_against_what_was_expected() {
        use Expect::{Planted, Racy, Right, Wrong};
        for (expect, wrong, finding, verdict_expected, words) in [
            (Right, None, None, Verdict::Pass, ""),
            (Right, Some("7 of 9"), None, Verdict::Fail, "7 of 9"),
            (Right, None, Some("race"), Verdict::Finding, "race"),
            (Right, Some("7 of 9"), Some("race"), Verdict::Finding, "race; 7 of 9"),
            (Wrong("no barrier"), Some("7 of 9"), None, Verdict::Pass, "wrong on purpose (no barrier): 7 of 9"),
            (Wrong("no barrier"), None, Some("race"), Verdict::Pass, "wrong on purpose (no barrier): race"),
            (Wrong("no barrier"), None, None, Verdict::Fail, "but was right"),
            (Racy("no barrier"), None, None, Verdict::Pass, "right by luck"),
            (Racy("no barrier"), Some("7 of 9"), None, Verdict::Pass, "no barrier"),
            (Planted("no barrier"), None, Some("race"), Verdict::Pass, "wrong on purpose (no barrier): race"),
            (Planted("no barrier"), None, None, Verdict::Pass, "right by luck"),
        ] {
            let (seen, note) = verdict(expect, wrong, finding);
            assert_eq!(seen, verdict_expected, "{expect:?} {wrong:?} {finding:?}");
            assert!(note.contains(words), "{note}");
        }
    }
}
