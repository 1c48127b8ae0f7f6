//! Tables of the calls that the emulated driver exports, from its sources: all families (`supported`), or those that
//! only exist so that clients can load (`unsupported`).

use std::{
    fs,
    path::{Path, PathBuf},
};

use super::fault::{Error, Fault};

/// The folder of the calls, in the repository's root.
const SOURCES: &str = "harness/libcuda/src/api";

/// The file of the unmodelled calls.
const UNSUPPORTED: &str = "unsupported.rs";

/// The calls of the kind `which`, as a Markdown table.
pub(super) fn table(which: &str, _reports: &Path) -> Result<String, Fault> {
    let io = |path: PathBuf| move |source| Fault::Error(Error::Io { path, source });
    let read = |path: PathBuf| fs::read_to_string(&path).map_err(io(path));
    let folder = Path::new(SOURCES);
    match which {
        "supported" => {
            let entries = fs::read_dir(folder).and_then(Iterator::collect::<Result<Vec<_>, _>>);
            let mut files: Vec<PathBuf> = entries.map_err(io(folder.into()))?.iter().map(fs::DirEntry::path).collect();
            files.retain(|file| file.file_name().is_some_and(|name| name != UNSUPPORTED));
            files.sort();
            Ok(supported(&files.into_iter().map(read).collect::<Result<Vec<_>, _>>()?))
        }
        "unsupported" => Ok(unsupported(&read(folder.join(UNSUPPORTED))?)),
        other => Err(Fault::Marker(format!("unknown calls {other:?}; there are: supported, unsupported"))),
    }
}

/// The lines of a source that declare calls: inside `entry_points! { ... }`.
fn declared(source: &str) -> impl Iterator<Item = &str> {
    let after = source.split_once("\nentry_points! {").map_or("", |(_, after)| after);
    after.lines().take_while(|line| *line != "}").map(str::trim)
}

/// The call whose declaration begins in this line.
fn call_of(line: &str) -> Option<&str> {
    let name = line.split_once('(')?.0;
    let is_name = name.starts_with("cu") && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_');
    is_name.then_some(name)
}

/// The first sentence of a source's module comment.
fn title(source: &str) -> String {
    let words: Vec<&str> = source.lines().map_while(|line| line.strip_prefix("//!")).map(str::trim).collect();
    let text = words.join(" ");
    text.split_once(". ").map_or(text.trim_end_matches('.'), |(first, _)| first).to_owned()
}

fn supported(sources: &[String]) -> String {
    let number = |source: &String| declared(source).filter_map(call_of).count();
    let counted: Vec<(String, usize)> = sources.iter().map(|source| (title(source), number(source))).collect();
    let rows = counted.iter().filter(|(_, calls)| *calls > 0);
    let mut rows: Vec<Vec<String>> = rows.map(|(title, calls)| vec![title.clone(), calls.to_string()]).collect();
    rows.push(vec!["all of these".into(), counted.iter().map(|(_, calls)| calls).sum::<usize>().to_string()]);
    harness::markdown(&["calls of the driver, with their editions", "number"], &rows)
}

/// Each group begins with a comment.
fn unsupported(source: &str) -> String {
    let mut groups: Vec<(String, Vec<String>)> = Vec::new();
    let mut is_comment = false;
    for line in declared(source) {
        let text = line.strip_prefix("//").map(str::trim);
        match (text, call_of(line), groups.last_mut()) {
            (Some(text), _, Some((title, _))) if is_comment => *title = format!("{title} {text}"),
            (Some(text), ..) => groups.push((text.to_owned(), Vec::new())),
            (None, Some(call), Some((_, calls))) => calls.push(format!("`{call}`")),
            _ => {}
        }
        is_comment = text.is_some();
    }
    let row = |(title, calls): &(String, Vec<String>)| vec![title.trim_end_matches('.').to_owned(), calls.join(", ")];
    harness::markdown(&["not modelled", "calls"], &groups.iter().map(row).collect::<Vec<_>>())
}

#[cfg(test)]
mod tests {
    use super::*;

    const SOURCE: &str = "//! Things (`cuThing*`), and\n//! more. Not this.\n\nuse x;\n\nentry_points! {\n    cuThing(a: T,\n        \
        b: T) = thing;\n    // A comment.\n    cuThing_v2() = thing;\n}\n\n#[cfg(test)]\nmod tests {\n    fn cuNot() {}\n}\n";

    #[test]
    fn the_calls_of_a_file_are_counted_under_its_first_sentence() {
        let table = supported(&[SOURCE.into(), "//! Nothing.\n".into()]);
        assert!(table.contains("| Things (`cuThing*`), and more | 2 |"), "{table}");
        assert!(table.contains("| all of these | 2 |") && !table.contains("Nothing"), "{table}");
    }

    #[test]
    fn what_is_not_modelled_is_named_by_groups() {
        let table = unsupported(
            "entry\nentry_points! {\n    // One,\n    // and more.\n    cuA() = no;\n    cuB() = no;\n    // Two.\n    cuC() = no;\n}\n",
        );
        assert!(table.contains("| One, and more | `cuA`, `cuB` |") && table.contains("| Two | `cuC` |"), "{table}");
    }
}
