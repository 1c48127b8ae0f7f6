//! `warplab ptx`: recompiles the committed PTX of every lab, or checks it.
use std::{
    path::{Path, PathBuf},
    process::ExitCode,
};

use clap::{Arg, ArgAction, ArgMatches, Command};
use harness::{Error, suggest};
use kernels::{CommittedPtx, Outcome};

use super::checkout;

pub fn command() -> Command {
    Command::new("ptx")
        .about("Compile every lab's .cu to the PTX committed next to it (inside a checkout; needs NVRTC)")
        .arg(Arg::new("labs").value_name("LAB").action(ArgAction::Append).help("Only these labs"))
        .arg(
            Arg::new("check")
                .long("check")
                .action(ArgAction::SetTrue)
                .help("Write nothing; fail if a committed PTX does not match its source"),
        )
        .arg(Arg::new("quiet").long("quiet").short('q').action(ArgAction::SetTrue).help("Print only what is wrong"))
}

pub fn run(matches: &ArgMatches) -> Result<ExitCode, Error> {
    let check = matches.get_flag("check");
    let quiet = matches.get_flag("quiet");
    let root = checkout::root()?;
    let nvrtc = kernels::nvrtc()?;
    let mut stale = 0;
    let mut uncompiled = None;
    for folder in folders(&root, matches)? {
        for source in kernels::sources_in(&folder, &root)? {
            let outcome = match nvrtc {
                _ if check => kernels::check(nvrtc, &source)?,
                Some(nvrtc) => kernels::generate(nvrtc, &source, &root.join(source.path.as_ref()))?,
                None => {
                    return Err(kernels::Error::NoCompiler { file: source.path.to_string() }.into());
                }
            };
            let words = match &outcome {
                Outcome::Current => "matches its source".to_string(),
                Outcome::CurrentByHash { made_by } => {
                    uncompiled = Some(made_by.clone());
                    format!("is from this source (made by {made_by})")
                }
                Outcome::Written => "written".to_string(),
                Outcome::Stale(why) => {
                    stale += 1;
                    format!("STALE: {why}")
                }
            };
            if !quiet || matches!(outcome, Outcome::Stale(_)) {
                harness::print(&format!("{}: {words}", CommittedPtx::file(Path::new(source.path.as_ref())).display()));
            }
        }
    }
    if let Some(made_by) = uncompiled.filter(|_| !quiet) {
        let here = nvrtc.map_or_else(|| "no NVRTC".to_string(), |n| format!("NVRTC {}", n.version()));
        harness::print(&format!(
            "Compared by the source's hash only: {made_by} made the PTX, and this computer has {here}."
        ));
    }
    if stale == 0 {
        return Ok(ExitCode::SUCCESS);
    }
    harness::print_error(&format!(
        "error: {stale} committed PTX file{} match the source; run `warplab ptx` with NVRTC",
        if stale == 1 { " does not" } else { "s do not" }
    ));
    Ok(ExitCode::FAILURE)
}

/// The kernel folders of the requested labs, or of all labs, and those of their tests.
fn folders(root: &Path, matches: &ArgMatches) -> Result<Vec<PathBuf>, Error> {
    let labs = root.join("labs");
    let read = |source| Error::Io { action: "read", path: labs.clone(), source };
    let mut all = Vec::new();
    for entry in std::fs::read_dir(&labs).map_err(read)? {
        let entry = entry.map_err(read)?;
        if entry.path().join("kernels").is_dir() {
            all.push(entry.file_name().to_string_lossy().into_owned());
        }
    }
    all.sort();
    let known: Vec<&str> = all.iter().map(String::as_str).collect();
    let asked: Vec<&str> =
        matches.get_many::<String>("labs").map(|l| l.map(String::as_str).collect()).unwrap_or_default();
    if let Some(unknown) = asked.iter().find(|l| !known.contains(l)) {
        return Err(Error::usage(format!("no lab `{unknown}` with kernels; {}", suggest::among(unknown, &known))));
    }
    let mut folders = Vec::new();
    if asked.is_empty() {
        folders.extend(problems(root)?);
    }
    let chosen = if asked.is_empty() { known } else { asked };
    for lab in chosen {
        folders.push(labs.join(lab).join("kernels"));
        // Files that replace the lab's own in its tests.
        folders.extend(Some(labs.join(lab).join("tests/fixed")).filter(|folder| folder.is_dir()));
    }
    Ok(folders)
}

/// The folders of the example problems of `warplab judge`.
fn problems(root: &Path) -> Result<Vec<PathBuf>, Error> {
    let all = root.join("harness/cli/problems");
    let read = |source| Error::Io { action: "read", path: all.clone(), source };
    let entries = std::fs::read_dir(&all).map_err(read)?;
    let mut folders = entries.map(|entry| Ok(entry.map_err(read)?.path())).collect::<Result<Vec<_>, Error>>()?;
    folders.sort();
    Ok(folders)
}
