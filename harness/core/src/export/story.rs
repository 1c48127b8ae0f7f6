//! The summary of a lab as text: its question, its ladder as bars, what they show, and what was wrong on purpose.
use record::{Bar, Holds, Record, Source, StorySummary, three, time, unit};
use unicode_width::UnicodeWidthStr;

use crate::{export::layout::significant, export::layout::wrapped_within, export::style, export::summary::Counts};

/// The least room for a bar; with less, there are only numbers.
const LEAST_BAR: usize = 6;

/// The longest bar: longer ones are harder to compare with their numbers.
const LONGEST_BAR: usize = 60;

/// Returns the summary of the rows of a lab, without colours, within `width` columns.
pub fn story_text(told: &StorySummary, rows: &[Record], width: usize) -> String {
    anstream::adapter::strip_str(&text(told, Counts::from_records(rows), width)).to_string()
}

/// Returns the summary of a lab whose rows have these verdicts, within `width` columns.
pub(crate) fn text(told: &StorySummary, counts: Counts, width: usize) -> String {
    let wrapped = |text: &str, indent| wrapped_within(text, indent, width);
    let mut lines = vec![wrapped(&format!("{}: {}", style::strong(&told.lab), told.question), 2)];
    if !told.bars.is_empty() {
        lines.push(wrapped(&format!("  {}:", told.heading()), 4));
        lines.extend(bars(told, width));
    }
    let sentence = wrapped(&format!("  {}", told.sentence), 2);
    lines.push(if told.holds == Holds::Yes { sentence } else { style::warned(&sentence) });
    if !told.wrong.is_empty() {
        lines.push(wrapped(&format!("  Wrong on purpose, as expected: {}", told.wrong), 4));
    }
    lines.push(format!("  {counts}"));
    lines.join("\n")
}

/// Returns a line for each bar, within `width` columns.
fn bars(told: &StorySummary, width: usize) -> Vec<String> {
    let numbers: Vec<(String, String)> = told.bars.iter().map(|bar| number(bar, &told.source)).collect();
    let widest = |texts: &mut dyn Iterator<Item = usize>| texts.max().unwrap_or(0);
    let names = widest(&mut told.bars.iter().map(|bar| bar.name.width()));
    let values = widest(&mut numbers.iter().map(|(value, _)| value.width()));
    let besides = widest(&mut numbers.iter().map(|(_, beside)| beside.width()));
    let used = 4 + names + 2 + values + if besides > 0 { 2 + besides } else { 0 } + 2;
    let room = bar_room(used, width);
    let largest = told.bars.iter().filter_map(|bar| bar.value).fold(0.0, f64::max);
    let line = |(bar, (value, beside)): (&Bar, &(String, String))| {
        let name = format!("{}{}", bar.name, " ".repeat(names - bar.name.width()));
        let Some(number) = bar.value else {
            return wrapped_within(&format!("    {name}  {}", bar.remark), 6, width);
        };
        let beside = if besides > 0 { format!("  {beside:besides$}") } else { String::new() };
        let drawn = if room > 0 { drawn(number / largest, room) } else { String::new() };
        if !bar.remark.is_empty() {
            return wrapped_within(&format!("    {name}  {value:>values$}{beside}  {}", bar.remark), 6, width);
        }
        format!("    {name}  {value:>values$}{beside}  {}", style::bar(&drawn)).trim_end().to_owned()
    };
    told.bars.iter().zip(&numbers).map(line).collect()
}

/// Returns a bar's number, and its interval or its share of the ceiling.
fn number(bar: &Bar, source: &Source) -> (String, String) {
    let Some(value) = bar.value else {
        return Default::default();
    };
    let shown = match source {
        Source::Counted(_) => significant(value),
        Source::Measured | Source::Predicted(_) => time(value),
    };
    let beside = match (bar.interval, bar.percent_of_ceiling) {
        (Some((low, high)), _) => range(low, high),
        (None, Some(percent)) => format!("{} %", three(percent)),
        (None, None) => String::new(),
    };
    (shown, beside)
}

