//! `warplab class`: the marks of many submissions.
use std::{
    io::{IsTerminal, Write},
    path::{Path, PathBuf},
    process::{Command as Process, ExitCode},
};

use clap::{Arg, ArgAction, ArgMatches, Command, value_parser};
use course::class::{
    grade::Class,
    record::Store,
    report::{self, Policy},
    roster::{self, Roster},
    run, settings, slurm,
};
use harness::{DeviceChoice, Error, Exit, arguments::switch, suggest};

use crate::{labs, shared::sandbox_warning};

const EXAMPLES: &str = "\
Examples:
  warplab class histogram submissions                a file, folder or archive for each student
  warplab class histogram --roster students.csv      columns student and path, such as checkouts
  warplab class histogram submissions --slurm        on a cluster, one submission a task

A run that was stopped resumes where it was, and a repeated run grades only what is new or has changed.
In DIR, rubric.toml may be edited, overrides.toml sets marks by hand, and late.toml sets the penalty for late work:
harness/course/README.md describes them.";

const CODES: [(Exit, &str); 4] = [
    (Exit::Passed, "all is marked, whatever the points"),
    (Exit::Usage, "the command line, the class's folder or the rubric is wrong"),
    (Exit::CannotRun, "some of it could not be judged here"),
    (Exit::Interrupted, "interrupted"),
];

pub fn command() -> Command {
    Command::new("class")
        .about(
            "Mark a class: a folder of submissions, an export of Gradescope, Moodle or Canvas, or a table of folders",
        )
        .after_help(format!("{EXAMPLES}\n\n{}", harness::paragraphs(&Exit::of_command(&CODES))))
        .arg(Arg::new("lab").value_name("LAB").required(true).help("The lab of the assignment"))
        .arg(
            path("folder", "FOLDER")
                .required_unless_present("roster")
                .help("The submissions: a file, folder or archive each, or an export of Gradescope, Moodle or Canvas"),
        )
        .arg(path("roster", "FILE").long("roster").help(
            "A CSV with the columns student and path, and if they are known id, email and time; paths are relative to \
             FOLDER, or to the CSV's folder",
        ))
        .arg(path("out", "DIR").long("out").help("Where marks and pages are written [default: LAB-marks]"))
        .arg(path("rubric", "FILE").long("rubric").help("A rubric of your own; it is kept in DIR [default: the lab's]"))
        .arg(
            Arg::new("regrade")
                .long("regrade")
                .value_name("PART")
                .action(ArgAction::Append)
                .help("Mark this part of all submissions again, and list the changes (repeatable)"),
        )
        .arg(switch("slurm", "Submit a job array to Slurm, and wait"))
        .arg(
            Arg::new("sbatch")
                .long("sbatch")
                .value_name("OPTION")
                .requires("slurm")
                .action(ArgAction::Append)
                .allow_hyphen_values(true)
                .help("An option of sbatch, such as --sbatch=--partition=teaching (repeatable)"),
        )
        .arg(
            Arg::new("only")
                .long("only")
                .value_name("INDEX")
                .conflicts_with("slurm")
                .value_parser(value_parser!(usize))
                .help("Grade only the submission with this index, from 0, and write no tables (what a task of --slurm does)"),
        )
        .arg(sandbox_warning::argument())
        .args(settings())
}

fn path(id: &'static str, value: &'static str) -> Arg {
    Arg::new(id).value_name(value).value_parser(value_parser!(PathBuf))
}

/// Options that must stay the same after the first run.
fn settings() -> [Arg; 7] {
    let option = |name: &'static str, value: &'static str, help: &'static str| {
        Arg::new(name).long(name).value_name(value).help(help).help_heading("Decided by the first run in DIR")
    };
    let bytes = |name, help| option(name, "BYTES", help).value_parser(harness::parse_bytes);
    [
        option("device", "DEVICE", "emulated[:PROFILE], or cuda:N, where speed counts too [default: emulated:a100]")
            .value_parser(value_parser!(DeviceChoice)),
        option("seed", "SEED", "Seed of the inputs and of the hidden sizes [default: a random one]")
            .value_parser(value_parser!(u64)),
        option("schedules", "COUNT", "Orders of warps and blocks to try [default: 5]")
            .value_parser(harness::parse_schedules),
        option("limit-seconds", "SECONDS", "Time of each run [default: 60]").value_parser(harness::parse_seconds),
        bytes("limit-memory", "Memory of each run [default: 3G]"),
        bytes("limit-output", "What each run prints [default: 64M]"),
        option(
            "limit-total",
            "SECONDS",
            "Time of all runs of a submission; what is not tried then is wrong [default: no limit]",
        )
        .value_parser(harness::parse_seconds),
    ]
}

pub fn run(matches: &ArgMatches) -> Result<ExitCode, Error> {
    let place = ClassPaths::from_matches(matches)?;
    // Each process checks for itself: on a cluster it may be on another computer.
    let warning = sandbox_warning::check(matches)?;
    let class = class(matches, &place)?;
    if let Some(index) = matches.get_one::<usize>("only") {
        let last = class.entries.len() - 1;
        let entry = class.entries.get(*index);
        class.grade(entry.ok_or_else(|| Error::usage(format!("--only goes from 0 to {last}")))?)?;
        return Ok(ExitCode::SUCCESS);
    }
    sandbox_warning::warn(warning);
    // The grading processes end with this one, and their results are written atomically.
    let _ = ctrlc::set_handler(|| {
        let _ = writeln!(std::io::stderr(), "stopped; run the same command to go on");
        std::process::exit(Exit::Interrupted.code().into());
    });
    let policy = Policy::read(&class, &place.out)?;
    let before = report::records(&class)?;
    let due = run::due(&class)?;
    let mut words = place.words(&class)?;
    words.extend(sandbox_warning::passed_on(matches));
    harness::print_error(&match class.entries.len() - due.len() {
        0 => format!("{} to grade", due.len()),
        all if due.is_empty() => format!("all {all} are graded already"),
        before => format!("{before} are graded already, {} to grade", due.len()),
    });
    if matches.get_flag("slurm") && !due.is_empty() {
        let options: Vec<String> = matches.get_many("sbatch").map(|all| all.cloned().collect()).unwrap_or_default();
        slurm::grade(&class, &place.out, &due, &words, &options)?;
    } else {
        let task = |index: usize| {
            let mut process = Process::new(&words[0]);
            process.args(&words[1..]).args(["--only", &index.to_string()]);
            Ok(process)
        };
        run::here(&class, &due, &task, &|done| progress(done, due.len()))?;
    }
    let (words, is_settled) = report::write(&class, &place.out, &policy, &before)?;
    harness::print(&words);
    Ok(if is_settled { Exit::Passed } else { Exit::CannotRun }.into())
}

