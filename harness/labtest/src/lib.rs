//! What the labs' tests share: a lab's own program run on the emulated device, its rows and the findings of the
//! machine's checks. A dev-dependency of the labs, and of nothing else.
use std::{
    collections::HashMap,
    io::Write,
    path::Path,
    process::{Command, Stdio},
};

/// A lab under test: [`lab!`] makes it.
#[derive(Debug, Clone, Copy)]
pub struct Lab {
    /// The path of its program.
    pub program: &'static str,
    /// The path of its crate.
    pub folder: &'static str,
}

/// The lab whose tests these are, by its name.
#[macro_export]
macro_rules! lab {
    ($name:literal) => {
        $crate::Lab {
            program: env!(concat!("CARGO_BIN_EXE_", $name)),
            folder: env!("CARGO_MANIFEST_DIR"),
        }
    };
}

impl Lab {
    /// Runs the lab on the emulated device, unless `arguments` name another.
    pub fn run(&self, arguments: &[&str]) -> Ran {
        run("", self.program, arguments)
    }

    /// As [`Lab::run`], with `stdin` as standard input.
    pub fn run_with(&self, stdin: &str, arguments: &[&str]) -> Ran {
        run(stdin, self.program, arguments)
    }

    /// Runs the lab with `tests/mutants/MUTANT` (a folder and a kernel file) in place of its own file of that name.
    pub fn run_mutant(&self, mutant: &str, arguments: &[&str]) -> Ran {
        let kernel = format!("{}/tests/mutants/{mutant}", self.folder);
        self.run(&[&["--kernel", &kernel][..], arguments].concat())
    }

    /// The lab must reject the mutant, with a row whose note has `says`.
    ///
    /// # Panics
    /// When it does not.
    pub fn rejects(&self, mutant: &str, arguments: &[&str], says: &str) -> Ran {
        let ran = self.run_mutant(mutant, arguments);
        assert_eq!(ran.code, Some(1), "{mutant} passed:\n{}", ran.text);
        let said = |r: &HashMap<String, String>| {
            matches!(r["verdict"].as_str(), "fail" | "finding") && r["note"].contains(says)
        };
        assert!(
            ran.rows.iter().any(said),
            "{mutant} is rejected, but not for `{says}`:\n{}",
            ran.text
        );
        ran
    }

    /// The lab must accept `arguments`: exit code 0, and every row passes or is skipped.
    ///
    /// # Panics
    /// When it does not.
    pub fn accepts(&self, arguments: &[&str]) -> Ran {
        let ran = self.run(arguments);
        assert_eq!(ran.code, Some(0), "{arguments:?}:\n{}", ran.text);
        for row in &ran.rows {
            assert!(
                matches!(row["verdict"].as_str(), "pass" | "skip"),
                "{arguments:?}: {row:?}"
            );
        }
        ran
    }

    /// The lab must refuse `arguments` as wrong usage, in words that hold `says`.
    ///
    /// # Panics
    /// When it does not.
    pub fn refuses(&self, arguments: &[&str], says: &str) {
        let ran = self.run(arguments);
        assert_eq!(ran.code, Some(2), "{arguments:?}:\n{}", ran.text);
        assert!(ran.text.contains(says), "{arguments:?} says {}", ran.text);
    }

    /// The text of a file of the lab, by its path in the crate.
    ///
    /// # Panics
    /// When it cannot be read.
    pub fn source(&self, path: &str) -> String {
        std::fs::read_to_string(format!("{}/{path}", self.folder)).unwrap()
    }
}

/// What came of a run.
#[derive(Debug)]
pub struct Ran {
    /// The exit code; none when a signal ended the program.
    pub code: Option<i32>,
    /// Everything that it printed: standard output, then standard error.
    pub text: String,
    /// Its CSV's rows, by column.
    pub rows: Vec<HashMap<String, String>>,
    /// The findings, in the order in which they were printed.
    pub findings: Vec<Finding>,
}

/// One finding, as it was printed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Finding {
    /// The first line, without `error: `.
    pub title: String,
    /// Where each access happened; an access in an inlined function has its callers' places after its own. Accesses of
    /// one line share their place.
    pub places: Vec<Place>,
    /// The line of each access that took part.
    pub accesses: Vec<u32>,
    /// The whole report.
    pub text: String,
}

/// A line of a kernel file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Place {
    /// The file's name, without its folder.
    pub file: String,
    /// Counted from 1.
    pub line: u32,
    /// It is where the function of the place before was inlined.
    pub inlined: bool,
}

fn run(stdin: &str, program: &str, arguments: &[&str]) -> Ran {
    let out = tempfile::tempdir().unwrap();
    let mut command = Command::new(program);
    if !arguments.contains(&"--device") {
        command.args(["--device", "emulated"]);
    }
    let mut child = command
        .arg("--out")
        .arg(out.path())
        .args(arguments)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let mut pipe = child.stdin.take().unwrap();
    // A program that is refused what it was asked for does not read it.
    let _ = pipe.write_all(stdin.as_bytes());
    drop(pipe);
    let output = child.wait_with_output().unwrap();
    let [stdout, stderr] =
        [&output.stdout, &output.stderr].map(|b| String::from_utf8_lossy(b).into_owned());
    let findings = findings(&stdout).chain(findings(&stderr)).collect();
    Ran {
        code: output.status.code(),
        text: stdout + &stderr,
        rows: rows(out.path()),
        findings,
    }
}

