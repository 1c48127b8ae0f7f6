//! What `labs/COVERAGE.md` names exists: variants, options, columns, files and commands.

use std::path::{Path, PathBuf};

use crate::common::warplab;
use harness::Lab;

/// The number of items of the five texts.
const ITEMS: usize = 289;

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// The rows of the tables: item and place.
fn rows(text: &str) -> Vec<(&str, &str)> {
    text.lines()
        .filter_map(|line| line.strip_prefix("| ")?.strip_suffix(" |")?.split_once(" | "))
        .filter(|(item, _)| !["item", "---"].contains(item))
        .collect()
}

/// The labs that a place names outside backquotes, or all if it names none.
fn named(place: &str) -> Vec<&'static Lab> {
    let plain: String = place.split('`').step_by(2).collect();
    let words: Vec<&str> = plain.split(|c: char| !c.is_alphanumeric()).collect();
    let named: Vec<&Lab> = crate::labs::LABS.iter().copied().filter(|lab| words.contains(&lab.name)).collect();
    if named.is_empty() { crate::labs::LABS.to_vec() } else { named }
}

/// Whether `option` (`--n 8`, `--check leakcheck`) is an option of a run of one of the labs.
fn is_option(option: &str, labs: &[&'static Lab]) -> bool {
    let name = option.trim_start_matches('-').split([' ', '=']).next().unwrap_or_default();
    labs.iter().any(|lab| {
        harness::command(lab).get_arguments().any(|arg| {
            arg.get_long() == Some(name)
                || arg.get_all_aliases().is_some_and(|all| all.contains(&name))
                || arg.get_short().is_some_and(|short| name == short.to_string())
        })
    })
}

/// Whether a word in backquotes names something that exists.
fn exists(word: &str, labs: &[&'static Lab]) -> bool {
    if let Some(command) = word.strip_prefix("warplab ") {
        let name = command.split(' ').next().unwrap_or_default();
        return warplab(&[name, "--help"]).code == 0;
    }
    if word.starts_with("-- ") {
        return word.split(' ').skip(1).all(|number| number.parse::<u32>().is_ok());
    }
    if word.starts_with('-') {
        return is_option(word, labs);
    }
    let is_file = |folder: PathBuf| folder.join(word).exists();
    labs.iter().any(|lab| {
        let is_variant = lab.variants().iter().any(|variant| variant.name == word);
        let is_column = lab.columns.iter().any(|column| column.name == word);
        let is_published = lab.published.iter().any(|published| published.column == word);
        let is_value = harness::command(lab)
            .get_arguments()
            .any(|arg| arg.get_possible_values().iter().any(|value| value.get_name() == word));
        is_variant || is_column || is_published || is_value || is_file(root().join("labs").join(lab.name))
    }) || is_file(root())
        || harness::check_profile(word).is_ok()
        || harness::parse_checks(word).is_ok()
}

#[test]
fn each_lab_has_a_bench() {
    for lab in crate::labs::LABS {
        let manifest = std::fs::read_to_string(root().join("labs").join(lab.name).join("Cargo.toml")).unwrap();
        let manifest: toml::Table = manifest.parse().unwrap();
        let names: Vec<_> = manifest["bench"].as_array().unwrap().iter().map(|bench| bench["name"].as_str()).collect();
        assert_eq!(names, [Some("cases")], "{}", lab.name);
        // The unit-test harness rejects criterion's options.
        for target in [&manifest["lib"], &manifest["bin"][0]] {
            assert_eq!(target["bench"].as_bool(), Some(false), "{}", lab.name);
        }
    }
}

#[test]
fn every_item_of_the_texts_has_a_place_that_exists() {
    let text = std::fs::read_to_string(root().join("labs/COVERAGE.md")).unwrap();
    let rows = rows(&text);
    assert_eq!(rows.len(), ITEMS);
    let mut missing = Vec::new();
    for (item, place) in rows {
        let labs = named(place);
        for word in place.split('`').skip(1).step_by(2) {
            if !exists(word, &labs) {
                missing.push(format!("{item}: `{word}`"));
            }
        }
    }
    assert!(missing.is_empty(), "{missing:#?}");
}

#[test]
fn what_does_not_exist_is_noticed() {
    for place in ["scan `no-such`", "scan `--no-such 4`", "scan `no-such.svg`", "`warplab no-such`", "scan `tiled`"] {
        let word = place.split('`').nth(1).unwrap();
        assert!(!exists(word, &named(place)), "{place}");
    }
    assert!(exists("single-pass", &named("scan `single-pass`")));
}
