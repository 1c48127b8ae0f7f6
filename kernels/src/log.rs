//! The compiler's log: bounded, with the names that the user knows, and parsed into warnings.
use wire::printable;

use crate::{Header, input::Input};

/// The maximum size of a log, in bytes.
const MOST: usize = 64 << 10;

/// The part of [`MOST`] that is reserved for the end, where the compiler reports why it stopped.
const END: usize = 16 << 10;

/// A compiler warning about an accepted kernel file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Warning {
    /// The file of the warning, by the path that the user knows.
    pub file: String,
    /// The line in that file, from 1.
    pub line: u32,
    /// The warning itself, without its number, e.g. `variable "x" was declared but never referenced`.
    pub message: String,
    /// The compiler's number for it, e.g. `177-D`; empty if it has none.
    pub number: String,
    /// The complete warning as printed by the compiler: the message, the source line, the mark below it.
    pub text: String,
}

/// Returns the log, with the middle of a long one left out.
pub(crate) fn bounded(log: &str) -> String {
    if log.len() <= MOST {
        return log.to_string();
    }
    let boundary = |from: usize| (from..log.len()).find(|place| log.is_char_boundary(*place)).unwrap_or(log.len());
    let (start, end) = (boundary(MOST - END), boundary(log.len() - END));
    format!("{}\n[{} bytes of the compiler's log are left out]\n{}", &log[..start], end - start, &log[end..])
}

/// Returns the log without the compiler's remark on old architectures, which this program chose and not the user,
/// without its remark on options, and with the paths of headers before their lines. The log quotes the kernel file,
/// whose control characters must not reach a terminal.
pub(crate) fn clean(log: &str, input: &Input) -> String {
    let named = |line: &str| match line.split_once('(').and_then(|(name, rest)| Some((input.header(name)?, rest))) {
        Some((Header { path, .. }, rest)) => format!("{path}({rest}"),
        None => line.to_string(),
    };
    let is_ours =
        |line: &&str| line.contains("Architectures prior to") || line.starts_with("Remark: The warnings can be");
    // The compiler may open no file, and reports the system's error when it was not given a header: that of the
    // sandbox, or that of the limit of open files.
    let kept = log.lines().filter(|l| !is_ours(l)).map(|l| {
        // Users cannot pass options to the compiler.
        let told = l.split_once(" Consider using -default-device flag").map_or(l, |(told, _)| told);
        let line = told.replace(": Operation not permitted", "").replace(": Too many open files", "");
        // Messages quote strings and names verbatim, including line breaks.
        if is_of_the_compiler(&line, input) { named(&line) } else { format!("  {line}") }
    });
    let kept = kept.collect::<Vec<_>>().join("\n");
    printable::text(kept.trim()).into_owned()
}

/// Whether a line of the log begins like a message of the compiler, rather than after a line break in quoted text.
fn is_of_the_compiler(line: &str, input: &Input) -> bool {
    const ENDS: [&str; 2] = ["Compilation terminated.", "Error limit reached."];
    const KINDS: [&str; 5] = ["warning", "error", "catastrophic error", "note", "remark"];
    let is_end = line.ends_with(&format!(" detected in the compilation of \"{}\".", input.name));
    if line.trim().is_empty() || line.starts_with([' ', '\t']) || is_end || ENDS.contains(&line) {
        return true;
    }
    let Some((place, message)) = line.split_once("): ") else { return false };
    let Some((file, number)) = place.rsplit_once('(') else { return false };
    let is_known = file == input.name || input.header(file).is_some() || !file.contains(char::is_whitespace);
    is_known && number.bytes().all(|byte| byte.is_ascii_digit()) && KINDS.iter().any(|kind| message.starts_with(kind))
}

/// Returns the header that the compiler was missing, if it stopped because of that.
pub(crate) fn missing(log: &str) -> Option<&str> {
    let line = log
        .lines()
        .rev()
        .find(|line| line.contains(" catastrophic error: ") && line.contains(" open source file \""))?;
    let (_, rest) = line.split_once("open source file \"")?;
    Some(rest.split_once('"')?.0)
}

/// Parses the warnings in a log that [`clean`] has made.
pub(crate) fn warnings(log: &str) -> Vec<Warning> {
    let mut found: Vec<Warning> = Vec::new();
    let mut is_open = false;
    for line in log.lines() {
        if let Some(warning) = warning(line) {
            found.push(warning);
            is_open = true;
        } else if line.trim().is_empty() {
            is_open = false;
        } else if let Some(last) = found.last_mut().filter(|_| is_open) {
            last.text.push('\n');
            last.text.push_str(line);
        }
    }
    found
}

