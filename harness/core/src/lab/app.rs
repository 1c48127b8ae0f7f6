//! The command line of a lab, and the running of labs one after another.
use std::{cell::RefCell, path::Path, process::ExitCode, rc::Rc, sync::Arc, time::Instant};

use clap::{Arg, ArgAction, ArgMatches, Args, Command, FromArgMatches};
use serde_json::json;

use crate::{
    device::{kernels::Kernels, session::Session},
    error::{Error, Result},
    exit::Exit,
    export::{
        exporter::Outputs,
        layout::{paragraphs, wrapped},
        report::Report,
        shared_table::SharedTable,
        terminal::{Terminal, print_error},
    },
    lab::{child, declaration::Lab, options::Options, question, run::Run},
    measure::{interrupt, pace},
    record::{folder::Folder, row::Verdict, session_file::SessionFile},
    suggest,
};

/// Runs `lab` as its own program: parses the command line, opens the device, runs, reports.
///
/// The exit code is one of [`Exit`]'s.
pub fn main(lab: &'static Lab) -> ExitCode {
    let matches = command(lab).get_matches();
    run_labs(&[lab], &matches)
}

/// The command line of `lab`: the common options, its own, and what its variants are.
pub fn command(lab: &'static Lab) -> Command {
    with_options(Command::new(lab.name).about(lab.summary), Some(lab)).after_help(variants_help(lab))
}

/// The lab's variants and the exit codes, for the end of its help.
pub fn variants_help(lab: &Lab) -> String {
    let variants = lab.variants();
    let width = variants.iter().map(|v| v.name.len()).max().unwrap_or(0);
    let lines = variants.iter().map(|v| wrapped(&format!("  {:width$}  {}", v.name, v.summary), width + 4));
    let lines: Vec<String> = lines.collect();
    format!("Variants:\n{}\n\n{}", lines.join("\n"), paragraphs(&Exit::codes()))
}

/// Adds the common options to `command`, and those of `lab` if one is given.
pub fn with_options(command: Command, lab: Option<&'static Lab>) -> Command {
    let about = command.get_about().cloned();
    // The options' own documentation would take the command's place.
    let mut command = Options::augment_args(command).about(about.unwrap_or_default()).max_term_width(160);
    if lab.is_none_or(Lab::has_exercises) {
        command = command.arg(
            Arg::new("exercises")
                .long("exercises")
                .action(ArgAction::SetTrue)
                .help("Run only the checked exercises")
                .help_heading("What to run"),
        );
    }
    command = command.arg(
        Arg::new("no-exercises")
            .long("no-exercises")
            .action(ArgAction::SetTrue)
            .help("Leave the checked exercises out")
            .help_heading("What to run"),
    );
    let Some(lab) = lab else {
        return command;
    };
    // Where the labs' names take every argument by position, the lab has none of its own.
    let taken = command.get_positionals().any(|a| matches!(a.get_action(), ArgAction::Append));
    let own = (lab.options)().into_iter().filter(|a| !(taken && a.is_positional()));
    command.next_help_heading("Options of this lab").args(own)
}

/// Runs `labs` in order with the options in `matches`, and reports. With more than one, a lab's own
/// options stay at their defaults.
pub fn run_labs(labs: &[&'static Lab], matches: &ArgMatches) -> ExitCode {
    let outcome = Program::open(labs, matches).and_then(Program::run);
    match outcome {
        Ok(exit) => exit.into(),
        Err(error) => {
            complain(&error);
            error.exit().into()
        }
    }
}

/// Prints an error in the same form as every command.
pub fn complain(error: &Error) {
    print_error(&format!("error: {error}"));
}

/// A command that runs labs: what they share, and their results so far.
struct Program<'m> {
    labs: Vec<&'static Lab>,
    matches: &'m ArgMatches,
    options: Options,
    /// The file of `--kernel`.
    replaced: Option<kernels::KernelSource>,
    session: Arc<Session>,
    /// `None` in a child process, which writes no files.
    folder: Option<Folder>,
    file: Option<SessionFile>,
    terminal: Rc<Terminal>,
    table: Rc<SharedTable>,
    /// The entries of session.json for the labs that are done.
    done: Vec<serde_json::Value>,
    exit: Exit,
}

