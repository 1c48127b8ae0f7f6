//! The hints of a rubric. Hints that the lab itself has are left out of a student's folder, where all of them could be
//! read at any time.
use std::ops::Range;

use serde::Deserialize;
use toml::Spanned;

use super::rubric::Rubric;

/// The parts of a rubric that have hints.
#[derive(Deserialize)]
struct Hinted {
    #[serde(default)]
    part: Vec<HintedPart>,
}

#[derive(Deserialize)]
struct HintedPart {
    name: String,
    #[serde(default)]
    hints: Option<Spanned<Vec<String>>>,
}

impl Rubric {
    /// Copies the hints of the same-named part of `own`, the lab's rubric, into each part without hints.
    pub fn take_hints(&mut self, own: &Self) {
        for part in self.exercises.iter_mut().filter(|part| part.hints.is_empty()) {
            part.hints = own.hints(&part.name).to_vec();
        }
    }

    /// Returns `text`, a rubric, without the hints that the lab's own rubric (`self`) also has. A teacher's own hints
    /// stay, since they exist nowhere else.
    pub fn without_own_hints(&self, text: &str) -> String {
        // A text that is not a rubric has no hints to remove.
        let Ok(hinted) = toml::from_str::<Hinted>(text) else {
            return text.into();
        };
        let mut kept = text.to_string();
        for part in hinted.part.iter().rev() {
            if let Some(hints) = part.hints.as_ref().filter(|hints| hints.get_ref() == self.hints(&part.name)) {
                take_out(&mut kept, hints.span());
            }
        }
        kept
    }

    /// The hints of the part `name`; empty if there is no such part.
    fn hints(&self, name: &str) -> &[String] {
        self.exercises.iter().find(|part| part.name == name).map_or(&[], |part| &part.hints)
    }
}

/// Removes the list at `span` from `text`: whole lines if they hold nothing but `hints = [...]`, else the list is
/// emptied.
fn take_out(text: &mut String, span: Range<usize>) {
    let begin = text[..span.start].rfind('\n').map_or(0, |newline| newline + 1);
    let key: String = text[begin..span.start].chars().filter(|c| !c.is_whitespace()).collect();
    let rest = text[span.end..].find('\n').map_or(text.len(), |newline| span.end + newline + 1);
    if key == "hints=" && text[span.end..rest].trim().is_empty() {
        text.replace_range(begin..rest, "");
    } else {
        text.replace_range(span, "[]");
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const OWN: &str = "\
title = \"t\"
kernel = \"k.cu\"

[[part]]
name = \"a\"
variants = [\"v\"]
right = 5
hints = [
    \"first ]\",  # a remark
    \"second\",
]

[[part]]
name = \"b\"
variants = [\"v\"]
right = 5
hints = [\"only\"]
";

    fn rubric(text: &str) -> Rubric {
        toml::from_str(text).unwrap()
    }

    #[test]
    fn the_labs_own_hints_are_taken_out_and_come_back() {
        let own = rubric(OWN);
        let text = own.without_own_hints(OWN);
        let (first, second) = OWN.split_once("hints = [\n").unwrap();
        let second = second.split_once("]\n\n").unwrap().1.replace("hints = [\"only\"]\n", "");
        assert_eq!(text, format!("{first}\n{second}"));
        let mut read = rubric(&text);
        assert!(read.exercises.iter().all(|part| part.hints.is_empty()));
        read.take_hints(&own);
        assert_eq!(read, own);
    }

    #[test]
    fn a_teachers_own_hints_stay() {
        let own = rubric(OWN);
        let changed = OWN.replace("\"second\"", "\"mine\"");
        let text = own.without_own_hints(&changed);
        assert!(text.contains("\"mine\"") && !text.contains("only"), "{text}");
        let mut read = rubric(&text);
        read.take_hints(&own);
        assert_eq!(read, rubric(&changed));
        let inline =
            "title = \"t\"\nkernel = \"k\"\npart = [{ name = \"b\", hints = [\"only\"], right = 1, variants = [] }]";
        assert_eq!(own.without_own_hints(inline), inline.replace("[\"only\"]", "[]"));
        assert_eq!(own.without_own_hints("[[part]"), "[[part]");
    }
}
