//! Generates the parts of the documentation that repeat the code or the reference run.
//!
//! A Markdown file holds a pair of markers, and everything between them is generated:
//!
//! ```text
//! <!-- figures: reduction n=1073741824 columns=variant,time_median_ms,gb_per_s -->
//! <!-- /figures -->
//! ```
//!
//! The word before the colon names one of the [`GENERATORS`], and the rest is passed to it.

mod beside;
mod calls;
mod columns;
mod csv;
mod fault;
mod ladder;
mod marker;
mod story;

use std::fs;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use clap::{Arg, ArgAction, ArgMatches, Command};
use harness::Exit;

use fault::{Error, Fault};

/// `warplab figures`, for people who change the documentation or the reference run. It is hidden from the list of
/// commands.
pub fn command() -> Command {
    Command::new("figures")
        .about("Generate the documentation's tables from the code and the committed reports (in the repository's root)")
        .hide(true)
        .arg(Arg::new("check").long("check").action(ArgAction::SetTrue).help("Only say whether they are up to date"))
}

/// Runs the command in the current folder.
pub fn run(matches: &ArgMatches) -> Result<ExitCode, harness::Error> {
    let mut documents = [
        "README.md",
        "harness/cli/README.md",
        "harness/libcuda/README.md",
        "reports/README.md",
        "reports/h200/README.md",
    ]
    .map(PathBuf::from)
    .to_vec();
    if let Ok(labs) = fs::read_dir("labs") {
        let pages = |lab: fs::DirEntry| ["README.md", "NOTES.md"].map(|name| lab.path().join(name));
        documents.extend(labs.filter_map(Result::ok).flat_map(pages).filter(|path| path.is_file()));
    }
    documents.sort();
    let check = matches.get_flag("check");
    match figures(&documents, Path::new("reports/h200"), check) {
        Ok(tables) => {
            let done = if check { "are fresh" } else { "made" };
            harness::print(&format!("{tables} generated parts {done}"));
            Ok(ExitCode::SUCCESS)
        }
        Err(error @ Error::Stale(_)) => {
            harness::print_error(&format!("error: {error}"));
            Ok(Exit::Wrong.into())
        }
        Err(error) => Err(harness::Error::usage(error.to_string())),
    }
}

/// Generates a part of a document from the rest of its marker and the folder of the reference run.
type Generator = fn(&str, &Path) -> Result<String, Fault>;

/// The generators, by the word before the colon.
const GENERATORS: [(&str, Generator); 7] = [
    ("figures", csv::table),
    ("beside", beside::table),
    ("ladder", ladder::table),
    ("story", story::text),
    ("columns", columns::table),
    ("calls", calls::table),
    ("exit codes", |_, _| Ok(Exit::codes() + "\n")),
];