impl<'m> Program<'m> {
    /// Checks the command line, opens the device and the run's folder, and says what runs where.
    fn open(labs: &[&'static Lab], matches: &'m ArgMatches) -> Result<Self> {
        let options = Options::from_arg_matches(matches).map_err(|e| Error::usage(e.to_string()))?;
        check_variants(labs, &options)?;
        let replaced = match (&options.kernel, labs) {
            (None, _) => None,
            (Some(file), [lab]) => Some(replacement(lab, file)?),
            (Some(_), _) => return Err(Error::usage("--kernel goes with one lab; name it")),
        };
        let mut session = Session::open(&options.device)?;
        if options.min_percent.is_some() && session.device.is_emulated {
            return Err(Error::CannotRun(
                "--min-percent needs a GPU: an emulated time says nothing about a GPU".into(),
            ));
        }
        interrupt::listen();
        let is_child = child::wanted().is_some();
        let folder = if is_child { None } else { Some(Folder::create(options.out.as_deref(), &slug(&session))?) };
        let terminal = Rc::new(if is_child {
            Terminal::of_a_case()
        } else {
            let wanted = |name: &str| options.variants.is_empty() || options.variants.iter().any(|v| v == name);
            let variants = labs.iter().flat_map(|lab| lab.variants()).filter(|v| wanted(v.name)).count();
            Terminal::new(options.quiet, options.json || options.csv.is_some(), variants)
        });
        terminal.say(&paragraphs(&session.banner()));
        if !session.device.is_emulated {
            if let Some(why) = session.no_nvml() {
                terminal.say(why);
            }
            if options.counters || options.hot.is_some() || options.schedules.is_some() {
                terminal.say(
                    "--counters, --hot and --schedules work on the emulated device only: on a GPU use Nsight Compute",
                );
            }
        }
        if is_child {
            session.ceilings = child::ceilings();
        } else {
            session.measure_ceilings(options.quick)?;
        }
        let (session, file) = (Arc::new(session), folder.as_ref().map(SessionFile::open));
        let columns: Vec<_> = labs.iter().map(|lab| lab.all_columns()).collect();
        let table = Rc::new(SharedTable::of(&columns));
        let (labs, done) = (labs.to_vec(), Vec::new());
        Ok(Self { labs, matches, options, replaced, session, folder, file, terminal, table, done, exit: Exit::Passed })
    }

    /// Runs the labs one after another, and returns the worst of their endings.
    fn run(mut self) -> Result<Exit> {
        for lab in self.labs.clone() {
            if child::wanted().is_some_and(|case| !case.starts_with(&format!("{}/", lab.name))) {
                continue;
            }
            if let Err(error) = self.lab(lab) {
                // A lab that cannot run does not stop the others; an error that the user must correct does.
                let fatal =
                    matches!(error, Error::Interrupted | Error::Usage(_) | Error::Limit { .. } | Error::Io { .. });
                if fatal || self.labs.len() == 1 {
                    let nothing = self.done.iter().all(|d| d["rows"] == 0);
                    if !(nothing
                        && self.folder.as_ref().is_some_and(|f| f.abandon(self.labs.iter().map(|lab| lab.name))))
                    {
                        self.say_where();
                    }
                    return Err(error);
                }
                complain(&error);
                self.exit = self.exit.max(error.exit());
            }
        }
        self.say_where();
        Ok(self.exit)
    }

    /// Runs one lab: the experiment, the exercises, and the search for what it leaked; then its tables.
    fn lab(&mut self, lab: &'static Lab) -> Result<()> {
        if let Some(file) = &mut self.file {
            file.write(&self.session, &self.options.settings(), &self.done, Some(lab.name))?;
        }
        let started = Instant::now();
        let run = self.start(lab)?;
        self.terminal.say(&paragraphs(&format!("\n{}: {}", lab.name, lab.summary)));
        run.between_cases();
        // An interruption makes other calls fail.
        let result = self.experiment(lab, &run).map_err(|error| interrupt::check().err().unwrap_or(error));
        self.terminal.done();
        let result = result.and(run.report.borrow_mut().finish());
        let wrong = run.records().iter().any(|r| matches!(r.verdict, Verdict::Fail | Verdict::Finding));
        // Errors after a kernel has ruined the context are that kernel's fault, and it was judged already.
        let by = run.lost.borrow().clone().filter(|_| wrong);
        let result = match (result, by) {
            (Err(Error::Driver(_)), Some(by)) => {
                let lost =
                    format!("{}: the rest is left out, since the device's context was lost in case {by}", lab.name);
                self.terminal.say(&lost);
                Ok(())
            }
            (result, _) => result,
        };
        self.done.push(summary(&run, started, result.as_ref().err()));
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

    /// What the lab's function is given.
    fn start(&self, lab: &'static Lab) -> Result<Run> {
        let outputs = Outputs {
            folder: self.folder.as_ref(),
            terminal: self.terminal.clone(),
            wanted: self.options.wanted(),
            table: self.table.clone(),
        };
        let columns = Rc::new(lab.all_columns());
        let report = Report::start(&columns, &outputs)?;
        Ok(Run {
            lab,
            columns,
            session: self.session.clone(),
            options: self.options.clone(),
            args: own_args(lab, &self.labs, self.matches),
            report: RefCell::new(report),
            kernels: Kernels::new(lab.name, lab.kernels, &self.session, self.replaced.clone()),
            records: RefCell::new(Vec::new()),
            forecasts: RefCell::default(),
            lost: RefCell::new(None),
        })
    }

    fn experiment(&self, lab: &'static Lab, run: &Run) -> Result<()> {
        let given = |name| self.matches.try_get_one::<bool>(name).ok().flatten().is_some_and(|given| *given);
        if !given("exercises") {
            match (lab.run)(run) {
                Err(Error::Skip(reason)) => run.left_out(reason)?,
                result => result?,
            }
        }
        if !given("no-exercises") {
            question::run(run, &(lab.questions)())?;
            lab.exercises.map_or(Ok(()), |exercises| exercises(run))?;
        }
        run.leaks()
    }

    /// How the command ends, as far as is known: the worst ending counts, and a wrong answer comes before a slow one.
    fn judge(&mut self, run: &Run, wrong: bool) {
        let slow = self.options.min_percent.map_or_else(Vec::new, |least| pace::too_slow(&run.records(), least));
        for line in &slow {
            print_error(&format!("too slow: {line}"));
        }
        self.exit = match (wrong, slow.is_empty()) {
            (true, _) => Exit::Wrong,
            (false, false) if self.exit == Exit::Passed => Exit::Slow,
            _ => self.exit,
        };
    }

    fn say_where(&self) {
        if let Some(folder) = &self.folder {
            self.terminal.say(&format!("\nRows and session.json are in {}", folder.path().display()));
        }
    }
}

/// Refuses a `--variant` that none of the labs has.
fn check_variants(labs: &[&'static Lab], options: &Options) -> Result<()> {
    let known: Vec<&str> = labs.iter().flat_map(|l| l.variants().into_iter().map(|v| v.name)).collect();
    match options.variants.iter().find(|v| !known.contains(&v.as_str())) {
        Some(unknown) => {
            let names: Vec<_> = labs.iter().map(|l| l.name).collect();
            Err(Error::usage(format!(
                "no variant `{unknown}` in {}; {}",
                names.join(", "),
                suggest::among(unknown, &known)
            )))
        }
        None => Ok(()),
    }
}

/// `file` under the name of the kernel file of `lab` that it replaces: the lab's only file, the file of the same name,
/// or the file with which it has kernels in common.
///
/// # Errors
/// [`Error::Usage`] when it is not clear which one, [`Error::Kernel`] when it cannot be read.
pub fn replacement(lab: &Lab, file: &Path) -> Result<kernels::KernelSource> {
    let own = file.file_name().unwrap_or_default().to_string_lossy();
    let text = kernels::KernelSource::read(file, &own)?;
    let common = |k: &&kernels::KernelSource| {
        let theirs = k.kernels();
        let mine = text.kernels();
        mine.into_iter().filter(|n| theirs.contains(n)).count()
    };
    let replaced = match lab.kernels {
        [only] => Some(only),
        several => several.iter().find(|k| k.name == own).or_else(|| {
            let most = several.iter().max_by_key(common)?;
            (common(&most) > 0).then_some(most)
        }),
    };
    let Some(replaced) = replaced else {
        let names: Vec<&str> = lab.kernels.iter().map(|k| k.name.as_ref()).collect();
        return Err(Error::usage(format!(
            "{} holds no kernel of lab {}, whose kernels are in {}",
            file.display(),
            lab.name,
            names.join(", ")
        )));
    };
    Ok(text.in_place_of(replaced))
}

/// The lab's own options: from the command line if it is the only lab, else their defaults.
fn own_args(lab: &'static Lab, labs: &[&'static Lab], matches: &ArgMatches) -> ArgMatches {
    if labs.len() == 1 {
        return matches.clone();
    }
    command(lab).no_binary_name(true).try_get_matches_from(Vec::<String>::new()).unwrap_or_else(|_| matches.clone())
}

/// The device as a folder's name: `cuda-nvidia-h200`, `emulated-a100`.
fn slug(session: &Session) -> String {
    let device = &session.device;
    let part = if device.is_emulated { &device.profile } else { &device.name };
    let clean: String = part.to_lowercase().chars().map(|c| if c.is_ascii_alphanumeric() { c } else { '-' }).collect();
    format!("{}-{clean}", device.kind())
}

fn summary(run: &Run, started: Instant, error: Option<&Error>) -> serde_json::Value {
    let records = run.records();
    let count = |v| records.iter().filter(|r| r.verdict == v).count();
    json!({
        "lab": run.lab.name,
        "rows": records.len(),
        "pass": count(Verdict::Pass),
        "fail": count(Verdict::Fail),
        "finding": count(Verdict::Finding),
        "skip": count(Verdict::Skip),
        "seconds": started.elapsed().as_secs_f64(),
        "ptx": run.kernels.origins(),
        "error": error.map(ToString::to_string),
        "missing_kernel": error.and_then(Error::missing_kernel),
        "kernel_error": error.filter(|e| e.is_of_kernel()).map(ToString::to_string),
    })
}
