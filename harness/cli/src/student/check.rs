//! `warplab check`: help in a student's folder.
use std::{
    io::{IsTerminal, Write},
    path::{Path, PathBuf},
    process::ExitCode,
};

use clap::{Arg, ArgMatches, Command};
use course::student::{
    check::{RequestedExercises, Workspace, state},
    folder::Folder,
    watch::{Happened, Watch},
};
use harness::{Error, Exit, arguments::switch};

use super::show_failing;
use crate::labs;

const EXAMPLES: &str = "\
Examples:
  warplab check              the first exercise that is not right, in the folder that you are in
  warplab check --show       and a page that steps through the case that fails
  warplab check --hint       and the next hint for it, or what bounds the speed of what is right
  warplab check --watch      and again after each save";

const CODES: [(Exit, &str); 5] = [
    (Exit::Passed, "every exercise that was tried is right"),
    (Exit::Wrong, "an exercise is not right"),
    (Exit::Usage, "the kernel file does not compile, or the command line or course.toml is wrong"),
    (Exit::CannotRun, "an exercise could not be judged here"),
    (Exit::Interrupted, "interrupted"),
];

pub fn command() -> Command {
    Command::new("check")
        .about("Compile and run your kernels, and say what is wrong and what to do next")
        .after_help(format!("{EXAMPLES}\n\n{}", harness::paragraphs(&Exit::of_command(&CODES))))
        .arg(super::folder())
        .arg(
            Arg::new("exercise")
                .long("exercise")
                .alias("part")
                .value_name("NAME")
                .help("Only this exercise [default: the first exercise that is not right]"),
        )
        .arg(switch("all", "Every exercise").conflicts_with("exercise"))
        .arg(
            switch(
                "hint",
                "The next hint for the exercise that is not right; for an exercise with right answers, \
                 its predicted time on an H200, what bounds that and on which line",
            )
            .conflicts_with_all(["all", "watch"]),
        )
        .arg(
            switch(
                "show",
                "Record the case that fails, and write check.html, which steps through it in your own kernel from the \
                 finding on",
            )
            .conflicts_with("watch"),
        )
        .arg(switch(
            "watch",
            "Again whenever the kernel file, a header of yours or course.toml is saved; Ctrl-C ends it",
        ))
}

pub fn run(matches: &ArgMatches) -> Result<ExitCode, Error> {
    let folder: &Path = matches.get_one::<PathBuf>("folder").expect("has a default");
    let asked = match matches.get_one::<String>("exercise") {
        Some(name) => RequestedExercises::Named(name.clone()),
        None if matches.get_flag("all") => RequestedExercises::Every,
        None => RequestedExercises::First,
    };
    if matches.get_flag("watch") {
        return watch(folder, &asked);
    }
    let workspace = open(folder)?;
    let checked = workspace.check(&asked, &progress)?;
    if matches.get_flag("hint") {
        harness::print(&workspace.hint(&checked)?);
        if let Some(speed) = workspace.performance_hints(&checked) {
            harness::print(&format!("\n{speed}"));
        }
    } else {
        harness::print(&workspace.words(&checked, false));
    }
    if matches.get_flag("show") {
        harness::print(&format!("\n{}", show_failing::show(&workspace, &checked)?));
    }
    Ok(checked.exit().into())
}

fn open(folder: &Path) -> Result<Workspace, Error> {
    Workspace::open(labs::of_folder(&Folder::read(folder)?, folder)?, folder)
}

/// Checks after every save, until Ctrl-C.
fn watch(folder: &Path, asked: &RequestedExercises) -> Result<ExitCode, Error> {
    // A folder that is not a student's folder now will not become one.
    let kernel = folder.join(Folder::read(folder)?.kernel);
    let watch = Watch::start(folder)?;
    // A second handler in one process would be an error, but this is the only one.
    let _ = ctrlc::set_handler(watch.stopper());
    let now = || state(folder, &kernel);
    loop {
        let before = now();
        clear();
        let shown = open(folder).and_then(|workspace| {
            let checked = workspace.check(asked, &progress)?;
            Ok(workspace.words(&checked, true))
        });
        match shown {
            Ok(words) => harness::print(&words),
            Err(Error::Interrupted) => return Ok(Exit::Interrupted.into()),
            // Saving a file cannot fix a missing compiler or a full disk.
            Err(error) if error.exit() != Exit::Usage => return Err(error),
            Err(error) => harness::print(&format!("{error}\n\nNext: fix it, and save it.")),
        }
        harness::print("\nWaiting for the next save; Ctrl-C ends it.");
        if watch.wait(before.as_ref(), now) == Happened::Stopped {
            return Ok(Exit::Interrupted.into());
        }
    }
}

/// Clears the screen of a terminal.
fn clear() {
    let mut out = std::io::stdout();
    if out.is_terminal() {
        let _ = write!(out, "\x1b[2J\x1b[H");
        let _ = out.flush();
    }
}

/// Shows a waiting user how many exercises were tried; the line is erased at the end.
fn progress(done: usize, all: usize) {
    let mut error = std::io::stderr();
    if error.is_terminal() {
        let _ = if done < all {
            write!(error, "\rtried {done} of {all} exercises")
        } else {
            write!(error, "\r{:40}\r", "")
        };
    }
}
