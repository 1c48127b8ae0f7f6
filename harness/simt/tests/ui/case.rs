//! One case: a kernel file, its PTX, and its launches.
//!
//! The first lines of the `.cu` file define the launches, one after another:
//!
//! ```text
//! // launch: copy<<<4, 256>>>(in: f32[1000] = index, out: f32[1000], 1000)
//! // launch: check<<<(2,2), (8,8,1), 1024>>>(out, null)
//! // with: seed=7 budget=1000000 cooperative checks=memcheck
//! ```
//!
//! An argument is a number, `null`, a new buffer `name: type[count] = contents`, or the name of an earlier buffer, with
//! an offset in bytes (`out + 4`). Contents: a number (0 by default), `index`, `index % n`, `raw` (never written),
//! `freed` (was written, then freed), `host` (memory of the host). All checks are on unless `with` says otherwise;
//! `one-order` says that the mistake is visible only in this schedule, `hidden` that it is not visible in the natural
//! one.

#[path = "../common/committed.rs"]
mod committed;

use committed::ptx_next_to;
use simt::machine::{Checks, Settings};
use std::path::{Path, PathBuf};

/// The initial contents of a new buffer.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Contents {
    Number(f64),
    Index,
    Modulo(u64),
    Raw,
    Freed,
    Host,
}

/// An argument of a launch.
#[derive(Clone, Debug, PartialEq)]
pub enum Argument {
    Null,
    Int(i64),
    Float(f64),
    New { name: String, ty: String, count: usize, contents: Contents },
    Known { name: String, offset: i64 },
}

/// One launch.
#[derive(Clone, Debug, PartialEq)]
pub struct Launched {
    pub kernel: String,
    pub grid: [u32; 3],
    pub block: [u32; 3],
    pub shared: u32,
    pub arguments: Vec<Argument>,
}

/// A kernel file and its launches.
#[derive(Clone, Debug)]
pub struct Case {
    pub path: PathBuf,
    pub source: String,
    pub ptx: String,
    pub launches: Vec<Launched>,
    with: Vec<String>,
}

impl Case {
    /// Reads a case, whose header must be right.
    pub fn read(path: &Path) -> Case {
        let read = |p: &Path| std::fs::read_to_string(p).unwrap_or_default();
        let source = read(path);
        let header = |word: &str| -> Vec<String> {
            let lines = source.lines().take_while(|l| l.starts_with("//"));
            lines.filter_map(|l| Some(l.strip_prefix("// ")?.strip_prefix(word)?.trim().to_owned())).collect()
        };
        let launches = header("launch:");
        let launches = launches
            .iter()
            .map(|text| launch(text).unwrap_or_else(|| panic!("{}: cannot read `{text}`", path.display())));
        let with = header("with:");
        let case = Case {
            path: path.into(),
            launches: launches.collect(),
            with: with.iter().flat_map(|l| l.split_whitespace()).map(str::to_owned).collect(),
            ptx: ptx_next_to(path),
            source,
        };
        assert!(!case.launches.is_empty(), "{}: no `// launch:`", path.display());
        case
    }

    /// `fail/race/histogram`.
    pub fn name(&self) -> String {
        let whole = self.path.with_extension("");
        let parts: Vec<_> = whole.components().rev().take(3).collect();
        let parts: Vec<_> = parts.iter().map(|c| c.as_os_str().to_string_lossy()).collect();
        let (name, kind, set) = (&parts[0], &parts[1], &parts[2]);
        if kind == "pass" { format!("pass/{name}") } else { format!("{set}/{kind}/{name}") }
    }

    /// The folder: the kind of mistake.
    pub fn kind(&self) -> String {
        let parent = self.path.parent().and_then(Path::file_name);
        parent.unwrap_or_default().to_string_lossy().into_owned()
    }

    pub fn expected_path(&self) -> PathBuf {
        self.path.with_extension("txt")
    }

    /// Returns the expected report.
    pub fn expected(&self) -> String {
        std::fs::read_to_string(self.expected_path()).unwrap_or_default()
    }

