//! `--hot`: the lines of the source that cost most, with the source beside them.
use std::collections::HashMap;

use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::{
    MachineReport, Record,
    table::{PADDING, SENTENCE, fitted, width},
};

/// What one line of the source cost in a case, over all its launches.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct HotLine {
    /// The file as the kernel's line information names it; empty without any.
    pub file: String,
    /// Line in it, counted from 1 (in the PTX where there is no line information).
    pub line: u32,
    /// The line itself; empty where the file is not to be had.
    pub source: String,
    /// Per cent of the case's thread-instructions.
    pub percent: f64,
    /// Instructions executed by threads.
    pub thread_instructions: u64,
    /// Sectors of 32 bytes touched in global and local memory.
    pub sectors: u64,
    /// Passes lost to conflicts of shared-memory banks.
    pub conflicts: u64,
    /// Times that live lanes went different ways.
    pub divergent_branches: u64,
}

/// The `most` lines with the most thread-instructions; `text` gives a file's text by its path.
pub(crate) fn lines(
    report: &MachineReport,
    most: usize,
    text: impl Fn(&str) -> Option<String>,
) -> Vec<HotLine> {
    let mut found: HashMap<(String, u32), HotLine> = HashMap::new();
    let mut total = 0;
    for line in report
        .launches
        .iter()
        .filter_map(|l| l.counters.get("lines")?.as_array())
        .flatten()
    {
        let number = |path: &str| line.pointer(path).and_then(Value::as_u64).unwrap_or(0);
        let file = line.pointer("/place/file").and_then(Value::as_str);
        let file = file.unwrap_or_default().to_string();
        let place = if file.is_empty() {
            number("/place/ptx_line")
        } else {
            number("/place/line")
        } as u32;
        let hot = found
            .entry((file.clone(), place))
            .or_insert_with(|| HotLine {
                file,
                line: place,
                ..HotLine::default()
            });
        let spaces = [
            "global_loads",
            "global_stores",
            "local_loads",
            "local_stores",
        ];
        hot.thread_instructions += number("/thread_instructions");
        hot.sectors += spaces
            .map(|s| number(&format!("/{s}/sectors")))
            .iter()
            .sum::<u64>();
        hot.conflicts += number("/shared_loads/conflicts") + number("/shared_stores/conflicts");
        hot.divergent_branches += number("/divergent_branches");
        total += number("/thread_instructions");
    }
    let mut lines: Vec<HotLine> = found.into_values().collect();
    lines.sort_by(|a, b| {
        let place = |l: &HotLine| (l.file.clone(), l.line);
        (b.thread_instructions.cmp(&a.thread_instructions)).then_with(|| place(a).cmp(&place(b)))
    });
    lines.truncate(most);
    for hot in &mut lines {
        hot.percent = 100.0 * hot.thread_instructions as f64 / (total.max(1) as f64);
        let whole = text(&hot.file).unwrap_or_default();
        let line = whole.lines().nth((hot.line as usize).saturating_sub(1));
        hot.source = line.unwrap_or_default().trim().to_string();
    }
    lines
}

/// A line of source short enough to stand on one line of the table.
fn shortened(source: &str, most: usize) -> String {
    if source.chars().count() <= most {
        return source.to_string();
    }
    let start: String = source.chars().take(most - 3).collect();
    format!("{}...", start.trim_end())
}

/// The hot lines of each record, as a reader sees them.
pub(crate) fn tables(records: &[Record]) -> String {
    let mut parts = Vec::new();
    for record in records.iter().filter(|r| !r.hot.is_empty()) {
        let whose = format!("{} {} {}", record.lab, record.variant, record.case);
        let title = format!("Hot lines of {}, by thread instructions", whose.trim_end());
        let some = |v: u64| if v == 0 { String::new() } else { v.to_string() };
        let mut rows: Vec<Vec<String>> = record
            .hot
            .iter()
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
        let headers = [
            "%",
            "thread instr.",
            "sectors",
            "conflicts",
            "divergent",
            "line",
            "source",
        ];
        // The source has what the other columns leave, but a few words at least.
        let column = |i: usize| {
            let most = rows
                .iter()
                .map(|r: &Vec<String>| r[i].chars().count())
                .max();
            most.filter(|m| *m > 0)
                .map_or(0, |m| m.max(headers[i].len()) + PADDING)
        };
        let others: usize = (0..headers.len() - 1).map(column).sum();
        let most = width().saturating_sub(others + PADDING).max(SENTENCE);
        for row in &mut rows {
            let source = row.pop().unwrap_or_default();
            row.push(shortened(&source, most));
        }
        parts.push(format!(
            "{title}\n{}",
            fitted(&headers, &rows, &[], width())
        ));
    }
    parts.join("\n\n")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::record::tests::record;

    fn report() -> MachineReport {
        let line = |file: &str, line: u32, threads: u64, sectors: u64| {
            serde_json::json!({
                "place": { "file": file, "line": line, "ptx_line": 7 },
                "thread_instructions": threads, "divergent_branches": 1,
                "global_loads": { "sectors": sectors }, "global_stores": { "sectors": 1 },
                "shared_loads": { "conflicts": 2 }, "shared_stores": { "conflicts": 0 },
            })
        };
        serde_json::from_value(serde_json::json!({ "launches": [
            { "counters": { "lines": [line("a/x.cu", 2, 60, 4), line("", 0, 10, 0)] } },
            { "counters": { "lines": [line("a/x.cu", 2, 20, 4), line("a/x.cu", 1, 10, 0)] } },
        ] }))
        .unwrap()
    }

    #[test]
    fn lines_are_added_up_over_launches_and_the_costliest_come_first() {
        let text = |path: &str| (path == "a/x.cu").then(|| "one\n  two;\n".to_string());
        let hot = lines(&report(), 2, text);
        assert_eq!(hot.len(), 2);
        let first = HotLine {
            file: "a/x.cu".into(),
            line: 2,
            source: "two;".into(),
            percent: 80.0,
            thread_instructions: 80,
            sectors: 10,
            conflicts: 4,
            divergent_branches: 2,
        };
        assert_eq!(hot[0], first);
        // Without line information the PTX's own line names the place.
        assert_eq!((hot[1].file.as_str(), hot[1].line), ("", 7));

        let mut row = record();
        row.hot = hot;
        let text = tables(&[row]);
        assert!(text.contains("x.cu:2") && text.contains("two;"), "{text}");
        assert!(text.contains("PTX:7"), "{text}");
    }
}
