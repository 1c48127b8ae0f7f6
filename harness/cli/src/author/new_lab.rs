//! `warplab new-lab`: writes a lab that runs and passes its checks and tests immediately, as the start of a new one.
use std::{
    fs,
    io::{self, Write as _},
    path::{Path, PathBuf},
    process::ExitCode,
};

use clap::{Arg, ArgMatches, Command};
use harness::Error;
use kernels::CommittedPtx;

use super::checkout;

/// The name that the template uses in place of the lab's name.
const PLACEHOLDER: &str = "newlab";
/// The template's folder, which the template's PTX records as the path of its source.
const TEMPLATE: &str = "harness/cli/templates/new_lab";

macro_rules! template {
    ($($file:literal,)*) => { [$(($file, include_str!(concat!("../../templates/new_lab/", $file)))),*] };
}

/// The template's files, by their paths in the lab's folder.
static FILES: [(&str, &str); 11] = template![
    "ANSWERS.md",
    "Cargo.toml",
    "README.md",
    "assignment/rubric.toml",
    "benches/cases.rs",
    "kernels/newlab.cu",
    "kernels/newlab.ptx",
    "src/lib.rs",
    "src/main.rs",
    "src/reference.rs",
    "tests/runs.rs",
];

/// The longest name allowed: the template's lines must still be formatted with the name filled in.
const LONGEST: usize = 24;

/// Words that cannot name a crate or its program, or that would be misread on a command line.
#[rustfmt::skip]
const RESERVED: [&str; 66] = [
    "all",
    "alloc", "core", "proc_macro", "std", "test",
    "build", "deps", "examples", "incremental",
    "aux", "con", "nul", "prn",
    "abstract", "as", "async", "await", "become", "box", "break", "const", "continue", "crate", "do", "dyn",
    "else", "enum", "extern", "false", "final", "fn", "for", "gen", "if", "impl", "in", "let", "loop", "macro",
    "match", "mod", "move", "mut", "override", "priv", "pub", "ref", "return", "self", "static", "struct",
    "super", "trait", "true", "try", "type", "typeof", "union", "unsafe", "unsized", "use", "virtual", "where",
    "while", "yield",
];

pub fn command() -> Command {
    Command::new("new-lab")
        .about("Create a new lab in a checkout, which runs and passes its tests from the start")
        .arg(Arg::new("name").value_name("NAME").required(true).help("Its name: lower-case letters, digits and _"))
}

pub fn run(matches: &ArgMatches) -> Result<ExitCode, Error> {
    let name = matches.get_one::<String>("name").map_or("", String::as_str);
    let root = checkout::root()?;
    check(name, &root).map_err(Error::usage)?;
    let edits = [
        Edit::new(&root, "harness/cli/Cargo.toml", |text| in_manifest(text, name))?,
        Edit::new(&root, "harness/cli/src/labs.rs", |text| in_list(text, name))?,
    ];
    write(&root, name, &edits)?;
    harness::print(&format!(
        "labs/{name} is written, and `warplab` will know the lab once it is built again.\n\
         \n  cargo run --release -p {name}\n  cargo test -p {name}\n\n\
         Its table of variants is in labs/{name}/src/lib.rs, its kernels are in labs/{name}/kernels/{name}.cu;\n\
         README.md is the handout, ANSWERS.md the key. `warplab ptx {name}` writes the PTX of edited kernels.\n\n\
         It is an assignment too: labs/{name}/assignment/rubric.toml says what counts, and what lies between\n\
         the markers in {name}.cu is left to the student. Once `warplab` is built again:\n\
         \n  cargo run --release -- start {name} FOLDER\n  cargo run --release -- check FOLDER\n  \
         cargo run --release -- grade {name} labs/{name}/kernels/{name}.cu"
    ));
    Ok(ExitCode::SUCCESS)
}

