//! Headers: the shared ones, which are embedded here, and a kernel file's own, which are next to it.
//!
//! The includes of a file are found in its text without a preprocessor: every name in quotes or angle brackets counts
//! if there is such a header. An extra header that is not included after all does no harm. A header that is included by
//! a macro's name is found where the macro is defined.
use std::{
    borrow::Cow,
    collections::{BTreeMap, BTreeSet},
    fs, io,
    path::{Path, PathBuf},
};

use serde::{Deserialize, Serialize};

use crate::{Error, KernelSource, read};

/// Limits of the names in a text: one with more or longer names only serves to slow down the search.
const MOST_NAMES: usize = 10_000;
const LONGEST_NAME: usize = 256;

/// The maximum number of names, of a kernel file and its headers together, for which folders are searched.
const MOST_LOOKED_FOR: usize = 4 * MOST_NAMES;

/// The maximum total size of a kernel file's own headers, in bytes.
const MOST_BYTES: usize = 64 << 20;

/// The extensions of headers. No other file in a kernel file's folder (notes, keys, marks) is given to the compiler.
pub const ENDINGS: [&str; 11] = ["cuh", "cu", "h", "hh", "hpp", "hxx", "inc", "inl", "ipp", "tpp", "def"];

/// Whether this is the name of a header, by its extension.
pub fn is_header(name: &str) -> bool {
    Path::new(name).extension().is_some_and(|end| ENDINGS.iter().any(|known| end.eq_ignore_ascii_case(known)))
}

/// A header, by the name with which a kernel file includes it: `#include "scan.cuh"`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Header {
    /// The name by which it is included, e.g. `scan.cuh`.
    pub name: Cow<'static, str>,
    /// The path for messages and line information: relative to the workspace, or as the user gave it.
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

/// Returns path and text of every header in `kernels/include`.
pub fn headers() -> impl Iterator<Item = (&'static str, &'static str)> {
    SHARED.iter().map(|header| (header.path.as_ref(), header.text.as_ref()))
}

/// Returns the headers that `source` can include, by name: its own, and the shared ones. Its own take precedence.
pub(crate) fn known(source: &KernelSource) -> BTreeMap<&str, &Header> {
    let own_last = SHARED.iter().chain(source.headers.iter());
    own_last.map(|header| (header.name.as_ref(), header)).collect()
}

/// Returns the headers that `source` includes, directly or indirectly, in order of name: its own and shared ones, but
/// not CUDA's.
pub(crate) fn included(source: &KernelSource) -> Vec<&Header> {
    let known = known(source);
    let mut found: BTreeMap<&str, &Header> = BTreeMap::new();
    let mut texts: Vec<&str> = vec![&source.cuda];
    while let Some(text) = texts.pop() {
        for name in names(text) {
            if let Some((name, header)) = known.get_key_value(name.as_str())
                && found.insert(name, header).is_none()
            {
                texts.push(&header.text);
            }
        }
    }
    found.into_values().collect()
}

/// Returns the names of CUDA headers: those that `source` and its headers include in angle brackets and that are not
/// embedded.
pub(crate) fn system(source: &KernelSource) -> BTreeSet<&str> {
    let known = known(source);
    let embedded = included(source).into_iter().map(|header| header.text.as_ref());
    let texts = std::iter::once(source.cuda.as_ref()).chain(embedded);
    let bracketed = texts.flat_map(directives).filter(|directive| directive.is_bracketed);
    bracketed.map(|directive| directive.name).filter(|name| !known.contains_key(name)).collect()
}

/// Returns the folder whose headers a kernel file may include: its own. `None` if it comes through `/dev/stdin`.
pub(crate) fn folder_of(file: &Path) -> Option<PathBuf> {
    let folder = file.parent()?;
    let folder = if folder.as_os_str().is_empty() { Path::new(".") } else { folder };
    let real = fs::canonicalize(folder).ok()?;
    let is_of_system = ["/dev", "/proc"].iter().any(|of_system| real.starts_with(of_system));
    (!is_of_system).then(|| folder.to_path_buf())
}

