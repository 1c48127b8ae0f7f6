//! `warplab submit`: what it packs, and what it refuses.

use std::{
    fs,
    io::Read as _,
    path::{Path, PathBuf},
};

use crate::common::{Run, fails, warplab_in};
use zip::ZipArchive;

/// A folder of lab vecadd, as `warplab start` makes it.
struct Started(tempfile::TempDir);

impl Started {
    fn new() -> Self {
        let place = tempfile::tempdir().unwrap();
        let run = warplab_in(place.path(), &["start", "vecadd", "mine"], &[]);
        assert_eq!(run.code, 0, "{run:?}");
        Self(place)
    }

    fn path(&self, name: &str) -> PathBuf {
        self.0.path().join("mine").join(name)
    }

    /// Replaces a text in the kernel file.
    fn edit(&self, old: &str, new: &str) {
        let text = fs::read_to_string(self.path("vecadd.cu")).unwrap();
        assert!(text.contains(old), "{text}");
        fs::write(self.path("vecadd.cu"), text.replacen(old, new, 1)).unwrap();
    }

    fn submit(&self, args: &[&str], nvrtc: &[(&str, &str)]) -> Run {
        warplab_in(self.0.path(), &[&["submit", "mine"], args].concat(), nvrtc)
    }
}

/// The first TODO line in the starter.
const TODO: &str = "// TODO (exercise add):";

const WITHOUT: [(&str, &str); 1] = [("WARPLAB_NVRTC", "off")];

/// The names and texts in an archive, in order.
fn files(archive: &Path) -> Vec<(String, String)> {
    let mut zip = ZipArchive::new(fs::File::open(archive).unwrap()).unwrap();
    let count = zip.len();
    let read = |index| {
        let mut entry = zip.by_index(index).unwrap();
        let mut text = String::new();
        entry.read_to_string(&mut text).unwrap();
        (entry.name().unwrap().into_owned(), text)
    };
    (0..count).map(read).collect()
}

#[test]
fn the_archive_has_what_is_ones_own_and_nothing_else() {
    let mine = Started::new();
    mine.edit(TODO, "#include \"parts/mine.cuh\"\n// \".git/config.h\" \"HANDOUT.md\" \"vecadd.ptx\"\n//");
    for (name, text) in [
        ("parts/mine.cuh", "#include \"more.h\"\n"),
        ("parts/more.h", "// more\n"),
        ("parts/unused.h", ""),
        (".git/config.h", ""),
        ("vecadd.ptx", ""),
    ] {
        fs::create_dir_all(mine.path(name).parent().unwrap()).unwrap();
        fs::write(mine.path(name), text).unwrap();
    }
    let run = mine.submit(&[], &WITHOUT);
    assert_eq!(run.code, 0, "{run:?}");
    for words in [
        "wrote mine/vecadd.zip (parts/mine.cuh, parts/more.h, vecadd.cu): hand in this file\n",
        "TODO: stride\n",
        "not compiled before",
    ] {
        assert!(run.stdout.contains(words), "no {words} in {run:?}");
    }
    let files = files(&mine.path("vecadd.zip"));
    let names: Vec<&str> = files.iter().map(|(name, _)| name.as_str()).collect();
    assert_eq!(names, ["submission.json", "parts/mine.cuh", "parts/more.h", "vecadd.cu"]);
    assert_eq!(files[3].1, fs::read_to_string(mine.path("vecadd.cu")).unwrap());
    let list: serde_json::Value = serde_json::from_str(&files[0].1).unwrap();
    assert_eq!((&list["lab"], &list["kernel"]), (&"vecadd".into(), &"vecadd.cu".into()), "{list}");
    assert_eq!(list["warplab"], env!("CARGO_PKG_VERSION"));
    let listed = list["files"].as_array().unwrap();
    assert_eq!(listed.len(), 3, "{list}");
    // The SHA-256 of "// more\n".
    let sum = "8180791264865589f776d162224340786759dc9299e2ec087452aaaa9a0d3b7e";
    assert_eq!((&listed[1]["sha256"], &listed[1]["bytes"]), (&sum.into(), &8.into()), "{list}");
}

#[test]
fn the_same_files_give_the_same_bytes() {
    let archive = |name: &str| {
        let mine = Started::new();
        mine.edit(TODO, "//");
        let run = mine.submit(&["--out", name], &WITHOUT);
        assert_eq!(run.code, 0, "{run:?}");
        fs::read(mine.0.path().join(name)).unwrap()
    };
    let first = archive("a.zip");
    std::thread::sleep(std::time::Duration::from_millis(2100));
    assert!(first == archive("b.zip"), "the time is in it");
}

#[test]
fn an_unchanged_starter_is_handed_in_only_anyway() {
    let mine = Started::new();
    // Other line endings do not make a solution.
    let text = fs::read_to_string(mine.path("vecadd.cu")).unwrap().replace('\n', "\r\n");
    fs::write(mine.path("vecadd.cu"), text).unwrap();
    let run = mine.submit(&[], &WITHOUT);
    assert_eq!(run.code, 2, "{run:?}");
    assert!(run.stderr.contains("nothing is solved yet") && run.stderr.contains("--anyway"), "{run:?}");
    assert!(!mine.path("vecadd.zip").exists());
    let run = mine.submit(&["--anyway"], &WITHOUT);
    assert_eq!(run.code, 0, "{run:?}");
    assert!(run.stdout.contains("nothing is solved yet") && run.stdout.contains("TODO: add, stride"), "{run:?}");
    assert_eq!(files(&mine.path("vecadd.zip")).len(), 2);
}

