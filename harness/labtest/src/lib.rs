//! Shared code of the labs' tests and benches: tests run a lab's own program on the emulated device, and read its rows
//! and the findings of the machine's checks; benches time its cases. It is only a dev-dependency of the labs.
mod bench;
mod device;
mod measured;
mod mutant;

use std::{
    collections::HashMap,
    io::Write,
    path::{Path, PathBuf},
    process::{Command, Stdio},
};

use serde::Deserialize;
pub use wire::{
    RenderedFinding,
    finding::{AccessKind, FindingKind, Space},
};

pub use bench::bench;
pub use device::{kernels, unless_skipped};
pub use measured::{Measured, measured};
pub use mutant::{Edit, Mutant};

/// A lab under test, made by [`lab!`].
#[derive(Debug, Clone, Copy)]
pub struct Lab {
    /// The path of its program.
    pub program: &'static str,
    /// The path of its crate.
    pub folder: &'static str,
}

/// Returns the lab whose tests these are, by its name.
#[macro_export]
macro_rules! lab {
    ($name:literal) => {
        $crate::Lab { program: env!(concat!("CARGO_BIN_EXE_", $name)), folder: env!("CARGO_MANIFEST_DIR") }
    };
}

impl Lab {
    /// Runs the lab on the emulated device, unless `arguments` name another one.
    pub fn run(&self, arguments: &[&str]) -> Ran {
        run("", self.program, arguments)
    }

    /// As [`Lab::run`], with `stdin` as standard input.
    pub fn run_with(&self, stdin: &str, arguments: &[&str]) -> Ran {
        run(stdin, self.program, arguments)
    }

    /// The lab must accept `arguments`: exit code 0, and every row passes or is skipped.
    ///
    /// # Panics
    /// When it does not.
    pub fn accepts(&self, arguments: &[&str]) -> Ran {
        let ran = self.run(arguments);
        assert_eq!(ran.code, Some(0), "{arguments:?}:\n{}", ran.text);
        for row in &ran.rows {
            assert!(matches!(row["verdict"].as_str(), "pass" | "skip"), "{arguments:?}: {row:?}");
        }
        ran
    }

    /// Asserts that the lab refuses `arguments` as wrong usage, with a message that contains `says`.
    ///
    /// # Panics
    /// When it does not.
    pub fn refuses(&self, arguments: &[&str], says: &str) {
        let ran = self.run(arguments);
        assert_eq!(ran.code, Some(2), "{arguments:?}:\n{}", ran.text);
        assert!(ran.text.contains(says), "{arguments:?} says {}", ran.text);
    }

    /// The path of a wrong kernel file that is handed out.
    pub fn handed_out(&self, name: &str) -> String {
        format!("{}/assignment/wrong/{name}", self.folder)
    }

    /// The rows of the reference run, `reports/h200/CSV.csv`.
    ///
    /// # Panics
    /// When it cannot be read.
    pub fn reference(&self, csv: &str) -> Vec<HashMap<String, String>> {
        measured::rows(csv)
    }

    /// Returns a figure of the reference run: `column` in the first row of `variant` whose case is `case`.
    ///
    /// # Panics
    /// When there is no such row.
    pub fn figure(&self, csv: &str, variant: &str, case: &str, column: &str) -> f64 {
        let rows = self.reference(csv);
        let row = rows.iter().find(|r| r["variant"] == variant && r["case"] == case);
        let row = row.unwrap_or_else(|| panic!("{csv}.csv has no row {variant}, {case}"));
        row[column].parse().unwrap_or_else(|_| panic!("{column} is {:?}", row[column]))
    }

    /// Asserts that the key quotes a figure, in three significant digits. A handout's figures are generated instead.
    ///
    /// # Panics
    /// When it does not.
    pub fn quotes(&self, figure: f64, what: &str) {
        let digits = usize::try_from(2 - figure.abs().log10().floor() as i32).unwrap_or(0);
        let quoted = format!("{figure:.digits$}");
        let key = self.source("ANSWERS.md");
        let mut numbers = key.split(|c: char| !c.is_ascii_digit() && c != '.').map(|word| word.trim_end_matches('.'));
        assert!(numbers.any(|number| number == quoted), "{what}: {quoted} is quoted nowhere");
    }

    /// Returns the text of a file of the lab, by its path in the crate.
    ///
    /// # Panics
    /// When it cannot be read.
    pub fn source(&self, path: &str) -> String {
        std::fs::read_to_string(format!("{}/{path}", self.folder)).unwrap()
    }
}

