//! Runs the labs of a plan one after another, and decides the exit code.
use std::{rc::Rc, sync::Arc};

use predict::GpuModel;
use record::Folder;

use crate::{
    device::session::Session,
    error::{Error, Result},
    exit::Exit,
    export::{
        ending::WritePage,
        event::Event,
        layout::paragraphs,
        listeners::Events,
        outputs::Outputs,
        progress::Progress,
        summary::Summary,
        terminal::{Terminal, print_error},
    },
    measure::interrupt,
    options::common::Options,
    plan::run_plan::RunPlan,
    process::role::{Process, Role},
    runner::{precompile, target::Target},
};

/// A plan that runs: its device and listeners, and the results so far.
#[derive(Debug)]
pub(crate) struct Runner<'m> {
    pub(super) plan: Rc<RunPlan<'m>>,
    pub(super) process: Rc<Process>,
    pub(super) session: Arc<Session>,
    /// The part for which times are predicted.
    pub(super) part: Option<GpuModel>,
    /// The part for which a companion run predicts times, to be shown with those of a GPU.
    pub(super) beside: Option<GpuModel>,
    pub(super) events: Rc<Events>,
    pub(super) summary: Summary,
    pub(super) exit: Exit,
}

impl<'m> Runner<'m> {
    /// Opens the run's folder, prints what runs where, measures the ceilings of a GPU, and starts the listeners.
    pub(crate) fn open(
        plan: RunPlan<'m>,
        mut target: Target,
        process: Process,
        page: Option<WritePage>,
    ) -> Result<Self> {
        let (options, is_whole, session) = (&plan.options, process.role.is_whole(), &mut target.session);
        interrupt::listen();
        let folder = if is_whole { Some(own_folder(options, session)?) } else { None };
        let terminal = Rc::new(if is_whole {
            let progress = Progress::new(!options.quiet, plan.labs.len(), plan.variants());
            Terminal::new(options.quiet, options.writes_data(), progress)
        } else {
            Terminal::of_a_case()
        });
        terminal.say(&paragraphs(&session.banner()));
        if !session.device.is_emulated {
            if let Some(why) = session.no_nvml() {
                terminal.say(why);
            }
            let watching =
                [options.counters, options.hot.is_some(), options.schedules.is_some(), options.check.is_some()];
            if watching.contains(&true) {
                terminal.say(
                    "--check, --schedules, --counters and --hot work on the emulated device only: on a GPU use \
                     compute-sanitizer and Nsight Compute",
                );
            }
        }
        match &process.role {
            Role::Whole => session.measure_ceilings(options.quick)?,
            Role::Case { ceilings, .. } => session.ceilings = *ceilings,
            Role::Prediction { .. } | Role::Precompilation { .. } => {}
        }
        let labs = plan.labs.iter().map(|planned| planned.lab.all_columns()).collect();
        let (wanted, settings, next_steps) = (options.wanted(), options.settings(), plan.next_steps());
        let page = page.filter(|_| is_whole && !options.no_report);
        let started = |session: &Arc<Session>| {
            let session = session.clone();
            Events::open(&Outputs { folder, terminal, wanted, labs, session, settings, page, next_steps })
        };
        Self::with_listeners(plan, target, process, started)
    }

    /// Starts to run a plan, whose events go to the listeners that `listeners` starts.
    fn with_listeners(
        plan: RunPlan<'m>,
        target: Target,
        process: Process,
        listeners: impl FnOnce(&Arc<Session>) -> Result<Events>,
    ) -> Result<Self> {
        let session = Arc::new(target.session);
        let events = Rc::new(listeners(&session)?);
        for why in &plan.left_out {
            events.show(Event::Note(&paragraphs(&format!("Left out: {why}"))));
        }
        let (plan, process, summary) = (Rc::new(plan), Rc::new(process), Summary::default());
        let Target { part, beside, .. } = target;
        Ok(Self { plan, process, session, part, beside, events, summary, exit: Exit::Passed })
    }

    /// Runs the labs one after another, and returns the worst of their endings.
    pub(crate) fn run(mut self) -> Result<Exit> {
        let (plan, process) = (Rc::clone(&self.plan), Rc::clone(&self.process));
        let files = plan.kernels();
        if let Role::Precompilation { files: wanted } = &process.role {
            precompile::help(wanted, &files, &self.session);
            return Ok(Exit::Passed);
        }
        let is_all = plan.options.variants.is_empty() && plan.replaced.is_none() && !plan.options.confined;
        if is_all && process.role.is_whole() {
            self.events.show(Event::Compiling(files.len()));
            precompile::compile(&process, &files, &self.session);
            self.events.show(Event::Idle);
        }
        for planned in plan.labs.iter().filter(|planned| process.role.runs_lab(planned.lab.name)) {
            if let Err(error) = self.lab(planned) {
                // A lab that cannot run does not stop the others, but an error that the user must correct does.
                let fatal =
                    matches!(error, Error::Interrupted | Error::Usage(_) | Error::Limit { .. } | Error::Io { .. });
                if fatal || plan.labs.len() == 1 {
                    self.end()?;
                    return Err(error);
                }
                self.events.show(Event::Failure(&format!("error: {error}")));
                self.summary.unable(planned.lab.name, &error.to_string());
                self.exit = self.exit.max(error.exit());
            }
        }
        self.end()?;
        match self.summary.nothing_ran() {
            Some(why) if self.exit == Exit::Passed && !self.is_collected() => Err(Error::CannotRun(why)),
            _ => Ok(self.exit),
        }
    }

