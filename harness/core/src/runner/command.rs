//! Commands that run labs: a lab's own program, and `warplab run`.
use std::process::ExitCode;

use clap::ArgMatches;

use crate::{
    device::sandboxed_driver,
    error::{Error, Result},
    exit::Exit,
    export::{
        ending::WritePage,
        layout::paragraphs,
        progress::Progress,
        terminal::{Terminal, print_error},
    },
    lab::declaration::Lab,
    oom,
    plan::{command::command, run_plan::RunPlan, unused_options::Labs},
    process::role::{self, Process},
    runner::{labs::Runner, target::Target},
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

/// Runs `labs` in order with the options in `matches`, and reports; with `--dry-run`, prints what would run. With more
/// than one lab, the labs' own options keep their defaults. `page` is called at the end, unless `--no-report` is given.
pub fn run_labs(labs: Labs<'_>, matches: &ArgMatches, process: Process, page: Option<WritePage>) -> ExitCode {
    oom::install();
    let outcome = oom::check().and_then(|()| run(labs, matches, process, page));
    sandboxed_driver::end();
    match outcome {
        Ok(exit) => exit.into(),
        Err(error) => {
            complain(&error);
            error.exit().into()
        }
    }
}

fn run(labs: Labs<'_>, matches: &ArgMatches, process: Process, page: Option<WritePage>) -> Result<Exit> {
    record::outlive_file_limits();
    let plan = RunPlan::new(labs, matches, &process)?;
    let target = Target::open(&plan, &process)?;
    if plan.options.dry_run {
        let options = &plan.options;
        let terminal = Terminal::new(options.quiet, options.writes_data(), Progress::new(false, 0, 0));
        terminal.say(&format!("{}\n\n{}", paragraphs(&target.session.banner()), plan.text()));
        return Ok(Exit::Passed);
    }
    Runner::open(plan, target, process, page)?.run()
}

/// Prints an error in the common form of all commands.
pub fn complain(error: &Error) {
    print_error(&format!("error: {error}"));
}
