//! The command line of a lab, and the running of labs one after another.
use std::{
    cell::RefCell, collections::HashMap, path::Path, process::ExitCode, rc::Rc, sync::Arc,
    time::Instant,
};

use clap::{Arg, ArgAction, ArgMatches, Args, Command, FromArgMatches};
use serde_json::json;

use crate::{
    Error, Lab, Options, Result, Run, Session, Verdict, child,
    folder::Folder,
    interrupt, pace,
    report::Report,
    session_file::SessionFile,
    suggest,
    table::wrapped,
    terminal::{Terminal, print_error},
};

/// Runs `lab` as its own program: parses the command line, opens the device, runs, reports.
///
/// The exit code: 0 all passed, 1 a wrong answer or a finding, 2 usage, 3 slower than allowed, 4 could not
/// run here, 130 interrupted.
pub fn main(lab: &'static Lab) -> ExitCode {
    let matches = command(lab).get_matches();
    run_labs(&[lab], &matches)
}

/// The command line of `lab`: the common options, its own, and what its variants are.
pub fn command(lab: &'static Lab) -> Command {
    with_options(Command::new(lab.name).about(lab.summary), Some(lab))
        .after_help(variants_help(lab))
}

/// The lab's variants, for the end of its help.
pub fn variants_help(lab: &Lab) -> String {
    let width = lab.variants.iter().map(|v| v.name.len()).max().unwrap_or(0);
    let lines = lab
        .variants
        .iter()
        .map(|v| wrapped(&format!("  {:width$}  {}", v.name, v.summary), width + 4));
    format!("Variants:\n{}", lines.collect::<Vec<_>>().join("\n"))
}

/// Adds the common options to `command`, and those of `lab` if one is given.
pub fn with_options(command: Command, lab: Option<&'static Lab>) -> Command {
    let about = command.get_about().cloned();
    // The options' own documentation would take the command's place.
    let mut command = Options::augment_args(command)
        .about(about.unwrap_or_default())
        .max_term_width(100);
    if lab.is_none_or(|l| l.exercises.is_some()) {
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
    // Arguments by position are for the lab's own binary: `warplab run` has the labs' names there.
    let taken = command.get_positionals().next().is_some();
    let own = (lab.args)()
        .into_iter()
        .filter(|a| !(taken && a.is_positional()));
    command.next_help_heading("Options of this lab").args(own)
}

/// Runs `labs` in order with the options in `matches`, and reports. With more than one, a lab's own
/// options stay at their defaults.
pub fn run_labs(labs: &[&'static Lab], matches: &ArgMatches) -> ExitCode {
    match try_run_labs(labs, matches) {
        Ok(code) => ExitCode::from(code),
        Err(error) => {
            complain(&error);
            ExitCode::from(error.exit_code())
        }
    }
}

/// Prints an error the way all of them are printed.
pub fn complain(error: &Error) {
    print_error(&format!("error: {error}"));
}

fn try_run_labs(labs: &[&'static Lab], matches: &ArgMatches) -> Result<u8> {
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
            "--min-percent needs a GPU: an emulated time says nothing about one".into(),
        ));
    }
    interrupt::listen();
    let is_child = child::wanted().is_some();
    let folder = if is_child {
        None
    } else {
        Some(Folder::create(options.out.as_deref(), &slug(&session))?)
    };
    let terminal = Rc::new(if is_child {
        Terminal::silent()
    } else {
        Terminal::new(&options)
    });
    terminal.say(&session.banner());
    if let Some(why) = session.no_nvml().filter(|_| !session.device.is_emulated) {
        terminal.say(why);
    }
    if !session.device.is_emulated
        && (options.counters || options.hot.is_some() || options.schedules.is_some())
    {
        terminal.say(
            "--counters, --hot and --schedules are the emulated device's: on a GPU ask Nsight Compute",
        );
    }
    if !is_child {
        session.measure_ceilings(options.quick)?;
    }
    let session = Arc::new(session);
    let mut file = folder.as_ref().map(SessionFile::open);
    let mut done = Vec::new();
    let mut code = 0;
    for lab in labs {
        if child::wanted().is_some_and(|case| !case.starts_with(&format!("{}/", lab.name))) {
            continue;
        }
        if let Some(file) = &mut file {
            file.write(&session, &options, &done, Some(lab.name))?;
        }
        let started = Instant::now();
        let run = Run {
            lab,
            session: session.clone(),
            options: options.clone(),
            args: own_args(lab, labs, matches),
            report: RefCell::new(Report::start(
                lab,
                folder.as_ref(),
                terminal.clone(),
                &options,
            )?),
            replaced: replaced.clone().filter(|_| labs.len() == 1),
            origins: RefCell::default(),
            modules: RefCell::new(HashMap::new()),
            records: RefCell::new(Vec::new()),
            lost: RefCell::new(None),
        };
        terminal.say(&format!("\n{}: {}", lab.name, lab.summary));
        let flag = |name| {
            let found = matches.try_get_one::<bool>(name).ok().flatten();
            found.is_some_and(|f| *f)
        };
        run.between_cases();
        let experiment = if flag("exercises") {
            Ok(())
        } else {
            (lab.run)(&run)
        };
        let exercises = lab.exercises.filter(|_| !flag("no-exercises"));
        let result =
            experiment.and_then(|()| exercises.map_or(Ok(()), |exercises| exercises(&run)));
        let result = result.and_then(|()| run.leaks());
        terminal.done();
        run.report.borrow().finish();
        let wrong = run
            .records()
            .iter()
            .any(|r| matches!(r.verdict, Verdict::Fail | Verdict::Finding));
        done.push(summary(&run, started, result.as_ref().err()));
        let written = file
            .as_mut()
            .map_or(Ok(()), |file| file.write(&session, &options, &done, None));
        // The lab's own error came first, and is the one to tell.
        if result.is_ok() {
            written?;
        }
        let slow = options
            .min_percent
            .map_or_else(Vec::new, |least| pace::too_slow(&run.records(), least));
        for line in &slow {
            print_error(&format!("too slow: {line}"));
        }
        // The worst has the word: a wrong answer before a slow one.
        code = match (wrong, slow.is_empty()) {
            (true, _) => 1,
            (false, false) if code == 0 => 3,
            _ => code,
        };
        if let Err(error) = result {
            // One lab that cannot run does not keep the others from it; what the user must change does.
            let fatal = labs.len() == 1
                || matches!(
                    error,
                    Error::Interrupted | Error::Usage(_) | Error::Limit { .. } | Error::Io { .. }
                );
            if fatal {
                let nothing = done.iter().all(|d| d["rows"] == 0);
                if !(nothing && folder.as_ref().is_some_and(|f| f.abandon(labs))) {
                    say_where(&terminal, folder.as_ref());
                }
                return Err(error);
            }
            complain(&error);
            code = code.max(error.exit_code());
        }
    }
    say_where(&terminal, folder.as_ref());
    Ok(code)
}

