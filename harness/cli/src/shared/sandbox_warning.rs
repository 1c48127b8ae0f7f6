//! Decides whether submissions may be graded on this computer.
use clap::{Arg, ArgMatches};
use harness::{
    Error,
    arguments::switch,
    sandbox::{Protection, missing},
};

/// The option that grades without a complete sandbox.
const OPTION: &str = "trust-submissions";

/// The option that grades without a complete sandbox.
pub fn argument() -> Arg {
    switch(
        OPTION,
        "Grade where the sandbox is not complete. A kernel that breaks out of its machine can then read and change what \
         you can: use it for submissions that you trust, or in a container or virtual machine that holds nothing else",
    )
}

/// Refuses to grade if the sandbox for submissions is incomplete; returns a warning instead if the user trusts them.
///
/// # Errors
/// [`Error::CannotRun`] with what is missing.
pub fn check(matches: &ArgMatches) -> Result<Option<String>, Error> {
    decide(&missing(), matches.get_flag(OPTION))
}

/// Prints the warning of [`check`].
pub fn warn(warning: Option<String>) {
    if let Some(warning) = warning {
        harness::print_error(&warning);
    }
}

/// The option for the processes that this one starts.
pub fn passed_on(matches: &ArgMatches) -> Option<String> {
    matches.get_flag(OPTION).then(|| format!("--{OPTION}"))
}

/// The warning for a user who trusts the submissions, if something is missing.
fn decide(missing: &[Protection], is_trusted: bool) -> Result<Option<String>, Error> {
    if missing.is_empty() {
        return Ok(None);
    }
    let names: Vec<String> = missing.iter().map(ToString::to_string).collect();
    let what = format!("this system lacks {}", names.join(", and "));
    if is_trusted {
        return Ok(Some(format!(
            "warning: {what}; a kernel that breaks out of its machine is not stopped (`Trust` in \
             harness/course/README.md says what follows)"
        )));
    }
    Err(Error::CannotRun(format!(
        "submissions cannot be graded safely here: {what}. Grade on another computer, or with --{OPTION} if a \
         submission may do what you can do here"
    )))
}

#[cfg(test)]
mod tests {
    use harness::{Error, Exit};

    use super::{Protection, decide};

    #[test]
    fn a_complete_sandbox_needs_no_trust() {
        for is_trusted in [false, true] {
            assert_eq!(decide(&[], is_trusted).unwrap(), None);
        }
    }

    #[test]
    fn without_one_only_trusted_submissions_are_graded() {
        for missing in
            [&[Protection::Landlock][..], &[Protection::Seccomp], &[Protection::Landlock, Protection::Seccomp]]
        {
            let refused: Error = decide(missing, false).unwrap_err();
            assert_eq!(refused.exit(), Exit::CannotRun);
            let warning = decide(missing, true).unwrap().unwrap();
            for words in [refused.to_string(), warning] {
                for protection in missing {
                    assert!(words.contains(&protection.to_string()), "{words}");
                }
            }
            assert!(refused.to_string().contains("--trust-submissions"), "{refused}");
        }
    }
}
