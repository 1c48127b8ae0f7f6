//! The command line of a lab: its options and variants.
use std::path::Path;

use clap::{Arg, ArgAction, ArgMatches, Args, Command};
use kernels::KernelSource;

use crate::{
    error::{Error, Result},
    exit::Exit,
    export::layout::{paragraphs, wrapped},
    lab::declaration::Lab,
    options::common::Options,
    plan::unused_options::Labs,
    suggest,
};

/// Returns the command line of `lab`: the common options, its own, and a list of its variants.
pub fn command(lab: &'static Lab) -> Command {
    with_options(Command::new(lab.name).about(lab.summary), Some(lab)).after_help(variants_help(lab))
}

/// Returns the lab's variants and the exit codes, for the end of its help.
pub fn variants_help(lab: &Lab) -> String {
    let variants = lab.variants();
    let width = variants.iter().map(|v| v.name.len()).max().unwrap_or(0);
    let lines = variants.iter().map(|v| wrapped(&format!("  {:width$}  {}", v.name, v.summary), width + 4));
    let lines: Vec<String> = lines.collect();
    format!("Variants:\n{}\n\n{}", lines.join("\n"), paragraphs(&Exit::codes()))
}

/// Adds the common options to `command`, and those of `lab` if one is given.
pub fn with_options(command: Command, lab: Option<&'static Lab>) -> Command {
    let about = command.get_about().cloned();
    // The documentation of `Options` would replace that of the command.
    let mut command = Options::augment_args(command).about(about.unwrap_or_default()).max_term_width(160);
    if lab.is_none_or(Lab::has_exercises) {
        command = command.arg(
            Arg::new("exercises")
                .long("exercises")
                .action(ArgAction::SetTrue)
                .conflicts_with("no-exercises")
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
    // If all positional arguments are lab names, the lab's own positional arguments are left out.
    let taken = command.get_positionals().any(|a| matches!(a.get_action(), ArgAction::Append));
    let own = (lab.options)().into_iter().filter(|a| !(taken && a.is_positional()));
    command.next_help_heading("Options of this lab").args(own)
}

/// Rejects a `--variant` that none of the labs has.
pub(crate) fn check_variants(labs: Labs<'_>, options: &Options) -> Result<()> {
    let labs = labs.list();
    let known: Vec<&str> = labs.iter().flat_map(|l| l.variants().into_iter().map(|v| v.name)).collect();
    match options.variants.iter().find(|v| !known.contains(&v.as_str())) {
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

/// Reads `file` under the name of the kernel file of `lab` that it replaces: the lab's only file, the file of the same
/// name, or the file with which it has kernels in common.
///
/// # Errors
/// [`Error::Usage`] when it is ambiguous which file is replaced, [`Error::Kernel`] when it cannot be read.
pub fn replacement(lab: &Lab, file: &Path) -> Result<KernelSource> {
    replacement_or_copy(lab, file, None)
}

/// As [`replacement`], with the text of `copy` if another process of this program has copied it from a pipe.
///
/// # Errors
/// As [`replacement`].
pub(crate) fn replacement_or_copy(lab: &Lab, file: &Path, copy: Option<&Path>) -> Result<KernelSource> {
    let own = file.file_name().unwrap_or_default().to_string_lossy();
    let text = KernelSource::read_or_copy(file, copy, &own)?;
    let common = |k: &&KernelSource| {
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
    Ok(text.in_place_of(replaced))
}

/// Returns the lab's own options: from the command line if it was parsed for this lab, else their defaults.
pub(crate) fn own_args(lab: &'static Lab, labs: &[&'static Lab], matches: &ArgMatches) -> ArgMatches {
    let has = |option: &Arg| option.is_positional() || matches.try_contains_id(option.get_id().as_str()).is_ok();
    if labs.len() == 1 && (lab.options)().iter().all(has) {
        return matches.clone();
    }
    command(lab).no_binary_name(true).try_get_matches_from(Vec::<String>::new()).unwrap_or_else(|_| matches.clone())
}
