//! Runs labs one after another, and decides the exit code.
use std::{
    path::{Path, PathBuf},
    process::ExitCode,
    rc::Rc,
    sync::Arc,
    time::Instant,
};

use clap::{ArgMatches, FromArgMatches};
use predict::GpuModel;
use record::{Folder, LabRun, Record, Verdict};

use crate::{
    device::{kernels::Kernels, sandboxed_driver, session::Session},
    error::{Error, Result},
    exit::Exit,
    export::{
        crossovers::crossovers_text,
        exporter::{Outputs, View, Wanted},
        layout::{paragraphs, width},
        report::RunOutputs,
        session_writer::SessionWriter,
        shared_table::SharedTable,
        summary::Summary,
        terminal::{Terminal, print_error},
        warnings::warnings,
    },
    lab::{
        declaration::Lab,
        run::Run,
        story::{self, Measure},
    },
    measure::{input_guard::InputGuard, interrupt, pace},
    oom,
    options::common::{LabOptions, Options},
    plan::{
        command::{check_variants, command, own_args, replacement_or_copy},
        predicting,
        repro_command::{ReproCommand, quoted, this_program},
        unused_options::{self, Labs},
    },
    process::role::{self, Process, Role},
    runner::{
        cases::{Cases, answer},
        judge_rounds, ladder, precompile,
        predict_process::{self, EmulatedPredictions},
    },
    stdout,
};

/// Runs `lab` as its own program: parses the command line, opens the device, runs, reports.
///
/// The exit code is one of [`Exit`]'s.
pub fn main(lab: &'static Lab) -> ExitCode {
    kernels::program::look_for_libraries_from_the_root();
    let process = role::process();
    let matches = command(lab).get_matches_from(&process.arguments);
    ended(Ok(run_labs(Labs::Own(lab), &matches, process, None)))
}

/// Ends a command: prints its error if it failed, and checks that all its output was written.
pub fn ended(outcome: Result<ExitCode>) -> ExitCode {
    let failed = |error: Error| {
        complain(&error);
        error.exit().into()
    };
    let code = outcome.unwrap_or_else(failed);
    stdout::check().map_or_else(failed, |()| code)
}

/// Writes a page about the run in this folder, and returns the page's path.
pub type WritePage = fn(&Path) -> Result<PathBuf>;

/// Runs `labs` in order with the options in `matches`, and reports. With more than one lab, the labs' own options keep
/// their defaults. `page` is called at the end, unless `--no-report` is given.
pub fn run_labs(labs: Labs<'_>, matches: &ArgMatches, process: Process, page: Option<WritePage>) -> ExitCode {
    oom::install();
    let open = |()| Program::open(labs, matches, process, page);
    let outcome = oom::check().and_then(open).and_then(Program::run);
    sandboxed_driver::end();
    match outcome {
        Ok(exit) => exit.into(),
        Err(error) => {
            complain(&error);
            error.exit().into()
        }
    }
}

/// Prints an error in the common form of all commands.
pub fn complain(error: &Error) {
    print_error(&format!("error: {error}"));
}

/// A command that runs labs: their shared state, and their results so far.
struct Program<'m> {
    labs: Vec<&'static Lab>,
    matches: &'m ArgMatches,
    process: Rc<Process>,
    options: Options,
    /// The part for which times are predicted.
    part: Option<GpuModel>,
    /// The part for which a companion run predicts times, to be shown with those of a GPU.
    beside: Option<GpuModel>,
    /// The file of `--kernel`.
    replaced: Option<kernels::KernelSource>,
    session: Arc<Session>,
    /// `None` in a child process, which writes no files.
    folder: Option<Folder>,
    file: Option<SessionWriter>,
    terminal: Rc<Terminal>,
    table: Rc<SharedTable>,
    /// The entries of session.json for the completed labs.
    done: Vec<LabRun>,
    summary: Summary,
    /// Whether this is the lab's own program.
    is_own: bool,
    /// Whether the labs are summarised; else all rows are printed.
    has_stories: bool,
    page: Option<WritePage>,
    exit: Exit,
}