/// Reads the headers that `cuda` includes, directly or indirectly, from `folders`. As in a compiler, each is first
/// searched in the folder of the file that includes it, if that is in one of `folders`. A name that leads out of the
/// folders, also by a symbolic link, is ignored, and so is one that no folder has: it may be a shared header or one of
/// CUDA's, and otherwise the compiler reports it.
///
/// # Errors
/// [`Error::TwoHeaders`] when one name means two files: the compiler identifies headers by their names. [`Error::Read`]
/// when they are too large.
pub(crate) fn read(cuda: &str, folders: &[PathBuf]) -> Result<Vec<Header>, Error> {
    let roots: Vec<PathBuf> = folders.iter().filter_map(|folder| fs::canonicalize(folder).ok()).collect();
    let mut found: BTreeMap<String, (PathBuf, Header)> = BTreeMap::new();
    let mut texts = vec![(cuda.to_string(), None::<PathBuf>)];
    let (mut bytes, mut looked_for) = (0, 0);
    while let Some((text, folder)) = texts.pop() {
        for name in names(&text).into_iter().filter(|name| is_header(name)) {
            looked_for += 1;
            if looked_for > MOST_LOOKED_FOR {
                let source = io::Error::other(format!("it and its headers name more than {MOST_LOOKED_FOR} headers"));
                return Err(Error::Read { path: folder.unwrap_or_default().join(name), source });
            }
            let mut near = folder.iter().chain(folders);
            let Some((real, path)) = near.find_map(|near| within(&roots, near, &name)) else { continue };
            let shown = path.display().to_string();
            if let Some((other, header)) = found.get(&name) {
                if *other != real {
                    return Err(Error::TwoHeaders { name, first: header.path.to_string(), second: shown });
                }
                continue;
            }
            let Ok(text) = read::file(&real) else { continue };
            bytes += text.len();
            if bytes > MOST_BYTES {
                let source = io::Error::other(format!("the headers are larger than {} MiB in all", MOST_BYTES >> 20));
                return Err(Error::Read { path, source });
            }
            texts.push((text.clone(), path.parent().map(Path::to_path_buf)));
            let header = Header { name: name.clone().into(), path: shown.into(), text: text.into() };
            found.insert(name, (real, header));
        }
    }
    Ok(found.into_values().map(|(_, header)| header).collect())
}

/// Resolves the regular file `name` relative to the folder `near`, if it is in one of the folders `roots`, which have
/// no symbolic links. Returns its path without symbolic links, and the path that leads there.
fn within(roots: &[PathBuf], near: &Path, name: &str) -> Option<(PathBuf, PathBuf)> {
    if Path::new(name).has_root() {
        return None;
    }
    let path = near.join(name);
    let real = fs::canonicalize(&path).ok()?;
    (roots.iter().any(|root| real.starts_with(root)) && real.is_file()).then_some((real, path))
}

/// Returns every text in quotes or angle brackets that may be a header's name, after joining lines that end with a
/// backslash; the first [`MOST_NAMES`].
pub(crate) fn names(text: &str) -> BTreeSet<String> {
    let joined = joined(text);
    let mut found = BTreeSet::new();
    let mut keep = |name: &str| {
        if !name.is_empty() && name.len() <= LONGEST_NAME && !name.contains('\0') && found.len() < MOST_NAMES {
            found.insert(name.to_string());
        }
    };
    for line in joined.lines() {
        let (mut quote, mut angle) = (None, None);
        for (place, byte) in line.bytes().enumerate() {
            match byte {
                // A quote may end one text and begin the next.
                b'"' => {
                    if let Some(start) = quote.replace(place + 1) {
                        keep(&line[start..place]);
                    }
                }
                b'<' => angle = Some(place + 1),
                b'>' => {
                    if let Some(start) = angle.take() {
                        keep(&line[start..place]);
                    }
                }
                _ => {}
            }
        }
    }
    found
}

/// Returns every word that may be a header's name and from which a macro may make one: `NAME(cuda_fp16.h)`. The first
/// [`MOST_NAMES`].
pub(crate) fn bare_names(text: &str) -> BTreeSet<String> {
    let is_of_a_name = |c: char| c.is_ascii_alphanumeric() || "_./+-".contains(c);
    let words = text.split(|c| !is_of_a_name(c)).filter(|word| word.len() <= LONGEST_NAME);
    words.filter(|word| is_header(word)).take(MOST_NAMES).map(str::to_string).collect()
}

/// Returns `text` with lines joined at backslashes.
fn joined(text: &str) -> String {
    let mut joined = String::with_capacity(text.len());
    for line in text.lines() {
        match line.trim_end().strip_suffix('\\') {
            Some(start) => joined.push_str(start),
            None => {
                joined.push_str(line);
                joined.push('\n');
            }
        }
    }
    joined
}

/// A plain `#include` line.
pub(crate) struct Directive<'a> {
    pub(crate) name: &'a str,
    pub(crate) is_bracketed: bool,
}

