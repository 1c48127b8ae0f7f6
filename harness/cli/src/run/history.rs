//! `warplab history`: compares many runs over time.
use std::{path::PathBuf, process::ExitCode};

use ::report::{
    history::{self, History, find, services},
    number_format::{count, short},
    page,
};
use clap::{Arg, ArgMatches, Command, value_parser};
use harness::{Error, paragraphs, print, print_error};
use record::Run;

use super::compare::percent;
use crate::shared::output_options;

const FORMATS: [&str; 4] = ["html", "json", "github", "bencher"];

const AFTER: &str = "\
A time changes where its values before and after differ by at least the threshold, and shuffled values almost never do; \
a counter of the embedded machine changes wherever its value does. --github and --bencher write the newest run as \
customSmallerIsBetter of GitHub's benchmark action, and as Bencher's metric format.";

pub fn command() -> Command {
    Command::new("history")
        .about("Show many runs as a history: the trend of each case, and where it changes")
        .arg(
            Arg::new("folder")
                .value_name("DIR")
                .required(true)
                .value_parser(value_parser!(PathBuf))
                .help("A folder that holds runs, at any depth"),
        )
        .arg(Arg::new("branch").long("branch").value_name("NAME").help("Only the runs of this branch"))
        .arg(percent("threshold", "2", "The least change of a time that counts, in per cent"))
        .args(output_options::formats(&FORMATS))
        .after_help(paragraphs(AFTER))
}

pub fn run(matches: &ArgMatches) -> Result<ExitCode, Error> {
    let folder: &PathBuf = matches.get_one("folder").expect("required");
    let mut found = find::all(folder)?;
    if let Some(branch) = matches.get_one::<String>("branch") {
        found.runs.retain(|run| run.branch() == Some(branch));
        if found.runs.is_empty() {
            return Err(Error::usage(format!("{} holds no run of branch {branch}", folder.display())));
        }
    }
    let newest: &Run = found.runs.last().expect("a folder without runs is an error");
    let threshold = *matches.get_one::<f64>("threshold").expect("it has a default");
    let told = history::history(&found, threshold);
    for remark in &told.remarks {
        print_error(remark);
    }
    let text = |format: &str| match format {
        "github" => output_options::json(&services::github(newest)),
        "bencher" => output_options::json(&services::bencher(newest)),
        "json" => output_options::json(&told),
        _ => page::history(&told),
    };
    if !output_options::write(matches, &FORMATS, text)? {
        print(&terminal(&told));
    }
    Ok(ExitCode::SUCCESS)
}

fn terminal(history: &History) -> String {
    let mut rows = Vec::new();
    for series in history.series.iter().filter(|series| !series.changes.is_empty()) {
        for change in &series.changes {
            let run = &history.runs[change.run];
            let percent =
                change.percent.map_or(String::new(), |p| format!("{}{} %", if p > 0.0 { "+" } else { "" }, short(p)));
            let commit = run.git_commit.as_deref().map_or("", |commit| commit.get(..12).unwrap_or(commit));
            let measure = series.measure.clone();
            rows.push(vec![series.name(), measure, percent, run.started.clone(), commit.into(), run.folder.clone()]);
        }
    }
    let table = match rows.len() {
        0 => String::new(),
        _ => harness::table(&["case", "measure", "change", "from", "commit", "run"], &rows) + "\n\n",
    };
    let (cases, runs) = (count(history.series.len(), "measure"), count(history.runs.len(), "run"));
    format!("{table}{cases} in {runs}: {}.", count(rows.len(), "change"))
}