/// Regenerates the parts of `documents`; `reports` is the folder of the reference run. With `check` it only compares.
///
/// # Errors
/// When a file cannot be read or written, a marker refers to something that does not exist, or, with `check`, a
/// document is stale.
pub fn figures(documents: &[PathBuf], reports: &Path, check: bool) -> Result<usize, Error> {
    let mut stale = Vec::new();
    let mut tables = 0;
    for path in documents {
        let io = |source| Error::Io { path: path.clone(), source };
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
    if stale.is_empty() { Ok(tables) } else { Err(Error::Stale(stale)) }
}

/// Returns the document with its parts regenerated, and their number.
fn render(path: &Path, old: &str, reports: &Path) -> Result<(String, usize), Error> {
    let mut new = String::with_capacity(old.len());
    let mut rest = old;
    let mut count = 0;
    while let Some((at, name, generator)) = next(rest) {
        let bad = |marker: &str, what: String| Error::Marker { path: path.to_owned(), marker: marker.to_owned(), what };
        let open = format!("<!-- {name}: ");
        let close = format!("<!-- /{name} -->");
        let after = &rest[at + open.len()..];
        let end = after.find(END).ok_or_else(|| bad(&open, format!("it has no {:?}", END.trim())))?;
        let marker = &after[..end];
        let closed = after.find(&close).ok_or_else(|| bad(marker, format!("no {close} follows it")))?;
        let part = generator(marker, reports).map_err(|e| match e {
            Fault::Marker(what) => bad(marker, what),
            Fault::Error(e) => e,
        })?;
        new += &format!("{}{open}{marker}{END}\n\n{part}\n{close}", &rest[..at]);
        rest = &after[closed + close.len()..];
        count += 1;
    }
    new.push_str(rest);
    Ok((new, count))
}

/// The end of a marker.
const END: &str = " -->";

/// The first marker of `text`: its position, its generator's name, and the generator.
fn next(text: &str) -> Option<(usize, &'static str, Generator)> {
    let found = GENERATORS.iter().filter_map(|(name, generator)| {
        let at = text.find(&format!("<!-- {name}: "))?;
        Some((at, *name, *generator))
    });
    found.min_by_key(|(at, ..)| *at)
}

#[cfg(test)]
mod tests {
    use record::fixtures::csv_text;

    use super::*;

    fn folder() -> tempfile::TempDir {
        let dir = tempfile::tempdir().expect("a temporary folder");
        let text = csv_text(&[
            &[("variant", "slow"), ("n", "8"), ("time_median_ms", "12.3456"), ("gb_per_s", "100.04")],
            &[("variant", "fast"), ("n", "8"), ("time_median_ms", "0.00123456"), ("gb_per_s", "4190.7")],
            &[("variant", "fast"), ("n", "9"), ("time_median_ms", "1")],
        ]);
        fs::write(dir.path().join("demo.csv"), text).expect("a CSV");
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
        assert!(matches!(figures(std::slice::from_ref(&path), dir.path(), true), Err(Error::Stale(_))));
        assert_eq!(figures(std::slice::from_ref(&path), dir.path(), false).expect("made"), 1);
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
        let path = document(dir.path(), "<!-- figures: demo n=8|9 columns=variant,n -->\n<!-- /figures -->");
        figures(std::slice::from_ref(&path), dir.path(), false).expect("made");
        let csv = dir.path().join("demo.csv");
        let text = fs::read_to_string(&csv).expect("readable");
        fs::write(&csv, text.replace("slow", "slower")).expect("writable");
        assert!(matches!(figures(&[path], dir.path(), true), Err(Error::Stale(_))));
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
            let path = document(dir.path(), &format!("<!-- figures: {marker} -->\n<!-- /figures -->"));
            let error = figures(&[path], dir.path(), false).expect_err(marker);
            assert!(error.to_string().contains(part), "{error}");
        }
        let path = document(dir.path(), "<!-- figures: demo columns=n -->");
        assert!(figures(&[path], dir.path(), false).is_err());
    }

    #[test]
    fn rows_of_two_runs_stand_beside_each_other() {
        let dir = folder();
        let reports = dir.path().join("h200");
        let row = |variant, ms, ceiling, cublas| {
            let shares = [("percent_of_ceiling", ceiling), ("percent_of_cublas", cublas)];
            [[("variant", variant), ("n", "8"), ("time_median_ms", ms)].as_slice(), shares.as_slice()].concat()
        };
        let ours = [row("fast", "1", "90", ""), row("slow", "2", "80", "50")];
        let theirs = [row("slow", "4", "88", "60"), row("fast", "2", "99", "")];
        for (folder, [one, two]) in [("h200", &ours), ("h100", &theirs)] {
            fs::create_dir(dir.path().join(folder)).expect("a folder");
            fs::write(dir.path().join(folder).join("demo.csv"), csv_text(&[one, two])).expect("a CSV");
        }
        let made = |marker: &str| {
            let path = document(dir.path(), &format!("<!-- beside: {marker} -->\n<!-- /beside -->"));
            figures(std::slice::from_ref(&path), &reports, false)
                .map(|_| fs::read_to_string(&path).expect("readable"))
                .map_err(|error| error.to_string())
        };
        let text = made("h100; demo variant=fast; demo variant=slow").expect("made");
        assert!(text.contains("| fast |  | 8 | 1 | 2 | ceiling | 90.0 | 99.0 | 1.10 |"), "{text}");
        assert!(text.contains("| slow |  | 8 | 2 | 4 | cublas | 50.0 | 60.0 | 1.20 |"), "{text}");
        fs::write(dir.path().join("h100/demo.csv"), csv_text(&[&theirs[1]])).expect("a CSV");
        for (marker, part) in [
            ("h100; demo", "no row slow"),
            ("h100", "no rows"),
            ("", "no folder"),
            ("a100; demo", "a100"),
            ("h100; demo variant=other", "no row of demo"),
        ] {
            let error = made(marker).expect_err(marker);
            assert!(error.contains(part), "{error}");
        }
    }

    /// The documents of this checkout must be up to date.
    #[test]
    fn the_documents_of_the_columns_and_the_exit_codes_are_fresh() {
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
        let documents = ["harness/cli/README.md", "reports/README.md"].map(|name| root.join(name));
        let parts = figures(&documents, &root.join("reports/h200"), true).expect("fresh");
        assert!(parts >= 4, "{parts}");
    }
}
