//! The texts of source files, for findings that show lines.

use crate::state::device::sync::lock;
use simt::finding::Findings;
use simt::report::Sources;
use std::collections::BTreeMap;
use std::sync::Mutex;

/// Texts of source files that the program gave, by name.
static KNOWN: Mutex<BTreeMap<String, String>> = Mutex::new(BTreeMap::new());

/// Adds texts of source files, by their names in line information.
pub fn know(sources: BTreeMap<String, String>) {
    lock(&KNOWN).extend(sources);
}

/// Returns the text of a source file: the one that the program gave, or, if it gave none at all, the file's own.
pub fn text_of(name: &str) -> Option<String> {
    let known = lock(&KNOWN);
    if known.is_empty() {
        return std::fs::read_to_string(name).ok();
    }
    let last = |name: &str| name.rsplit(['/', '\\']).next().unwrap_or_default().to_owned();
    let by_end = || known.iter().find(|(known, _)| last(known) == last(name)).map(|(_, text)| text);
    known.get(name).or_else(by_end).cloned()
}

/// Returns the source files to which findings refer: the texts that the program gave, or, if it gave none, the files
/// themselves if they can be read. A program that gives texts runs untrusted kernels, whose line information may name
/// any file.
pub fn sources(findings: &Findings) -> Sources {
    let mut sources = Sources::new();
    if findings.list.is_empty() {
        return sources;
    }
    let known = lock(&KNOWN);
    for (name, text) in known.iter() {
        sources.add(name, text);
    }
    if !known.is_empty() {
        return sources;
    }
    let mut names: Vec<&str> = Vec::new();
    for place in findings.list.iter().flat_map(|finding| &finding.accesses).map(|access| &access.place) {
        names.push(&place.file);
        names.extend(place.inlined_at.iter().map(|from| from.file.as_str()));
    }
    names.sort_unstable();
    names.dedup();
    for name in names.into_iter().filter(|name| !name.is_empty()) {
        if let Ok(text) = std::fs::read_to_string(name) {
            sources.add(name, text);
        }
    }
    sources
}
