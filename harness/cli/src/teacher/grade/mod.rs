//! `warplab grade`: submissions marked by a rubric, or a kernel file judged in place of a lab's own.

mod marks;
mod report;
mod task;

use std::{
    collections::BTreeSet,
    io::{IsTerminal, Write},
    process::ExitCode,
};

use clap::ArgMatches;
use course::judge::{
    self,
    grade::{self, Grade},
};
use harness::Error;

use task::GradeRequest;
pub use task::command;

use super::sandbox_warning;

pub fn run(matches: &ArgMatches) -> Result<ExitCode, Error> {
    sandbox_warning::warn(sandbox_warning::check(matches)?);
    if matches.contains_id("submissions") {
        return marks::run(matches, &progress);
    }
    let asked = GradeRequest::read(matches)?;
    let task = &asked.task;
    let judgement = judge::judge(task, &progress)?;
    let grades = &judgement.grades;
    if grades.iter().all(Grade::is_missing) {
        return Err(Error::usage(nothing_to_grade(&asked, grades)));
    }
    let exit = grade::exit(grades, asked.named());
    if matches.get_flag("json") {
        let json = report::as_json(task, &judgement, exit);
        harness::print_json(&json);
    } else {
        harness::print(&report::as_text(task, &judgement));
    }
    let is_there = |variant: &&&str| grades.iter().any(|g| g.variant == **variant && !g.is_missing());
    let absent: Vec<&str> = task.variants.iter().filter(|v| !is_there(v)).copied().collect();
    if asked.names_variants && !absent.is_empty() {
        harness::print_error(&format!("error: not in {}: {}", task.kernel.display(), absent.join(", ")));
    }
    Ok(exit.into())
}

/// Explains why there is nothing to grade, and what could be graded.
fn nothing_to_grade(asked: &GradeRequest, grades: &[Grade]) -> String {
    let task = &asked.task;
    let source = &task.source;
    let file = task.kernel.display();
    let lab = task.lab.name;
    if grades.is_empty() {
        let name = &source.name;
        return if asked.names_variants {
            format!("{file} replaces {name} of lab {lab}, but none of the variants you named uses it")
        } else {
            format!("{file} replaces {name} of lab {lab}, but no default variant that is expected to pass uses it")
        };
    }
    let wanted: BTreeSet<&str> = grades.iter().flat_map(Grade::missing).collect();
    let has = source.kernels();
    if let Some(name) = has.iter().find(|name| wanted.contains(*name)) {
        return format!(
            "kernel `{name}` of {file} cannot be found by its name: declare it extern \"C\" __global__ void {name}(...)"
        );
    }
    let has = if has.is_empty() { "no kernel".to_string() } else { has.join(", ") };
    let wanted = wanted.into_iter().collect::<Vec<_>>().join(", ");
    format!(
        "{file} holds none of the kernels that lab {lab} looks for ({wanted}); it has {has}. \
         Each must be declared extern \"C\" __global__ void NAME(...)"
    )
}

/// Shows the progress to a waiting user; the last call clears the line.
fn progress(done: usize, all: usize) {
    let mut error = std::io::stderr();
    if error.is_terminal() {
        let _ =
            if done < all { write!(error, "\rgrading: {done} of {all} runs") } else { write!(error, "\r{:40}\r", "") };
    }
}
