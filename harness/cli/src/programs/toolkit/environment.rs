//! `warplab env`: the settings with which a shell finds the toolkit's commands, and programs find the embedded machine
//! where there is no GPU.
use std::{
    env,
    ffi::{OsStr, OsString},
    path::PathBuf,
    process::ExitCode,
};

use clap::{Arg, ArgAction, ArgMatches, Command, builder::PossibleValuesParser};
use harness::{Device, DeviceChoice, Error};

use super::links;
use crate::programs::{exec, libraries};

const MORE: &str = "\
The commands are this program under other names, first on PATH. Without a GPU, the embedded machine is put on the library
path, so that programs of CUDA run on it without `warplab exec`. With a GPU, commands of a CUDA toolkit that is on PATH are used
in place of these, and programs run on the GPU, unless --emulated is given.

Examples:
  eval \"$(warplab env)\"                then: nvcc hello.cu -o hello && ./hello
  warplab env --shell fish | source";

pub fn command() -> Command {
    with_options(Command::new("env"))
        .about("Print the settings with which a shell finds the toolkit's commands: nvcc and others")
        .arg(
            Arg::new("shell")
                .long("shell")
                .value_name("SHELL")
                .value_parser(PossibleValuesParser::new(["sh", "bash", "zsh", "fish"]))
                .help("The shell that reads the settings [default: fish if $SHELL is fish, else sh]"),
        )
        .after_help(MORE)
}

/// Adds the options of `env` and `shell`.
pub fn with_options(command: Command) -> Command {
    command.arg(
        Arg::new("emulated")
            .long("emulated")
            .action(ArgAction::SetTrue)
            .help("Use the embedded machine and these commands even if there is a GPU"),
    )
}

pub fn run(matches: &ArgMatches) -> Result<ExitCode, Error> {
    let variables = variables(matches.get_flag("emulated"))?;
    let shell = env::var_os("SHELL").unwrap_or_default();
    let is_fish = match matches.get_one::<String>("shell") {
        Some(named) => named == "fish",
        None => PathBuf::from(shell).file_name() == Some(OsStr::new("fish")),
    };
    let lines: Vec<String> = variables.iter().map(|(name, value)| line(name, value, is_fish)).collect();
    harness::print_data(&lines.join("\n"));
    Ok(ExitCode::SUCCESS)
}

/// The variables to set, with their values. The libraries and the links are written.
///
/// # Errors
/// [`Error::CannotRun`] without a cache folder; [`Error::Io`] when it cannot be written.
pub fn variables(emulated: bool) -> Result<Vec<(&'static str, OsString)>, Error> {
    let mut variables = vec![("PATH", first("PATH", &[links::write()?])?)];
    if !emulated && matches!(harness::choose(&DeviceChoice::Auto)?.device, Device::Gpu(_)) {
        return Ok(variables);
    }
    let runtime = libraries::write_for_programs()?;
    let machine = runtime.join(libraries::MACHINE);
    // Linkers look for -lcuda and -lnvidia-ml here, after the folders of a toolkit.
    if let Some(cache) = runtime.parent() {
        let link = libraries::write_for_linkers(cache)?;
        variables.push(("LIBRARY_PATH", first("LIBRARY_PATH", std::slice::from_ref(&link))?));
        variables.push(("CMAKE_LIBRARY_PATH", first("CMAKE_LIBRARY_PATH", &[link])?));
    }
    variables.push(("LD_LIBRARY_PATH", first("LD_LIBRARY_PATH", &[machine.clone(), runtime])?));
    let profile = env::var_os("WARPLAB_PROFILE").filter(|profile| !profile.is_empty());
    variables.push(("WARPLAB_PROFILE", profile.unwrap_or_else(|| harness::DEFAULT_PROFILE.into())));
    variables.extend(exec::variables_of_clients(&machine));
    Ok(variables)
}

/// The value of a variable that lists folders, with these folders first.
fn first(variable: &str, folders: &[PathBuf]) -> Result<OsString, Error> {
    let old = env::var_os(variable).unwrap_or_default();
    let others = env::split_paths(&old).filter(|other| !other.as_os_str().is_empty() && !folders.contains(other));
    env::join_paths(folders.iter().cloned().chain(others))
        .map_err(|error| Error::CannotRun(format!("{variable}: {error}; name another folder by WARPLAB_CACHE")))
}

/// The command that sets a variable.
fn line(name: &str, value: &OsStr, is_fish: bool) -> String {
    let value = value.to_string_lossy();
    if is_fish {
        let quoted = |text: &str| format!("'{}'", text.replace('\\', "\\\\").replace('\'', "\\'"));
        // A list in fish, for the variables whose names end so.
        let is_list = name.ends_with("PATH") && value.contains(':');
        let values: Vec<String> = if is_list { value.split(':').map(quoted).collect() } else { vec![quoted(&value)] };
        return format!("set -gx {name} {}", values.join(" "));
    }
    format!("export {name}='{}'", value.replace('\'', "'\\''"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_are_quoted_for_their_shell() {
        let of = |value: &str, is_fish| line("PATH", OsStr::new(value), is_fish);
        assert_eq!(of("/a b:/it's", false), "export PATH='/a b:/it'\\''s'");
        assert_eq!(of("/a b:/it's", true), "set -gx PATH '/a b' '/it\\'s'");
        assert_eq!(line("X", OsStr::new("a:b"), true), "set -gx X 'a:b'");
    }
}
