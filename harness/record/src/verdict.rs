//! The result of a case, and what was expected of it.
use serde::{Deserialize, Serialize};

/// The result of a case.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Verdict {
    /// Right, or wrong as expected.
    Pass,
    /// A wrong answer or an error; also the initial value, before a case has run.
    #[default]
    Fail,
    /// A check of the machine found a bug.
    Finding,
    /// It could not run here; the note says why.
    Skip,
}

impl Verdict {
    /// All verdicts.
    pub const ALL: [Self; 4] = [Self::Pass, Self::Fail, Self::Finding, Self::Skip];

    /// Returns the word in the CSV.
    pub const fn word(self) -> &'static str {
        match self {
            Self::Pass => "pass",
            Self::Fail => "fail",
            Self::Finding => "finding",
            Self::Skip => "skip",
        }
    }

    /// Returns the verdict of this word.
    pub(crate) fn named(word: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|verdict| verdict.word() == word)
    }
}

/// What a case should show.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Expectation {
    /// The right answer.
    #[default]
    Right,
    /// A mistake: the variant is wrong on purpose.
    Wrong {
        /// The mistake, as a phrase.
        mistake: String,
        /// Whether it showed, in the answer or as a finding. Luck can hide a race. `None` if the case did not run.
        showed: Option<bool>,
    },
}

impl Expectation {
    /// Whether the variant is wrong on purpose.
    pub fn is_wrong(&self) -> bool {
        matches!(self, Self::Wrong { .. })
    }

    /// Returns the mistake of a variant that is wrong on purpose.
    pub fn mistake(&self) -> Option<&str> {
        match self {
            Self::Wrong { mistake, .. } => Some(mistake),
            Self::Right => None,
        }
    }

    /// Whether that mistake showed; `None` if there is none, or the case did not run.
    pub fn showed(&self) -> Option<bool> {
        match self {
            Self::Wrong { showed, .. } => *showed,
            Self::Right => None,
        }
    }

    /// Reads the note of a row of an old run, which had no column for it.
    pub(crate) fn from_note(note: &str) -> Self {
        let Some(rest) = note.strip_prefix("wrong on purpose (") else { return Self::Right };
        // A reason may have parentheses of its own.
        let (mistake, seen) = rest.split_once("): ").unwrap_or((rest.trim_end_matches(')'), ""));
        Self::Wrong { mistake: mistake.into(), showed: Some(!seen.starts_with("right by luck")) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_note_of_an_old_run_says_what_was_wrong_on_purpose() {
        let wrong = |mistake: &str, showed| Expectation::Wrong { mistake: mistake.into(), showed: Some(showed) };
        for (note, expectation) in [
            ("wrong on purpose (no barrier): 7 of 9 wrong", wrong("no barrier", true)),
            ("wrong on purpose (no `f()` at all): right by luck in this run", wrong("no `f()` at all", false)),
            ("wrong on purpose (a race)", wrong("a race", true)),
            ("7 of 9 wrong, and not wrong on purpose (x): y", Expectation::Right),
            ("", Expectation::Right),
        ] {
            assert_eq!(Expectation::from_note(note), expectation, "{note}");
        }
    }
}
