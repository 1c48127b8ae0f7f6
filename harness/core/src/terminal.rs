//! What a reader sees: progress while cases run, the table of records after.
use std::{
    fs::File,
    io::{IsTerminal, Write},
    sync::Mutex,
    time::Duration,
};

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

use crate::{
    Options, Record, Verdict, counters,
    table::{fitted, significant, width, wrapped},
};

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

/// As [`print()`], to standard error.
pub fn print_error(text: &str) {
    let _ = writeln!(std::io::stderr(), "{text}");
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

/// The first columns to be left out of the table of records where it is too wide: what is derived from
/// others, then what the case mostly says too. The CSV has them all.
const SPARE: [&str; 7] = ["± %", "GB/s", "n", "grid", "block", "GFLOP/s", "% ceiling"];

/// The tables of a lab's records, measured cases and then answered questions, and the notes below.
pub(crate) fn records(records: &[Record]) -> String {
    let (questions, cases): (Vec<&Record>, Vec<&Record>) =
        records.iter().partition(|r| is_question(r));
    let mut parts = Vec::new();
    if !cases.is_empty() {
        parts.push(measured(&cases));
    }
    if !questions.is_empty() {
        parts.push(answered(&questions));
    }
    let count = |v| records.iter().filter(|r| r.verdict == v).count();
    let counts: Vec<_> = [
        Verdict::Pass,
        Verdict::Fail,
        Verdict::Finding,
        Verdict::Skip,
    ]
    .into_iter()
    .filter(|v| count(*v) > 0)
    .map(|v| format!("{} {}", count(v), v.word()))
    .collect();
    format!("{}\n{}", parts.join("\n\n"), counts.join(", "))
}

/// A checked question: nothing was launched or timed for it by itself, and its note is the answer.
fn is_question(r: &Record) -> bool {
    let measured = r.n.is_some() || r.grid.is_some() || r.times.is_some();
    let launched = counters::value(r, "launches").is_some_and(|l| l > 0.0);
    let answer = !r.note.is_empty() && !r.note.starts_with("wrong on purpose");
    !measured && !launched && answer && r.findings.is_empty() && r.verdict != Verdict::Skip
}

fn answered(records: &[&Record]) -> String {
    let rows: Vec<Vec<String>> = records
        .iter()
        .map(|r| {
            vec![
                r.variant.clone(),
                r.case.clone(),
                r.note.clone(),
                r.verdict.word().into(),
            ]
        })
        .collect();
    fitted(
        &["variant", "question", "answer", "verdict"],
        &rows,
        &[],
        width(),
    )
}

fn measured(records: &[&Record]) -> String {
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
    let mut text = fitted(&headers, &rows, &SPARE, width());
    for record in records.iter().filter(|r| !r.note.is_empty()) {
        let name = [record.variant.as_str(), record.case.as_str()].join(" ");
        text.push('\n');
        text += &wrapped(&format!("  {}: {}", name.trim(), record.note), 4);
    }
    text
}
