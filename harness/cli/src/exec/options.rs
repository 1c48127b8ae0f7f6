//! Detects an unknown option in the position of the program. The command line takes any argument with a leading dash as
//! the program, because the program's own options follow it.
use std::ffi::OsStr;

use clap::Command;
use harness::{Error, suggest};

/// # Errors
/// [`Error::Usage`] when the program's name is not a program, but looks like an option.
pub fn check(program: &OsStr, command: &Command) -> Result<(), Error> {
    let word = program.to_string_lossy();
    if !word.starts_with('-') || program.is_empty() {
        return Ok(());
    }
    let name = word.split('=').next().unwrap_or_default();
    let known: Vec<String> = command.get_arguments().filter_map(|arg| Some(format!("--{}", arg.get_long()?))).collect();
    let known: Vec<&str> = known.iter().map(String::as_str).collect();
    Err(Error::usage(format!(
        "{} has no option {name}; {}. Options of the program go after its name",
        command.get_name(),
        suggest::among(name, &known)
    )))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_option_that_does_not_exist_names_the_nearest() {
        let command = super::super::command();
        let said = |word: &str| check(OsStr::new(word), &command).map_err(|error| error.to_string());
        assert_eq!(said("./program"), Ok(()));
        assert!(said("--chek").unwrap_err().contains("no option --chek; did you mean `--check`?"));
        assert!(said("--profile=h100").unwrap_err().contains("no option --profile;"));
        assert!(said("-c").unwrap_err().contains("Options of the program go after its name"));
    }
}
