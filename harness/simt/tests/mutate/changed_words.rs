//! Valid programs with a few changed words.

use super::committed::ptx_next_to;
use proptest::prelude::*;
use proptest::sample::{Index, select};
use std::path::{Path, PathBuf};
use std::sync::LazyLock;

/// Returns the PTX in a folder: files that were recorded or written as PTX, and those that were compiled from a source.
fn ptx_in(folder: &Path) -> Vec<String> {
    let entries = std::fs::read_dir(folder).expect("the folder is there");
    let mut paths: Vec<PathBuf> = entries.map(|entry| entry.expect("an entry").path()).collect();
    paths.sort();
    let texts = paths.iter().filter_map(|path| match path.extension()?.to_str()? {
        "ptx" => Some(std::fs::read_to_string(path).expect("it is read")),
        "cu" => Some(ptx_next_to(path)),
        _ => None,
    });
    texts.collect()
}

/// The lines of compilers' programs.
static PROGRAMS: LazyLock<Vec<Vec<String>>> = LazyLock::new(|| {
    let tests = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests");
    let folders = ["pass", "../../ptx/tests/modules", "fail/race_shared", "fail/trap"];
    let texts = folders.iter().flat_map(|folder| ptx_in(&tests.join(folder)));
    let lines = |text: String| text.lines().map(str::to_owned).collect();
    texts.map(lines).collect()
});

/// All their lines that are instructions or declarations.
static LINES: LazyLock<Vec<String>> = LazyLock::new(|| {
    let all = PROGRAMS.iter().flatten();
    let useful = |line: &&String| line.trim_end().ends_with(';') && !line.contains(".loc");
    let mut lines: Vec<String> = all.filter(useful).cloned().collect();
    lines.sort();
    lines.dedup();
    lines
});

/// Words that may replace others in an instruction.
const WORDS: [&str; 60] = [
    ".u8",
    ".s8",
    ".u16",
    ".s16",
    ".u32",
    ".s32",
    ".u64",
    ".s64",
    ".b8",
    ".b16",
    ".b32",
    ".b64",
    ".b128",
    ".f16",
    ".f16x2",
    ".f32",
    ".f64",
    ".pred",
    ".v2",
    ".v4",
    ".global",
    ".shared",
    ".local",
    ".param",
    ".const",
    ".volatile",
    ".relaxed",
    ".gpu",
    ".cta",
    ".sync",
    ".aligned",
    ".lo",
    ".hi",
    ".wide",
    ".cc",
    ".sat",
    ".ftz",
    ".rn",
    ".rz",
    ".approx",
    ".full",
    ".down",
    ".xor",
    ".all",
    ".any",
    ".ballot",
    ".add",
    ".cas",
    ".exch",
    ".inc",
    ".noftz",
    "0",
    "1",
    "-1",
    "31",
    "0x7fffffff",
    "0xffffffffffffffff",
    "4294967295",
    "%tid.x",
    "%laneid",
];

#[derive(Clone, Debug)]
enum Change {
    /// Replaces a word of a line by another one of its words or one from the list.
    Word(Index, Index, Index),
    /// Replaces the word at one position of a line by that of another line of the same kind.
    Swap(Index, Index),
    /// Removes a line.
    Without(Index),
    /// Inserts a line from any program.
    Line(Index, Index),
    /// Replaces a number in a line.
    Number(Index, u64),
}

fn change() -> impl Strategy<Value = Change> {
    let index = any::<Index>;
    let number = prop_oneof![0..40u64, any::<u64>(), (0..64u32).prop_map(|bits| 1 << bits)];
    prop_oneof![
        3 => (index(), index(), index()).prop_map(|(a, b, c)| Change::Word(a, b, c)),
        3 => (index(), index()).prop_map(|(a, b)| Change::Swap(a, b)),
        1 => index().prop_map(Change::Without),
        2 => (index(), index()).prop_map(|(a, b)| Change::Line(a, b)),
        2 => (index(), number).prop_map(|(a, n)| Change::Number(a, n)),
    ]
}

/// Returns the positions of a line's words: modifiers, registers, numbers, names.
fn words(line: &str) -> Vec<std::ops::Range<usize>> {
    let mut words = Vec::new();
    let mut start = None;
    for (at, c) in line.char_indices().chain([(line.len(), ' ')]) {
        let inside = c.is_ascii_alphanumeric() || "_%$".contains(c);
        match start {
            Some(from) if !inside => {
                words.push(from..at);
                start = (c == '.').then_some(at);
            }
            None if inside || c == '.' => start = Some(at),
            _ => {}
        }
    }
    words
}

fn apply(lines: &mut Vec<String>, change: &Change) {
    if lines.is_empty() {
        return;
    }
    let own: Vec<usize> = (0..lines.len()).filter(|&i| lines[i].trim_end().ends_with(';')).collect();
    let pick = |index: &Index| own.get(index.index(own.len().max(1))).copied();
    match change {
        Change::Word(line, at, word) => {
            let Some(line) = pick(line) else { return };
            let all = words(&lines[line]);
            if let Some(range) = all.get(at.index(all.len().max(1))) {
                let new = WORDS[word.index(WORDS.len())];
                lines[line].replace_range(range.clone(), new);
            }
        }
        Change::Swap(one, other) => {
            let (Some(one), Some(other)) = (pick(one), pick(other)) else {
                return;
            };
            let (a, b) = (words(&lines[one]), words(&lines[other]));
            if let (Some(a), Some(b)) = (a.last(), b.last()) {
                let new = lines[other][b.clone()].to_owned();
                lines[one].replace_range(a.clone(), &new);
            }
        }
        Change::Without(line) => {
            if let Some(line) = pick(line) {
                lines.remove(line);
            }
        }
        Change::Line(line, other) => {
            if let Some(line) = pick(line) {
                lines.insert(line, LINES[other.index(LINES.len())].clone());
            }
        }
        Change::Number(line, number) => {
            let Some(line) = pick(line) else { return };
            let digit = |c: &u8| c.is_ascii_digit();
            let all = words(&lines[line]);
            let first = |range: &&std::ops::Range<usize>| lines[line].as_bytes().get(range.start).is_some_and(digit);
            if let Some(range) = all.iter().rev().find(first) {
                lines[line].replace_range(range.clone(), &number.to_string());
            }
        }
    }
}

/// Generates a valid program with a few changed words.
pub fn program() -> impl Strategy<Value = String> {
    let changes = prop::collection::vec(change(), 1..4);
    (select(PROGRAMS.clone()), changes).prop_map(|(mut lines, changes)| {
        for change in &changes {
            apply(&mut lines, change);
        }
        lines.join("\n")
    })
}
