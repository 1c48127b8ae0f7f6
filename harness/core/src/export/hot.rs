//! The costliest lines of the source, as tables with the source text (`--hot`).
use record::{HotLine, Record};

use crate::{export::layout::PADDING, export::layout::SENTENCE, export::layout::fitted, export::layout::width};

/// Shortens a line of source to fit on one line of the table.
fn shortened(source: &str, most: usize) -> String {
    if source.chars().count() <= most {
        return source.to_string();
    }
    let start: String = source.chars().take(most - 3).collect();
    format!("{}...", start.trim_end())
}

/// Returns the `most` costliest lines of each record, for people.
pub(crate) fn tables(records: &[Record], most: usize) -> String {
    let parts = records.iter().filter(|r| !r.hot.is_empty()).map(|record| {
        let whose = format!("{} {} {}", record.lab, record.variant, record.case);
        hot_table(whose.trim_end(), &record.hot, most)
    });
    parts.collect::<Vec<_>>().join("\n\n")
}

/// Returns a table of the first `most` of these lines, titled with the case.
pub fn hot_table(whose: &str, lines: &[HotLine], most: usize) -> String {
    let title = format!("Hot lines of {whose}, by thread instructions");
    let some = |v: u64| if v == 0 { String::new() } else { v.to_string() };
    let mut rows: Vec<Vec<String>> = lines
        .iter()
        .take(most)
        .map(|l| {
            let file = l.file.rsplit('/').next().unwrap_or_default();
            let file = if file.is_empty() { "PTX" } else { file };
            vec![
                format!("{:.1}", l.percent),
                l.thread_instructions.to_string(),
                some(l.sectors),
                some(l.conflicts),
                some(l.divergent_branches),
                format!("{file}:{}", l.line),
                l.source.clone(),
            ]
        })
        .collect();
    let headers = ["%", "thread instr.", "sectors", "conflicts", "divergent", "line", "source"];
    // The source gets the width that the other columns leave, but at least enough for a few words.
    let column = |i: usize| {
        let most = rows.iter().map(|r: &Vec<String>| r[i].chars().count()).max();
        most.filter(|m| *m > 0).map_or(0, |m| m.max(headers[i].len()) + PADDING)
    };
    let others: usize = (0..headers.len() - 1).map(column).sum();
    let most = width().saturating_sub(others + PADDING).max(SENTENCE);
    for row in &mut rows {
        let source = row.pop().unwrap_or_default();
        row.push(shortened(&source, most));
    }
    format!("{title}\n{}", fitted(&headers, &rows, &[], width()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use record::fixtures::{record, report_with_lines};

    #[test]
    fn a_line_stands_beside_its_source_and_one_without_a_file_is_of_the_ptx() {
        let text = |path: &str| (path == "a/x.cu").then(|| "one\n  two;\n".to_string());
        let mut row = record();
        row.hot = record::hot_lines(&report_with_lines(), text);
        let text = tables(&[row.clone()], 2);
        assert!(text.contains("x.cu:2") && text.contains("two;"), "{text}");
        assert!(text.contains("PTX:7"), "{text}");
        assert!(!tables(&[row], 1).contains("PTX:7"));
    }
}
