//! Small kernels with their expected reports, organised like miri's own tests.
//!
//! `tests/pass/*.cu` are correct: they end, write the values that the report shows, and have no findings, whatever the
//! order of warps and blocks; the driver package's test `kernels_on_gpu` runs them on a GPU, where one is available.
//! `tests/fail/<kind of mistake>/*.cu` are incorrect: the report explains how. `NAME.ptx.lzma` is compiled from
//! `NAME.cu` (`cargo run -p kernels --example ptx -- harness/simt/tests/pass harness/simt/tests/fail/*`, from the
//! workspace's root), and `NAME.txt` is the expected report: `UPDATE_EXPECT=1 cargo test -p simt --test ui` rewrites
//! the reports; review the difference.
//!
//! The first lines of a kernel's file define its launches; [`case`] describes the format.

#[path = "ui/case.rs"]
mod case;
#[path = "ui/play.rs"]
mod play;
#[path = "ui/values.rs"]
mod values;

use case::Case;
use play::{Play, play};
use std::fmt::Write as _;
use std::path::{Path, PathBuf};

fn tests() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests")
}

fn files(folder: &Path) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(folder).unwrap_or_else(|e| panic!("{}: {e}", folder.display()));
    let mut all: Vec<PathBuf> = entries.map(|e| e.expect("an entry").path()).collect();
    all.sort();
    all
}

fn cases(folder: &Path) -> Vec<Case> {
    let is_source = |p: &PathBuf| p.extension().is_some_and(|e| e == "cu");
    // For work on a few of them: `UI=histogram cargo test ...`.
    let wanted = std::env::var("UI").unwrap_or_default();
    let named = |p: &PathBuf| p.to_string_lossy().contains(&wanted);
    let paths = files(folder).into_iter().filter(is_source).filter(named);
    paths.map(|path| Case::read(&path)).collect()
}

/// Whether the reports are being rewritten, so that there is nothing to compare with.
fn updating() -> bool {
    std::env::var_os("UPDATE_EXPECT").is_some()
}

fn passing() -> Vec<Case> {
    cases(&tests().join("pass"))
}

fn failing() -> Vec<Case> {
    let kinds = files(&tests().join("fail")).into_iter();
    kinds.flat_map(|kind| cases(&kind)).collect()
}

/// Compares the results of cases with the expected ones, and fails once for all differences.
fn compare(cases: &[Case], mut more: impl FnMut(&Case, &Play) -> Option<String>) {
    let update = updating();
    let (mut wrong, mut texts) = (0, String::new());
    for case in cases {
        let got = play(case, &case.settings());
        if let Some(objection) = more(case, &got) {
            wrong += 1;
            let _ = writeln!(texts, "== {}: {objection}\n{}", case.name(), got.text);
        } else if update {
            std::fs::write(case.expected_path(), &got.text).expect("the report is written");
        } else if got.text != case.expected() {
            wrong += 1;
            let expected = case.expected();
            let _ = writeln!(texts, "== {} expected\n{expected}\n== but got\n{}", case.name(), got.text);
        }
    }
    assert!(wrong == 0, "{wrong} of {} reports are wrong:\n{texts}", cases.len());
}

#[test]
fn right_programs_are_not_accused() {
    compare(&passing(), |_, got| {
        let clean = got.findings.is_empty() && got.fault.is_none();
        (!clean).then(|| "a right program is accused".into())
    });
}

#[test]
fn wrong_programs_are_told_why() {
    compare(&failing(), |case, got| {
        got.findings.is_empty().then(|| {
            let kind = case.kind();
            format!("nothing is found, where {kind} is")
        })
    });
}

/// The same without line information, as most people compile: correct programs still have no findings.
#[test]
fn right_programs_are_not_accused_without_line_information() {
    let mut texts = String::new();
    for mut case in passing() {
        let lines = case.ptx.lines().filter(|line| !line.trim_start().starts_with(".loc\t"));
        case.ptx = lines.collect::<Vec<_>>().join("\n");
        let got = play(&case, &case.settings());
        if !got.findings.is_empty() || got.fault.is_some() {
            let _ = writeln!(texts, "== {} is accused:\n{}", case.name(), got.text);
        }
    }
    assert!(texts.is_empty(), "{texts}");
}

/// Another order of warps and blocks causes no findings, and changes no result.
#[test]
fn right_programs_are_right_in_any_order() {
    let mut texts = String::new();
    for case in passing() {
        for seed in 1..=20 {
            let mut settings = case.settings();
            settings.seed = seed;
            settings.workers = 1 + seed as usize % 2;
            let got = play(&case, &settings);
            let accused = !got.findings.is_empty() || got.fault.is_some();
            if accused || (got.text != case.expected() && !updating()) {
                let _ = writeln!(texts, "== {} under seed {seed}:\n{}", case.name(), got.text);
                break;
            }
        }
    }
    assert!(texts.is_empty(), "{texts}");
}

/// Mistakes are found in every order, since a race is found where it could have happened, not where it did.
#[test]
fn wrong_programs_are_wrong_in_any_order() {
    let mut texts = String::new();
    for case in failing().iter().filter(|case| !case.one_order()) {
        for seed in 1..=5 {
            let mut settings = case.settings();
            settings.seed = seed;
            settings.workers = 1 + seed as usize % 2;
            if play(case, &settings).findings.is_empty() {
                let _ = writeln!(texts, "nothing in {} under seed {seed}", case.name());
            }
        }
    }
    assert!(texts.is_empty(), "{texts}");
}

/// Other orders reveal mistakes that the natural one hides.
#[test]
fn hidden_mistakes_show_in_another_order() {
    let hidden: Vec<Case> = failing().into_iter().filter(Case::hidden).collect();
    assert!(hidden.len() > 1, "there are some");
    for case in hidden {
        let with = |seed: u64| {
            let mut settings = case.settings();
            settings.seed = seed;
            play(&case, &settings).findings.len()
        };
        assert_eq!(with(0), 0, "{} in the natural order", case.name());
        let found = (1..=20).filter(|&seed| with(seed) > 0).count();
        assert!(found > 0, "{} in 20 other orders", case.name());
    }
}

/// No file remains of a renamed case, and no file is missing.
#[test]
fn every_kernel_has_its_ptx_and_its_report() {
    let folders = files(&tests().join("fail")).into_iter();
    for folder in folders.chain([tests().join("pass")]) {
        for file in files(&folder) {
            let name = file.file_name().expect("a file").to_string_lossy();
            let stem = name.split('.').next().expect("a name");
            for extension in ["cu", "ptx.lzma", "txt"] {
                let neighbour = folder.join(format!("{stem}.{extension}"));
                assert!(neighbour.is_file() || updating(), "{} is missing", neighbour.display());
            }
        }
    }
}

/// The PTX is from the source next to it; it is compiled again where the compiler that produced it is available.
#[test]
fn the_ptx_is_from_its_source() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let root = root.canonicalize().expect("the workspace");
    let nvrtc = kernels::nvrtc().expect("WARPLAB_NVRTC names NVRTC, if it is set");
    let folders = files(&tests().join("fail")).into_iter();
    let mut stale = Vec::new();
    for folder in folders.chain([tests().join("pass")]) {
        let folder = folder.canonicalize().expect("a folder");
        for source in kernels::sources_in(&folder, &root).expect("the sources are read") {
            let outcome = kernels::check(nvrtc, &source).expect("it compiles");
            if let kernels::Outcome::Stale(why) = outcome {
                stale.push(format!("{}: {why}", source.path));
            }
        }
    }
    assert!(stale.is_empty(), "{stale:#?}");
}