    fn option(&self, name: &str) -> Option<&str> {
        let mut all = self.with.iter();
        all.find_map(|word| word.strip_prefix(name)?.strip_prefix('='))
    }

    fn flag(&self, name: &str) -> bool {
        self.with.iter().any(|word| word == name)
    }

    pub fn cooperative(&self) -> bool {
        self.flag("cooperative")
    }

    /// Whether the mistake may be invisible in other schedules.
    pub fn one_order(&self) -> bool {
        self.flag("one-order") || self.hidden()
    }

    /// Whether nothing is found when warps and blocks run in their natural order.
    pub fn hidden(&self) -> bool {
        self.flag("hidden")
    }

    /// Returns settings: one worker, all checks, and a limit for endless loops, unless the case says otherwise.
    pub fn settings(&self) -> Settings {
        let number = |name: &str, usual: u64| self.option(name).map_or(usual, |text| text.parse().expect("a number"));
        let checks = match self.option("checks") {
            None => Checks::ALL,
            Some(list) => list.parse().expect("checks by their names"),
        };
        Settings {
            checks,
            seed: number("seed", 0),
            budget: number("budget", 20_000_000),
            workers: 1,
            ..Settings::default()
        }
    }
}

/// `name<<<grid, block, shared>>>(arguments)`.
fn launch(text: &str) -> Option<Launched> {
    let (kernel, rest) = text.split_once("<<<")?;
    let (shape, rest) = rest.split_once(">>>")?;
    let shape = split(shape);
    let arguments = rest.trim().strip_prefix('(')?.strip_suffix(')')?;
    let arguments: Option<Vec<Argument>> = split(arguments).into_iter().map(argument).collect();
    Some(Launched {
        kernel: kernel.trim().into(),
        grid: dimensions(shape.first()?)?,
        block: dimensions(shape.get(1)?)?,
        shared: shape.get(2).map_or(Some(0), |text| text.parse().ok())?,
        arguments: arguments?,
    })
}

/// Splits at commas that are not inside parentheses.
fn split(text: &str) -> Vec<&str> {
    let (mut parts, mut depth, mut start) = (Vec::new(), 0, 0);
    for (at, c) in text.char_indices() {
        match c {
            '(' => depth += 1,
            ')' => depth -= 1,
            ',' if depth == 0 => {
                parts.push(text[start..at].trim());
                start = at + 1;
            }
            _ => {}
        }
    }
    parts.push(text[start..].trim());
    parts.retain(|part| !part.is_empty());
    parts
}

fn dimensions(text: &str) -> Option<[u32; 3]> {
    let mut out = [1; 3];
    let inner = text.trim_start_matches('(').trim_end_matches(')');
    for (to, part) in out.iter_mut().zip(inner.split(',')) {
        *to = part.trim().parse().ok()?;
    }
    Some(out)
}

fn argument(text: &str) -> Option<Argument> {
    if text == "null" {
        return Some(Argument::Null);
    }
    if let Some((name, rest)) = text.split_once(':') {
        let (shape, contents) = rest.split_once('=').unwrap_or((rest, "0"));
        let (ty, count) = shape.trim().strip_suffix(']')?.split_once('[')?;
        return Some(Argument::New {
            name: name.trim().into(),
            ty: ty.into(),
            count: count.parse().ok()?,
            contents: contents_of(contents.trim())?,
        });
    }
    if let Ok(value) = text.parse() {
        return Some(Argument::Int(value));
    }
    if let Ok(value) = text.parse() {
        return Some(Argument::Float(value));
    }
    let (name, offset) = text.split_once('+').unwrap_or((text, "0"));
    Some(Argument::Known { name: name.trim().into(), offset: offset.trim().parse().ok()? })
}

fn contents_of(text: &str) -> Option<Contents> {
    Some(match text {
        "index" => Contents::Index,
        "raw" => Contents::Raw,
        "freed" => Contents::Freed,
        "host" => Contents::Host,
        _ => match text.strip_prefix("index %") {
            Some(n) => Contents::Modulo(n.trim().parse().ok()?),
            None => Contents::Number(text.parse().ok()?),
        },
    })
}
