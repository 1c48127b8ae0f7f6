//! Tables in the documentation, made from the CSVs of a run.
//!
//! A Markdown file holds a pair of markers, and everything between them is generated:
//!
//! ```text
//! <!-- figures: reduction n=1073741824 columns=variant,time_median_ms,gb_per_s -->
//! <!-- /figures -->
//! ```
//!
//! The first word names the CSV; `column=value` keeps the rows that have that value (several, separated by `|`, are alternatives);
//! `columns=` names the columns to show. Numbers are rounded to three significant digits here and nowhere else.

use std::collections::HashMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use clap::{Arg, ArgAction, ArgMatches, Command};

/// Why a table could not be made.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// A file could not be read or written.
    #[error("cannot read or write {path}: {source}")]
    Io {
        /// The file.
        path: PathBuf,
        /// What the system said.
        source: std::io::Error,
    },
    /// A CSV is damaged.
    #[error("{path} is no table: {source}")]
    Csv {
        /// The file.
        path: PathBuf,
        /// What is wrong with it.
        source: csv::Error,
    },
    /// A marker asks for something that is not there.
    #[error("{path}, marker {marker:?}: {what}")]
    Marker {
        /// The document.
        path: PathBuf,
        /// The marker's text.
        marker: String,
        /// What is missing.
        what: String,
    },
    /// Documents that do not show what the CSVs hold.
    #[error("stale, run `warplab figures`: {}", .0.iter().map(|p| p.display().to_string()).collect::<Vec<_>>().join(", "))]
    Stale(Vec<PathBuf>),
}

/// `warplab figures`: for those who change the documentation or the reference run; not in the list of commands.
pub fn command() -> Command {
    Command::new("figures")
        .about(
            "Make the documentation's tables from the committed reports (in the repository's root)",
        )
        .hide(true)
        .arg(
            Arg::new("check")
                .long("check")
                .action(ArgAction::SetTrue)
                .help("Only say whether they are fresh"),
        )
}

/// Runs the command in the current folder.
pub fn run(matches: &ArgMatches) -> Result<ExitCode, harness::Error> {
    let mut documents = vec![PathBuf::from("README.md")];
    if let Ok(labs) = fs::read_dir("labs") {
        documents.extend(
            labs.filter_map(Result::ok)
                .map(|lab| lab.path().join("README.md"))
                .filter(|path| path.is_file()),
        );
    }
    documents.sort();
    let check = matches.get_flag("check");
    match figures(&documents, Path::new("reports/h200"), check) {
        Ok(tables) => {
            let done = if check { "are fresh" } else { "made" };
            harness::print(&format!("{tables} tables {done}"));
            Ok(ExitCode::SUCCESS)
        }
        Err(error @ Error::Stale(_)) => {
            harness::print_error(&format!("error: {error}"));
            Ok(ExitCode::from(1))
        }
        Err(error) => Err(harness::Error::usage(error.to_string())),
    }
}

const OPEN: &str = "<!-- figures: ";
const END: &str = " -->";
const CLOSE: &str = "<!-- /figures -->";

/// Regenerates the tables of `documents` from the CSVs in `reports`; with `check` only compares.
///
/// # Errors
/// When a file cannot be read or written, a marker asks for what is not there, or, with `check`, a document is stale.
pub fn figures(documents: &[PathBuf], reports: &Path, check: bool) -> Result<usize, Error> {
    let mut stale = Vec::new();
    let mut tables = 0;
    for path in documents {
        let io = |source| Error::Io {
            path: path.clone(),
            source,
        };
        let old = fs::read_to_string(path).map_err(io)?;
        let (new, count) = render(path, &old, reports)?;
        tables += count;
        if new == old {
            continue;
        }
        if check {
            stale.push(path.clone());
        } else {
            fs::write(path, new).map_err(io)?;
        }
    }
    if stale.is_empty() {
        Ok(tables)
    } else {
        Err(Error::Stale(stale))
    }
}

