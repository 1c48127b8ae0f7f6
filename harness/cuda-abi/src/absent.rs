//! Functions of a header that a library does not implement. Its build script finds them, and the library exports each
//! of them as a function that returns an error, so that programs which look them up can load.

use std::{
    collections::BTreeSet,
    env, fs, io,
    path::{Path, PathBuf},
};

/// Returns the functions of a header that no row of a table and no `fn` in these sources defines.
pub fn absent<'a>(header: &[&'a str], sources: &[String]) -> Vec<&'a str> {
    let defined: BTreeSet<&str> = sources.iter().flat_map(|source| source.lines().flat_map(defined_in)).collect();
    header.iter().copied().filter(|name| !defined.contains(name)).collect()
}

/// Returns the functions that a line defines. A row of a table begins with the name of the function and its
/// parenthesis, or with two names, the second of which is for programs with a default stream per thread.
fn defined_in(line: &str) -> impl Iterator<Item = &str> {
    let line = line.trim_start();
    let row = line.split_once("extern \"C\" fn ").map_or(line, |(_, row)| row);
    let names = row.split(['(', '[']).next().unwrap_or_default();
    let is_row = names.len() < row.len() && names.chars().all(|c| c.is_ascii_alphanumeric() || c == '_' || c == ' ');
    names.split_whitespace().filter(move |_| is_row)
}

/// For a build script: writes a call of the macro `lacking` with the functions of the header that the sources in
/// `folder` do not define, as `absent.rs` in cargo's output folder.
///
/// # Errors
/// If a source cannot be read, or the file cannot be written.
pub fn write_stubs(header: &[&str], folder: &str) -> io::Result<()> {
    println!("cargo::rerun-if-changed={folder}");
    let stubs = absent(header, &sources(Path::new(folder))?);
    let out = env::var_os("OUT_DIR").map_or_else(PathBuf::new, PathBuf::from);
    fs::write(out.join("absent.rs"), format!("lacking! {{\n    {}\n}}\n", stubs.join("\n    ")))
}

/// Returns the texts of Rust's sources in a folder.
///
/// # Errors
/// If one cannot be read.
pub fn sources(folder: &Path) -> io::Result<Vec<String>> {
    let entries = fs::read_dir(folder)?.collect::<io::Result<Vec<_>>>()?;
    let mut paths: Vec<PathBuf> = entries.iter().map(fs::DirEntry::path).collect();
    paths.retain(|path| path.extension().is_some_and(|extension| extension == "rs"));
    paths.sort();
    paths.iter().map(fs::read_to_string).collect()
}

#[cfg(test)]
mod tests {
    use super::absent;

    #[test]
    fn rows_and_functions_define_names() {
        let source = "calls! {\n    cuOne(a: *mut T,\n        cuFive: u32) = one;\n    cuTwo cuTwo_ptsz [s] (s: S) = two;\n}\n\
                      // cuThree() = three;\nextern \"C\" fn cuFour() {}\nuse cuSix;\nlet a = cuSeven(1);\n";
        let header = ["cuFive", "cuFour", "cuOne", "cuSeven", "cuSix", "cuThree", "cuTwo", "cuTwo_ptsz"];
        assert_eq!(absent(&header, &[source.into()]), ["cuFive", "cuSeven", "cuSix", "cuThree"]);
    }
}
