//! The device headers that labs share, embedded so that a lone binary can compile an edited kernel.
use std::collections::BTreeSet;

/// Name as included, and text, of every header in `kernels/include`.
pub(crate) const HEADERS: &[(&str, &str)] = &[
    ("divergence.cuh", include_str!("../include/divergence.cuh")),
    ("index.cuh", include_str!("../include/index.cuh")),
    ("scan.cuh", include_str!("../include/scan.cuh")),
    ("warp.cuh", include_str!("../include/warp.cuh")),
];

/// The shared headers that `source` includes, directly or through one another, by name.
///
/// Reads `#include` lines only: a header named within an `#if 0` counts too, which at worst compiles
/// once too often.
pub(crate) fn included(source: &str) -> Vec<(&'static str, &'static str)> {
    let mut seen = BTreeSet::new();
    let mut texts = vec![source];
    while let Some(text) = texts.pop() {
        for name in text.lines().filter_map(include_name) {
            if let Some((name, header)) = HEADERS.iter().find(|(h, _)| *h == name)
                && seen.insert(*name)
            {
                texts.push(header);
            }
        }
    }
    HEADERS
        .iter()
        .filter(|(name, _)| seen.contains(name))
        .copied()
        .collect()
}

/// Whether `source` includes files that are not among the shared headers.
pub(crate) fn includes_others(source: &str) -> bool {
    source
        .lines()
        .filter_map(include_name)
        .any(|name| !HEADERS.iter().any(|(h, _)| *h == name))
}

/// The names that `source` includes in angle brackets and that are not shared headers: CUDA's own.
pub(crate) fn system(source: &str) -> impl Iterator<Item = &str> {
    let bracketed = source
        .lines()
        .filter(|line| line.trim_end().ends_with('>'))
        .filter_map(include_name);
    bracketed.filter(|name| !HEADERS.iter().any(|(h, _)| h == name))
}

fn include_name(line: &str) -> Option<&str> {
    let rest = line
        .trim_start()
        .strip_prefix('#')?
        .trim_start()
        .strip_prefix("include")?
        .trim_start();
    let rest = rest.strip_prefix(['"', '<'])?;
    rest.split(['"', '>']).next()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_file_in_the_folder_is_embedded() {
        let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/include");
        let mut files: Vec<_> = std::fs::read_dir(folder)
            .unwrap()
            .map(|f| f.unwrap().file_name().into_string().unwrap())
            .collect();
        files.sort();
        assert_eq!(files, HEADERS.iter().map(|(n, _)| *n).collect::<Vec<_>>());
    }

    #[test]
    fn only_what_is_included_counts() {
        assert!(included("int x; // index.cuh").is_empty());
        let names: Vec<_> = included("  # include <index.cuh>\n#include \"mine.h\"")
            .into_iter()
            .map(|(n, _)| n)
            .collect();
        assert_eq!(names, ["index.cuh"]);
    }

    #[test]
    fn cudas_own_are_told_from_the_shared_and_the_users() {
        let source =
            "#include <index.cuh>\n#include \"mine.h\"\n# include <cooperative_groups/scan.h>\n";
        let names: Vec<_> = system(source).collect();
        assert_eq!(names, ["cooperative_groups/scan.h"]);
    }
}
