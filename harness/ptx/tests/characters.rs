//! Valid programs with changed characters and pieces of text.

use proptest::prelude::*;
use proptest::sample::{Index, select};
use std::path::Path;

fn corpus() -> Vec<String> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../ptx/tests/modules");
    let files = std::fs::read_dir(folder).unwrap().map(|f| f.unwrap().path());
    let mut ptx: Vec<_> = files.filter(|p| p.extension().is_some_and(|e| e == "ptx")).collect();
    ptx.sort();
    ptx.iter().map(|p| std::fs::read_to_string(p).unwrap()).collect()
}

/// Generates a text to insert: the words and marks that steer the parser.
pub fn piece() -> impl Strategy<Value = String> {
    let pieces = [
        "{",
        "}",
        "(",
        ")",
        "[",
        "]",
        ";",
        ":",
        ",",
        "=",
        "+",
        "-",
        "|",
        "!",
        "@",
        "<",
        ">",
        "\"",
        "/*",
        "*/",
        "//",
        "\n",
        "_",
        "%",
        "%p1",
        "%r1",
        "%tid.x",
        "%tid",
        "WARP_SZ",
        ".reg",
        ".param",
        ".shared",
        ".align",
        ".b32",
        ".pred",
        ".v4",
        ".f64",
        ".entry",
        ".func",
        ".extern",
        ".loc",
        ".file",
        ".section",
        ".branchtargets",
        ".callprototype",
        ".pragma",
        ".ptr",
        "call",
        "bra",
        "generic",
        "inlined_at",
        "0",
        "1",
        "0x",
        "0f3F800000",
        "0d",
        "4294967296",
        "18446744073709551615",
        "18446744073709551616",
        "0xFF(",
        "1e999",
        "$L",
        "é",
        "\0",
    ];
    prop_oneof![
        4 => select(pieces.to_vec()).prop_map(str::to_owned),
        1 => ".{0,12}",
    ]
}

#[derive(Clone, Debug)]
enum Change {
    Insert(Index, String),
    Remove(Index, usize),
    Copy(Index, Index, usize),
    Cut(Index),
}

fn change() -> impl Strategy<Value = Change> {
    prop_oneof![
        (any::<Index>(), piece()).prop_map(|(at, piece)| Change::Insert(at, piece)),
        (any::<Index>(), 1..40usize).prop_map(|(at, length)| Change::Remove(at, length)),
        (any::<Index>(), any::<Index>(), 1..200usize).prop_map(|(a, b, n)| Change::Copy(a, b, n)),
        any::<Index>().prop_map(Change::Cut),
    ]
}

fn apply(text: &mut Vec<char>, change: &Change) {
    if text.is_empty() {
        return;
    }
    let length = text.len();
    match change {
        Change::Insert(at, piece) => {
            let at = at.index(length);
            text.splice(at..at, piece.chars());
        }
        Change::Remove(at, count) => {
            let at = at.index(length);
            text.drain(at..(at + count).min(length));
        }
        Change::Copy(from, to, count) => {
            let from = from.index(length);
            let copied: Vec<char> = text[from..(from + count).min(length)].to_vec();
            let to = to.index(length);
            text.splice(to..to, copied);
        }
        Change::Cut(at) => text.truncate(at.index(length)),
    }
}

/// Generates a valid program with changed pieces of text.
pub fn program() -> impl Strategy<Value = String> {
    (select(corpus()), prop::collection::vec(change(), 1..8)).prop_map(|(text, changes)| {
        let mut text: Vec<char> = text.chars().collect();
        for change in &changes {
            apply(&mut text, change);
        }
        text.into_iter().collect()
    })
}
