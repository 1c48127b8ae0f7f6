//! The compiler's messages about a kernel file: each with its place, its source line, and a mark below it.
use std::fmt::Write as _;

use kernels::{KernelSource, Warning};

use crate::assignment::starter::has_line;

/// The most errors or warnings shown; the rest are counted.
const SHOWN: usize = 3;

/// The compiler's indentation of the source lines that it quotes.
const INDENT: usize = 2;

/// A message of the compiler.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Diagnostic {
    /// The file's path, as the user knows it.
    file: String,
    /// The line, from 1.
    line: usize,
    /// The column, from 1, if the compiler marks one.
    column: Option<usize>,
    /// The message, such as `error: identifier "x" is undefined`.
    message: String,
    /// Further lines of the message.
    more: Vec<String>,
}

/// The errors in the compiler's log; empty if none of them has a place.
pub fn errors(log: &str) -> Vec<Diagnostic> {
    diagnostics(log).into_iter().filter(|diagnostic| diagnostic.message.contains("error")).collect()
}

/// The compiler's warnings, without those about lines of `handed_out`.
pub fn warnings(warnings: &[Warning], source: &KernelSource, handed_out: &str) -> Vec<Diagnostic> {
    let is_own = |diagnostic: &Diagnostic| {
        let quoted = diagnostic.quoted(source);
        quoted.is_none_or(|quoted| !has_line(handed_out, quoted))
    };
    warnings.iter().flat_map(|warning| diagnostics(&warning.text)).filter(is_own).collect()
}

/// Formats the first messages with their lines of `source`, and the number of the rest.
pub fn shown(all: &[Diagnostic], source: &KernelSource) -> String {
    let mut each: Vec<String> = all.iter().take(SHOWN).map(|diagnostic| diagnostic.text(source)).collect();
    match all.len().saturating_sub(SHOWN) {
        0 => (),
        1 => each.push("and one more".into()),
        more => each.push(format!("and {more} more")),
    }
    each.join("\n\n")
}

impl Diagnostic {
    /// The source line of the message.
    fn quoted<'a>(&self, source: &'a KernelSource) -> Option<&'a str> {
        source.text(&self.file)?.lines().nth(self.line - 1)
    }

    /// Formats it for a reader: `a.cu:3:9: error: ...`, and the source line with a mark below it.
    fn text(&self, source: &KernelSource) -> String {
        let Self { file, line, column, message, more } = self;
        let place = column.map_or(String::new(), |column| format!(":{column}"));
        let mut text = harness::paragraphs(&format!("{file}:{line}{place}: {message}"));
        for remark in more {
            let _ = write!(text, "\n{}", harness::paragraphs(&format!("  {remark}")));
        }
        if let Some(quoted) = self.quoted(source) {
            let number = line.to_string();
            let margin = " ".repeat(number.len());
            let _ = write!(text, "\n{margin} |\n{number} | {quoted}");
            if let Some(column) = column {
                // A tab stays a tab, which keeps the mark in the right column.
                let before = quoted.chars().take(column - 1).map(|c| if c == '\t' { '\t' } else { ' ' });
                let _ = write!(text, "\n{margin} | {}^", before.collect::<String>());
            }
        }
        text
    }
}

/// All messages in a log that have a place.
fn diagnostics(log: &str) -> Vec<Diagnostic> {
    let mut found: Vec<Diagnostic> = Vec::new();
    let mut lines = log.lines().peekable();
    let mut is_open = false;
    while let Some(line) = lines.next() {
        if let Some(first) = first_line(line) {
            found.push(first);
            is_open = true;
        } else if line.trim().is_empty() {
            is_open = false;
        } else if let Some(last) = found.last_mut().filter(|_| is_open) {
            let mark = lines.next_if(|next| next.trim() == "^");
            match mark {
                // The line quotes the source, and the next one marks a place in it.
                Some(mark) => {
                    last.column = mark.chars().position(|c| c == '^').and_then(|at| (at + 1).checked_sub(INDENT));
                }
                None => last.more.push(line.trim().into()),
            }
        }
    }
    for diagnostic in &mut found {
        diagnostic.column = diagnostic.column.filter(|column| *column > 0);
    }
    found
}

/// Parses `x.cu(3): error: identifier "y" is undefined`, or a warning, or a catastrophic error.
fn first_line(line: &str) -> Option<Diagnostic> {
    let (place, message) = line.split_once("): ")?;
    let (file, number) = place.rsplit_once('(')?;
    let number: usize = number.parse().ok().filter(|number| *number > 0)?;
    let is_message = ["error", "warning", "catastrophic error"].iter().any(|kind| message.starts_with(kind));
    is_message.then(|| Diagnostic {
        file: file.into(),
        line: number,
        column: None,
        message: message.into(),
        more: Vec::new(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn source(cuda: &'static str) -> KernelSource {
        KernelSource {
            name: "a.cu".into(),
            path: "a.cu".into(),
            cuda: cuda.into(),
            ptx: kernels::CommittedPtx::NONE,
            headers: [][..].into(),
        }
    }

    #[test]
    fn an_error_is_shown_at_its_place() {
        let log = "a.cu(2): error: identifier \"m\" is undefined\n  \tz[i] = m;\n  \t       ^\n\n1 error detected in the \
                   compilation of \"a.cu\".\n";
        let all = errors(log);
        assert_eq!(all.len(), 1, "{all:?}");
        let text = shown(&all, &source("{\n\tz[i] = m;\n}\n"));
        assert_eq!(text, "a.cu:2:9: error: identifier \"m\" is undefined\n  |\n2 | \tz[i] = m;\n  | \t       ^");
    }

    #[test]
    fn the_first_errors_are_shown_and_the_rest_counted() {
        let log = [1, 2, 3, 4, 5].map(|n| format!("a.cu({n}): error: bad {n}\n\n")).concat();
        let text = shown(&errors(&log), &source("x\n"));
        assert!(text.starts_with("a.cu:1: error: bad 1\n  |\n1 | x\n\na.cu:2: error: bad 2\n\n"), "{text}");
        assert!(!text.contains("bad 4") && text.ends_with("\n\nand 2 more"), "{text}");
    }

    #[test]
    fn what_else_the_compiler_says_is_kept_and_warnings_are_no_errors() {
        let log = "a.cu(1): error: no instance\n  f(1);\n  ^\n          detected during instantiation of \"f\"\n\n\
                   a.cu(7): warning #177-D: unused\n  int error;\n      ^\n";
        let all = errors(log);
        assert_eq!(all.len(), 1, "{all:?}");
        assert_eq!(
            (all[0].column, &all[0].more[..]),
            (Some(1), &["detected during instantiation of \"f\"".to_string()][..])
        );
        let warning = Warning {
            file: "a.cu".into(),
            line: 7,
            message: "unused".into(),
            number: "177-D".into(),
            text: "a.cu(7): warning #177-D: unused\n  int error;\n      ^".into(),
        };
        let source = source("1\n2\n3\n4\n5\n6\nint x;\n");
        assert_eq!(warnings(std::slice::from_ref(&warning), &source, "int y;")[0].column, Some(5));
        assert_eq!(warnings(&[warning], &source, "int y;\n  int x;"), []);
    }
}
