//! `warplab start`: creates a student's folder for each assignment.

use std::{
    collections::BTreeSet,
    fs,
    path::{Path, PathBuf},
    process::Command,
};

use crate::common::{Run, fails, warplab_in};

/// The labs that have an assignment.
fn assigned() -> Vec<String> {
    let labs = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../labs");
    let folders = fs::read_dir(labs).unwrap().map(|entry| entry.unwrap().path());
    let assigned = folders.filter(|folder| folder.join("assignment/rubric.toml").is_file());
    let mut names: Vec<String> = assigned.map(|f| f.file_name().unwrap().to_string_lossy().into_owned()).collect();
    names.sort();
    assert!(names.contains(&"vecadd".into()), "{names:?}");
    names
}

fn start(place: &Path, args: &[&str]) -> Run {
    warplab_in(place, &[&["start"], args].concat(), &[])
}

/// The names of the files and folders in a folder.
fn names(folder: &Path) -> BTreeSet<String> {
    fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().file_name().to_string_lossy().into_owned()).collect()
}

fn kernel_of(folder: &Path) -> PathBuf {
    let kernel = |name: &String| Path::new(name).extension().is_some_and(|end| end == "cu");
    folder.join(names(folder).into_iter().find(kernel).unwrap())
}

#[test]
fn a_folder_has_all_that_is_needed_and_no_link_leads_nowhere() {
    let place = tempfile::tempdir().unwrap();
    for lab in assigned() {
        let run = start(place.path(), &[&lab]);
        assert_eq!(run.code, 0, "{run:?}");
        let folder = place.path().join(&lab);
        let there = names(&folder);
        for name in ["HANDOUT.md", "README.md", "course.toml", "compile_flags.txt", ".clangd", ".gitignore", "include"]
        {
            assert!(there.contains(name), "{lab}: no {name} in {there:?}");
        }
        let read = |name: &str| fs::read_to_string(folder.join(name)).unwrap();
        assert!(read("course.toml").starts_with(&format!("lab = \"{lab}\"\n")), "{lab}");
        let cuda = fs::read_to_string(kernel_of(&folder)).unwrap();
        // A bug hunt is handed out unchanged.
        assert!(cuda.contains("// TODO (") || lab == "bughunt", "{lab}");
        for name in cuda.lines().filter_map(|line| line.strip_prefix("#include \"")?.strip_suffix('"')) {
            // Next to the kernel file it would be taken for the student's own.
            assert!(folder.join("include").join(name).is_file() && !there.contains(name), "{lab}: {name}");
        }
        let (handout, readme) = (read("HANDOUT.md"), read("README.md"));
        let links = handout.split("](").skip(1).filter_map(|rest| rest.split_once(')'));
        for (link, _) in links.filter(|(link, _)| !link.contains("://") && !link.starts_with('#')) {
            assert!(there.contains(link), "{lab}: the handout leads to {link}");
        }
        assert!(!handout.contains("ANSWERS.md") && !handout.contains("NOTES.md"), "{lab}");
        assert!(!readme.contains('@') && readme.contains(&format!("{lab}.zip")), "{readme}");
        // The edited file is still a valid rubric.
        let check = warplab_in(&folder, &["rubric", &lab, "--check", "course.toml"], &[]);
        assert_eq!(check.code, 0, "{check:?}");
    }
    // That of another lab is not.
    let run = warplab_in(place.path(), &["rubric", "hello", "--check", "vecadd/course.toml"], &[]);
    assert!(run.code == 2 && run.stderr.contains("the rubric of another lab than hello"), "{run:?}");
}

#[test]
fn a_folder_that_is_taken_stays_as_it_is() {
    let place = tempfile::tempdir().unwrap();
    let mine = place.path().join("mine");
    fs::create_dir(&mine).unwrap();
    fs::write(mine.join("notes.txt"), "mine").unwrap();
    for taken in ["mine", "mine/notes.txt"] {
        let run = start(place.path(), &["vecadd", taken]);
        assert_eq!(run.code, 2, "{run:?}");
        assert!(run.stderr.contains("name a new folder"), "{run:?}");
    }
    assert!(names(&mine).iter().eq(["notes.txt"]));
    // A new repository in the current folder, and a folder whose parents are new too.
    fs::remove_file(mine.join("notes.txt")).unwrap();
    fs::create_dir(mine.join(".git")).unwrap();
    assert_eq!(start(&mine, &["vecadd", "."]).code, 0);
    assert!(mine.join("vecadd.cu").is_file() && mine.join(".git").is_dir());
    assert_eq!(start(place.path(), &["vecadd", "a/b/c"]).code, 0);
    assert!(names(place.path()).iter().eq(["a", "mine"]), "{:?}", names(place.path()));
    assert_eq!(names(&place.path().join("a/b/c")).len() + 1, names(&mine).len());
    fails(&["start", "vecad"], 2, &["no lab `vecad`", "vecadd"]);
}

#[cfg(target_os = "linux")]
#[test]
fn on_a_full_disk_nothing_is_left() {
    let Some(disk) = crate::common::SmallDisk::mount() else { return };
    fs::write(disk.path().join("taken"), vec![1; 40 << 10]).unwrap();
    let run = start(disk.path(), &["vecadd"]);
    assert_eq!(run.code, 4, "{run:?}");
    assert!(run.stderr.contains("No space left"), "{run:?}");
    assert!(names(disk.path()).iter().eq(["taken"]), "{:?}", names(disk.path()));
}

fn clang() -> Command {
    Command::new(std::env::var_os("CLANG").unwrap_or_else(|| "clang".into()))
}

/// In a checkout it accepts the labs' own kernels.
#[test]
#[ignore = "needs clang"]
fn clang_accepts_the_labs_own_kernels() {
    let labs = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../labs");
    let flags = fs::read_to_string(labs.join("compile_flags.txt")).unwrap();
    let mut count = 0;
    for folder in names(&labs).into_iter().map(|lab| labs.join(lab).join("kernels")).filter(|folder| folder.is_dir()) {
        for name in names(&folder).into_iter().filter(|name| Path::new(name).extension().is_some_and(|end| end == "cu"))
        {
            let mut command = clang();
            command.args(flags.lines()).arg("-fsyntax-only").arg(folder.join(&name)).current_dir(&labs);
            let output = command.output().unwrap();
            assert!(output.status.success(), "{name}: {}", String::from_utf8_lossy(&output.stderr));
            count += 1;
        }
    }
    assert!(count > 20);
}

/// An editor with clangd accepts each starter, and marks a mistake.
#[test]
#[ignore = "needs clang"]
fn clang_accepts_each_starter() {
    let place = tempfile::tempdir().unwrap();
    for lab in assigned() {
        assert_eq!(start(place.path(), &[&lab]).code, 0);
        let folder = place.path().join(&lab);
        let accepts = || {
            let flags = fs::read_to_string(folder.join("compile_flags.txt")).unwrap();
            let mut command = clang();
            command.args(flags.lines()).arg("-fsyntax-only").arg(kernel_of(&folder));
            let output = command.current_dir(&folder).output().unwrap();
            (output.status.success(), String::from_utf8_lossy(&output.stderr).into_owned())
        };
        let (accepted, said) = accepts();
        assert!(accepted, "{lab}: {said}");
        let file = kernel_of(&folder);
        let wrong = fs::read_to_string(&file).unwrap() + "__global__ void more(int *z) { z[threadIdx.x] = m; }\n";
        fs::write(file, wrong).unwrap();
        let (accepted, said) = accepts();
        assert!(!accepted && said.contains("undeclared identifier 'm'"), "{lab}: {said}");
    }
}
