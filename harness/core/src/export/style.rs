//! Colours for terminals: the printing code removes them where they do not belong (a pipe, `NO_COLOR`).
use anstyle::{AnsiColor, Style};

const ERROR: Style = AnsiColor::Red.on_default().bold();
const PLACE: Style = AnsiColor::BrightBlue.on_default().bold();
const HELP: Style = AnsiColor::Cyan.on_default().bold();
const STRONG: Style = Style::new().bold();

/// The words of [`crate::Verdict`] and their colours.
const VERDICTS: [(&str, Style); 4] = [
    ("pass", AnsiColor::Green.on_default()),
    ("fail", ERROR),
    ("finding", AnsiColor::Magenta.on_default().bold()),
    ("skip", AnsiColor::Yellow.on_default()),
];

fn painted(text: &str, style: Style) -> String {
    format!("{style}{text}{style:#}")
}

/// Highlights a name.
pub(crate) fn strong(text: &str) -> String {
    painted(text, STRONG)
}

/// Colours a bar of a chart.
pub(crate) fn bar(text: &str) -> String {
    if text.is_empty() { String::new() } else { painted(text, AnsiColor::Cyan.on_default()) }
}

/// Colours a text that the reader should notice.
pub(crate) fn warned(text: &str) -> String {
    painted(text, AnsiColor::Yellow.on_default())
}

/// Colours the verdict in a text with one: `pass`, `3 fail`.
pub(crate) fn verdict(text: &str) -> String {
    let word = text.split(' ').find_map(|word| VERDICTS.into_iter().find(|(verdict, _)| *verdict == word));
    word.map_or_else(|| text.into(), |(word, style)| text.replacen(word, &painted(word, style), 1))
}

/// Colours the first word of a message that begins with `error: ` or `warning: `.
pub(crate) fn message(text: &str) -> String {
    match text.split_once(": ") {
        Some((word @ "error", rest)) => format!("{}: {rest}", painted(word, ERROR)),
        Some((word @ "warning", rest)) => format!("{}: {rest}", painted(word, AnsiColor::Yellow.on_default().bold())),
        _ => text.into(),
    }
}

/// Highlights a finding's title, places, marks and remarks against the source.
pub(crate) fn finding(text: &str) -> String {
    let lines = text.lines().enumerate().map(|(i, line)| match line.trim_start() {
        _ if i == 0 => match line.split_once(": ") {
            Some(("error", rest)) => format!("{}: {}", painted("error", ERROR), painted(rest, STRONG)),
            _ => painted(line, STRONG),
        },
        start if start.starts_with("--> ") => line.replacen("-->", &painted("-->", PLACE), 1),
        start if start.starts_with("= ") => remark(line),
        _ => line.split_once('|').map_or_else(|| line.into(), |(before, after)| source(before, after)),
    });
    lines.collect::<Vec<_>>().join("\n")
}

/// `  = help: ...`
fn remark(line: &str) -> String {
    match line.split_once(": ") {
        Some((word, rest)) => {
            let style = if word.ends_with("help") { HELP } else { STRONG };
            format!("{}: {rest}", painted(word, style))
        }
        None => line.into(),
    }
}

/// `12 | y[i] = x;`, or the marks below it.
fn source(before: &str, after: &str) -> String {
    if !before.trim().bytes().all(|b| b.is_ascii_digit()) {
        return format!("{before}|{after}");
    }
    let is_mark = after.trim_start().starts_with('^');
    let after = if is_mark { painted(after, ERROR) } else { after.into() };
    format!("{}{after}", painted(&format!("{before}|"), PLACE))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_verdict_has_its_colour_and_other_words_have_none() {
        assert_eq!(verdict("pass"), "\u{1b}[32mpass\u{1b}[0m");
        assert_eq!(verdict("3 fail"), "3 \u{1b}[1m\u{1b}[31mfail\u{1b}[0m");
        assert_eq!(verdict("passable"), "passable");
    }

    #[test]
    fn without_colours_a_text_is_what_it_was() {
        let text = "error: Invalid write\n --> x.cu:2:5 in k\n  |\n2 |     y[i] = x;\n  |     ^ write\n  |\n  = help: guard it";
        let painted = finding(text);
        assert!(painted.contains("\u{1b}[1m\u{1b}[31m     ^ write\u{1b}[0m"), "{painted:?}");
        assert!(painted.starts_with("\u{1b}[1m\u{1b}[31merror\u{1b}[0m: "), "{painted:?}");
        assert_eq!(anstream::adapter::strip_str(&painted).to_string(), text);
        assert_eq!(anstream::adapter::strip_str(&message("error: no lab")).to_string(), "error: no lab");
    }
}
