//! A run of one lab: what the lab's function is given.
use std::{cell::RefCell, collections::HashMap, sync::Arc};

use cudarc::driver::{CudaFunction, CudaModule, CudaStream, LaunchConfig};

use crate::{
    Case, Chart, Error, Expect, Inputs, Lab, Options, Recorder, Result, Session, Variant,
    case::launch_1d,
    child, interrupt, machine, module,
    record::{Record, Verdict},
    report::Report,
    suggest,
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
        Self {
            gpu: n,
            emulated: n,
            quick: n,
        }
    }
}

/// Whether a kernel's grid may be smaller than n.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Coverage {
    /// One element a thread: a grid too small for n is refused.
    OnePerThread,
    /// The kernel strides over the grid: any grid will do.
    GridStride,
}

/// One lab's run: device, options, kernels and records.
pub struct Run {
    pub(crate) lab: &'static Lab,
    pub(crate) session: Arc<Session>,
    pub(crate) options: Options,
    pub(crate) args: clap::ArgMatches,
    pub(crate) report: RefCell<Report>,
    /// The file of `--kernel`, under the name of the lab's own that it replaces.
    pub(crate) replaced: Option<kernels::KernelSource>,
    /// Where each module's PTX came from, for session.json.
    pub(crate) origins: RefCell<serde_json::Map<String, serde_json::Value>>,
    pub(crate) modules: RefCell<HashMap<String, Arc<CudaModule>>>,
    pub(crate) records: RefCell<Vec<Record>>,
    /// Set when a faulting kernel has ruined the context: which case did it.
    pub(crate) lost: RefCell<Option<String>>,
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

    /// The lab's own options ([`Lab::args`]).
    pub fn args(&self) -> &clap::ArgMatches {
        &self.args
    }