fn say_where(terminal: &Terminal, folder: Option<&Folder>) {
    if let Some(folder) = folder {
        terminal.say(&format!(
            "\nRows and session.json are in {}",
            folder.path().display()
        ));
    }
}

/// Refuses a `--variant` that none of the labs has.
fn check_variants(labs: &[&'static Lab], options: &Options) -> Result<()> {
    let known: Vec<&str> = labs
        .iter()
        .flat_map(|l| l.variants.iter().map(|v| v.name))
        .collect();
    match options
        .variants
        .iter()
        .find(|v| !known.contains(&v.as_str()))
    {
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

/// `file` under the name of the kernel file of `lab` that it replaces: its only one, the one that is called alike, or
/// the one with which it has kernels in common.
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
    Ok(kernels::KernelSource {
        name: replaced.name.clone(),
        ..text
    })
}

/// The lab's own options: from the command line if it is the only lab, else their defaults.
fn own_args(lab: &'static Lab, labs: &[&'static Lab], matches: &ArgMatches) -> ArgMatches {
    if labs.len() == 1 {
        return matches.clone();
    }
    command(lab)
        .no_binary_name(true)
        .try_get_matches_from(Vec::<String>::new())
        .unwrap_or_else(|_| matches.clone())
}

/// The device as a folder's name: `cuda-nvidia-h200`, `emulated-a100`.
fn slug(session: &Session) -> String {
    let device = &session.device;
    let part = if device.is_emulated {
        &device.profile
    } else {
        &device.name
    };
    let clean: String = part
        .to_lowercase()
        .chars()
        .map(|c| if c.is_ascii_alphanumeric() { c } else { '-' })
        .collect();
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
        "ptx": *run.origins.borrow(),
        "error": error.map(ToString::to_string),
    })
}