/// The rows of the only CSV in `folder`; none when there is none.
fn rows(folder: &Path) -> Vec<HashMap<String, String>> {
    let files = std::fs::read_dir(folder).into_iter().flatten().flatten();
    let Some(csv) = files
        .map(|f| f.path())
        .find(|p| p.extension().is_some_and(|e| e == "csv"))
    else {
        return Vec::new();
    };
    csv::Reader::from_path(csv)
        .unwrap()
        .deserialize()
        .map(Result::unwrap)
        .collect()
}

/// The findings in what was printed: each begins with `error: ` and has at least one place.
fn findings(text: &str) -> impl Iterator<Item = Finding> {
    let mut found: Vec<Finding> = Vec::new();
    let mut open = false;
    for line in text.lines() {
        if let Some(title) = line.strip_prefix("error: ") {
            found.push(Finding {
                title: title.to_owned(),
                places: Vec::new(),
                accesses: Vec::new(),
                text: line.to_owned(),
            });
            open = true;
            continue;
        }
        let Some(finding) = found.last_mut().filter(|_| open && !line.is_empty()) else {
            open = false;
            continue;
        };
        finding.text.push('\n');
        finding.text.push_str(line);
        if line.contains(" by thread (")
            && let Some(place) = finding.places.iter().rfind(|p| !p.inlined)
        {
            finding.accesses.push(place.line);
        }
        let inlined = line.trim_start().strip_prefix("| inlined at ");
        if let Some(at) = line.trim_start().strip_prefix("--> ").or(inlined)
            && let Some((file, rest)) = at.split_once(".cu:")
            && let Ok(line) = rest.split(':').next().unwrap_or_default().parse()
        {
            finding.places.push(Place {
                file: format!("{}.cu", file.rsplit('/').next().unwrap_or_default()),
                line,
                inlined: inlined.is_some(),
            });
        }
    }
    found.into_iter().filter(|f| !f.places.is_empty())
}

impl Ran {
    /// The rows of `variant`.
    pub fn of(&self, variant: &str) -> Vec<&HashMap<String, String>> {
        self.rows
            .iter()
            .filter(|r| r["variant"] == variant)
            .collect()
    }

    /// The finding that `is` looks for.
    ///
    /// # Panics
    /// When there is none, with everything that was printed.
    pub fn finding(&self, is: impl Fn(&Finding) -> bool) -> &Finding {
        self.findings
            .iter()
            .find(|f| is(f))
            .unwrap_or_else(|| panic!("no such finding in:\n{}", self.text))
    }

    /// A data race in `space` (`shared` or `global`) whose two accesses lie in the lines `first` and `second`, in any
    /// order.
    ///
    /// # Panics
    /// As [`Ran::finding`].
    pub fn race(&self, space: &str, [first, second]: [u32; 2]) -> &Finding {
        self.finding(|f| {
            f.title.contains("Race")
                && f.title.contains(&format!("__{space}__"))
                && (f.accesses == [first, second] || f.accesses == [second, first])
        })
    }
}

/// The line, counted from 1, of `text` in a kernel file: after the first line that holds `after`.
///
/// # Panics
/// When it is not there.
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

    const PRINTED: &str = "lab: what it does

error: Race reported between two
  --> labs/x/kernels/x.cu:4:9 in k
   |
 4 | a;
   | ^ read of size 4 bytes at s+0x0 by thread (0,0,0) in block (0,0,0)
   | inlined at labs/x/kernels/x.cu:9:1
  --> labs/x/kernels/y.cu:7:9 in k
   | write of size 4 bytes at s+0x0 by thread (1,0,0) in block (0,0,0)
   | read of size 4 bytes at s+0x0 by thread (2,0,0) in block (0,0,0)
   = help: do

error: no such file
";

    #[test]
    fn findings_are_told_from_other_errors() {
        let found: Vec<Finding> = findings(PRINTED).collect();
        assert_eq!(found.len(), 1, "{found:?}");
        assert_eq!(found[0].title, "Race reported between two");
        assert_eq!(found[0].accesses, [4, 7, 7]);
        assert_eq!(found[0].places[1].line, 9);
        assert_eq!(found[0].places[2].file, "y.cu");
        assert!(found[0].text.ends_with("= help: do"));
    }

    #[test]
    fn lines_are_counted_from_one() {
        let source = "a\nb k\nc x\nd x\n";
        assert_eq!(line_of(source, "a", "x"), 3);
        assert_eq!(line_of(source, "k", "k"), 2);
        assert_eq!(line_of(source, "c", "d"), 4);
    }
}
