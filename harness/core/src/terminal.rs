//! What a reader sees: progress while cases run, the table after, all within 100 columns.
use std::{
    fs::File,
    io::{IsTerminal, Write},
    sync::Mutex,
    time::Duration,
};

use comfy_table::{CellAlignment, ContentArrangement, Table, presets};
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

use crate::{Options, Record, Verdict};

/// Widest line printed.
pub const WIDTH: u16 = 100;

/// Where text, CSV and JSON go.
#[derive(Debug)]
pub struct Terminal {
    quiet: bool,
    /// Standard output proper, when it carries CSV or JSON and all other text goes to standard error.
    data: Option<Mutex<File>>,
    progress: ProgressBar,
}

impl Terminal {
    /// For these options. With `--csv -` or `--json`, whatever else is printed to standard output from
    /// now on, a kernel's printf included, goes to standard error.
    pub(crate) fn new(options: &Options) -> Self {
        let data = (options.json || options.csv.is_some()).then(|| Mutex::new(take_stdout()));
        let progress = if options.quiet || !std::io::stderr().is_terminal() {
            ProgressBar::with_draw_target(None, ProgressDrawTarget::hidden())
        } else {
            let bar = ProgressBar::new_spinner();
            if let Ok(style) = ProgressStyle::with_template("{spinner} {msg}  {elapsed}") {
                bar.set_style(style);
            }
            bar.enable_steady_tick(Duration::from_millis(120));
            bar
        };
        Self {
            quiet: options.quiet,
            data,
            progress,
        }
    }

    /// A terminal that prints nothing.
    pub(crate) fn silent() -> Self {
        Self {
            quiet: true,
            data: None,
            progress: ProgressBar::hidden(),
        }
    }

    /// A line (or several) for the reader.
    pub fn say(&self, text: &str) {
        if self.quiet {
            return;
        }
        self.progress.suspend(|| {
            // A closed pipe is the reader's choice, no failure of the run.
            let _ = if self.data.is_some() {
                writeln!(std::io::stderr(), "{text}")
            } else {
                writeln!(std::io::stdout(), "{text}")
            };
        });
    }

    /// What is running now.
    pub fn progress(&self, message: &str) {
        self.progress.set_message(message.to_string());
    }

    /// Clears the progress line.
    pub fn done(&self) {
        self.progress.finish_and_clear();
    }

    /// Data for another program: on standard output, unless there is none to come.
    pub fn data(&self, text: &str) -> std::io::Result<()> {
        match &self.data {
            Some(out) => {
                let mut out = out
                    .lock()
                    .unwrap_or_else(std::sync::PoisonError::into_inner);
                match out.write_all(text.as_bytes()).and_then(|()| out.flush()) {
                    // The reader has seen enough (`| head`); the rows still go to the folder.
                    Err(e) if e.kind() == std::io::ErrorKind::BrokenPipe => Ok(()),
                    other => other,
                }
            }
            None => Ok(()),
        }
    }
}

/// Prints `text` and a line's end to standard output; a closed pipe (`| head`) is no error.
pub fn print(text: &str) {
    let _ = writeln!(std::io::stdout(), "{text}");
}

/// Keeps standard output for data and points descriptor 1 at standard error.
#[cfg(unix)]
fn take_stdout() -> File {
    use std::os::fd::FromRawFd;
    // SAFETY: plain descriptor calls; the duplicate is owned by the file from here on.
    unsafe {
        let fd = libc::dup(1);
        libc::dup2(2, 1);
        File::from_raw_fd(fd)
    }
}

#[cfg(windows)]
fn take_stdout() -> File {
    use std::os::windows::io::{AsHandle, OwnedHandle};
    let handle: OwnedHandle = std::io::stdout()
        .as_handle()
        .try_clone_to_owned()
        .expect("standard output is open");
    handle.into()
}

/// A table within 100 columns; a cell that is a number stands to the right. Columns that are empty in
/// every row are left out.
pub fn table(headers: &[&str], rows: &[Vec<String>]) -> String {
    let used: Vec<usize> = (0..headers.len())
        .filter(|c| {
            rows.iter()
                .any(|r| r.get(*c).is_some_and(|s| !s.is_empty()))
        })
        .collect();
    let mut table = Table::new();
    table
        .load_style(presets::NOTHING)
        .set_content_arrangement(ContentArrangement::Dynamic)
        .set_width(WIDTH);
    table.set_header(used.iter().map(|c| headers[*c]));
    for row in rows {
        table.add_row(
            used.iter()
                .map(|c| row.get(*c).cloned().unwrap_or_default()),
        );
    }
    for (i, c) in used.iter().enumerate() {
        let numeric = rows
            .iter()
            .filter_map(|r| r.get(*c))
            .filter(|s| !s.is_empty())
            .all(|s| s.trim_end_matches('%').parse::<f64>().is_ok());
        if numeric && let Some(column) = table.column_mut(i) {
            column.set_cell_alignment(CellAlignment::Right);
        }
    }
    table
        .lines()
        .map(|l| l.trim_end().to_string())
        .collect::<Vec<_>>()
        .join("\n")
}

