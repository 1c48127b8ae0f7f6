//! Options `--FORMAT[=FILE]` and their output: files are written atomically; `-`, or no name, means standard output.
use std::{
    fs,
    path::{Path, PathBuf},
};

use clap::{Arg, ArgMatches, value_parser};
use harness::Error;
use serde::Serialize;
use wire::printable;

/// An option for each of these formats.
pub fn formats(names: &[&'static str]) -> Vec<Arg> {
    let help = |name: &str| match name {
        "md" => "Write Markdown, for the summary of a CI job, to FILE or to standard output",
        "html" => "Write a page to FILE or to standard output",
        "github" => "Write the newest run for GitHub's benchmark action",
        "bencher" => "Write the newest run for Bencher",
        _ => "Write JSON to FILE or to standard output; reports/schemas has its schema",
    };
    let option = |name: &'static str| {
        Arg::new(name)
            .long(name)
            .value_name("FILE")
            .num_args(0..=1)
            .require_equals(true)
            .default_missing_value("-")
            .value_parser(value_parser!(PathBuf))
            .help(help(name))
    };
    names.iter().map(|name| option(name)).collect()
}

/// Writes the requested formats, and returns whether there were any.
///
/// # Errors
/// [`Error::Usage`] when two go to standard output, [`Error::Io`].
pub fn write(matches: &ArgMatches, names: &[&str], text: impl Fn(&str) -> String) -> Result<bool, Error> {
    let asked: Vec<(&str, &PathBuf)> =
        names.iter().filter_map(|name| Some((*name, matches.get_one::<PathBuf>(name)?))).collect();
    if asked.iter().filter(|(_, path)| *path == Path::new("-")).count() > 1 {
        return Err(Error::usage("only one format can go to standard output: give the others a file, as --md=FILE"));
    }
    for (name, path) in &asked {
        let text = text(name);
        if *path == Path::new("-") {
            harness::print_data(text.trim_end());
        } else {
            to_file(path, &text)?;
        }
    }
    Ok(!asked.is_empty())
}

/// The JSON of a value, ending in a line break.
pub fn json(value: &impl Serialize) -> String {
    let json = serde_json::to_string_pretty(value).expect("strings and numbers have a JSON");
    printable::json(&json).into_owned() + "\n"
}

/// Writes the file atomically: a reader sees the old text or the new.
///
/// # Errors
/// [`Error::Io`].
pub fn to_file(path: &Path, text: &str) -> Result<(), Error> {
    // A device or a pipe is written to, and not replaced.
    if fs::symlink_metadata(path).is_ok_and(|found| !found.is_file() && !found.is_dir()) {
        let fail = |source| Error::Io { action: "write", path: path.into(), source };
        return fs::write(path, text).map_err(fail);
    }
    harness::write_whole(path, text.as_bytes())
}

/// Writes the file atomically, unless it has these contents: other processes may be using it.
///
/// # Errors
/// [`Error::Io`].
pub fn update(path: &Path, contents: &[u8]) -> Result<(), Error> {
    match fs::read(path) {
        Ok(there) if there == contents => Ok(()),
        _ => harness::write_whole(path, contents),
    }
}
