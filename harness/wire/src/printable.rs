//! Quoting: makes text from a kernel, a file or a file name safe to embed in other text.
//!
//! Such text may contain escape sequences, bidirectional controls, line breaks, Markdown, formulas and workflow
//! commands of CI systems. Each function is for one context; a format with its own rules (JSON, HTML, XML) escapes the
//! rest.
use std::borrow::Cow;

/// Replaces a hidden character, one for one, so that columns stay aligned.
const HIDDEN: char = '\u{fffd}';

/// Whether a character controls a terminal or an editor, or is invisible: control characters, bidirectional marks,
/// zero-width characters, line separators, and tags.
pub fn is_hidden(c: char) -> bool {
    c.is_control()
        || matches!(c,
            '\u{ad}' | '\u{34f}'
            | '\u{61c}' | '\u{115f}' | '\u{1160}' | '\u{17b4}' | '\u{17b5}' | '\u{180b}'..='\u{180f}'
            | '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2060}'..='\u{206f}' | '\u{3164}' | '\u{feff}'
            | '\u{ffa0}' | '\u{fff0}'..='\u{fffb}' | '\u{e0000}'..='\u{e0fff}')
}

/// Sanitizes text of several lines: keeps line breaks and tabs, and replaces all other hidden characters.
pub fn text(text: &str) -> Cow<'_, str> {
    let is_kept = |c: char| !is_hidden(c) || matches!(c, '\n' | '\t');
    if text.chars().all(is_kept) {
        return Cow::Borrowed(text);
    }
    let text = text.replace("\r\n", "\n");
    Cow::Owned(text.chars().map(|c| if is_kept(c) { c } else { HIDDEN }).collect())
}

/// Sanitizes text for one line, such as a name: line breaks and tabs become spaces.
pub fn line(text: &str) -> Cow<'_, str> {
    if !text.chars().any(is_hidden) {
        return Cow::Borrowed(text);
    }
    let text = self::text(text);
    Cow::Owned(text.replace(['\n', '\t'], " "))
}

/// Starts every line of the text with `by`, so that no line can be mistaken for the program's own output.
pub fn quoted(text: &str, by: &str) -> String {
    self::text(text).lines().map(|line| format!("{by}{line}")).collect::<Vec<_>>().join("\n")
}

/// Escapes text for one line of Markdown, so that nothing in it is markup. (A table escapes its own bars.)
pub fn markdown(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for c in line(text).chars() {
        match c {
            '<' => escaped += "&lt;",
            '>' => escaped += "&gt;",
            '&' => escaped += "&amp;",
            // These also begin headings, formulas, strikethrough and images.
            '*' | '_' | '`' | '[' | ']' | '\\' | '#' | '~' | '$' | '!' => {
                escaped.push('\\');
                escaped.push(c);
            }
            '@' => escaped += "&#64;",
            c => escaped.push(c),
        }
    }
    escaped
}

/// Returns text of several lines as a fenced code block in Markdown, whose fence is longer than any run of backticks in
/// the text. Every line begins with `indent`, as in a list.
pub fn fenced(text: &str, indent: &str) -> String {
    let text = self::text(text);
    let longest = text.split(|c| c != '`').map(str::len).max().unwrap_or(0);
    let fence = "`".repeat(longest.max(2) + 1);
    let lines: Vec<String> = text.lines().map(|line| format!("{indent}{line}")).collect();
    format!("{indent}{fence}text\n{}\n{indent}{fence}\n", lines.join("\n"))
}

/// Returns text as a table cell, on one line, that a spreadsheet does not interpret as a formula.
pub fn cell(text: &str) -> String {
    let line = line(text);
    if is_formula(&line) { format!("'{line}") } else { line.into_owned() }
}

/// Whether a spreadsheet would interpret a cell with this text as a formula rather than a number.
pub fn is_formula(text: &str) -> bool {
    // A spreadsheet treats the full-width forms alike.
    let begins = ['=', '+', '-', '@', '\u{ff1d}', '\u{ff0b}', '\u{ff0d}', '\u{ff20}'];
    let text = text.trim_start();
    // A single sign is not a formula.
    text.starts_with(begins) && text.chars().nth(1).is_some() && text.parse::<f64>().is_err()
}

/// Escapes hidden characters and the first letters of workflow commands in JSON, without changing its meaning.
pub fn json(json: &str) -> Cow<'_, str> {
    let is_plain = |c: char| !is_hidden(c) || c == '\n';
    if json.chars().all(is_plain) && !json.contains("##") {
        return Cow::Borrowed(json);
    }
    let mut escaped = String::with_capacity(json.len());
    for c in json.chars() {
        if is_plain(c) {
            escaped.push(c);
        } else {
            let mut units = [0; 2];
            escaped.extend(c.encode_utf16(&mut units).iter().map(|unit| format!("\\u{unit:04x}")));
        }
    }
    Cow::Owned(escaped.replace("##", "#\\u0023"))
}

/// Sanitizes text for a terminal or a log, and keeps its colours: hidden characters are replaced, and no line is a
/// workflow command (`::error::`, `##[error]`, `##vso[...]`).
pub fn shown(text: &str) -> Cow<'_, str> {
    if !text.chars().any(|c| is_hidden(c) && c != '\n') && !text.contains("::") && !text.contains("##") {
        return Cow::Borrowed(text);
    }
    let lines: Vec<String> = text.split('\n').map(|line| without_command(&without_escapes(line))).collect();
    Cow::Owned(lines.join("\n"))
}

