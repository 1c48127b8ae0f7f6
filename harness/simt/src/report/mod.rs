//! Renders findings as text for people. No other module chooses their wording.
//!
//! The text follows miri's diagnostics: the kind of finding, then each access that took part with its source line, then
//! whose mistake it is and the remedy. Headlines use the terms of the common sanitizers.

mod warpgroup;
mod words;

use std::collections::BTreeMap;
use std::fmt::Write as _;

use wire::{RenderedFinding, demangle, printable, shortened};

use crate::finding::{Access, AccessKind, FailureOf, Finding, Findings, SourcePlace};

/// The texts of the source files to which findings refer, by file name.
#[derive(Clone, Debug, Default)]
pub struct Sources {
    files: BTreeMap<String, String>,
}

impl Sources {
    /// Creates a set without sources: reports then name lines without showing them.
    pub fn new() -> Self {
        Sources::default()
    }

    /// Adds a file. PTX holds the path given to the compiler, often made absolute, so a file is found by its last
    /// component.
    pub fn add(&mut self, name: impl Into<String>, text: impl Into<String>) {
        self.files.insert(name.into(), text.into());
    }

    /// Returns the name under which a file was added, and its text.
    fn find(&self, path: &str) -> Option<(&str, &str)> {
        let exact = self.files.get_key_value(path);
        let by_end = || {
            let last = file_name(path);
            self.files.iter().find(|(name, _)| file_name(name) == last)
        };
        let (name, text) = exact.or_else(by_end)?;
        Some((name, text))
    }
}

fn file_name(path: &str) -> &str {
    path.rsplit(['/', '\\']).next().unwrap_or(path)
}

/// Renders all findings as text, each mistake once, followed by a summary; empty if there are no findings.
pub fn text(findings: &Findings, sources: &Sources) -> String {
    let mut out = String::new();
    for finding in &findings.list {
        out.push_str(&one(finding, sources));
        out.push('\n');
    }
    if !findings.is_empty() {
        out.push_str(&summary(findings));
    }
    out
}

/// Returns the number of mistakes of each verdict, one per line.
pub fn summary(findings: &Findings) -> String {
    let mut out = String::new();
    for (verdict, one, many) in [
        (FailureOf::Program, "error", "errors"),
        (FailureOf::Machine, "limit of the machine", "limits of the machine"),
        (FailureOf::Harness, "harness failure", "harness failures"),
    ] {
        let of_it = || findings.list.iter().filter(|f| f.kind.verdict() == verdict);
        let count = of_it().count();
        if count == 0 {
            continue;
        }
        let seen = of_it().fold(0u64, |sum, f| sum.saturating_add(f.count));
        let noun = if count == 1 { one } else { many };
        let times = if seen == 1 { "time" } else { "times" };
        let _ = writeln!(out, "{count} {noun}, seen {seen} {times}");
    }
    if findings.dropped > 0 {
        let _ = writeln!(out, "and {} more that were not kept", findings.dropped);
    }
    out
}

/// Renders one finding as text, ending in a line break.
pub fn one(finding: &Finding, sources: &Sources) -> String {
    let verdict = finding.kind.verdict().word();
    let mut out = format!("{verdict}: {}\n", printable::line(&words::headline(finding)));
    let gutter = gutter(finding, sources);
    for together in finding.accesses.chunk_by(Access::stands_with) {
        snippet(&mut out, together, sources, gutter);
    }
    let pad = " ".repeat(gutter);
    let _ = writeln!(out, "{pad} |");
    let mut line = |label: &str, text: &str| {
        let _ = writeln!(out, "{pad} = {label}: {}", printable::line(text));
    };
    if !finding.kernel.is_empty() {
        line("kernel", &shortened(&demangle(&finding.kernel)));
    }
    for text in words::context(finding) {
        line("note", &text);
    }
    line("fault", words::fault(finding));
    line("help", &words::remedy(finding));
    if finding.count > 1 && !words::headline_counts(finding) {
        line("note", &format!("seen {} times", finding.count));
    }
    if finding.seed != 0 {
        line("note", &format!("under schedule seed {}", finding.seed));
    }
    out
}

/// Returns the width of the widest line number that is shown.
fn gutter(finding: &Finding, sources: &Sources) -> usize {
    let lines = finding.accesses.iter().map(|a| &a.place);
    let shown = lines.filter(|p| source_line(p, sources).is_some());
    shown.map(|p| p.line.to_string().len()).max().unwrap_or(1)
}

fn source_line<'a>(place: &SourcePlace, sources: &'a Sources) -> Option<&'a str> {
    let (_, text) = sources.find(&place.file)?;
    text.lines().nth((place.line as usize).checked_sub(1)?)
}

fn position(file: &str, line: u32, column: u32, sources: &Sources) -> String {
    let file = printable::line(sources.find(file).map_or(file, |(name, _)| name));
    match column {
        0 => format!("{file}:{line}"),
        _ => format!("{file}:{line}:{column}"),
    }
}