/// The table of a lab's records, and the notes below it.
pub(crate) fn records(records: &[Record]) -> String {
    let emulated = records.iter().any(|r| r.device == "emulated");
    let headers = [
        "variant",
        "case",
        "n",
        "grid",
        "block",
        if emulated { "ms emulated" } else { "ms median" },
        "± %",
        "GB/s",
        "GFLOP/s",
        "% ceiling",
        "max error",
        "verdict",
    ];
    let rows: Vec<Vec<String>> = records
        .iter()
        .map(|r| {
            let real = |v: Option<f64>| v.map_or_else(String::new, significant);
            vec![
                r.variant.clone(),
                r.case.clone(),
                r.n.map_or_else(String::new, |n| n.to_string()),
                r.grid.clone().unwrap_or_default(),
                r.block.clone().unwrap_or_default(),
                real(r.times.map(|t| t.median)),
                r.times
                    .filter(|t| t.samples > 1)
                    .map_or_else(String::new, |t| format!("{:.1}", 100.0 * t.stdev / t.mean)),
                real(r.gb_per_s),
                real(r.gflop_per_s),
                real(r.percent_of_ceiling),
                r.max_abs_error
                    .filter(|e| *e != 0.0)
                    .map_or_else(String::new, |e| format!("{e:.1e}")),
                r.verdict.word().into(),
            ]
        })
        .collect();
    let mut text = table(&headers, &rows);
    for record in records.iter().filter(|r| !r.note.is_empty()) {
        let name = [record.variant.as_str(), record.case.as_str()].join(" ");
        text.push('\n');
        text += &wrapped(&format!("  {}: {}", name.trim(), record.note), 4);
    }
    let count = |v| records.iter().filter(|r| r.verdict == v).count();
    let counts = [
        Verdict::Pass,
        Verdict::Fail,
        Verdict::Finding,
        Verdict::Skip,
    ]
    .map(|v| (v.word(), count(v)));
    let counts: Vec<_> = counts
        .iter()
        .filter(|(_, n)| *n > 0)
        .map(|(w, n)| format!("{n} {w}"))
        .collect();
    text + &format!("\n{}", counts.join(", "))
}

/// A number to four significant digits.
pub fn significant(v: f64) -> String {
    if v == 0.0 || !v.is_finite() {
        return v.to_string();
    }
    let digits = 3 - v.abs().log10().floor() as i32;
    if digits > 8 {
        format!("{v:.3e}")
    } else {
        format!("{v:.*}", digits.clamp(0, 8) as usize)
    }
}

/// `text` in lines of at most 100 columns, broken at spaces, later lines indented.
pub(crate) fn wrapped(text: &str, indent: usize) -> String {
    let mut lines = vec![String::new()];
    for word in text.split_inclusive(' ') {
        let last = lines.last_mut().expect("never empty");
        if last.chars().count() + word.trim_end().chars().count() > WIDTH as usize
            && !last.trim().is_empty()
        {
            lines.push(" ".repeat(indent));
        }
        lines.last_mut().expect("never empty").push_str(word);
    }
    lines
        .iter()
        .map(|l| l.trim_end())
        .collect::<Vec<_>>()
        .join("\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn four_significant_digits() {
        let shown: Vec<_> = [3.08172, 0.00842, 4196.2, 17.94, 1e-12, 0.0]
            .into_iter()
            .map(significant)
            .collect();
        assert_eq!(
            shown,
            ["3.082", "0.008420", "4196", "17.94", "1.000e-12", "0"]
        );
    }

    #[test]
    fn no_line_is_wider_than_a_hundred_columns() {
        let long = "word ".repeat(60);
        let rows = vec![vec![
            "a".repeat(30),
            long.clone(),
            "1.5".into(),
            String::new(),
        ]];
        for line in table(&["one", "two", "three", "never"], &rows)
            .lines()
            .chain(wrapped(&long, 4).lines())
        {
            assert!(line.chars().count() <= 100, "{line}");
        }
        assert!(!table(&["one", "two", "three", "never"], &rows).contains("never"));
    }
}