/// The result of a run.
#[derive(Debug)]
pub struct Ran {
    /// The exit code; `None` if a signal ended the program.
    pub code: Option<i32>,
    /// Its output: standard output, then standard error.
    pub text: String,
    /// The rows of its CSV, by column.
    pub rows: Vec<HashMap<String, String>>,
    /// The printed findings, in the order of the rows.
    pub findings: Vec<RenderedFinding>,
}

fn run(stdin: &str, program: &str, arguments: &[&str]) -> Ran {
    run_in(None, stdin, program, arguments)
}

/// Runs the program in `folder`, or in that of the tests.
fn run_in(folder: Option<&Path>, stdin: &str, program: &str, arguments: &[&str]) -> Ran {
    let out = tempfile::tempdir().unwrap();
    let mut command = Command::new(program);
    if !arguments.contains(&"--device") {
        command.args(["--device", "emulated"]);
    }
    if let Some(folder) = folder {
        command.current_dir(folder);
    }
    let records = tempfile::NamedTempFile::new().unwrap();
    // NVRTC is searched for once for all processes. If the library that the user names cannot be loaded, the process
    // reports it.
    let _ = kernels::nvrtc();
    let mut child = command
        .envs(kernels::for_children())
        // Some tests run a file whose PTX is committed next to it, such as one in which the lab's mistakes are fixed.
        .env("WARPLAB_TRUST_PTX", "1")
        .args(["--findings", "full", "--out"])
        .arg(out.path())
        .arg("--records")
        .arg(records.path())
        .args(arguments)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let mut pipe = child.stdin.take().unwrap();
    // A program that rejects its command line does not read standard input.
    let _ = pipe.write_all(stdin.as_bytes());
    drop(pipe);
    let output = child.wait_with_output().unwrap();
    let [stdout, stderr] = [&output.stdout, &output.stderr].map(|b| String::from_utf8_lossy(b).into_owned());
    let text = stdout + &stderr;
    let records = std::fs::read_to_string(records.path()).unwrap();
    Ran { code: output.status.code(), rows: rows(out.path()), findings: printed(&records, &text), text }
}

/// Returns the rows of the only lab in `folder`; empty if there is none.
fn rows(folder: &Path) -> Vec<HashMap<String, String>> {
    let files = std::fs::read_dir(folder).into_iter().flatten().flatten().map(|file| file.path());
    let is_of_rows = |path: &PathBuf| {
        let stem = path.file_stem().unwrap_or_default().to_string_lossy();
        path.extension().is_some_and(|end| end == "csv") && !stem.contains('.')
    };
    files.into_iter().find(is_of_rows).map_or_else(Vec::new, |csv| csv_rows(&csv))
}

