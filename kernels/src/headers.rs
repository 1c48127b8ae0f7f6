//! Headers: those that labs share, which are embedded here, and those that lie beside a kernel file and are its own.
use std::{
    borrow::Cow,
    collections::{BTreeMap, BTreeSet},
    fs,
    path::Path,
};

use crate::KernelSource;

/// A header that a kernel file includes by its bare name: `#include "scan.cuh"`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Header {
    /// The name by which it is included, e.g. `scan.cuh`.
    pub name: Cow<'static, str>,
    /// The path that messages and line information give: relative to the workspace, or as the user gave it.
    pub path: Cow<'static, str>,
    /// CUDA C++ source text.
    pub text: Cow<'static, str>,
}

/// The headers in `kernels/include`, embedded so that a lone binary can compile an edited kernel.
pub(crate) static SHARED: [Header; 1] = [Header {
    name: Cow::Borrowed("index.cuh"),
    path: Cow::Borrowed("kernels/include/index.cuh"),
    text: Cow::Borrowed(include_str!("../include/index.cuh")),
}];

/// Path and text of every header in `kernels/include`.
pub fn headers() -> impl Iterator<Item = (&'static str, &'static str)> {
    SHARED.iter().map(|header| (header.path.as_ref(), header.text.as_ref()))
}

/// The headers that `source` can include, by name: its own, and the shared ones, except those whose name one of its own
/// has.
pub(crate) fn known(source: &KernelSource) -> BTreeMap<&str, &Header> {
    let own_last = SHARED.iter().chain(source.headers.iter());
    own_last.map(|header| (header.name.as_ref(), header)).collect()
}

/// What a kernel file includes.
pub(crate) struct Includes<'a> {
    /// The embedded headers, in order of name, also those that another header includes.
    pub(crate) embedded: Vec<&'a Header>,
    /// The names in quotes or angle brackets that are not embedded.
    pub(crate) others: BTreeSet<&'a str>,
    /// The names among `others` that are in angle brackets: CUDA's own headers.
    pub(crate) system: BTreeSet<&'a str>,
}

/// What `source` includes, directly or through one of its embedded headers.
///
/// Only `#include` lines are read. A header named within an `#if 0` counts too; the price is a needless compilation
/// after that header changes.
pub(crate) fn included(source: &KernelSource) -> Includes<'_> {
    let known = known(source);
    let mut embedded: BTreeMap<&str, &Header> = BTreeMap::new();
    let (mut others, mut system) = (BTreeSet::new(), BTreeSet::new());
    let mut texts: Vec<&str> = vec![&source.cuda];
    while let Some(text) = texts.pop() {
        for (name, bracketed) in text.lines().filter_map(include) {
            if let Some(header) = known.get(name) {
                if embedded.insert(name, header).is_none() {
                    texts.push(&header.text);
                }
                continue;
            }
            others.insert(name);
            if bracketed {
                system.insert(name);
            }
        }
    }
    Includes { embedded: embedded.into_values().collect(), others, system }
}

/// Reads the headers that `cuda` includes by a bare name from `folders`, also those that another of them includes. Each
/// is read from the first folder that has a file of its name. A name that no folder has is left out: it may be a shared
/// header or one of CUDA's, or else the compiler reports it.
pub(crate) fn read(cuda: &str, folders: &[&Path]) -> Vec<Header> {
    let mut found: BTreeMap<String, Header> = BTreeMap::new();
    let mut texts = vec![cuda.to_string()];
    while let Some(text) = texts.pop() {
        for (name, _) in text.lines().filter_map(include) {
            if name.contains(['/', '\\']) || found.contains_key(name) {
                continue;
            }
            let file = folders.iter().find_map(|folder| {
                let path = folder.join(name);
                Some((fs::read_to_string(&path).ok()?, path))
            });
            if let Some((text, path)) = file {
                texts.push(text.clone());
                let path = path.display().to_string().into();
                found.insert(name.into(), Header { name: name.to_string().into(), path, text: text.into() });
            }
        }
    }
    found.into_values().collect()
}