/// Formats an interval in milliseconds: `350..480 us`.
fn range(low: f64, high: f64) -> String {
    let (scale, unit) = unit(high);
    format!("{}..{} {unit}", three(low * scale), three(high * scale))
}

/// Returns the length of the longest bar in a line of `width` columns, of which `used` are taken; 0 if there is no
/// room.
pub(crate) fn bar_room(used: usize, width: usize) -> usize {
    let room = width.saturating_sub(used).min(LONGEST_BAR);
    if room >= LEAST_BAR { room } else { 0 }
}

/// Whether the terminal has only ASCII characters.
fn is_dumb() -> bool {
    std::env::var_os("TERM").is_some_and(|term| term == "dumb")
}

/// Draws a bar in a light shade.
pub(crate) fn drawn_light(columns: usize) -> String {
    if is_dumb() { "-" } else { "░" }.repeat(columns)
}

/// Draws a bar of this share of `room` columns, in eighths of a column where the terminal has such characters.
pub(crate) fn drawn(share: f64, room: usize) -> String {
    let eighths = (share * room as f64 * 8.0).round().max(1.0) as usize;
    if is_dumb() {
        return "#".repeat(eighths.div_ceil(8));
    }
    let rest = ["", "▏", "▎", "▍", "▌", "▋", "▊", "▉"][eighths % 8];
    "█".repeat(eighths / 8) + rest
}

#[cfg(test)]
mod tests {
    use super::*;

    fn told() -> StorySummary {
        let bar = |name: &str, value: f64| Bar {
            name: name.into(),
            value: Some(value),
            interval: Some((value * 0.9, value * 1.1)),
            ..Bar::default()
        };
        StorySummary {
            schema: StorySummary::SCHEMA,
            lab: "histogram".into(),
            question: "What does it cost?".into(),
            source: Source::Predicted("NVIDIA H200".into()),
            case: "uniform".into(),
            n: Some(1 << 28),
            bars: vec![bar("atomic", 79.0), bar("privatized", 0.0412)],
            sentence: "It pays.".into(),
            holds: Holds::Yes,
            wrong: "race: plain".into(),
        }
    }

    fn plain(text: &str) -> String {
        anstream::adapter::strip_str(text).to_string()
    }

    #[test]
    fn a_bar_has_its_number_and_its_range_and_the_longest_fills_the_line() {
        let lines: Vec<String> = bars(&told(), 80).iter().map(|line| plain(line)).collect();
        assert!(lines[0].starts_with("    atomic      79.0 ms  71.1..86.9 ms  ████"), "{}", lines[0]);
        assert!(lines[1].starts_with("    privatized  41.2 us  37.1..45.3 us  ▏"), "{}", lines[1]);
        assert_eq!(lines[0].width(), 80);
        // A narrow terminal has numbers only.
        assert!(bars(&told(), 44).iter().all(|line| !plain(line).contains('█') && plain(line).width() <= 44));
    }

    #[test]
    fn what_is_predicted_says_so_and_what_is_refuted_stands_out() {
        let text = text(&told(), Counts::default(), 100);
        assert!(
            plain(&text).contains("Predicted for an NVIDIA H200 (8 in 10 lie in the range), n = 2^28, uniform:"),
            "{text}"
        );
        assert!(plain(&text).contains("  It pays.\n  Wrong on purpose, as expected: race: plain\n"), "{text}");
        let refuted = StorySummary { holds: Holds::No, ..told() };
        assert!(super::text(&refuted, Counts::default(), 100).contains("\u{1b}[33m  It pays."));
    }

    #[test]
    fn a_row_without_a_number_says_why() {
        let mut told = told();
        told.bars[1] = Bar { value: None, interval: None, remark: "skip: no memory".into(), ..told.bars[1].clone() };
        assert_eq!(plain(&bars(&told, 80)[1]), "    privatized  skip: no memory");
    }
}
