//! `warplab`: one command for all the CUDA labs.
//!
//! The exit statuses are those of [`harness::Exit`].

mod author;
mod labs;
mod overview;
mod programs;
mod run;
mod setup;
mod shared;
mod student;
mod teacher;

use std::{ffi::OsString, process::ExitCode};

use clap::Command;
use harness::Exit;

use author::{check_run, figures, new_lab, ptx};
use programs::{
    exec::{self, driver},
    nvcc, toolkit,
};
use run::{compare, device, history, lab_run, list, report};
use setup::complete;
use student::{check, start, submit};
use teacher::{class, grade, rubric};

const ABOUT: &str = "CUDA labs that run on an NVIDIA GPU, or without one on an embedded SIMT machine";

fn main() -> ExitCode {
    // A program that the user runs needs the user's own path.
    if std::env::args_os().nth(1).is_none_or(|command| command != "exec") {
        kernels::program::look_for_libraries_from_the_root();
    }
    let mut process = harness::process();
    toolkit::yield_to_real(&process.arguments);
    process.arguments = toolkit::with_subcommand(process.arguments);
    harness::built_from(env!("WARPLAB_REVISION"));
    let argv = &process.arguments;
    let matches = command(argv).get_matches_from(argv);
    let result = match matches.subcommand() {
        Some(("list", m)) => list::run(m),
        Some(("device", m)) => device::run(m),
        Some(("grade", m)) => grade::run(m),
        Some(("class", m)) => class::run(m),
        Some(("start", m)) => start::run(m),
        Some(("setup", m)) => setup::run(m),
        Some(("check", m)) => check::run(m),
        Some(("check-run", m)) => check_run::run(m),
        Some(("submit", m)) => submit::run(m),
        Some(("rubric", m)) => rubric::run(m),
        Some(("report", m)) => report::run(m),
        Some(("compare", m)) => compare::run(m),
        Some(("history", m)) => history::run(m),
        Some(("ptx", m)) => ptx::run(m),
        Some(("nvcc", m)) => toolkit::nvcc::run(m),
        Some(("compute-sanitizer", m)) => toolkit::compute_sanitizer::run(m),
        Some(("nvidia-smi", m)) => toolkit::nvidia_smi::run(m),
        Some(("ncu", m)) => toolkit::ncu::run(m),
        Some(("nsys", m)) => toolkit::nsys::run(m),
        Some(("nvprof", m)) => toolkit::nvprof::run(m),
        Some(("cuda-gdb", m)) => toolkit::cuda_gdb::run(m),
        Some(("shell", m)) => toolkit::shell::run(m),
        Some(("env", m)) => toolkit::environment::run(m),
        Some(("exec", m)) => exec::run(m),
        Some(("driver", m)) => driver::run(m),
        Some(("figures", m)) => figures::run(m),
        Some(("new-lab", m)) => new_lab::run(m),
        Some(("completions", m)) => Ok(complete::completions(m, command(&[]))),
        Some(("man", m)) => complete::man(m, command(&[])),
        Some(("run", m)) => lab_run::run(m, process.clone()),
        _ => unreachable!("clap asks for a subcommand"),
    };
    harness::ended(result)
}

/// The command line. `run` takes the options of the lab that `argv` names, if it names exactly one.
fn command(argv: &[OsString]) -> Command {
    let command = Command::new("warplab")
        .about(ABOUT)
        .version(env!("CARGO_PKG_VERSION"))
        .max_term_width(160)
        .subcommand_required(true)
        .arg_required_else_help(true)
        .subcommand(list::command())
        .subcommand(device::command())
        .subcommand(lab_run::command(argv))
        .subcommand(grade::command())
        .subcommand(class::command())
        .subcommand(setup::command())
        .subcommand(start::command())
        .subcommand(check::command())
        .subcommand(check_run::command())
        .subcommand(submit::command())
        .subcommand(rubric::command())
        .subcommand(report::command())
        .subcommand(compare::command())
        .subcommand(history::command())
        .subcommand(ptx::command())
        .subcommand(nvcc::command())
        .subcommand(toolkit::compute_sanitizer::command())
        .subcommand(toolkit::nvidia_smi::command())
        .subcommand(toolkit::ncu::command())
        .subcommand(toolkit::nsys::command())
        .subcommand(toolkit::nvprof::command())
        .subcommand(toolkit::cuda_gdb::command())
        .subcommand(toolkit::shell::command())
        .subcommand(toolkit::environment::command())
        .subcommand(exec::command())
        .subcommand(driver::command())
        .subcommand(figures::command())
        .subcommand(new_lab::command())
        .subcommand(complete::completions_command())
        .subcommand(complete::man_command());
    overview::with_overview(command, &harness::paragraphs(&Exit::codes()))
}

#[cfg(test)]
mod tests {
    #[test]
    fn every_command_line_is_well_formed() {
        super::command(&[]).debug_assert();
    }
}
