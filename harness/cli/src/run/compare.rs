//! `warplab compare`: compares two sides of runs, case by case.
use std::{path::PathBuf, process::ExitCode};

use ::report::{
    compare::{self, Comparison, Thresholds, table},
    history::{baseline, find},
    markdown, page,
};
use clap::{Arg, ArgAction, ArgMatches, Command, value_parser};
use harness::{Error, arguments::switch, paragraphs, print, print_error};
use record::Run;

use crate::shared::output_options;

const AFTER: &str = "\
BASE and NEW are folders that `warplab run ... --out DIR` wrote, or folders that hold several such runs, which then \
count as one side: several runs show how much they vary. On a GPU, times are compared: a case is slower if its time \
has risen by at least the threshold, and if noise alone would raise any case of the comparison that far in fewer \
comparisons than the error rate allows. On the emulated device, counters are compared exactly.

Exit codes: 0 nothing is slower or newly wrong, 1 a case is wrong that was not, or is gone (unless --allow-gone), 2 the \
command line is wrong, 3 a case is slower or costs more, 4 the runs cannot be compared, or no case ran in both.";

pub fn command() -> Command {
    Command::new("compare")
        .about("Compare two runs, case by case: same, faster, slower, unclear, new, gone, wrong")
        .arg(
            Arg::new("runs")
                .value_names(["BASE", "NEW"])
                .required(true)
                .num_args(1..=2)
                .action(ArgAction::Set)
                .value_parser(value_parser!(PathBuf))
                .help("The run to compare with, and the run to compare; NEW alone with --baseline"),
        )
        .arg(Arg::new("baseline").long("baseline").value_name("DIR").value_parser(value_parser!(PathBuf)).help(
            "Compare with the last run in DIR, at any depth, that is older, all right, and of the same device, \
                 settings and branch",
        ))
        .arg(
            Arg::new("branch")
                .long("branch")
                .value_name("NAME")
                .requires("baseline")
                .help("The branch of the baseline [default: that of NEW]"),
        )
        .arg(percent("threshold", "2", "The least change of a time that counts, in per cent"))
        .arg(percent("error-rate", "1", "The chance of a false alarm in any case of a comparison, in per cent"))
        .arg(switch("anyway", "Compare runs even if their device, driver or settings differ"))
        .arg(switch("allow-gone", "Accept cases of the base that are now missing or skipped"))
        .arg(switch("all", "Show the cases that are the same too"))
        .args(output_options::formats(&["md", "json", "html"]))
        .after_help(paragraphs(AFTER))
}

/// An option for a percentage.
pub fn percent(name: &'static str, default: &'static str, help: &'static str) -> Arg {
    let parse = move |text: &str| match text.trim_end_matches('%').parse::<f64>() {
        Ok(percent) if percent > 0.0 && percent < 100.0 => Ok(percent / 100.0),
        _ => Err(format!("`{text}` is not a percentage above 0 and below 100; write one such as {default}")),
    };
    let arg = Arg::new(name).long(name).value_name("PERCENT").default_value(default).value_parser(parse).help(help);
    // A negative number is an invalid value, not another option.
    arg.allow_negative_numbers(true)
}

pub fn run(matches: &ArgMatches) -> Result<ExitCode, Error> {
    let (base, new) = sides(matches)?;
    let share = |name: &str| *matches.get_one::<f64>(name).expect("it has a default");
    let asked = Thresholds { threshold: share("threshold"), error_rate: share("error-rate") };
    let comparison = compare::compare(&base, &new, &asked);
    if !comparison.differ.is_empty() && !matches.get_flag("anyway") {
        return Err(Error::CannotRun(format!(
            "these runs cannot be compared; they differ in {}. Repeat the run under the conditions of the base, or give --anyway",
            comparison.differ.join("; ")
        )));
    }
    let text = |format: &str| match format {
        "md" => markdown::comparison(&comparison),
        "html" => page::comparison(&comparison),
        _ => output_options::json(&comparison),
    };
    if !output_options::write(matches, &["md", "json", "html"], text)? {
        print(&terminal(&comparison, matches.get_flag("all")));
    }
    if comparison.compared == 0 {
        return Err(Error::CannotRun(
            "nothing was compared: no case ran on both sides; compare runs of the same lab, variants and sizes".into(),
        ));
    }
    let gone = comparison.gone();
    let allows_gone = matches.get_flag("allow-gone");
    if gone > 0 && !allows_gone {
        let cases = if gone == 1 { "1 case of the base is".into() } else { format!("{gone} cases of the base are") };
        print_error(&format!("{cases} gone; run what the base ran, or accept it by --allow-gone"));
    }
    Ok(comparison.exit(allows_gone).into())
}

/// The runs of both sides.
fn sides(matches: &ArgMatches) -> Result<(Vec<Run>, Vec<Run>), Error> {
    let folders: Vec<&PathBuf> = matches.get_many("runs").expect("required").collect();
    let branch = matches.get_one::<String>("branch").map(String::as_str);
    match (folders.as_slice(), matches.get_one::<PathBuf>("baseline")) {
        ([base, new], None) => Ok((find::side(base)?, find::side(new)?)),
        ([new], Some(history)) => {
            let new = find::side(new)?;
            let found = find::all(history)?;
            for unread in &found.unread {
                print_error(unread);
            }
            let base = baseline::last_good(found, &new[0], branch)?;
            print_error(&format!("The baseline is {}", base.folder.display()));
            Ok((vec![base], new))
        }
        ([_], None) => Err(Error::usage("name the run to compare with as well: BASE NEW, or --baseline DIR NEW")),
        _ => Err(Error::usage("--baseline picks BASE: name NEW alone")),
    }
}

fn terminal(comparison: &Comparison, all: bool) -> String {
    let cases = table::cases(comparison, all);
    let headings: Vec<&str> = cases.headings.iter().map(String::as_str).collect();
    let rows = if cases.rows.is_empty() { String::new() } else { harness::table(&headings, &cases.rows) + "\n\n" };
    let says = table::says(comparison).iter().map(|sentence| paragraphs(sentence)).collect::<Vec<_>>().join("\n");
    format!("{rows}{says}\n\n{}", table::result(comparison))
}