    /// The lab being run.
    pub fn lab(&self) -> &'static Lab {
        self.lab
    }

    /// Whether `variant` was chosen (all are, without `--variant`). Cases ask this by themselves; a
    /// lab asks to spare itself the preparation.
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
            let whole = if self.is_emulated() {
                sizes.emulated
            } else {
                sizes.gpu
            };
            let (why, usual) = if n == whole {
                ("emulated device", format!("{} on a GPU", sizes.gpu))
            } else {
                ("--quick", format!("{whole} otherwise"))
            };
            self.report
                .borrow_mut()
                .remark(&format!("n = {n} here ({why}); {usual}"));
        }
        n
    }

    /// The size for this device, whatever `--n` says: for an axis that is not n.
    pub fn pick(&self, sizes: Sizes) -> usize {
        match (self.options.quick, self.is_emulated()) {
            (true, _) => sizes.quick,
            (_, true) => sizes.emulated,
            _ => sizes.gpu,
        }
    }

    /// A one-dimensional launch for `n` elements: `--threads` or `threads`, and `--blocks` or as many
    /// blocks as cover n.
    ///
    /// # Errors
    /// [`Error::Usage`] when `--blocks` and `--threads` are too few for n and the kernel does not stride;
    /// [`Error::Limit`] when the device cannot launch it.
    pub fn launch_for(&self, n: usize, threads: u32, coverage: Coverage) -> Result<LaunchConfig> {
        let threads = self.options.threads.unwrap_or(threads);
        let needed = n.div_ceil(threads as usize);
        let blocks = match self.options.blocks {
            Some(blocks) => blocks,
            None => u32::try_from(needed).map_err(|_| {
                Error::usage(format!("{n} elements need {needed} blocks of {threads} threads, more than any grid has; choose a smaller --n or larger --threads"))
            })?,
        };
        self.session
            .device
            .check_launch(launch_1d(blocks, threads))?;
        if coverage == Coverage::OnePerThread && (blocks as usize) < needed {
            return Err(Error::usage(format!(
                "{blocks} blocks of {threads} threads are {} threads, too few for {n} elements at one a thread; \
                 use --blocks {needed} or more, or a smaller --n",
                u64::from(blocks) * u64::from(threads)
            )));
        }
        Ok(launch_1d(blocks, threads))
    }

    /// Seeded inputs for `label`; the same `--seed` gives the same data on every device.
    pub fn inputs(&self, label: &str) -> Inputs {
        Inputs::new(self.options.seed, label)
    }

    /// The loaded module of one of the lab's kernel files, e.g. `"vecadd.cu"`; loaded once.
    ///
    /// # Errors
    /// [`Error::Kernel`] when there is no PTX for it, [`Error::Module`] when the driver refuses it.
    pub fn module(&self, file: &str) -> Result<Arc<CudaModule>> {
        if let Some(module) = self.modules.borrow().get(file) {
            return Ok(module.clone());
        }
        let source = self.source(file)?;
        let capability = self.session.device.compute_capability;
        let compiled = kernels::ptx_for(&source, capability)?;
        let mut origin = compiled.origin;
        let module = match module::load(&self.session.context, &source.path, &compiled.ptx) {
            // A compiler newer than the driver: what is committed asks for less.
            Err(refused) if origin != kernels::Origin::Committed => {
                let Ok(committed) = kernels::committed_for(&source, capability) else {
                    return Err(refused);
                };
                origin = kernels::Origin::Committed;
                module::load(&self.session.context, &source.path, &committed.ptx)
                    .map_err(|_| refused)?
            }
            other => other?,
        };
        let mut sources: Vec<(&str, &str)> = kernels::headers().collect();
        sources.push((&source.path, &source.cuda));
        machine::show_sources(&sources);
        self.origins
            .borrow_mut()
            .insert(source.path.to_string(), origin.to_string().into());
        self.modules
            .borrow_mut()
            .insert(file.into(), module.clone());
        Ok(module)
    }

    /// A kernel of one of the lab's files; `extern "C"`, so that its name is its symbol.
    ///
    /// # Errors
    /// As [`Run::module`], and [`Error::NoSuchKernel`].
    pub fn function(&self, file: &str, kernel: &str) -> Result<CudaFunction> {
        let module = self.module(file)?;
        module.load_function(kernel).map_err(|e| match e.0 {
            cudarc::driver::sys::CUresult::CUDA_ERROR_NOT_FOUND => Error::NoSuchKernel {
                file: self
                    .source(file)
                    .map_or_else(|_| file.to_string(), |s| s.path.to_string()),
                kernel: kernel.into(),
            },
            _ => e.into(),
        })
    }

    /// The text of a source file that line information names: one of the lab's, or one on disk.
    pub(crate) fn source_text(&self, path: &str) -> Option<String> {
        let own = self.replaced.iter().chain(self.lab.kernels);
        let same =
            |k: &&kernels::KernelSource| k.path == path || k.path.ends_with(&format!("/{path}"));
        let embedded = own.into_iter().find(same).map(|k| k.cuda.to_string());
        embedded
            .or_else(|| kernels::header(path).map(str::to_string))
            .or_else(|| std::fs::read_to_string(path).ok())
    }

    /// The kernel file of this name: the lab's own, or what `--kernel` puts in its place.
    fn source(&self, file: &str) -> Result<kernels::KernelSource> {
        if let Some(own) = self.replaced.iter().find(|k| k.name == file) {
            return Ok(own.clone());
        }
        let known: Vec<&str> = self.lab.kernels.iter().map(|k| k.name.as_ref()).collect();
        self.lab
            .kernels
            .iter()
            .find(|k| k.name == file)
            .cloned()
            .ok_or_else(|| {
                Error::usage(format!(
                    "lab {} has no kernel file `{file}`; {}",
                    self.lab.name,
                    suggest::among(file, &known)
                ))
            })
    }

    /// Prints a line of the lab's own below the progress bar; nothing with `--quiet`. Goes to
    /// standard error when standard output carries CSV or JSON.
    pub fn say(&self, line: &str) {
        self.report.borrow().say(line);
    }

    /// Writes a chart beside the CSV, as `name`, and says where it is.
    ///
    /// # Errors
    /// [`Error::Io`].
    pub fn draw(&self, name: &str, chart: &Chart) -> Result<()> {
        let svg = chart.svg();
        if svg.is_empty() {
            return Ok(());
        }
        let report = self.report.borrow();
        if let Some(path) = report.beside(name, &svg)? {
            report.say(&format!("Drawn in {}", path.display()));
        }
        Ok(())
    }

    /// Runs one case: checks its launch against the device's limits, calls `body`, judges what it
    /// recorded by what the variant should give, and writes the row. A case whose variant was not
    /// chosen is passed over, and `None` comes back.
    ///
    /// An error inside `body` is the case's, not the run's: [`Error::Skip`] makes a skipped row, a
    /// driver error a failed one (or a pass, of a variant that is wrong on purpose). With `--schedules` the body runs
    /// once for every schedule; times, notes and counters are the first one's.
    ///
    /// # Errors
    /// What ends the whole run: a usage error, an unwritable row, Ctrl-C.
    #[expect(
        clippy::needless_pass_by_value,
        reason = "a case is made where it is run; `&Case::new(..)` would only be noise"
    )]
    pub fn case(
        &self,
        case: Case,
        mut body: impl FnMut(&mut Recorder<'_>) -> Result<()>,
    ) -> Result<Option<Record>> {
        let variant = self.variant(&case.variant)?;
        if !self.wants(variant.name) {
            return Ok(None);
        }
        interrupt::check()?;
        if let Some(wanted) = child::wanted() {
            if wanted != format!("{}/{}", self.lab.name, case.key()) {
                return Ok(None);
            }
        } else if variant.own_process {
            self.report.borrow().begin(self.lab, &case);
            let records = match child::run(self, &case)? {
                Ok(records) => records,
                Err(how) => vec![Recorder::new(self, &case).crashed(variant, &how)],
            };
            let first = records.first().cloned();
            for record in records {
                self.finish(record)?;
            }
            return Ok(first);
        }
        self.report.borrow().begin(self.lab, &case);
        let checks = self.checks(variant.expect);
        let first = first_seed();
        let schedules = if self.is_emulated() {
            u64::from(self.options.schedules.unwrap_or(1))
        } else {
            1
        };
        let mut recorder = Recorder::new(self, &case);
        for seed in first..first.saturating_add(schedules) {
            machine::configure(&checks, seed, &case.key());
            recorder.begin(seed, seed == first);
            let outcome = self.refused(&case).and_then(|()| body(&mut recorder));
            if !recorder.absorb(outcome)? {
                break;
            }
        }
        self.between_cases();
        self.finish(recorder.judge(variant)).map(Some)
    }

    /// What the machine is to look for in a case that should end like this: `--check`, or the usual.
    fn checks(&self, expect: Expect) -> String {
        match (&self.options.check, expect) {
            (Some(asked), _) => asked.clone(),
            (None, Expect::Right) => {
                std::env::var("WARPLAB_CHECKS").unwrap_or_else(|_| "memcheck".into())
            }
            (None, _) => "all".into(),
        }
    }

    /// Has the machine watch what the lab does outside of its cases.
    pub(crate) fn between_cases(&self) {
        machine::configure(&self.checks(Expect::Right), first_seed(), "");
    }

    /// After the lab: a row for each case that has left device memory allocated, if leaks are looked for. A buffer that lives
    /// from one case to the next has gone with the lab's function.
    pub(crate) fn leaks(&self) -> Result<()> {
        self.between_cases();
        for leak in machine::leaks() {
            let outside = leak.during.is_empty();
            // What a lab does before its cases its children do again.
            if outside && child::wanted().is_some() {
                continue;
            }
            let known = self.records().into_iter().find(|r| r.key() == leak.during);
            let place = known.unwrap_or_else(|| {
                let label = if outside {
                    "outside of every case"
                } else {
                    &leak.during
                };
                Recorder::new(self, &Case::new("-").label(label)).record()
            });
            self.finish(place.leaked(&leak))?;
        }
        Ok(())
    }

    /// Whether the case cannot even start: its launch is beyond the device, or the context is lost.
    fn refused(&self, case: &Case) -> Result<()> {
        if let Some(by) = self.lost.borrow().as_ref() {
            return Err(Error::Skip(format!(
                "the device's context was lost in case {by}"
            )));
        }
        let Some(launch) = case.launch else {
            return Ok(());
        };
        match self.session.device.check_launch(launch) {
            // What the user chose is the user's to change; what the lab chose is a row that cannot run here.
            Err(e)
                if self.options.threads.is_none()
                    && self.options.blocks.is_none()
                    && self.options.n.is_none() =>
            {
                Err(Error::Skip(e.to_string()))
            }
            other => other,
        }
    }

    fn variant(&self, name: &str) -> Result<&'static Variant> {
        self.lab
            .variants
            .iter()
            .find(|v| v.name == name)
            .ok_or_else(|| {
                Error::usage(format!(
                    "lab {} declares no variant `{name}`",
                    self.lab.name
                ))
            })
    }

    fn finish(&self, record: Record) -> Result<Record> {
        if child::wanted().is_some() {
            child::leave(&record)?;
        }
        self.report.borrow_mut().row(self.lab, &record)?;
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
pub(crate) fn verdict(
    expect: Expect,
    wrong: Option<&str>,
    finding: Option<&str>,
) -> (Verdict, String) {
    let seen = match (wrong, finding) {
        (Some(w), Some(f)) => format!("{f}; {w}"),
        (Some(x), None) | (None, Some(x)) => x.to_string(),
        (None, None) => String::new(),
    };
    match expect {
        Expect::Right if finding.is_some() => (Verdict::Finding, seen),
        Expect::Right if wrong.is_some() => (Verdict::Fail, seen),
        Expect::Right => (Verdict::Pass, seen),
        Expect::Wrong(reason) if seen.is_empty() => (
            Verdict::Fail,
            format!("should be wrong ({reason}), but was right"),
        ),
        Expect::Racy(reason) if seen.is_empty() => (
            Verdict::Pass,
            format!("wrong on purpose ({reason}): right by luck in this run"),
        ),
        Expect::Wrong(reason) | Expect::Racy(reason) => (
            Verdict::Pass,
            format!("wrong on purpose ({reason}): {seen}"),
        ),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_verdict_is_what_was_seen_against_what_was_expected() {
        use Expect::{Racy, Right, Wrong};
        for (expect, wrong, finding, verdict_expected, words) in [
            (Right, None, None, Verdict::Pass, ""),
            (Right, Some("7 of 9"), None, Verdict::Fail, "7 of 9"),
            (Right, None, Some("race"), Verdict::Finding, "race"),
            (
                Right,
                Some("7 of 9"),
                Some("race"),
                Verdict::Finding,
                "race; 7 of 9",
            ),
            (
                Wrong("no barrier"),
                Some("7 of 9"),
                None,
                Verdict::Pass,
                "wrong on purpose (no barrier): 7 of 9",
            ),
            (
                Wrong("no barrier"),
                None,
                Some("race"),
                Verdict::Pass,
                "wrong on purpose (no barrier): race",
            ),
            (
                Wrong("no barrier"),
                None,
                None,
                Verdict::Fail,
                "but was right",
            ),
            (
                Racy("no barrier"),
                None,
                None,
                Verdict::Pass,
                "right by luck",
            ),
            (
                Racy("no barrier"),
                Some("7 of 9"),
                None,
                Verdict::Pass,
                "no barrier",
            ),
        ] {
            let (seen, note) = verdict(expect, wrong, finding);
            assert_eq!(seen, verdict_expected, "{expect:?} {wrong:?} {finding:?}");
            assert!(note.contains(words), "{note}");
        }
    }
}
