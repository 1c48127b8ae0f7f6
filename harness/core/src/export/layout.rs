//! Tables and paragraphs within the terminal's width; numbers and names are never broken over lines.
use std::sync::OnceLock;

use comfy_table::{CellAlignment, ColumnConstraint, ContentArrangement, Table, Width, presets};
use unicode_width::{UnicodeWidthChar, UnicodeWidthStr};

use crate::export::style;

/// The maximum line width without a terminal.
pub const WIDTH: usize = 100;

/// The maximum line width on a terminal: longer lines are hard to follow.
const WIDEST: usize = 160;

/// The narrowest terminal to which lines are fitted; a narrower one wraps them itself.
const NARROWEST: usize = 60;

/// A column of sentences may be shrunk to this width before another column is left out.
pub(crate) const SENTENCE: usize = 24;

/// The number of blanks around a cell.
pub(crate) const PADDING: usize = 2;

/// Returns the line width: that of the terminal, at most 160; [`WIDTH`] without a terminal.
pub fn width() -> usize {
    static FOUND: OnceLock<usize> = OnceLock::new();
    *FOUND.get_or_init(|| {
        let terminal = terminal_size::terminal_size().map(|(columns, _)| usize::from(columns.0));
        terminal.map_or(WIDTH, |w| w.clamp(NARROWEST, WIDEST))
    })
}

/// Formats a table within the terminal's width (100 columns without one). Numbers are right-aligned. Columns that are
/// empty in every row are left out. Columns that do not fit go into a second table below, which repeats the first
/// column.
pub fn table(headers: &[&str], rows: &[Vec<String>]) -> String {
    fitted(headers, rows, &[], width())
}

/// As [`table`] within `width`; columns of `spare` are left out, in this order, before the table is split.
pub(crate) fn fitted(headers: &[&str], rows: &[Vec<String>], spare: &[&str], width: usize) -> String {
    let mut columns: Vec<Column<'_>> =
        (0..headers.len()).map(|i| Column::from_cells(headers[i], rows, i)).filter(|c| !c.is_empty).collect();
    let least = |columns: &[Column<'_>]| columns.iter().map(|c| c.least + PADDING).sum::<usize>();
    for name in spare {
        if least(&columns) <= width {
            break;
        }
        columns.retain(|c| c.header != *name);
    }
    let mut tables = Vec::new();
    let mut rest = columns.as_slice();
    let first = rest.first();
    while let Some(next) = rest.first() {
        let mut part: Vec<&Column<'_>> = Vec::new();
        if !tables.is_empty() {
            part.extend(first);
        }
        // At least one column follows the repeated one, however wide it is, so that the loop ends.
        part.push(next);
        rest = &rest[1..];
        while let Some(column) = rest.first() {
            let taken: usize = part.iter().map(|c| c.least + PADDING).sum();
            if taken + column.least + PADDING > width {
                break;
            }
            part.push(column);
            rest = &rest[1..];
        }
        tables.push(drawn(&part, rows, width));
    }
    tables.join("\n\n")
}

/// A column's widths.
#[derive(Debug)]
struct Column<'h> {
    header: &'h str,
    index: usize,
    /// Its widest cell.
    most: usize,
    /// The width that it needs so that no number, name or word is broken.
    least: usize,
    is_number: bool,
    is_empty: bool,
}

impl<'h> Column<'h> {
    fn from_cells(header: &'h str, rows: &[Vec<String>], index: usize) -> Self {
        let cells = || {
            let cells = rows.iter().filter_map(move |r| r.get(index));
            cells.map(String::as_str).filter(|c| !c.is_empty())
        };
        let longest_word = |text: &str| text.split(' ').map(UnicodeWidthStr::width).max();
        let most = cells().map(UnicodeWidthStr::width).max().unwrap_or(0);
        let words = cells().filter_map(longest_word).max().unwrap_or(0);
        // `4 KiB` and `Tesla T4` are names too; only a long cell is a sentence.
        let cell = if most > SENTENCE { words.max(SENTENCE) } else { most };
        Self {
            header,
            index,
            most: most.max(header.width()),
            least: cell.max(longest_word(header).unwrap_or(0)),
            is_number: cells().all(|c| c.trim_end_matches('%').parse::<f64>().is_ok()),
            is_empty: cells().next().is_none(),
        }
    }
}