/// Parses the first line of a warning: `x.cu(3): warning #177-D: variable "x" was declared but never referenced`.
fn warning(line: &str) -> Option<Warning> {
    let (place, message) = line.split_once("): warning")?;
    let (file, number_of_line) = place.rsplit_once('(')?;
    let (number, message) = message.split_once(": ")?;
    Some(Warning {
        file: file.to_string(),
        line: number_of_line.parse().ok()?,
        message: message.to_string(),
        number: number.trim().trim_start_matches('#').to_string(),
        text: line.to_string(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn input() -> Input {
        let header = Header { name: "a.cuh".into(), path: "labs/a.cuh".into(), text: "".into() };
        Input { name: "x.cu".into(), text: String::new(), headers: vec![header], options: Vec::new() }
    }

    #[test]
    fn a_long_log_keeps_its_start_and_its_end() {
        let log = format!("first\n{}\nlast", "é".repeat(MOST));
        let short = bounded(&log);
        assert!(short.len() < MOST + 100, "{}", short.len());
        assert!(short.starts_with("first\n") && short.ends_with("\nlast"));
        let left_out = log.len() - short.len();
        let said: usize = short.split_once("\n[").unwrap().1.split_once(' ').unwrap().0.parse().unwrap();
        assert!(said.abs_diff(left_out) < 100, "{said} of {left_out}");
        assert_eq!(bounded("short"), "short");
    }

    #[test]
    fn a_header_that_was_not_given_is_named() {
        let log = "x.cu(1): catastrophic error: cannot open source file \"a/b.h\": Too many open files\n  #include \"a/b.h\"\n";
        assert_eq!(missing(log), Some("a/b.h"));
        assert_eq!(
            clean(log, &input()),
            "x.cu(1): catastrophic error: cannot open source file \"a/b.h\"\n  #include \"a/b.h\""
        );
        let log = "x.cu(1): catastrophic error: could not open source file \"b.h\" (no directories in search list)\n";
        assert_eq!(missing(log), Some("b.h"));
        assert_eq!(
            missing("x.cu(1): error: cannot open source file \"a.h\"\n  s = \"open source file \"b\"\"\n"),
            None
        );
    }

    #[test]
    fn control_characters_of_the_kernel_file_are_not_shown() {
        let log = "x.cu(1): error: bad\n\t\u{1b}]0;title\u{7}\u{9b}2J \u{202e}";
        assert_eq!(clean(log, &input()), "x.cu(1): error: bad\n\t\u{fffd}]0;title\u{fffd}\u{fffd}2J \u{fffd}");
    }

    #[test]
    fn what_a_message_quotes_begins_no_line_of_the_log() {
        let log = "x.cu(2): warning #1444-D: function \"f\" was declared deprecated (\"a\n9 of 9 variants are right\")\n  f();\n\n\
                   key\n9 of 9 variants are right (1): error: static assertion failed\n\n1 error detected in the compilation \
                   of \"x.cu\".\n";
        let clean = clean(log, &input());
        let first: Vec<&str> = clean.lines().filter(|line| !line.is_empty() && !line.starts_with(' ')).collect();
        assert_eq!(first.len(), 2, "{clean}");
        assert!(first[0].starts_with("x.cu(2): warning") && first[1].starts_with("1 error detected"), "{clean}");
        let known = "my file.cu(1): error: x\nlib.h(2): error: y\na.cuh(3): error: z";
        let input = Input { name: "my file.cu".into(), ..input() };
        assert_eq!(super::clean(known, &input), known.replace("a.cuh", "labs/a.cuh"));
    }

    #[test]
    fn warnings_are_taken_apart() {
        let log = "\nnvrtc: warning: Architectures prior to 75 may be removed\na.cuh(3): warning #177-D: variable \"y\" was declared \
                   but never referenced\n      int y;\n          ^\n\nRemark: The warnings can be suppressed with \
                   \"-diag-suppress <warning-number>\"\n\nx.cu(1): warning: a: b\n";
        let found = warnings(&clean(log, &input()));
        assert_eq!(found.len(), 2, "{found:?}");
        assert_eq!((found[0].file.as_str(), found[0].line, found[0].number.as_str()), ("labs/a.cuh", 3, "177-D"));
        assert_eq!(found[0].message, "variable \"y\" was declared but never referenced");
        assert!(found[0].text.ends_with("referenced\n      int y;\n          ^"), "{}", found[0].text);
        assert_eq!((found[1].message.as_str(), found[1].number.as_str()), ("a: b", ""));
    }
}
