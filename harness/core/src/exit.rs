//! The exit codes of commands, with their descriptions, which the help and the README share.
use std::process::ExitCode;

/// How a command ends, in order: a later value is worse.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
#[repr(u8)]
pub enum Exit {
    /// All passed.
    Passed = 0,
    /// A wrong answer, or a finding.
    Wrong = 1,
    /// The command line or the kernel file is wrong.
    Usage = 2,
    /// The best variant of a case is slower than `--min-percent` allows, or a case is slower than in the baseline run.
    Slow = 3,
    /// The command could not run here.
    CannotRun = 4,
    /// The user pressed Ctrl-C.
    Interrupted = 130,
}

impl Exit {
    /// All endings.
    pub const ALL: [Self; 6] = [Self::Passed, Self::Wrong, Self::Usage, Self::Slow, Self::CannotRun, Self::Interrupted];

    /// The exit code.
    pub const fn code(self) -> u8 {
        self as u8
    }

    /// Returns its meaning, as a phrase.
    pub const fn meaning(self) -> &'static str {
        match self {
            Self::Passed => "all passed",
            Self::Wrong => "a wrong answer or a finding",
            Self::Usage => "the command line or the kernel file is wrong",
            Self::Slow => "slower than `--min-percent` allows, or than before (`compare`)",
            Self::CannotRun => "it could not run here",
            Self::Interrupted => "interrupted",
        }
    }

    /// Returns the exit codes of one command with their meanings there, as a sentence for its help.
    pub fn of_command(each: &[(Self, &str)]) -> String {
        let each: Vec<String> = each.iter().map(|(exit, meaning)| format!("{} {meaning}", exit.code())).collect();
        format!("Exit codes: {}.", each.join(", "))
    }

    /// Returns all exit codes with their meanings, as a sentence for the help and the README.
    pub fn codes() -> String {
        let each = Self::ALL.map(|exit| format!("{} {}", exit.code(), exit.meaning()));
        format!("Exit codes: {}.", each.join(", "))
    }
}

impl From<Exit> for ExitCode {
    fn from(exit: Exit) -> Self {
        exit.code().into()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn codes_are_those_that_scripts_rely_on() {
        assert_eq!(Exit::ALL.map(Exit::code), [0, 1, 2, 3, 4, 130]);
        assert!(Exit::ALL.is_sorted());
        assert!(Exit::codes().contains("3 slower than `--min-percent` allows, or than before (`compare`), 4 it"));
    }
}
