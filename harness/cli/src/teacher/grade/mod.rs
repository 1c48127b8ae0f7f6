//! `warplab grade`: submissions marked by a rubric, or a kernel file judged in place of a lab's own.

mod marks;
mod report;
mod task;

use std::{collections::BTreeSet, process::ExitCode};

use clap::ArgMatches;
use course::judge::{
    self,
    verdict::{VariantVerdict, exit},
};
use harness::Error;

use task::GradeRequest;
pub use task::command;

use crate::shared::{progress, sandbox_warning};

pub fn run(matches: &ArgMatches) -> Result<ExitCode, Error> {
    sandbox_warning::warn(sandbox_warning::check(matches)?);
    if matches.contains_id("submissions") {
        return marks::run(matches, &progress::runs);
    }
    let asked = GradeRequest::read(matches)?;
    let kernel = asked.runner.kernel();
    let judgement = judge::judge(&asked.judge, &asked.runner, &progress::runs)?;
    let verdicts = &judgement.verdicts;
    if verdicts.iter().all(VariantVerdict::is_missing) {
        return Err(Error::usage(nothing_to_grade(&asked, verdicts)));
    }
    let exit = exit(verdicts, asked.named());
    if matches.get_flag("json") {
        let json = report::as_json(&asked.judge, kernel, &judgement, exit);
        harness::print_json(&json);
    } else {
        harness::print(&report::as_text(&asked.judge, kernel, &judgement));
    }
    let is_there = |variant: &&&str| verdicts.iter().any(|v| v.variant == **variant && !v.is_missing());
    let absent: Vec<&str> = asked.judge.variants.iter().filter(|v| !is_there(v)).copied().collect();
    if asked.names_variants && !absent.is_empty() {
        harness::print_error(&format!("error: not in {}: {}", kernel.display(), absent.join(", ")));
    }
    Ok(exit.into())
}

/// Explains why there is nothing to grade, and what could be graded.
fn nothing_to_grade(asked: &GradeRequest, verdicts: &[VariantVerdict]) -> String {
    let source = asked.runner.source();
    let file = asked.runner.kernel().display();
    let lab = asked.judge.lab.name;
    if verdicts.is_empty() {
        let name = &source.name;
        return if asked.names_variants {
            format!("{file} replaces {name} of lab {lab}, but none of the variants you named uses it")
        } else {
            format!("{file} replaces {name} of lab {lab}, but no default variant that is expected to pass uses it")
        };
    }
    let wanted: BTreeSet<&str> = verdicts.iter().flat_map(VariantVerdict::missing).collect();
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