/// Whether a lab may have this name; if not, why not.
fn check(name: &str, root: &Path) -> Result<(), String> {
    let letters = name.chars().all(|c| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '_');
    if !letters || !name.starts_with(|c: char| c.is_ascii_lowercase()) || name.len() > LONGEST {
        return Err(format!(
            "`{name}` cannot name a lab: a name is a lower-case letter, then lower-case letters, digits and _, \
             {LONGEST} characters at most"
        ));
    }
    if RESERVED.contains(&name) {
        return Err(format!("`{name}` cannot name a lab: the word is reserved; choose another"));
    }
    if root.join("labs").join(name).exists() {
        return Err(format!("there is a lab `{name}` already: labs/{name}; choose another name"));
    }
    let lock = fs::read_to_string(root.join("Cargo.lock")).unwrap_or_default();
    let packages = lock.lines().filter_map(|line| line.strip_prefix("name = \"")?.strip_suffix('"'));
    if let Some(package) = packages.into_iter().find(|package| package.replace('-', "_") == name) {
        return Err(format!(
            "`{name}` cannot name a lab: the workspace uses a package `{package}`; choose another name"
        ));
    }
    Ok(())
}

/// A file of the checkout that a new lab changes.
struct Edit {
    path: PathBuf,
    before: String,
    after: String,
}

impl Edit {
    /// Prepares the edit without writing it. `edit` returns the new text, or the line that it did not find.
    fn new(root: &Path, file: &str, edit: impl FnOnce(&str) -> Result<String, &'static str>) -> Result<Self, Error> {
        let path = root.join(file);
        let before = fs::read_to_string(&path).map_err(io_error("read", &path))?;
        let after = edit(&before).map_err(|line| {
            Error::usage(format!("{file} has no line `{line}`, where the lab would be added; put the line back"))
        })?;
        Ok(Self { path, before, after })
    }
}

/// The manifest of `warplab` with the lab among its dependencies.
fn in_manifest(text: &str, name: &str) -> Result<String, &'static str> {
    const HEAD: &str = "# The labs, in the order of src/labs.rs.";
    insert(text, HEAD, "", &format!("{name} = {{ path = \"../../labs/{name}\" }}"))
}

/// The list of labs with one more.
fn in_list(text: &str, name: &str) -> Result<String, &'static str> {
    insert(text, "pub static LABS: &[&Lab] = &[", "];", &format!("    &{name}::LAB,"))
}

/// `text` with one more line, before the first line `end` after the line `head`.
fn insert(text: &str, head: &'static str, end: &'static str, line: &str) -> Result<String, &'static str> {
    let mut lines: Vec<&str> = text.lines().collect();
    let first = lines.iter().position(|&l| l == head).ok_or(head)?;
    let at = lines[first..].iter().position(|&l| l == end).map_or(lines.len(), |at| first + at);
    lines.insert(at, line);
    Ok(lines.join("\n") + "\n")
}

/// Writes the lab's folder and the edits; on an error nothing is changed.
fn write(root: &Path, name: &str, edits: &[Edit]) -> Result<(), Error> {
    let lab = root.join("labs").join(name);
    let scratch = tempfile::Builder::new().prefix(".new-lab-").tempdir_in(root).map_err(io_error("write in", root))?;
    let whole = scratch.path().join(name);
    for (file, text) in FILES {
        let mut path = whole.join(filled(file, name));
        if path.extension().is_some_and(|extension| extension == "ptx") {
            path.set_extension("ptx.lzma");
        }
        let folder = path.parent().unwrap_or(&whole);
        fs::create_dir_all(folder).map_err(io_error("create", folder))?;
        let content = CommittedPtx::file_content(&path, &filled(text, name));
        fs::write(&path, content).map_err(io_error("write", &path))?;
    }
    fs::rename(&whole, &lab).map_err(io_error("create", &lab))?;
    for (at, edit) in edits.iter().enumerate() {
        if let Err(source) = replace(&edit.path, &edit.after) {
            // If an edit cannot be undone, the next build fails and names the file.
            for done in &edits[..at] {
                let _ = replace(&done.path, &done.before);
            }
            let _ = fs::remove_dir_all(&lab);
            return Err(io_error("write", &edit.path)(source));
        }
    }
    Ok(())
}

/// The template's text for a lab of this name.
fn filled(text: &str, name: &str) -> String {
    text.replace(TEMPLATE, &format!("labs/{PLACEHOLDER}")).replace(PLACEHOLDER, name)
}