/// Returns the rows of a lab's CSV by column, with what was counted in each.
///
/// # Panics
/// When there is no such file, or the file of the counters belongs to other rows.
pub fn csv_rows(csv: &Path) -> Vec<HashMap<String, String>> {
    let read = |path: &Path| -> Vec<HashMap<String, String>> {
        let mut reader = csv::Reader::from_path(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
        reader.deserialize().map(Result::unwrap).collect()
    };
    let mut rows = read(csv);
    let counters = csv.with_extension("counters.csv");
    for counted in if counters.exists() { read(&counters) } else { Vec::new() } {
        let row = &mut rows[counted["row"].parse::<usize>().unwrap() - 1];
        for (column, value) in counted {
            let known = row.entry(column).or_insert_with(|| value.clone());
            assert_eq!(*known, value, "{}", counters.display());
        }
    }
    rows
}

/// Returns the findings in a run's records (lines of JSON) whose reports were printed. For a variant that is wrong on
/// purpose, only one finding of each class is printed.
///
/// # Panics
/// When a record is not in the harness's format.
fn printed(records: &str, text: &str) -> Vec<RenderedFinding> {
    /// The part of a record that concerns findings.
    #[derive(Deserialize)]
    struct Record {
        findings: Vec<RenderedFinding>,
    }
    let read = |line| -> Record { serde_json::from_str(line).unwrap_or_else(|error| panic!("{error} in {line}")) };
    let all = records.lines().flat_map(|line| read(line).findings);
    all.filter(|told| text.contains(told.text.trim_end())).collect()
}

/// Returns the line of each access that took part in a finding, counted from 1; accesses by the host have no line.
pub fn lines(told: &RenderedFinding) -> Vec<u32> {
    let places = told.finding.accesses.iter().map(|access| &access.place);
    places.filter(|place| place.is_known()).map(|place| place.line).collect()
}

impl Ran {
    /// The run of `what`, a wrong kernel, must have failed with a row whose note contains `says`.
    ///
    /// # Panics
    /// When it has not.
    pub fn is_rejected(&self, what: &str, says: &str) {
        assert_eq!(self.code, Some(1), "{what} passed:\n{}", self.text);
        let said = |r: &HashMap<String, String>| {
            matches!(r["verdict"].as_str(), "fail" | "finding") && r["note"].contains(says)
        };
        assert!(self.rows.iter().any(said), "{what} is rejected, but not for `{says}`:\n{}", self.text);
    }

    /// The rows of `variant`.
    pub fn rows_of(&self, variant: &str) -> Vec<&HashMap<String, String>> {
        self.rows.iter().filter(|r| r["variant"] == variant).collect()
    }

    /// Returns the first finding for which `is` is true.
    ///
    /// # Panics
    /// When there is no such finding. The message contains the whole output.
    pub fn finding(&self, is: impl Fn(&RenderedFinding) -> bool) -> &RenderedFinding {
        self.findings.iter().find(|f| is(f)).unwrap_or_else(|| panic!("no such finding in:\n{}", self.text))
    }

    /// Returns a data race in `space` whose two accesses are on the lines `first` and `second`, in any order.
    ///
    /// # Panics
    /// As [`Ran::finding`].
    pub fn race(&self, space: Space, [first, second]: [u32; 2]) -> &RenderedFinding {
        self.finding(|told| {
            let lines = lines(told);
            is_race(told, space) && (lines == [first, second] || lines == [second, first])
        })
    }
}

/// Whether a finding is a data race in `space`.
pub fn is_race(told: &RenderedFinding, space: Space) -> bool {
    matches!(told.finding.kind, FindingKind::Race { space: raced, .. } if raced == space)
}

/// Returns the line, counted from 1, of `text` in a kernel file: after the first line that contains `after`.
///
/// # Panics
/// When there is no such line.
pub fn line_of(source: &str, after: &str, text: &str) -> u32 {
    let mut lines = (1..).zip(source.lines());
    lines
        .by_ref()
        .find(|(_, line)| line.contains(after))
        .and_then(|(number, line)| {
            if line.contains(text) {
                return Some(number);
            }
            lines.find(|(_, l)| l.contains(text)).map(|(n, _)| n)
        })
        .unwrap_or_else(|| panic!("`{text}` does not follow `{after}`"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use wire::finding::{Access, CalledFrom, Finding, Scope, SourcePlace};

    /// A race between `y.cu:7` and an access of `x.cu:4` that was inlined at line 9, and the host.
    fn race() -> RenderedFinding {
        let place = |file: &str, line, inlined_at| SourcePlace {
            file: format!("labs/x/kernels/{file}.cu"),
            line,
            inlined_at,
            ..SourcePlace::default()
        };
        let caller = CalledFrom { file: "labs/x/kernels/x.cu".into(), line: 9, column: 1 };
        let space = Space::Shared;
        let access = |what, place| Access::memory(what, space, 4, 0, place);
        let kind = FindingKind::Race { space, scope: Scope::Block };
        let finding = Finding::new(kind, "k")
            .with(access(AccessKind::Read, place("x", 4, vec![caller])))
            .with(access(AccessKind::Write, place("y", 7, Vec::new())))
            .with(Access::at(AccessKind::Execute, SourcePlace::default()));
        RenderedFinding {
            verdict: finding.kind.verdict(),
            check: finding.kind.check(),
            kernel_name: "k".into(),
            mistake: "Race reported between two".into(),
            headline: "Race reported between two".into(),
            title: "Race reported between two".into(),
            context: Vec::new(),
            help: "do".into(),
            text: "error: Race reported between two\n  --> x.cu:4\n   = help: do\n".into(),
            finding,
        }
    }

    #[test]
    fn findings_are_told_from_other_errors() {
        let found = serde_json::json!({ "variant": "a", "findings": [race()] });
        let none = serde_json::json!({ "variant": "b", "findings": [] });
        let records = format!("{none}\n{found}\n");
        let text = format!("lab: what it does\n\n{}\n\nerror: no such file\n", race().text);
        assert_eq!(printed(&records, &text), [race()]);
        // A finding that is in a record but was not printed does not count.
        assert_eq!(printed(&records, "error: no such file\n"), []);
        let ran = Ran { code: Some(1), text, rows: Vec::new(), findings: vec![race()] };
        assert_eq!(lines(ran.race(Space::Shared, [7, 4])), [4, 7]);
        assert!(!is_race(&race(), Space::Global));
    }

    #[test]
    #[should_panic(expected = "missing field `findings`")]
    fn a_record_without_findings_is_an_error() {
        printed("{\"finding\": []}\n", "");
    }

    #[test]
    fn lines_are_counted_from_one() {
        let source = "a\nb k\nc x\nd x\n";
        assert_eq!(line_of(source, "a", "x"), 3);
        assert_eq!(line_of(source, "k", "k"), 2);
        assert_eq!(line_of(source, "c", "d"), 4);
    }
}