/// The document with its tables made anew, and how many there are.
fn render(path: &Path, old: &str, reports: &Path) -> Result<(String, usize), Error> {
    let mut new = String::with_capacity(old.len());
    let mut rest = old;
    let mut count = 0;
    while let Some(at) = rest.find(OPEN) {
        let after = &rest[at + OPEN.len()..];
        let bad = |marker: &str, what: String| Error::Marker {
            path: path.to_owned(),
            marker: marker.to_owned(),
            what,
        };
        let end = after
            .find(END)
            .ok_or_else(|| bad(OPEN, format!("it has no {:?}", END.trim())))?;
        let marker = &after[..end];
        let close = after
            .find(CLOSE)
            .ok_or_else(|| bad(marker, format!("no {CLOSE} follows it")))?;
        new.push_str(&rest[..at]);
        new.push_str(OPEN);
        new.push_str(marker);
        new.push_str(END);
        new.push_str("\n\n");
        new.push_str(&table(marker, reports).map_err(|e| match e {
            Fault::What(what) => bad(marker, what),
            Fault::Error(e) => e,
        })?);
        new.push('\n');
        new.push_str(CLOSE);
        rest = &after[close + CLOSE.len()..];
        count += 1;
    }
    new.push_str(rest);
    Ok((new, count))
}

enum Fault {
    What(String),
    Error(Error),
}

/// One Markdown table.
fn table(marker: &str, reports: &Path) -> Result<String, Fault> {
    let mut words = marker.split_whitespace();
    let name = words
        .next()
        .ok_or_else(|| Fault::What("it names no CSV".into()))?;
    let path = reports.join(format!("{name}.csv"));
    let csv_error = |source: csv::Error| {
        Fault::Error(Error::Csv {
            path: path.clone(),
            source,
        })
    };
    let mut reader = csv::Reader::from_path(&path).map_err(csv_error)?;
    let header: HashMap<String, usize> = reader
        .headers()
        .map_err(csv_error)?
        .iter()
        .enumerate()
        .map(|(i, h)| (h.to_owned(), i))
        .collect();
    let column = |name: &str| {
        header
            .get(name)
            .copied()
            .ok_or_else(|| Fault::What(format!("{} has no column {name:?}", path.display())))
    };
    let mut shown = Vec::new();
    let mut filters = Vec::new();
    for word in words {
        let (key, value) = word
            .split_once('=')
            .ok_or_else(|| Fault::What(format!("{word:?} is not of the form column=value")))?;
        if key == "columns" {
            for name in value.split(',') {
                shown.push((name, column(name)?));
            }
        } else {
            filters.push((column(key)?, value.split('|').collect::<Vec<_>>()));
        }
    }
    if shown.is_empty() {
        return Err(Fault::What("it names no columns".into()));
    }
    let mut rows: Vec<Vec<String>> = Vec::new();
    for record in reader.records() {
        let record = record.map_err(csv_error)?;
        let field = |i: usize| record.get(i).unwrap_or("");
        if filters
            .iter()
            .all(|(i, values)| values.contains(&field(*i)))
        {
            rows.push(shown.iter().map(|(_, i)| rounded(field(*i))).collect());
        }
    }
    if rows.is_empty() {
        return Err(Fault::What(format!("no row of {} fits", path.display())));
    }
    let titles: Vec<String> = shown.iter().map(|(name, _)| title(name)).collect();
    let line = |cells: &[String]| format!("| {} |\n", cells.join(" | "));
    let rule: Vec<String> = (0..shown.len())
        .map(|i| {
            let numbers = rows
                .iter()
                .all(|r| r[i].is_empty() || r[i].parse::<f64>().is_ok());
            if numbers { "---:" } else { "---" }.to_owned()
        })
        .collect();
    let mut out = line(&titles) + &line(&rule);
    for row in &rows {
        out += &line(row);
    }
    Ok(out)
}