/// The paths of a class.
struct ClassPaths {
    folder: Option<PathBuf>,
    roster: Option<PathBuf>,
    out: PathBuf,
}

impl ClassPaths {
    fn from_matches(matches: &ArgMatches) -> Result<Self, Error> {
        // Tasks may run in another folder.
        let whole = |path: &Path| {
            std::path::absolute(path).map_err(|source| Error::Io { action: "find", path: path.into(), source })
        };
        let given = |id: &str| matches.get_one::<PathBuf>(id).map(|path| whole(path)).transpose();
        let place = Self {
            folder: given("folder")?,
            roster: given("roster")?,
            out: match given("out")? {
                Some(out) => out,
                None => whole(Path::new(&format!("{}-marks", labs::named(matches)?.name)))?,
            },
        };
        let mut named = place.folder.iter().chain(&place.roster);
        if let Some(path) = named.find(|path| !path.exists()) {
            return Err(Error::usage(format!("there is no {}", path.display())));
        }
        Ok(place)
    }

    /// The command that grades one submission, without its index.
    fn words(&self, class: &Class) -> Result<Vec<String>, Error> {
        let mut words = vec![text(&course::judge::this_program()?)?, "class".into(), class.lab.name.into()];
        words.extend(self.folder.as_deref().map(text).transpose()?);
        if let Some(roster) = &self.roster {
            words.extend(["--roster".into(), text(roster)?]);
        }
        words.extend(["--out".into(), text(&self.out)?]);
        words.extend(class.again.iter().flat_map(|part| ["--regrade".to_string(), part.clone()]));
        Ok(words)
    }
}

fn text(path: &Path) -> Result<String, Error> {
    let text = path.to_str().map(str::to_owned);
    text.ok_or_else(|| Error::usage(format!("the name of {} is not UTF-8: rename it", path.display())))
}

fn class(matches: &ArgMatches, place: &ClassPaths) -> Result<Class, Error> {
    let lab = labs::named(matches)?;
    let device = matches.get_one::<DeviceChoice>("device");
    match device {
        Some(DeviceChoice::Auto) => {
            return Err(Error::usage("marks must not depend on the computer: name cuda:N or emulated[:PROFILE]"));
        }
        Some(DeviceChoice::Emulated(profile)) => harness::check_profile(profile)?,
        Some(DeviceChoice::Cuda(_)) | None => {}
    }
    let count = |id: &str| matches.get_one::<usize>(id).map(|count| *count as u64);
    let asked = settings::RequestedSettings {
        seed: matches.get_one("seed").copied(),
        schedules: matches.get_one("schedules").copied(),
        device: device.map(ToString::to_string),
        limit_seconds: count("limit-seconds"),
        limit_memory: count("limit-memory"),
        limit_output: count("limit-output"),
        limit_total: count("limit-total"),
    };
    let Roster { entries, strays } = roster::entries(place.folder.as_deref(), place.roster.as_deref(), &place.out)?;
    if !strays.is_empty() && !matches.contains_id("only") {
        let what = "no submission, which is a folder, a .cu file or an archive";
        harness::print_error(&format!("warning: skipped, since it is {what}: {}", strays.join(", ")));
    }
    let settings = settings::ClassSettings::read_or_create(&place.out, lab, &asked)?;
    let rubric = settings::rubric(&place.out, lab, matches.get_one::<PathBuf>("rubric").map(PathBuf::as_path))?;
    let again: Vec<String> = matches.get_many("regrade").map(|all| all.cloned().collect()).unwrap_or_default();
    let parts: Vec<&str> = rubric.exercises.iter().map(|part| part.name.as_str()).collect();
    if let Some(unknown) = again.iter().find(|name| !parts.contains(&name.as_str())) {
        return Err(Error::usage(format!("there is no part `{unknown}`; {}", suggest::among(unknown, &parts))));
    }
    let version = format!("{} {}", env!("CARGO_PKG_VERSION"), env!("WARPLAB_REVISION"));
    Ok(Class { lab, entries, settings, rubric, store: Store::open(&place.out)?, version, again })
}

/// The number of progress lines in a log, where a line cannot be overwritten.
const LINES: usize = 20;

/// Shows the progress to a waiting user; the last call clears the line of a terminal.
fn progress(done: usize, all: usize) {
    let mut error = std::io::stderr();
    let words = format!("{done} of {all} submissions are graded");
    let _ = match (error.is_terminal(), done < all) {
        (true, true) => write!(error, "\r{words}"),
        (true, false) => write!(error, "\r{:50}\r", ""),
        // In equal steps; the last is always shown.
        (false, _) if done * LINES / all > (done - 1) * LINES / all => writeln!(error, "{words}"),
        (false, _) => Ok(()),
    };
}
