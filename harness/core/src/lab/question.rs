//! Questions that arithmetic alone can answer, with their expected answers, as rows that are checked.
use crate::{
    error::Result,
    lab::{case::Case, run::Run},
    measure::check::{Check, Tolerance},
};

/// An answer, expected or obtained.
#[derive(Debug, Clone, PartialEq)]
pub enum Answer {
    /// A number, and how far another may lie from it: half a unit of the last digit that is given.
    Number(f64, f64),
    /// Words, or a number that must be the same text.
    Text(String),
}

impl Answer {
    /// A number that must be met exactly.
    pub fn exactly(number: impl Into<f64>) -> Self {
        Self::Number(number.into(), 0.0)
    }

    /// Words, or anything that prints as them.
    pub fn text(words: impl Into<String>) -> Self {
        Self::Text(words.into())
    }
}

impl std::fmt::Display for Answer {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Number(number, _) => number.fmt(f),
            Self::Text(words) => f.write_str(words),
        }
    }
}

/// A question of a handout: a row under its variant, which passes when the answer computed here is the expected one.
#[derive(Debug, Clone, PartialEq)]
pub struct Question {
    /// The variant that it is about.
    pub variant: &'static str,
    /// What tells its row from the variant's others.
    pub case: String,
    /// The question itself: a whole sentence.
    pub asks: String,
    /// The answer that the text or the key gives.
    pub expected: Answer,
    /// The answer computed here.
    pub obtained: Answer,
}

impl Question {
    /// Whether the answer computed is the one expected.
    pub fn check(&self) -> Check {
        match (&self.obtained, &self.expected) {
            (Answer::Number(obtained, _), Answer::Number(expected, within)) => {
                let tolerance = Tolerance { absolute: *within, relative: 0.0 };
                Check::scalar(&self.case, *obtained, *expected, tolerance)
            }
            (obtained, expected) => Check::equal(&[obtained.to_string()], &[expected.to_string()]),
        }
    }
}

/// A row for each question.
pub(crate) fn run(run: &Run, questions: &[Question]) -> Result<()> {
    for question in questions {
        run.case(Case::new(question.variant).label(question.case.as_str()), |case| {
            case.check(question.check());
            case.set("question", question.asks.as_str());
            case.set("expected", question.expected.to_string());
            case.set("obtained", question.obtained.to_string());
            case.note(format!("expected {}, obtained {}", question.expected, question.obtained));
            Ok(())
        })?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn question(obtained: Answer, expected: Answer) -> Question {
        Question { variant: "v", case: "c".into(), asks: String::new(), expected, obtained }
    }

    #[test]
    fn a_number_passes_within_its_rounding_and_words_to_the_letter() {
        let passes = |obtained, expected| question(obtained, expected).check().passed();
        assert!(passes(Answer::exactly(0.0735294), Answer::Number(0.0735, 0.00005)));
        assert!(!passes(Answer::exactly(0.0736), Answer::Number(0.0735, 0.00005)));
        assert!(!passes(Answer::exactly(f64::NAN), Answer::Number(1.0, 10.0)));
        assert!(passes(Answer::text("50%"), Answer::text("50%")));
        assert!(!passes(Answer::text("51%"), Answer::text("50%")));
    }
}
