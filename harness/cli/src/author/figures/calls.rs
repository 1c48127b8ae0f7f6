//! Tables of the calls that the emulated driver exports: all families, from its sources (`supported`), or the functions
//! of the headers that only exist so that clients can load (`unsupported`).

use std::{collections::BTreeMap, path::Path};

use cuda_abi::{
    absent::{absent, sources},
    driver::FUNCTIONS,
};

use super::fault::{Error, Fault};

/// The folder of the calls, in the repository's root.
const SOURCES: &str = "harness/libcuda/src/api";

/// The calls of the kind `which`, as a Markdown table.
pub(super) fn table(which: &str, _reports: &Path) -> Result<String, Fault> {
    let io = |source| Fault::Error(Error::Io { path: SOURCES.into(), source });
    let sources = sources(Path::new(SOURCES)).map_err(io)?;
    match which {
        "supported" => Ok(supported(&sources)),
        "unsupported" => Ok(unsupported(&absent(FUNCTIONS, &sources))),
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

/// A family is what the names of its calls begin with.
fn unsupported(calls: &[&str]) -> String {
    let mut families: BTreeMap<String, Vec<String>> = BTreeMap::new();
    for call in calls {
        let word = call.bytes().skip(3).take_while(u8::is_ascii_lowercase).count();
        families.entry(format!("`{}*`", &call[..3 + word])).or_default().push(format!("`{call}`"));
    }
    let rows: Vec<Vec<String>> = families.into_iter().map(|(family, calls)| vec![family, calls.join(", ")]).collect();
    harness::markdown(&["not modelled", "calls"], &rows)
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
    fn what_is_not_modelled_is_named_by_families() {
        let table = unsupported(&["cuArrayA", "cuTexRefB", "cuTexRefC_v2"]);
        assert!(table.contains("| `cuArray*` | `cuArrayA` |"), "{table}");
        assert!(table.contains("| `cuTex*` | `cuTexRefB`, `cuTexRefC_v2` |"), "{table}");
    }
}