/// Renders accesses at the same source location: the source line, and below it each access and its threads.
fn snippet(out: &mut String, together: &[Access], sources: &Sources, gutter: usize) {
    let Some(first) = together.first() else {
        return;
    };
    let pad = " ".repeat(gutter);
    let place = &first.place;
    let labels = || together.iter().map(label);
    let known = place.is_known();
    if !known && place.ptx_line == 0 {
        let _ = writeln!(out, "{pad} |");
        for label in labels() {
            let _ = writeln!(out, "{pad} | {label}");
        }
        return;
    }
    let position = if known {
        position(&place.file, place.line, place.column, sources)
    } else {
        format!("line {} of the PTX", place.ptx_line)
    };
    let function = if place.function.is_empty() {
        String::new()
    } else {
        format!(" in {}", shortened(&demangle(&place.function)))
    };
    let _ = writeln!(out, "{pad}--> {position}{function}");
    if let Some(line) = source_line(place, sources) {
        let trimmed = line.trim_end();
        // The column counts bytes. The marker is below that column, or below the first word if the column is outside
        // the line.
        let column = (place.column as usize).checked_sub(1);
        let column = column.filter(|&c| c < trimmed.len() && trimmed.is_char_boundary(c));
        let column = column.unwrap_or(trimmed.len() - trimmed.trim_start().len());
        let blank = |c: char| if c == '\t' { '\t' } else { ' ' };
        let before: String = trimmed[..column].chars().map(blank).collect();
        let _ = writeln!(out, "{pad} |");
        let _ = writeln!(out, "{:>gutter$} | {}", place.line, printable::text(trimmed));
        for label in labels() {
            let _ = writeln!(out, "{pad} | {before}^ {label}");
        }
    } else {
        for label in labels() {
            let _ = writeln!(out, "{pad} | {label}");
        }
        if !known {
            let _ = writeln!(out, "{pad} | (compile with -lineinfo to see the line of the .cu)");
        }
    }
    for call in &place.inlined_at {
        let at = self::position(&call.file, call.line, call.column, sources);
        let _ = writeln!(out, "{pad} | inlined at {at}");
    }
}

fn xyz([x, y, z]: [u32; 3]) -> String {
    format!("({x},{y},{z})")
}

/// Returns the access, its address, and its threads.
fn label(access: &Access) -> String {
    let host = access.place.ptx_line == 0 && access.place.function.is_empty();
    let mut text = match access.what {
        AccessKind::Barrier => "waits at this barrier".into(),
        AccessKind::SyncWarp => "waits here for other lanes of its warp".into(),
        AccessKind::Past => "went on here and never came to the barrier".into(),
        AccessKind::Loop => "goes round this loop".into(),
        AccessKind::Exit => "has returned here".into(),
        AccessKind::Allocate => "allocated this block here".into(),
        AccessKind::Free => match access.address {
            Some(address) => format!("frees {}", words::address(address)),
            None => "freed this block here".into(),
        },
        AccessKind::Execute => "executes this".into(),
        AccessKind::Shuffle => "takes part in this shuffle".into(),
        AccessKind::Vote => "takes part in this warp operation".into(),
        AccessKind::Read | AccessKind::Write | AccessKind::Atomic | AccessKind::Copy | AccessKind::Earlier => {
            let mut text = words::what(access.what).to_owned();
            if access.size > 0 {
                let _ = write!(text, " of size {}", words::bytes(access.size.into()));
            }
            match (&access.variable, access.address) {
                (Some((name, offset)), _) => {
                    let _ = write!(text, " at {}+{offset:#x}", demangle(name));
                }
                (None, Some(address)) => {
                    let _ = write!(text, " at {}", words::address(address));
                }
                (None, None) => {}
            }
            if let Some(space) = access.space {
                let _ = write!(text, " in {} memory", words::space(space));
            }
            text
        }
    };
    if host {
        text.push_str(" by the host");
        return text;
    }
    let who = format!("thread {} in block {}", xyz(access.thread), xyz(access.block));
    let others = match (access.threads, access.warps) {
        (0 | 1, _) => String::new(),
        (n, 0 | 1) => format!(" and {} more of its warp", n - 1),
        (n, warps) => format!(" and {} more of {warps} warps", n - 1),
    };
    match access.what {
        AccessKind::Read | AccessKind::Write | AccessKind::Atomic | AccessKind::Copy | AccessKind::Earlier => {
            format!("{text} by {who}{others}")
        }
        _ => format!("{who}{others} {text}"),
    }
}

/// Returns a finding with its rendered text.
pub fn told(finding: &Finding, sources: &Sources) -> RenderedFinding {
    let on_one_line = |words: String| printable::line(&words).into_owned();
    let headline = on_one_line(words::headline(finding));
    RenderedFinding {
        verdict: finding.kind.verdict(),
        check: finding.kind.check(),
        kernel_name: demangle(&finding.kernel),
        mistake: on_one_line(words::mistake(finding)),
        title: headline.clone(),
        headline,
        context: words::context(finding).into_iter().map(on_one_line).collect(),
        help: on_one_line(words::remedy(finding)),
        text: one(finding, sources),
        finding: finding.clone(),
    }
}