/// Returns the plain `#include` lines of a text.
pub(crate) fn directives(text: &str) -> impl Iterator<Item = Directive<'_>> {
    text.lines().filter_map(|line| {
        let line = line.trim_start().strip_prefix('#')?;
        let line = line.trim_start().strip_prefix("include")?;
        let line = line.strip_prefix("_next").unwrap_or(line).trim_start();
        let rest = line.strip_prefix(['"', '<'])?;
        let (name, _) = rest.split_once(['"', '>'])?;
        Some(Directive { name, is_bracketed: line.starts_with('<') })
    })
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
            ptx: crate::CommittedPtx::NONE,
            headers: headers.iter().map(header).collect(),
        }
    }

    fn paths(source: &KernelSource) -> Vec<String> {
        included(source).iter().map(|header| header.path.to_string()).collect()
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
        assert!(system(&source).iter().eq(&["cooperative_groups/scan.h"]));
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
        assert!(system(&mine).iter().eq(&["cuda_fp16.h"]));

        let mine = source("#include \"index.cuh\"", &[("index.cuh", "int mine;")]);
        assert_eq!(paths(&mine), ["labs/mine/kernels/index.cuh"]);
    }

    /// A folder with these files, each given as `folder/name` and its text.
    fn tree(files: &[(&str, &str)]) -> tempfile::TempDir {
        let root = tempfile::tempdir().unwrap();
        for (file, text) in files {
            let path = root.path().join(file);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, text).unwrap();
        }
        root
    }

    fn found(cuda: &str, folders: &[PathBuf]) -> Vec<String> {
        let found = read(cuda, folders).unwrap();
        found.into_iter().map(|header| header.path.into_owned()).collect()
    }

    #[test]
    fn headers_are_read_from_the_first_folder_that_has_them() {
        let root = tree(&[
            ("near/a.cuh", "#include \"b.cuh\"\n"),
            ("far/a.cuh", "far"),
            ("far/b.cuh", "far"),
            ("far/unused.cuh", "far"),
        ]);
        let (near, far) = (root.path().join("near"), root.path().join("far"));
        let paths = found("#include \"a.cuh\"\n#include <cuda_fp16.h>\n", &[near.clone(), far.clone()]);
        assert_eq!(paths, [near.join("a.cuh").to_str().unwrap(), far.join("b.cuh").to_str().unwrap()]);
    }

    #[test]
    fn headers_are_found_however_they_are_spelled() {
        let root = tree(&[("mine/a.cuh", ""), ("mine/sub/b.cuh", "#include \"c.cuh\""), ("mine/sub/c.cuh", "")]);
        let folder = root.path().join("mine");
        for (cuda, name) in [
            ("%:include \"a.cuh\"", "a.cuh"),
            ("#include /* here */ \"a.cuh\"", "a.cuh"),
            ("#inc\\\nlude \"a.c\\\nuh\"", "a.cuh"),
            ("#define MINE <a.cuh>\n#include MINE", "a.cuh"),
            ("#if __has_include(\"a.cuh\")", "a.cuh"),
            ("#include \"./a.cuh\"", "./a.cuh"),
            ("#include \"sub/../a.cuh\"", "sub/../a.cuh"),
        ] {
            assert_eq!(found(cuda, std::slice::from_ref(&folder)), [folder.join(name).to_str().unwrap()], "{cuda}");
        }
        let nested = found("#include \"sub/b.cuh\"", std::slice::from_ref(&folder));
        let paths = ["sub/c.cuh", "sub/b.cuh"].map(|name| folder.join(name).display().to_string());
        assert_eq!(nested, paths);
    }

    #[test]
    fn names_are_the_texts_between_quotes_or_brackets() {
        let found = names("a < b > \"c\"d\"e\n<f<g>h>\n\"i\\\nj\"\n\"\"");
        assert!(found.iter().eq([" b ", "c", "d", "g", "ij"].iter()), "{found:?}");
        let many: Vec<String> = (0..=MOST_NAMES).map(|i| format!("\"{i}\"")).collect();
        assert_eq!(names(&many.join("\n")).len(), MOST_NAMES);
        assert!(names(&format!("<{}>", "x".repeat(LONGEST_NAME + 1))).is_empty());
    }

    #[cfg(unix)]
    #[test]
    fn no_name_leads_out_of_the_folder() {
        let root = tree(&[("secret.txt", "secret"), ("mine/a.cuh", "")]);
        let folder = root.path().join("mine");
        std::os::unix::fs::symlink(root.path().join("secret.txt"), folder.join("link.cuh")).unwrap();
        std::os::unix::fs::symlink(root.path(), folder.join("up")).unwrap();
        let absolute = root.path().join("secret.txt").display().to_string();
        for name in ["../secret.txt", "up/secret.txt", "link.cuh", &absolute, "./../secret.txt", "/etc/passwd", "."] {
            assert_eq!(found(&format!("#include \"{name}\""), std::slice::from_ref(&folder)), [""; 0], "{name}");
        }
        // A link to a file in the folder is another name for it.
        std::os::unix::fs::symlink("a.cuh", folder.join("b.cuh")).unwrap();
        assert_eq!(found("#include <b.cuh>", std::slice::from_ref(&folder)), [folder.join("b.cuh").to_str().unwrap()]);
    }

    #[test]
    fn a_name_that_means_two_files_is_an_error() {
        let root = tree(&[("a.cuh", ""), ("sub/a.cuh", ""), ("sub/b.cuh", "#include \"a.cuh\"")]);
        let folder = root.path().to_path_buf();
        let error = read("#include \"a.cuh\"\n#include \"sub/b.cuh\"", &[folder]).unwrap_err();
        assert!(matches!(&error, Error::TwoHeaders { name, .. } if name == "a.cuh"), "{error}");
    }
}