/// The name that an `#include` line gives, and whether it is in angle brackets.
fn include(line: &str) -> Option<(&str, bool)> {
    let line = line.trim_start().strip_prefix('#')?;
    let line = line.trim_start().strip_prefix("include")?.trim_start();
    let rest = line.strip_prefix(['"', '<'])?;
    let (name, _) = rest.split_once(['"', '>'])?;
    Some((name, line.starts_with('<')))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn source(cuda: &str, headers: &[(&'static str, &'static str)]) -> KernelSource {
        let header = |(name, text): &(&'static str, &'static str)| Header {
            name: Cow::Borrowed(name),
            path: format!("labs/mine/kernels/{name}").into(),
            text: Cow::Borrowed(text),
        };
        KernelSource {
            name: "mine.cu".into(),
            path: "labs/mine/kernels/mine.cu".into(),
            cuda: cuda.to_string().into(),
            ptx: "".into(),
            headers: headers.iter().map(header).collect(),
        }
    }

    fn paths(source: &KernelSource) -> Vec<String> {
        included(source).embedded.iter().map(|header| header.path.to_string()).collect()
    }

    #[test]
    fn every_file_in_the_folder_is_embedded() {
        let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/include");
        let mut files: Vec<_> =
            fs::read_dir(folder).unwrap().map(|f| f.unwrap().file_name().into_string().unwrap()).collect();
        files.sort();
        assert_eq!(files, SHARED.iter().map(|header| header.name.as_ref()).collect::<Vec<_>>());
    }

    #[test]
    fn only_what_is_included_counts() {
        assert!(paths(&source("int x; // index.cuh", &[])).is_empty());
        let mine = source("  # include <index.cuh>\n#include \"mine.h\"", &[]);
        assert_eq!(paths(&mine), ["kernels/include/index.cuh"]);
    }

    #[test]
    fn cudas_own_are_told_from_the_shared_and_the_users() {
        let source = source("#include <index.cuh>\n#include \"mine.h\"\n# include <cooperative_groups/scan.h>\n", &[]);
        let includes = included(&source);
        assert!(includes.system.iter().eq(&["cooperative_groups/scan.h"]));
        assert!(includes.others.iter().eq(&["cooperative_groups/scan.h", "mine.h"]));
    }

    #[test]
    fn a_header_of_its_own_may_include_others_and_take_the_name_of_a_shared_one() {
        let own = [
            ("a.cuh", "#include \"b.cuh\"\n#include <cuda_fp16.h>"),
            ("b.cuh", "#include \"index.cuh\""),
            ("c.cuh", ""),
        ];
        let mine = source("#include \"a.cuh\"", &own);
        let found = ["labs/mine/kernels/a.cuh", "labs/mine/kernels/b.cuh", "kernels/include/index.cuh"];
        assert_eq!(paths(&mine), found);
        assert!(included(&mine).system.iter().eq(&["cuda_fp16.h"]));

        let mine = source("#include \"index.cuh\"", &[("index.cuh", "int mine;")]);
        assert_eq!(paths(&mine), ["labs/mine/kernels/index.cuh"]);
    }

    #[test]
    fn headers_are_read_from_the_first_folder_that_has_them() {
        let root = tempfile::tempdir().unwrap();
        let (near, far) = (root.path().join("near"), root.path().join("far"));
        for (folder, name, text) in [
            (&near, "a.cuh", "#include \"b.cuh\"\n"),
            (&far, "a.cuh", "far"),
            (&far, "b.cuh", "far"),
            (&far, "unused.cuh", "far"),
        ] {
            fs::create_dir_all(folder).unwrap();
            fs::write(folder.join(name), text).unwrap();
        }
        let found = read("#include \"a.cuh\"\n#include <cuda_fp16.h>\n#include \"../far/b.cuh\"\n", &[&near, &far]);
        let paths: Vec<&str> = found.iter().map(|header| header.path.as_ref()).collect();
        assert_eq!(paths, [near.join("a.cuh").to_str().unwrap(), far.join("b.cuh").to_str().unwrap()]);
    }
}