    fn end(&self) -> Result<()> {
        self.events.emit(Event::RunEnded { summary: &self.summary })
    }

    /// Whether another program reads the records, which show what ran and what failed.
    pub(super) fn is_collected(&self) -> bool {
        self.plan.options.records.is_some()
    }
}

/// Creates the run's folder, and waits until no other run writes to it.
fn own_folder(options: &Options, session: &Session) -> Result<Folder> {
    Folder::create(options.out.as_deref(), &slug(session), |is_first, path| {
        if is_first && !options.quiet {
            print_error(&format!("another run writes to {}: waiting until it has ended", path.display()));
        }
        interrupt::check()
    })
}

/// Returns the device as part of a folder's name: `cuda-nvidia-h200`, `emulated-a100`.
fn slug(session: &Session) -> String {
    let device = &session.device;
    let part = if device.is_emulated { &device.profile } else { &device.name };
    let clean: String = part.to_lowercase().chars().map(|c| if c.is_ascii_alphanumeric() { c } else { '-' }).collect();
    format!("{}-{clean}", device.kind())
}

#[cfg(test)]
mod tests {
    use std::cell::RefCell;

    use clap::ArgMatches;

    use super::*;
    use crate::{
        export::event::Listener,
        lab::{
            case::Case,
            declaration::Lab,
            row::{Row, row},
        },
        measure::check::Check,
        plan::{command::command, unused_options::Labs},
    };

    static ROWS: [Row; 2] = [row("right", "adds", ()), row("lossy", "adds, but not all", ()).wrong("it loses some")];

    static LAB: Lab = Lab {
        name: "small",
        summary: "two cases",
        variants: &[&ROWS],
        run: |run| {
            for row in &ROWS {
                run.say(row.name());
                run.case(Case::new(row.name()).label("of one"), |case| {
                    case.check(Check::that(row.name() == "right", "1 of 2"));
                    run.say("in the case");
                    Ok(())
                })?;
            }
            Ok(())
        },
        ..Lab::DEFAULT
    };

    /// Keeps a line for each event, and fails at the one that begins with this word.
    #[derive(Debug)]
    struct Recording(Rc<RefCell<Vec<String>>>, &'static str);

    impl Listener for Recording {
        fn hear(&mut self, event: Event<'_>) -> Result<()> {
            let line = match event {
                Event::LabStarted { lab } => format!("lab {lab}"),
                Event::RowsStarted(rows) => format!("rows of {}: {}", rows.lab, rows.about),
                Event::CaseStarted { lab, variant, case, .. } => format!("case {lab} {variant} {case}"),
                Event::Row(row) => format!("row {} {} {}", row.variant, row.case, row.verdict.word()),
                Event::Remark(text) => format!("remark {text}"),
                Event::LabEnded(lab) => format!("end of {}, {} pass, {:?}", lab.lab, lab.pass, lab.error),
                Event::RunEnded { summary } => format!("end of the run, empty: {}", summary.is_empty()),
                other => format!("{other:?}"),
            };
            self.0.borrow_mut().push(line);
            let is_last = self.0.borrow().last().is_some_and(|line| line.starts_with(self.1));
            if is_last && !self.1.is_empty() { Err(Error::CannotRun("the disk is full".into())) } else { Ok(()) }
        }
    }

    /// Returns the events of a run of the lab with these options on the emulated device, and how it ended. The listener
    /// fails at the event that begins with `fails_at`.
    fn events(options: &[&str], fails_at: &'static str) -> (Vec<String>, Result<Exit>) {
        let words = [options, &["--device", "emulated"]].concat();
        let matches: ArgMatches = command(&LAB).no_binary_name(true).get_matches_from(words);
        let process = Process::default();
        let plan = RunPlan::new(Labs::Own(&LAB), &matches, &process).unwrap();
        let target = Target::open(&plan, &process).unwrap();
        let heard = Rc::new(RefCell::default());
        let listener = Box::new(Recording(Rc::clone(&heard), fails_at));
        let runner = Runner::with_listeners(plan, target, process, |_| Ok(Events::to(vec![listener]))).unwrap();
        let ended = runner.run();
        (heard.take(), ended)
    }

    #[test]
    fn events_come_in_the_order_in_which_a_run_goes_on() {
        let (events, ended) = events(&[], "");
        assert_eq!(
            events,
            [
                "Compiling(0)",
                "Idle",
                "lab small",
                "rows of small: two cases",
                "remark right",
                "case small right of one",
                "remark in the case",
                "CaseEnded",
                "row right of one pass",
                "remark lossy",
                "case small lossy of one",
                "remark in the case",
                "CaseEnded",
                "row lossy of one pass",
                "Idle",
                "RowsEnded",
                "end of small, 2 pass, None",
                "end of the run, empty: false",
            ]
        );
        assert_eq!(ended.unwrap(), Exit::Passed);
    }

    #[test]
    fn a_listener_that_fails_ends_the_run_and_the_lab_ends_with_its_error() {
        let (events, ended) = events(&["--variant", "right"], "row ");
        assert_eq!(
            events[events.len() - 5..],
            [
                "row right of one pass",
                "Idle",
                "RowsEnded",
                "end of small, 0 pass, Some(\"the disk is full\")",
                "end of the run, empty: true"
            ]
        );
        assert_eq!(ended.unwrap_err().to_string(), "the disk is full");
    }
}
