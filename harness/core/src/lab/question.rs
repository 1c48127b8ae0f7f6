//! Questions that arithmetic alone can answer, with their expected answers, as checked rows.
use crate::measure::check::{Check, Tolerance};

/// An answer, expected or obtained.
#[derive(Debug, Clone, PartialEq)]
pub enum Answer {
    /// A number and its tolerance: half a unit of the last digit that is given.
    Number(f64, f64),
    /// A text, or a number that must match as text.
    Text(String),
}

impl Answer {
    /// Returns a number that must match exactly.
    pub fn exactly(number: impl Into<f64>) -> Self {
        Self::Number(number.into(), 0.0)
    }

    /// Returns a text, or anything that is displayed as one.
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

/// A question of a handout: a row under its variant, which passes if the answer computed here is the expected one.
#[derive(Debug, Clone, PartialEq)]
pub struct Question {
    /// The variant that it concerns.
    pub variant: &'static str,
    /// Distinguishes its row from the variant's other rows.
    pub case: String,
    /// The question itself: a whole sentence.
    pub asks: String,
    /// The answer in the text or the key.
    pub expected: Answer,
    /// The answer computed here.
    pub obtained: Answer,
}

impl Question {
    /// Whether the computed answer is the expected one.
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