impl<'m> Program<'m> {
    /// Checks the command line, opens the device and the run's folder, and prints what runs where.
    fn open(labs: Labs<'_>, matches: &'m ArgMatches, process: Process, page: Option<WritePage>) -> Result<Self> {
        let mut options = Options::from_arg_matches(matches).map_err(|e| Error::usage(e.to_string()))?;
        if let Role::Prediction { part, .. } = &process.role {
            options.accompany(part);
        }
        check_variants(labs, &options)?;
        record::outlive_file_limits();
        let is_own = matches!(labs, Labs::Own(_));
        let unused_options::Chosen { labs, left_out } = unused_options::choose(labs, &options, matches)?;
        if !options.cases.is_empty() && labs.len() > 1 {
            return Err(Error::usage("--case goes with one lab; name it"));
        }
        let replaced = match (&options.kernel, labs.as_slice()) {
            (None, _) => None,
            (Some(file), [lab]) => Some(replacement_or_copy(lab, file, options.kernel_copy.as_deref())?),
            (Some(_), _) => return Err(Error::usage("--kernel goes with one lab; name it")),
        };
        if options.confined {
            sandboxed_driver::want();
        }
        // A compiler that was named and cannot be loaded is reported once, not for each lab.
        kernels::nvrtc()?;
        let mut session =
            Session::open(&predicting::predicted_device(options.predict.as_deref(), options.device.clone(), matches)?)?;
        let part = predicting::predicted_part(options.predict.as_deref(), &session.device.profile)?;
        let beside = predicting::beside(&options, &session.device.profile, &session.device.name)?;
        // The kernel file has already been read, for it may come through a pipe, and a GPU's driver has been started:
        // both need these rights. The file has not been compiled yet.
        if options.confined {
            sandbox::restrict_judge().map_err(|why| Error::CannotRun(format!("cannot enter the sandbox: {why}")))?;
        }
        if options.min_percent.is_some() && session.device.is_emulated {
            return Err(Error::CannotRun(
                "--min-percent needs a GPU: an emulated time says nothing about a GPU".into(),
            ));
        }
        let is_whole = process.role.is_whole();
        let is_for_people = !(options.json || options.csv.is_some() || options.quiet || options.records.is_some());
        let has_stories = is_whole && is_for_people && !unused_options::ask_for_details(&labs, &options, matches);
        if is_whole && options.predict_n.is_some() && !(has_stories && session.device.is_emulated) {
            return Err(Error::usage(
                "--predict-n is for the summaries of an emulated run: leave it out, or the options that replace them",
            ));
        }
        interrupt::listen();
        let folder = if is_whole { Some(own_folder(&options, &session)?) } else { None };
        let terminal = Rc::new(if is_whole {
            let variants = labs.iter().flat_map(|lab| lab.variants()).filter(|v| options.chooses(v.name)).count();
            Terminal::new(options.quiet, options.json || options.csv.is_some(), labs.len(), variants)
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
        let names: Vec<&str> = labs.iter().map(|lab| lab.name).collect();
        let file = folder.as_ref().map(|folder| SessionWriter::open(folder, &names)).transpose()?;
        let session = Arc::new(session);
        for why in left_out {
            terminal.say(&paragraphs(&format!("Left out: {why}")));
        }
        let columns: Vec<_> = labs.iter().map(|lab| lab.all_columns()).collect();
        let table = Rc::new(SharedTable::from_columns(&columns, options.wanted().counters));
        let no_report = options.no_report;
        let (done, summary, exit) = (Vec::new(), Summary::default(), Exit::Passed);
        Ok(Self {
            labs,
            matches,
            process: Rc::new(process),
            options,
            part,
            beside: beside.filter(|_| is_whole),
            replaced,
            session,
            folder,
            file,
            terminal,
            table,
            done,
            summary,
            is_own,
            has_stories,
            page: page.filter(|_| is_whole && !no_report),
            exit,
        })
    }

    /// Runs the labs one after another, and returns the worst of their endings.
    fn run(mut self) -> Result<Exit> {
        let files: Vec<_> = self.labs.iter().flat_map(|lab| lab.kernels).collect();
        let process = Rc::clone(&self.process);
        if let Role::Precompilation { files: wanted } = &process.role {
            precompile::help(wanted, &files, &self.session);
            return Ok(Exit::Passed);
        }
        let is_all = self.options.variants.is_empty() && self.replaced.is_none() && !self.options.confined;
        if is_all && process.role.is_whole() {
            self.terminal.prepare(files.len());
            precompile::compile(&process, &files, &self.session);
            self.terminal.done();
        }
        for lab in self.labs.clone().into_iter().filter(|lab| process.role.runs_lab(lab.name)) {
            if let Err(error) = self.lab(lab) {
                // A lab that cannot run does not stop the others, but an error that the user must correct does.
                let fatal =
                    matches!(error, Error::Interrupted | Error::Usage(_) | Error::Limit { .. } | Error::Io { .. });
                if fatal || self.labs.len() == 1 {
                    self.end();
                    return Err(error);
                }
                complain(&error);
                self.summary.unable(lab.name, &error.to_string());
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
        if self.options.quiet && !self.is_collected() {
            let failures = self.summary.failures();
            if !failures.is_empty() {
                print_error(&failures);
            }
        }
        let nothing = self.done.iter().all(|d| d.rows == Some(0));
        if nothing && self.folder.as_ref().is_some_and(|f| f.abandon(self.labs.iter().map(|lab| lab.name))) {
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
            if self.has_stories {
                self.terminal.say(&self.next_steps(folder.path(), page.is_some()));
            }
        }
    }

    /// Runs one lab: the experiment, the exercises, the leak check, and then its tables.
    fn lab(&mut self, lab: &'static Lab) -> Result<()> {
        if let Some(file) = &mut self.file {
            file.write(&self.session, &self.options.settings(), &self.done, Some(lab.name))?;
        }
        let started = Instant::now();
        let (mut run, cases) = self.start(lab)?;
        if !self.has_story(lab) {
            self.terminal.say(&paragraphs(&format!("\n{}: {}", lab.name, lab.summary)));
        }
        if !(self.has_story(lab) && unused_options::sweep(lab, self.matches).is_some()) {
            for remark in unused_options::remarks(lab, &self.options, self.matches) {
                self.terminal.say(&paragraphs(&remark));
            }
        }
        cases.between_cases(&run);
        // An interruption makes other calls fail.
        let result = self.experiment(lab, &mut run, &cases).map_err(|error| interrupt::check().err().unwrap_or(error));
        self.terminal.done();
        // Compiler warnings matter only for user-supplied kernels.
        let warned = run.kernels.warnings();
        if self.replaced.is_some() && !warned.is_empty() {
            self.terminal.say(&format!("\n{}", warnings(&warned)));
        }
        let result = result.and_then(|()| self.tell(lab, &run, &cases));
        let result = result.and(cases.report().borrow_mut().finish());
        let result = result.and_then(|()| if self.is_collected() { Ok(()) } else { self.check(&run) });
        let wrong = run.records().iter().any(|r| matches!(r.verdict, Verdict::Fail | Verdict::Finding));
        // Errors after a kernel has corrupted the context are that kernel's fault, which has already been judged. The
        // same holds in the process of a single case if its kernel is wrong on purpose.
        let by = cases.lost().filter(|_| wrong || self.process.role.is_case());
        let result = match (result, by) {
            (Err(Error::Driver(_) | Error::Module { .. }), Some(by)) => {
                let lost =
                    format!("{}: the rest is left out, because the device's context was lost in case {by}", lab.name);
                self.terminal.say(&lost);
                Ok(())
            }
            (result, _) => result,
        };
        self.done.push(summary(&run, started, result.as_ref().err()));
        let asked = (self.session.as_ref(), self.options.seed);
        let repeat = ReproCommand::new(lab, self.is_own, &command(lab), self.matches, asked);
        self.summary.add(&run.records(), |record| repeat.command(record));
        let written = match &mut self.file {
            Some(file) => file.write(&self.session, &self.options.settings(), &self.done, None),
            None => Ok(()),
        };
        // The lab's own error came first, and is the one to report.
        if result.is_ok() {
            written?;
        }
        self.judge(&run, wrong);
        result
    }

    /// Whether the lab's rows are summarised.
    fn has_story(&self, lab: &Lab) -> bool {
        self.has_stories && lab.story.is_some()
    }

    /// Summarises the rows of a lab. When emulated, companion runs predict the times of the ladder.
    fn tell(&self, lab: &'static Lab, run: &Run, cases: &Cases) -> Result<()> {
        let Some(story) = lab.story.as_ref().filter(|_| self.has_stories) else {
            return Ok(());
        };
        if let Some(sweep) = unused_options::sweep(lab, self.matches) {
            let text = crossovers_text(lab.name, &(sweep.tell)(run), &run.records(), width());
            self.terminal.say(&format!("\n{text}"));
            return Ok(());
        }
        let device = &self.session.device;
        let part = GpuModel::find(&device.profile).ok().filter(|_| device.is_emulated);
        let is_timed = matches!(story.measure, Measure::Time) && !story.ladder.is_empty();
        let predicted = match &part {
            _ if !device.is_emulated => None,
            None => Some(story.unpredicted(&format!("no times are predicted for {}", device.profile))),
            Some(_) if self.options.quick => Some(story.unpredicted("--quick predicts no times")),
            Some(_) if !is_timed => Some(Vec::new()),
            Some(part) => {
                let companion = |options: LabOptions| {
                    self.terminal.show(&format!("{}: predicts the ladder's times", lab.name));
                    let companion = self.companion(lab, part, options);
                    (lab.run)(&companion)?;
                    lab.exercises.map_or(Ok(()), |exercises| exercises(&companion))?;
                    Ok(companion.records().into())
                };
                let predicted = ladder::predicted(lab, story, part, &self.options, companion);
                self.terminal.done();
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
        cases.report().borrow_mut().story(&told)
    }

    /// Returns a run of a lab that predicts times, and writes nothing.
    fn companion(&self, lab: &'static Lab, part: &GpuModel, options: LabOptions) -> Run {
        let (columns, silent) = (Rc::new(lab.all_columns()), RunOutputs::silent(lab.name));
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
    fn start(&self, lab: &'static Lab) -> Result<(Run, Rc<Cases>)> {
        let outputs = Outputs {
            folder: self.folder.as_ref(),
            terminal: self.terminal.clone(),
            wanted: Wanted {
                view: if self.has_story(lab) { self.options.shown() } else { View::EVERYTHING },
                ..self.options.wanted()
            },
            table: self.table.clone(),
        };
        let emulated = self.beside.as_ref().map(|part| {
            self.terminal.say(&format!(
                "{}: runs emulated first, to predict the times that are compared with the GPU's",
                lab.name
            ));
            EmulatedPredictions::from_run(part, || predict_process::run(&self.process, lab.name, part))
        });
        let columns = Rc::new(lab.all_columns());
        let report = RunOutputs::start(&columns, &outputs)?;
        let cases = Rc::new(Cases::new(columns, self.part.clone(), emulated, report));
        let own = own_args(lab, &self.labs, self.matches);
        let run = Run {
            lab,
            session: self.session.clone(),
            kernels: Kernels::new(lab.name, lab.kernels, &self.session, self.replaced.clone()),
            options: LabOptions { common: self.options.clone(), own },
            process: Rc::clone(&self.process),
            has_gpu_sizes: self.process.role.is_prediction(),
            inputs: self.options.is_judged().then(|| Rc::new(InputGuard::new(&self.session.context))),
            cases: cases.clone(),
        };
        Ok((run, cases))
    }

    fn experiment(&self, lab: &'static Lab, run: &mut Run, cases: &Cases) -> Result<()> {
        let given = |name| unused_options::is_set(self.matches, name);
        if !given("exercises") {
            match judge_rounds::run(run, cases, &command(lab), lab.run) {
                Err(Error::Skip(reason)) => cases.left_out(run, reason)?,
                result => result?,
            }
        }
        if !given("no-exercises") {
            answer(run, &(lab.questions)())?;
            let exercises = |exercises| judge_rounds::run(run, cases, &command(lab), exercises);
            lab.exercises.map_or(Ok(()), exercises)?;
        }
        cases.leaks(run)
    }

    /// Checks that the requested cases have run.
    fn check(&self, run: &Run) -> Result<()> {
        let records = run.records();
        unused_options::check(run.lab, &self.options, self.matches, &records)?;
        let Some(file) = self.replaced.as_ref().map(|replaced| &replaced.path) else {
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

    /// Returns what the reader of this run in this folder may do next.
    fn next_steps(&self, folder: &Path, has_page: bool) -> String {
        let mut steps = Vec::new();
        if let Some(lab) = self.labs.iter().find(|lab| lab.name == "histogram").or(self.labs.first()) {
            let sweep = unused_options::sweep(lab, self.matches).map(|sweep| format!(" --{}", sweep.option));
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
    fn is_collected(&self) -> bool {
        self.options.records.is_some()
    }

    /// Updates how the command ends: the worst ending counts, and a wrong answer is worse than a slow one.
    fn judge(&mut self, run: &Run, wrong: bool) {
        let slow = self.options.min_percent.map_or_else(Vec::new, |least| pace::too_slow(&run.records(), least));
        for line in &slow {
            print_error(&format!("too slow: {line}"));
        }
        let fast = pace::too_fast(&run.records(), self.session.device.l2_bytes);
        for line in fast.iter().filter(|_| !self.process.role.is_case()) {
            print_error(&format!(
                "{line}, which is impossible: the ceiling was measured wrongly. Run again while no one else uses the GPU"
            ));
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

fn summary(run: &Run, started: Instant, error: Option<&Error>) -> LabRun {
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