/// Removes all escape sequences from a line except those that set colours.
fn without_escapes(line: &str) -> String {
    let mut shown = String::with_capacity(line.len());
    let mut rest = line.strip_suffix('\r').unwrap_or(line);
    while let Some(c) = rest.chars().next() {
        if let Some(colour) = colour(rest) {
            shown += colour;
            rest = &rest[colour.len()..];
            continue;
        }
        shown.push(if is_hidden(c) && c != '\t' { HIDDEN } else { c });
        rest = &rest[c.len_utf8()..];
    }
    shown
}

/// Returns the escape sequence at the start of `text`, if it sets a colour.
fn colour(text: &str) -> Option<&str> {
    let numbers = text.strip_prefix("\u{1b}[")?;
    let end = numbers.find(|c: char| !c.is_ascii_digit() && c != ';')?;
    numbers[end..].starts_with('m').then(|| &text[..end + 3])
}

/// Inserts a backslash into a line that would be a workflow command.
fn without_command(line: &str) -> String {
    let plain = line.trim_start();
    let mut shown = if plain.starts_with("::") {
        format!("{}\\{plain}", &line[..line.len() - plain.len()])
    } else {
        line.to_string()
    };
    let is_command = |rest: &str| rest.trim_start_matches(|c: char| c.is_ascii_alphanumeric()).starts_with('[');
    let mut from = 0;
    while let Some(place) = shown[from..].find("##").map(|place| from + place) {
        from = place + 1;
        if is_command(&shown[place + 2..]) {
            shown.insert(place + 1, '\\');
        }
    }
    shown
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_steers_a_terminal_or_an_editor_is_replaced_and_columns_stay() {
        assert_eq!(text("a\n\tb \u{e9} \u{4e2d}"), "a\n\tb \u{e9} \u{4e2d}");
        let hostile = "\u{1b}[2J\u{9b}1m\u{202e}x\u{2066}y\u{2069}\u{200b}\u{200f}\u{feff}\u{2028}\u{e0041}\u{7f}\0";
        let shown = text(hostile);
        assert!(!shown.chars().any(is_hidden), "{shown:?}");
        assert_eq!(shown.chars().count(), hostile.chars().count());
        assert_eq!(text("a\r\nb\rc"), "a\nb\u{fffd}c");
        assert_eq!(line("a\nb\tc\r\nd"), "a b c d");
    }

    #[test]
    fn every_line_of_a_quoted_text_is_marked() {
        assert_eq!(quoted("a\n9 of 9 variants are right\n", "  | "), "  | a\n  | 9 of 9 variants are right");
    }

    #[test]
    fn nothing_leaves_a_block_of_code() {
        for hostile in ["```\n# pass", "````\n# pass\n````", "a `b` ```````\n```````", ""] {
            let block = fenced(hostile, "  ");
            let fence = block.lines().next().unwrap().trim_start().trim_end_matches("text");
            let closing = block.lines().skip(1).filter(|line| line.trim_start().starts_with(fence)).count();
            assert_eq!(closing, 1, "{block}");
            assert!(block.ends_with(&format!("\n  {fence}\n")), "{block}");
        }
    }

    #[test]
    fn nothing_in_markdown_is_markup() {
        assert_eq!(
            markdown("# a|b\n<i> [x](y) ![z] @all $$"),
            "\\# a|b &lt;i&gt; \\[x\\](y) \\!\\[z\\] &#64;all \\$\\$"
        );
    }

    #[test]
    fn no_cell_is_a_formula() {
        for text in ["=1+1", "+1+1", "-1+1", "@SUM(A1)", "\t=1", "  =1", "\r\n=cmd|' /C calc'!A0", "\u{ff1d}1"] {
            assert!(cell(text).starts_with('\''), "{text:?}: {}", cell(text));
        }
        assert_eq!([cell("Ada, \"Countess\""), cell("a\nb"), cell("-1.5")], ["Ada, \"Countess\"", "a b", "-1.5"]);
    }

    #[test]
    fn json_means_the_same_and_hides_nothing() {
        let text = serde_json::to_string_pretty(&["a\u{202e}b\u{e0041}", "##[error]###", "plain"]).unwrap();
        let escaped = json(&text);
        assert!(!escaped.contains("##") && !escaped.chars().any(|c| is_hidden(c) && c != '\n'), "{escaped}");
        let read = |text: &str| serde_json::from_str::<Vec<String>>(text).unwrap();
        assert_eq!(read(&escaped), read(&text));
        assert!(matches!(json("[\n  1\n]"), Cow::Borrowed(_)));
    }

    #[test]
    fn no_line_that_is_shown_is_a_command_and_colours_stay() {
        for (hostile, plain) in [
            ("::error::x", "\\::error::x"),
            ("a\n  ::stop-commands::t", "a\n  \\::stop-commands::t"),
            ("a ##[error]b ##[group]", "a #\\#[error]b #\\#[group]"),
            ("##vso[task.complete]", "#\\#vso[task.complete]"),
            ("###[error]", "##\\#[error]"),
            ("a::b x##y", "a::b x##y"),
            (
                "\u{1b}[1;31mred\u{1b}[0m\u{1b}[2J\u{1b}]0;t\u{7}",
                "\u{1b}[1;31mred\u{1b}[0m\u{fffd}[2J\u{fffd}]0;t\u{fffd}",
            ),
            ("\u{1b}[999999", "\u{fffd}[999999"),
            ("a\r\n\tb\u{202e}", "a\n\tb\u{fffd}"),
        ] {
            assert_eq!(shown(hostile), plain, "{hostile:?}");
        }
    }
}