/// Replaces a file's text atomically.
fn replace(path: &Path, text: &str) -> io::Result<()> {
    let mut file = tempfile::NamedTempFile::new_in(path.parent().unwrap_or(Path::new(".")))?;
    file.write_all(text.as_bytes())?;
    file.as_file().set_permissions(fs::metadata(path)?.permissions())?;
    file.persist(path)?;
    Ok(())
}

fn io_error(action: &'static str, path: &Path) -> impl Fn(io::Error) -> Error {
    let path = path.to_path_buf();
    move |source| Error::Io { action, path: path.clone(), source }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A folder with the parts of a checkout that decide whether a name is allowed.
    fn checkout() -> tempfile::TempDir {
        let root = tempfile::tempdir().unwrap();
        fs::create_dir_all(root.path().join("labs/stencil")).unwrap();
        fs::write(root.path().join("Cargo.lock"), "[[package]]\nname = \"serde-json\"\nversion = \"1.0.0\"\n").unwrap();
        root
    }

    #[test]
    fn names_are_crate_names_that_nothing_else_has() {
        let root = checkout();
        for good in ["saxpy", "lab2", "two_words"] {
            assert_eq!(check(good, root.path()), Ok(()), "{good}");
        }
        for (bad, says) in [
            ("", "lower-case letter"),
            ("2fast", "lower-case letter"),
            ("_x", "lower-case letter"),
            ("Saxpy", "lower-case letter"),
            ("two-words", "digits and _"),
            ("../x", "digits and _"),
            ("a_name_that_goes_on_and_on", "24 characters"),
            ("all", "reserved"),
            ("test", "reserved"),
            ("loop", "reserved"),
            ("stencil", "labs/stencil"),
            ("serde_json", "`serde-json`"),
        ] {
            let told = check(bad, root.path()).unwrap_err();
            assert!(told.contains(says), "{bad}: {told}");
        }
    }

    #[test]
    fn a_lab_is_added_after_the_others() {
        let manifest =
            "[dependencies]\n\n# The labs, in the order of src/labs.rs.\nhello = { path = \"x\" }\n\n[lints]\n";
        let added = in_manifest(manifest, "saxpy").unwrap();
        assert!(added.contains("\"x\" }\nsaxpy = { path = \"../../labs/saxpy\" }\n\n[lints]\n"), "{added}");
        let list = "// Labs.\npub static LABS: &[&Lab] = &[\n    &hello::LAB,\n];\n\nfn f() {}\n";
        let added = in_list(list, "saxpy").unwrap();
        assert_eq!(added, list.replace("];", "    &saxpy::LAB,\n];"));
        assert_eq!(in_list("fn f() {}\n", "saxpy"), Err("pub static LABS: &[&Lab] = &["));
    }

    #[test]
    fn nothing_of_a_lab_stays_when_something_cannot_be_written() {
        let root = checkout();
        let file = |name: &str| root.path().join(name);
        fs::write(file("one"), "before").unwrap();
        let edit = |name| Edit { path: file(name), before: "before".into(), after: "after".into() };
        let told = write(root.path(), "saxpy", &[edit("one"), edit("missing")]).unwrap_err();
        assert!(told.to_string().contains("missing"), "{told}");
        assert_eq!(fs::read_to_string(file("one")).unwrap(), "before");
        assert!(!file("labs/saxpy").exists());
        write(root.path(), "saxpy", &[edit("one")]).unwrap();
        assert_eq!(fs::read_to_string(file("one")).unwrap(), "after");
        assert!(fs::read_to_string(file("labs/saxpy/src/main.rs")).unwrap().contains("&saxpy::LAB"));
        // No scratch folder or temporary file remains, and the template's own name appears nowhere.
        let left: Vec<_> = fs::read_dir(root.path()).unwrap().map(|e| e.unwrap().file_name()).collect();
        assert_eq!(left.len(), 3, "{left:?}");
        for (path, text) in FILES {
            for text in [path, text] {
                let filled = filled(text, "saxpy");
                assert!(!filled.contains("newlab") && !filled.contains("new_lab"), "{path}: {filled}");
            }
        }
    }
}