#[test]
fn what_cannot_be_handed_in_is_said() {
    fails(&["submit"], 2, &["this is not an exercise folder", "`warplab start LAB`"]);
    let mine = Started::new();
    mine.edit(TODO, "//");
    let kernel = fs::read(mine.path("vecadd.cu")).unwrap();
    let run = mine.submit(&["--out", "mine/vecadd.cu"], &WITHOUT);
    assert!(run.code == 2 && run.stderr.contains("must end with .zip"), "{run:?}");
    assert_eq!(fs::read(mine.path("vecadd.cu")).unwrap(), kernel);
    // A file without kernels is not a solution either.
    fs::write(mine.path("vecadd.cu"), "").unwrap();
    let run = mine.submit(&[], &WITHOUT);
    assert!(run.code == 2 && run.stderr.contains("kernel vecadd, kernel vecadd_stride"), "{run:?}");
    assert!(run.stderr.contains("--anyway") && !mine.path("vecadd.zip").exists(), "{run:?}");
    // A file that grading would refuse is not handed in by mistake.
    fs::write(mine.path("vecadd.cu"), ["// A comment.\n".repeat(100_000).as_bytes(), &kernel].concat()).unwrap();
    let run = mine.submit(&[], &WITHOUT);
    assert!(run.code == 2 && run.stderr.contains("vecadd.cu has more than 1024 KiB"), "{run:?}");
    assert!(run.stderr.contains("--anyway") && !mine.path("vecadd.zip").exists(), "{run:?}");
    fs::write(mine.path("vecadd.cu"), &kernel).unwrap();
    for (course, words) in [
        ("lab = \"vecad\"\nkernel = \"vecadd.cu\"\n", "no lab `vecad`"),
        ("lab = \"vecadd\"\nkernel = \"../vecadd.cu\"\n", "is not a file name"),
        ("lab = \"vecadd\"\nkernel = \"none.cu\"\n", "cannot read the kernel file mine/none.cu"),
        ("kernel = \"vecadd.cu\"\n", "missing field `lab`"),
    ] {
        fs::write(mine.path("course.toml"), course).unwrap();
        let run = mine.submit(&[], &WITHOUT);
        assert!(run.code == 2 && run.stderr.contains(words), "no {words} in {run:?}");
    }
}

#[test]
#[ignore = "needs NVRTC"]
fn nvrtc_compiles_what_is_handed_in() {
    let mine = Started::new();
    mine.edit(TODO, "//");
    let run = mine.submit(&[], &[]);
    assert_eq!(run.code, 0, "{run:?}");
    assert!(!run.stdout.contains("compile"), "{run:?}");
    fs::remove_file(mine.path("vecadd.zip")).unwrap();
    mine.edit("\n{", "\n{ x[0] = ");
    let run = mine.submit(&[], &[]);
    assert_eq!(run.code, 2, "{run:?}");
    assert!(run.stderr.contains("vecadd.cu:") && run.stderr.contains("--anyway"), "{run:?}");
    assert!(!mine.path("vecadd.zip").exists());
    let run = mine.submit(&["--anyway"], &[]);
    assert!(run.code == 0 && run.stdout.contains("does not compile"), "{run:?}");
}

/// Files that `check` finds in subfolders are also there when it is marked.
#[test]
#[ignore = "needs NVRTC"]
fn nvrtc_compiles_headers_in_folders_when_they_are_marked() {
    let mine = Started::new();
    let own = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../labs/vecadd/kernels/vecadd.cu");
    let text = fs::read_to_string(own).unwrap().replace("x[i] + y[i]", "sum(x[i], y[i])");
    fs::write(mine.path("vecadd.cu"), format!("#include \"sub/deep.cuh\"\n{text}")).unwrap();
    fs::create_dir(mine.path("sub")).unwrap();
    fs::write(mine.path("sub/deep.cuh"), "#include \"more.h\"\n").unwrap();
    fs::write(mine.path("sub/more.h"), "__device__ float sum(float x, float y) { return x + y; }\n").unwrap();
    let run = mine.submit(&[], &[]);
    assert_eq!(run.code, 0, "{run:?}");
    for what in ["mine/vecadd.zip", "mine"] {
        let run = warplab_in(mine.0.path(), &["grade", "vecadd", what, "--schedules", "1"], &[]);
        assert!(run.code == 0 && run.stdout.contains(" all          100  100"), "{what}: {run:?}");
    }
    // Files next to one that is given directly may be others'.
    let run = warplab_in(mine.0.path(), &["grade", "vecadd", "mine/vecadd.cu", "--schedules", "1"], &[]);
    assert!(run.code == 0 && run.stdout.contains(" all            0  100"), "{run:?}");
    let words = "is marked alone, without more.h, sub/deep.cuh next to it: hand in a folder";
    assert!(crate::common::one_line(&run.stdout).contains(words), "{run:?}");
    let run = warplab_in(mine.0.path(), &["grade", "histogram", "mine/vecadd.zip"], &[]);
    assert!(run.stdout.contains("made by `warplab submit` for vecadd, not histogram"), "{run:?}");
}

/// Each starter compiles as it is handed out.
#[test]
#[ignore = "needs NVRTC"]
fn nvrtc_compiles_every_starter() {
    let labs = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../labs");
    let folders = fs::read_dir(labs).unwrap().map(|entry| entry.unwrap());
    let assigned = folders.filter(|folder| folder.path().join("assignment").is_dir());
    let place = tempfile::tempdir().unwrap();
    let mut count = 0;
    for lab in assigned.map(|folder| folder.file_name().into_string().unwrap()) {
        assert_eq!(warplab_in(place.path(), &["start", &lab], &[]).code, 0);
        let run = warplab_in(place.path(), &["submit", &lab, "--anyway"], &[]);
        assert_eq!(run.code, 0, "{run:?}");
        assert!(!run.stdout.contains("compile"), "{lab}: {run:?}");
        count += 1;
    }
    assert!(count > 0);
}
