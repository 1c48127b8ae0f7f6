//! Marks in several output formats.

pub mod classroom;
pub mod file;
pub mod gradescope;
pub mod json;
pub mod junit;
pub(crate) mod mark_text;
pub mod text;

use std::str::FromStr;

use harness::{Error, Result, suggest};

use crate::judge::marks::marked::Marked;
pub use mark_text::laid_out;

/// A format of marks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Format {
    /// A table and reasons, for a teacher at a terminal.
    Text,
    /// Everything that is known, for programs.
    Json,
    /// `JUnit`'s XML, for continuous integration.
    Junit,
    /// Gradescope's `results.json`, for one submission.
    Gradescope,
    /// The result of GitHub Classroom's autograding, for one submission.
    Classroom,
}

impl Format {
    /// Every format, by its name.
    pub const NAMES: [(&'static str, Self); 5] = [
        ("text", Self::Text),
        ("json", Self::Json),
        ("junit", Self::Junit),
        ("gradescope", Self::Gradescope),
        ("classroom", Self::Classroom),
    ];

    /// Whether it shows only a single submission.
    pub fn is_of_one(self) -> bool {
        matches!(self, Self::Gradescope | Self::Classroom)
    }

    /// Formats the marks; `explains` adds how each could be improved.
    ///
    /// # Errors
    /// [`Error::Usage`] when the format shows one submission and there are several; [`Error::CannotRun`] when the marks
    /// cannot be written in it.
    pub fn render(self, all: &[Marked], explains: bool) -> Result<String> {
        match (self, all) {
            (Self::Text, _) => Ok(text::text(all, explains)),
            (Self::Json, _) => Ok(json::json(all)),
            (Self::Junit, _) => {
                junit::junit(all, explains).map_err(|error| Error::CannotRun(format!("JUnit's XML: {error}")))
            }
            (Self::Gradescope, [one]) => Ok(gradescope::results(one, explains)),
            (Self::Classroom, [one]) => Ok(classroom::result(one, explains)),
            _ => Err(Error::usage("this format shows one submission: name only one, or choose text, json or junit")),
        }
    }
}

impl FromStr for Format {
    type Err = String;

    fn from_str(name: &str) -> std::result::Result<Self, String> {
        let names = Self::NAMES.map(|(name, _)| name);
        let known = Self::NAMES.iter().find(|(known, _)| *known == name);
        known.map(|(_, format)| *format).ok_or_else(|| suggest::among(name, &names))
    }
}

#[cfg(test)]
mod sample;