/// A column's name for people.
fn title(column: &str) -> String {
    match column {
        "time_median_ms" => "median, ms".into(),
        "time_mean_ms" => "mean, ms".into(),
        "time_min_ms" => "least, ms".into(),
        "gb_per_s" => "GB/s".into(),
        "gflop_per_s" => "GFLOP/s".into(),
        "percent_of_ceiling" => "% of ceiling".into(),
        other => match other.strip_suffix("_ms") {
            Some(stem) => format!("{}, ms", stem.replace('_', " ")),
            None => other.replace('_', " "),
        },
    }
}

/// A number with three significant digits; whole numbers and words as they are.
fn rounded(field: &str) -> String {
    match field.parse::<f64>() {
        Ok(x) if x.is_finite() && x.fract() != 0.0 => {
            let digits = 2 - x.abs().log10().floor() as i32;
            let digits = usize::try_from(digits.clamp(0, 9)).unwrap_or(0);
            format!("{x:.digits$}")
        }
        _ => field.replace('|', "\\|"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn folder() -> tempfile::TempDir {
        let dir = tempfile::tempdir().expect("a temporary folder");
        fs::write(
            dir.path().join("demo.csv"),
            "variant,n,time_median_ms,gb_per_s\nslow,8,12.3456,100.04\nfast,8,0.00123456,4190.7\nfast,9,1,\n",
        )
        .expect("a CSV");
        dir
    }

    fn document(dir: &Path, text: &str) -> PathBuf {
        let path = dir.join("README.md");
        fs::write(&path, text).expect("a document");
        path
    }

    #[test]
    fn a_table_is_made_once_and_then_stays() {
        let dir = folder();
        let path = document(
            dir.path(),
            "before\n<!-- figures: demo n=8 columns=variant,time_median_ms,gb_per_s -->\nold\n<!-- /figures -->\nafter\n",
        );
        assert!(matches!(
            figures(std::slice::from_ref(&path), dir.path(), true),
            Err(Error::Stale(_))
        ));
        assert_eq!(
            figures(std::slice::from_ref(&path), dir.path(), false).expect("made"),
            1
        );
        let text = fs::read_to_string(&path).expect("readable");
        assert_eq!(
            text,
            "before\n<!-- figures: demo n=8 columns=variant,time_median_ms,gb_per_s -->\n\n\
             | variant | median, ms | GB/s |\n| --- | ---: | ---: |\n| slow | 12.3 | 100 |\n| fast | 0.00123 | 4191 |\n\n\
             <!-- /figures -->\nafter\n"
        );
        assert_eq!(figures(&[path], dir.path(), true).expect("fresh"), 1);
    }

    #[test]
    fn a_changed_figure_is_noticed() {
        let dir = folder();
        let path = document(
            dir.path(),
            "<!-- figures: demo n=8|9 columns=variant,n -->\n<!-- /figures -->",
        );
        figures(std::slice::from_ref(&path), dir.path(), false).expect("made");
        let csv = dir.path().join("demo.csv");
        let text = fs::read_to_string(&csv).expect("readable");
        fs::write(&csv, text.replace("slow", "slower")).expect("writable");
        assert!(matches!(
            figures(&[path], dir.path(), true),
            Err(Error::Stale(_))
        ));
    }

    #[test]
    fn what_is_not_there_is_named() {
        let dir = folder();
        for (marker, part) in [
            ("demo n=7 columns=variant", "no row"),
            ("demo columns=speed", "speed"),
            ("demo", "columns"),
            ("other columns=n", "other.csv"),
            ("demo what columns=n", "what"),
        ] {
            let path = document(
                dir.path(),
                &format!("<!-- figures: {marker} -->\n<!-- /figures -->"),
            );
            let error = figures(&[path], dir.path(), false).expect_err(marker);
            assert!(error.to_string().contains(part), "{error}");
        }
        let path = document(dir.path(), "<!-- figures: demo columns=n -->");
        assert!(figures(&[path], dir.path(), false).is_err());
    }
}
