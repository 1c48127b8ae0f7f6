//! Runs the labs of a plan one after another, and decides the exit code.
use std::{path::Path, rc::Rc, sync::Arc};

use predict::GpuModel;
use record::{Folder, LabRun};

use crate::{
    device::session::Session,
    error::{Error, Result},
    exit::Exit,
    export::{
        layout::paragraphs,
        progress::Progress,
        session_writer::SessionWriter,
        shared_table::SharedTable,
        summary::Summary,
        terminal::{Terminal, print_error},
    },
    measure::interrupt,
    options::common::Options,
    plan::{
        repro_command::{quoted, this_program},
        run_plan::{PlannedLab, RunPlan},
    },
    process::role::{Process, Role},
    runner::{
        command::{WritePage, complain},
        precompile,
        target::Target,
    },
};

/// A plan that runs: its device and folder, and the results so far.
pub(crate) struct Runner<'m> {
    pub(super) plan: Rc<RunPlan<'m>>,
    pub(super) process: Rc<Process>,
    pub(super) session: Arc<Session>,
    /// The part for which times are predicted.
    pub(super) part: Option<GpuModel>,
    /// The part for which a companion run predicts times, to be shown with those of a GPU.
    pub(super) beside: Option<GpuModel>,
    /// `None` in a child process, which writes no files.
    pub(super) folder: Option<Folder>,
    pub(super) file: Option<SessionWriter>,
    pub(super) terminal: Rc<Terminal>,
    pub(super) table: Rc<SharedTable>,
    /// The entries of session.json for the completed labs.
    pub(super) done: Vec<LabRun>,
    pub(super) summary: Summary,
    pub(super) exit: Exit,
    page: Option<WritePage>,
}

impl<'m> Runner<'m> {
    /// Opens the run's folder, prints what runs where, and measures the ceilings of a GPU.
    pub(crate) fn open(plan: RunPlan<'m>, target: Target, process: Process, page: Option<WritePage>) -> Result<Self> {
        let Target { mut session, part, beside } = target;
        let (options, is_whole) = (&plan.options, process.role.is_whole());
        interrupt::listen();
        let folder = if is_whole { Some(own_folder(options, &session)?) } else { None };
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
        let file = folder.as_ref().map(|folder| SessionWriter::open(folder, &plan.names())).transpose()?;
        for why in &plan.left_out {
            terminal.say(&paragraphs(&format!("Left out: {why}")));
        }
        let columns: Vec<_> = plan.labs.iter().map(|planned| planned.lab.all_columns()).collect();
        let table = Rc::new(SharedTable::from_columns(&columns, options.wanted().counters));
        let page = page.filter(|_| is_whole && !options.no_report);
        Ok(Self {
            plan: Rc::new(plan),
            process: Rc::new(process),
            session: Arc::new(session),
            part,
            beside,
            folder,
            file,
            terminal,
            table,
            done: Vec::new(),
            summary: Summary::default(),
            exit: Exit::Passed,
            page,
        })
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
            self.terminal.prepare(files.len());
            precompile::compile(&process, &files, &self.session);
            self.terminal.done();
        }
        for planned in plan.labs.iter().filter(|planned| process.role.runs_lab(planned.lab.name)) {
            if let Err(error) = self.lab(planned) {
                // A lab that cannot run does not stop the others, but an error that the user must correct does.
                let fatal =
                    matches!(error, Error::Interrupted | Error::Usage(_) | Error::Limit { .. } | Error::Io { .. });
                if fatal || plan.labs.len() == 1 {
                    self.end();
                    return Err(error);
                }
                complain(&error);
                self.summary.unable(planned.lab.name, &error.to_string());
                self.exit = self.exit.max(error.exit());
            }
        }
        self.end();
        match self.summary.nothing_ran() {
            Some(why) if self.exit == Exit::Passed && !self.is_collected() => Err(Error::CannotRun(why)),
            _ => Ok(self.exit),
        }
    }

    /// Prints the failures and the location of the rows; removes the folder if nothing was written to it.
    fn end(&self) {
        if self.plan.options.quiet && !self.is_collected() {
            let failures = self.summary.failures();
            if !failures.is_empty() {
                print_error(&failures);
            }
        }
        let nothing = self.done.iter().all(|d| d.rows == Some(0));
        if nothing && self.folder.as_ref().is_some_and(|folder| folder.abandon(self.plan.names().into_iter())) {
            return;
        }
        let summary = self.summary.text();
        if !summary.is_empty() {
            self.terminal.say(&format!("\n{summary}"));
        }
        if let Some(folder) = &self.folder {
            self.terminal.say(&format!("\nRows and session.json are in {}", folder.path().display()));
            let page = self.page.map(|write| write(folder.path()));
            match &page {
                Some(Ok(page)) => self.terminal.say(&format!("The page of this run is {}", page.display())),
                Some(Err(why)) => print_error(&format!("no page of this run was written: {why}")),
                None => {}
            }
            if self.plan.has_stories {
                self.terminal.say(&self.next_steps(folder.path(), page.is_some()));
            }
        }
    }

    /// Returns what the reader of this run in this folder may do next.
    fn next_steps(&self, folder: &Path, has_page: bool) -> String {
        let (labs, mut steps) = (&self.plan.labs, Vec::new());
        if let Some(planned) = labs.iter().find(|planned| planned.lab.name == "histogram").or(labs.first()) {
            let PlannedLab { lab, sweep, .. } = planned;
            let sweep = sweep.map(|sweep| format!(" --{}", sweep.option));
            let rows = format!("run {}{} --all", lab.name, sweep.unwrap_or_default());
            steps.push((rows, "prints every row, note and finding of the lab"));
            steps.push((format!("start {}", lab.name), "makes a folder to solve the lab's assignment in"));
        }
        let open = if has_page { " --open" } else { "" };
        steps.push((format!("report {}{open}", quoted(&folder.to_string_lossy())), "shows this run as a page"));
        let program = this_program();
        let lines: Vec<String> =
            steps.into_iter().map(|(words, what)| format!("  {program} {words}\n    {what}")).collect();
        format!("\nNext steps:\n{}", lines.join("\n"))
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