fn drawn(columns: &[&Column<'_>], rows: &[Vec<String>], width: usize) -> String {
    let mut widths: Vec<usize> = columns.iter().map(|c| c.most).collect();
    // The excess is taken from the widest column that can spare it.
    while widths.iter().map(|w| w + PADDING).sum::<usize>() > width {
        let spare = (0..widths.len()).filter(|i| widths[*i] > columns[*i].least);
        match spare.max_by_key(|i| widths[*i]) {
            Some(widest) => widths[widest] -= 1,
            None => break,
        }
    }
    let mut table = Table::new();
    table.load_style(presets::NOTHING).set_content_arrangement(ContentArrangement::Dynamic).set_width(u16::MAX);
    table.set_header(columns.iter().map(|c| c.header));
    for row in rows {
        let cell = |c: &&Column<'_>| row.get(c.index).cloned().unwrap_or_default();
        let cells: Vec<String> = columns.iter().map(cell).collect();
        if cells.iter().any(|c| !c.is_empty()) {
            table.add_row(cells);
        }
    }
    for (i, column) in columns.iter().enumerate() {
        let Some(drawn) = table.column_mut(i) else {
            continue;
        };
        let fixed = u16::try_from(widths[i] + PADDING).unwrap_or(u16::MAX);
        drawn.set_constraint(ColumnConstraint::Absolute(Width::Fixed(fixed)));
        if column.is_number {
            drawn.set_cell_alignment(CellAlignment::Right);
        }
    }
    let verdict = columns.iter().position(|c| c.header == "verdict").map(|at| {
        let before: usize = widths[..at].iter().map(|w| w + PADDING).sum();
        (before, before + widths[at] + PADDING)
    });
    let painted = |line: String| verdict.map_or_else(|| line.clone(), |range| painted(&line, range));
    // The first line contains the titles.
    let lines = table.lines().enumerate().map(|(i, line)| if i == 0 { line } else { painted(line) });
    let lines: Vec<String> = lines.map(|line| line.trim_end().to_string()).collect();
    lines.join("\n")
}

/// Colours the verdict between these two columns of a line.
fn painted(line: &str, (from, to): (usize, usize)) -> String {
    let at = |column: usize| {
        let mut width = 0;
        let wide = |c: char| c.width().unwrap_or(0);
        let found = line.char_indices().find(|(_, c)| {
            let is_there = width >= column;
            width += wide(*c);
            is_there
        });
        found.map_or(line.len(), |(i, _)| i)
    };
    let (from, to) = (at(from), at(to));
    format!("{}{}{}", &line[..from], style::verdict(&line[from..to]), &line[to..])
}

/// Formats a number to four significant digits.
pub fn significant(v: f64) -> String {
    if v == 0.0 || !v.is_finite() {
        return v.to_string();
    }
    let digits = 3 - v.abs().log10().floor() as i32;
    if digits > 8 { format!("{v:.3e}") } else { format!("{v:.*}", digits.clamp(0, 8) as usize) }
}

/// Wraps lines of `text` that are too wide at spaces; continuation lines are indented further.
pub fn paragraphs(text: &str) -> String {
    let lines = text.split('\n').map(|line| {
        let indent = line.len() - line.trim_start_matches(' ').len();
        wrapped(line, indent + 2)
    });
    lines.collect::<Vec<_>>().join("\n")
}

/// Wraps `text` to the terminal's width at spaces; continuation lines are indented.
pub fn wrapped(text: &str, indent: usize) -> String {
    wrapped_within(text, indent, width())
}

/// As [`wrapped`], within `most` columns.
pub(crate) fn wrapped_within(text: &str, indent: usize, most: usize) -> String {
    let mut lines = vec![String::new()];
    for word in text.split_inclusive(' ') {
        let last = lines.last_mut().expect("never empty");
        if last.width() + word.trim_end().width() > most && !last.trim().is_empty() {
            lines.push(" ".repeat(indent));
        }
        lines.last_mut().expect("never empty").push_str(word);
    }
    let lines: Vec<&str> = lines.iter().map(|l| l.trim_end()).collect();
    lines.join("\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn four_significant_digits() {
        let shown: Vec<_> = [3.08172, 0.00842, 4196.2, 17.94, 1e-12, 0.0].into_iter().map(significant).collect();
        assert_eq!(shown, ["3.082", "0.008420", "4196", "17.94", "1.000e-12", "0"]);
    }

    #[test]
    fn no_line_is_wider_than_a_hundred_columns() {
        let long = "word ".repeat(60);
        let rows = vec![vec!["a".repeat(30), long.clone(), "1.5".into(), String::new()]];
        for line in table(&["one", "two", "three", "never"], &rows).lines().chain(wrapped(&long, 4).lines()) {
            assert!(line.chars().count() <= 100, "{line}");
        }
        assert!(!table(&["one", "two", "three", "never"], &rows).contains("never"));
    }

    /// Returns the text without colours.
    fn plain(text: &str) -> String {
        anstream::adapter::strip_str(text).to_string()
    }

    #[test]
    fn a_verdict_has_its_colour_where_it_stands_and_nowhere_else() {
        let rows = vec![vec!["pass".into(), "± pass".into(), "pass".into()]];
        let text = fitted(&["variant", "case", "verdict"], &rows, &[], 100);
        assert_eq!(text.matches("\u{1b}[32m").count(), 1, "{text:?}");
        assert!(text.ends_with("\u{1b}[32mpass\u{1b}[0m"), "{text:?}");
        assert!(text.starts_with(" variant  case    verdict\n pass     ± pass  "), "{text:?}");
    }

    /// A row of the lab with the widest table.
    fn wide() -> (Vec<&'static str>, Vec<Vec<String>>) {
        let cells = [
            ("variant", "double-buffered"),
            ("case", "1023x1021x1019"),
            ("n", "1073741824"),
            ("grid", "65536x128"),
            ("block", "16x16x4"),
            ("ms median", "0.06323"),
            ("± %", "10.4"),
            ("GB/s", "4427"),
            ("GFLOP/s", "44105"),
            ("% ceiling", "99.97"),
            ("max error", "3.1e-5"),
            ("verdict", "pass"),
        ];
        let row = cells.iter().map(|c| c.1.to_string()).collect();
        (cells.iter().map(|c| c.0).collect(), vec![row])
    }

    #[test]
    fn spare_columns_go_before_anything_is_broken() {
        let (headers, rows) = wide();
        let text = plain(&fitted(&headers, &rows, &["± %", "GB/s", "n"], 100));
        assert!(!text.contains("10.4"), "{text}");
        for whole in ["double-buffered", "1023x1021x1019", "44105", "pass"] {
            assert!(text.contains(whole), "{text}");
        }
        assert!(text.lines().all(|l| l.width() <= 100), "{text}");
        // If the table is wide enough, they stay.
        assert!(fitted(&headers, &rows, &["± %"], 200).contains("10.4"));
    }

    #[test]
    fn a_long_line_is_continued_further_in() {
        let text = paragraphs(&format!("short\n  {}\n", "word ".repeat(30)));
        let lines: Vec<_> = text.lines().collect();
        assert_eq!(lines[0], "short");
        assert!(lines[1].starts_with("  word") && lines[2].starts_with("    word"));
        assert!(lines.iter().all(|l| l.width() <= WIDTH), "{text}");
    }

    #[test]
    fn what_does_not_fit_stands_below_with_the_first_column_again() {
        let (headers, rows) = wide();
        let text = plain(&fitted(&headers, &rows, &[], 60));
        assert!(text.lines().all(|l| l.width() <= 60), "{text}");
        assert!(text.matches("double-buffered").count() > 1, "{text}");
        for cell in &rows[0] {
            assert!(text.contains(cell.as_str()), "{cell} in {text}");
        }
    }
}
