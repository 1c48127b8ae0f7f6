//! Sources: files of the reader's computer, texts of the recording, and the kernel's PTX where there are no lines.

use std::path::Path;

use recording::{Header, SourceLine};
use serde_json::{Value, json};

use crate::location::is_file;

/// A source that a client names.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NamedSource {
    /// A source file: an index into the header's.
    File(u32),
    /// The list of instructions.
    Instructions,
}

/// Returns the source of a frame, and its line there.
pub fn place(header: &Header, line: Option<SourceLine>, instruction: u32) -> (Value, u64) {
    match line.and_then(|line| Some((line, header.sources.get(line.file as usize)?))) {
        Some((line, source)) => {
            let name = source.name.rsplit('/').next().unwrap_or_default();
            let path = Path::new(&source.name).canonicalize().ok();
            let source = match path {
                Some(path) => json!({"name": name, "path": path.to_string_lossy()}),
                None => json!({"name": name, "sourceReference": line.file + 1}),
            };
            (source, line.line.into())
        }
        None => (
            json!({"name": format!("{}.ptx", header.kernel), "sourceReference": header.sources.len() + 1}),
            u64::from(instruction) + 1,
        ),
    }
}

/// Returns the source that a client names by `source`.
pub fn named(header: &Header, source: &Value) -> Option<NamedSource> {
    if let Some(reference) = source["sourceReference"].as_u64().filter(|reference| *reference > 0) {
        return by_reference(header, reference);
    }
    let path = source["path"].as_str().or(source["name"].as_str())?.replace('\\', "/");
    let file = header.sources.iter().position(|known| is_file(&known.name, &path))?;
    Some(NamedSource::File(file as u32))
}

/// Returns the text of a source.
pub fn text(header: &Header, reference: u64) -> Option<String> {
    match by_reference(header, reference)? {
        NamedSource::File(file) => header.sources[file as usize].text.clone(),
        NamedSource::Instructions => {
            let lines: Vec<&str> = header.instructions.iter().map(|instruction| instruction.text.as_str()).collect();
            Some(lines.join("\n"))
        }
    }
}

fn by_reference(header: &Header, reference: u64) -> Option<NamedSource> {
    let index = usize::try_from(reference).ok()?.checked_sub(1)?;
    match index.cmp(&header.sources.len()) {
        std::cmp::Ordering::Less => Some(NamedSource::File(index as u32)),
        std::cmp::Ordering::Equal => Some(NamedSource::Instructions),
        std::cmp::Ordering::Greater => None,
    }
}
