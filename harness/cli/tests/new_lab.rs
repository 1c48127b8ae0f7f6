//! `warplab new-lab`, in a copy of the workspace: the new lab runs and passes its tests, which detect a mistake in it.
mod common;

use std::{
    fs,
    path::{Path, PathBuf},
    process::{Command, Output},
};

use common::warplab_in;

/// The workspace.
fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").canonicalize().unwrap()
}

/// A copy of the files of the workspace that builds need. They keep their modification times, so that cargo does not
/// rebuild what it has built from them.
fn copy() -> tempfile::TempDir {
    let to = tempfile::tempdir().unwrap();
    for name in [".rustfmt.toml", "Cargo.toml", "Cargo.lock", "harness", "kernels", "labs", "reports"] {
        copy_all(&root().join(name), &to.path().join(name));
    }
    to
}

fn copy_all(from: &Path, to: &Path) {
    if !from.is_dir() {
        fs::copy(from, to).unwrap();
        let time = fs::metadata(from).unwrap().modified().unwrap();
        fs::File::options().write(true).open(to).unwrap().set_modified(time).unwrap();
        return;
    }
    fs::create_dir(to).unwrap();
    for entry in fs::read_dir(from).unwrap().map(Result::unwrap).filter(|e| e.file_name() != "target") {
        copy_all(&entry.path(), &to.join(entry.file_name()));
    }
    // Build scripts watch folders, too.
    let time = fs::metadata(from).unwrap().modified().unwrap();
    fs::File::open(to).unwrap().set_modified(time).unwrap();
}

/// Arguments that test only the new lab: no other member of the workspace has a test program of this name. With
/// `--package` instead of `--workspace`, only the new lab's features of dependencies would be used, and the machine and
/// its libraries would be rebuilt over the existing ones.
const TESTS: [&str; 5] = ["test", "--workspace", "--test", "runs", "--no-fail-fast"];

/// Runs cargo in the copy, with the build folder of the workspace, which already has everything except the new lab. So
/// it must not build `warplab`, which other tests run.
fn cargo(copy: &Path, arguments: &[&str]) -> Output {
    let profile = Path::new(env!("CARGO_BIN_EXE_warplab")).parent().unwrap();
    cargo_into(profile.parent().unwrap(), copy, arguments)
}

/// Like [`cargo`], with this build folder.
fn cargo_into(target: &Path, copy: &Path, arguments: &[&str]) -> Output {
    // Tests run the PTX next to the source.
    cargo_command(target, copy, arguments).env("WARPLAB_NVRTC", "off").output().unwrap()
}

fn cargo_command(target: &Path, copy: &Path, arguments: &[&str]) -> Command {
    let profile = Path::new(env!("CARGO_BIN_EXE_warplab")).parent().unwrap();
    let mut command = Command::new(env!("CARGO"));
    command.args(["--offline", arguments[0]]).current_dir(copy).env("CARGO_TARGET_DIR", target);
    if profile.ends_with("release") && ["run", "test"].contains(&arguments[0]) {
        command.arg("--release");
    }
    command.args(&arguments[1..]);
    command
}

fn text(output: &Output) -> String {
    [&output.stdout, &output.stderr].map(|bytes| String::from_utf8_lossy(bytes)).concat()
}

#[test]
fn a_new_lab_runs_is_checked_and_is_tested_at_once() {
    let copy = copy();
    let made = warplab_in(&copy.path().join("labs"), &["new-lab", "made_by_a_test"], &[]);
    assert_eq!(made.code, 0, "{made:?}");

    let tested = cargo(copy.path(), &TESTS);
    assert!(tested.status.success(), "{}", text(&tested));
    assert!(text(&tested).contains("3 passed; 0 failed; 1 ignored"), "{}", text(&tested));

    let program = Path::new(env!("CARGO_BIN_EXE_warplab")).with_file_name("made_by_a_test");
    let run = Command::new(&program)
        .args(["--device", "emulated", "--quick", "--out"])
        .arg(copy.path().join("rows"))
        .output()
        .unwrap();
    assert_eq!(run.status.code(), Some(0), "{}", text(&run));
    let rows = common::rows(&copy.path().join("rows/made_by_a_test.csv"));
    let row = |variant: &str| rows.iter().find(|row| row["variant"] == variant).unwrap();
    assert_eq!((row("guarded")["verdict"].as_str(), row("guarded")["note"].as_str()), ("pass", ""));
    assert_eq!(row("off-by-one")["verdict"], "pass");
    assert!(row("off-by-one")["note"].contains("Invalid __global__ read"), "{rows:?}");

    // `warplab` depends on it.
    let dependencies = cargo(copy.path(), &["tree", "--package", "warplab", "--depth", "1"]);
    assert!(text(&dependencies).contains("made_by_a_test v"), "{}", text(&dependencies));
    let list = fs::read_to_string(copy.path().join("harness/cli/src/labs.rs")).unwrap();
    assert!(list.contains("    &made_by_a_test::LAB,\n];"), "{list}");
    // Its PTX matches its source.
    let ptx = warplab_in(copy.path(), &["ptx", "--check", "made_by_a_test"], &[]);
    assert_eq!(ptx.code, 0, "{ptx:?}");

    // The guard of the right kernel is replaced with that of the wrong one, in the code that runs.
    let file = copy.path().join("labs/made_by_a_test/kernels/made_by_a_test.ptx.lzma");
    let right = kernels::CommittedPtx::read(&file.with_extension("").with_extension("cu")).text().into_owned();
    let wrong = right.replacen("setp.ge.u64", "setp.gt.u64", 1);
    assert_ne!(right, wrong);
    fs::write(&file, kernels::CommittedPtx::file_content(&file, &wrong)).unwrap();
    let tested = cargo(copy.path(), &TESTS);
    assert!(!tested.status.success(), "{}", text(&tested));
    assert!(text(&tested).contains("every_size_around_a_block_is_right ... FAILED"), "{}", text(&tested));
}

/// A build folder with everything that is built already, but separate programs, since other tests run those of the
/// workspace.
#[cfg(unix)]
fn apart(copy: &Path) -> PathBuf {
    let built = Path::new(env!("CARGO_BIN_EXE_warplab")).parent().unwrap();
    let folder = copy.join("built");
    let profile = folder.join(built.file_name().unwrap());
    fs::create_dir_all(&profile).unwrap();
    for shared in ["deps", "build", ".fingerprint", ".cargo-lock"] {
        std::os::unix::fs::symlink(built.join(shared), profile.join(shared)).unwrap();
    }
    folder
}

#[test]
#[cfg(unix)]
#[ignore = "needs NVRTC"]
fn the_assignment_of_a_new_lab_is_handed_out_checked_and_graded_nvrtc() {
    let copy = copy();
    let lab = "handed_out_by_a_test";
    let made = warplab_in(copy.path(), &["new-lab", lab], &[]);
    assert!(made.code == 0 && made.stdout.contains(&format!("-- start {lab} FOLDER")), "{made:?}");
    // Built as tests need it, `warplab` has the features with which everything here was built.
    let built = apart(copy.path());
    let build = cargo_into(&built, copy.path(), &["test", "--workspace", "--test", "parallel", "--no-run"]);
    assert!(build.status.success(), "{}", text(&build));
    let profile = Path::new(env!("CARGO_BIN_EXE_warplab")).parent().unwrap().file_name().unwrap();
    let program = built.join(profile).join("warplab");
    let run = |args: &[&str], code: i32, words: &[&str]| {
        let run = Command::new(&program).args(args).current_dir(copy.path()).output().unwrap();
        let said = text(&run);
        assert_eq!(run.status.code(), Some(code), "{args:?}: {said}");
        for words in words {
            assert!(said.contains(words), "{args:?}: no `{words}` in {said}");
        }
    };
    let rubric = format!("labs/{lab}/assignment/rubric.toml");
    run(&["rubric", lab, "--check", &rubric], 0, &["1 part, 100 points in all"]);
    run(&["start", lab, "mine"], 0, &["solve the exercises marked TODO"]);
    let mine = copy.path().join(format!("mine/{lab}.cu"));
    let starter = fs::read_to_string(&mine).unwrap();
    assert!(starter.contains("// TODO (exercise guarded): ") && !starter.contains("off_by_one"), "{starter}");
    run(&["check", "mine"], 1, &["`guarded`, is to be done", "nothing was written"]);
    run(&["grade", lab, mine.to_str().unwrap()], 0, &["all            0  100"]);
    let own = copy.path().join(format!("labs/{lab}/kernels/{lab}.cu"));
    run(&["grade", lab, own.to_str().unwrap()], 0, &["all          100  100"]);
    fs::copy(&own, &mine).unwrap();
    run(&["check", "mine"], 0, &["1 of 1 exercise is right"]);
    run(&["submit", "mine"], 0, &[".zip"]);

    // Its test of a broken kernel, which is compiled, passes.
    let arguments = [&TESTS[..], &["--", "--include-ignored", "nvrtc"]].concat();
    let tested = cargo_command(&built, copy.path(), &arguments).output().unwrap();
    assert!(text(&tested).contains("broken_kernels_are_rejected_nvrtc ... ok"), "{}", text(&tested));
}

#[test]
fn a_new_lab_is_refused_where_it_cannot_be() {
    let copy = tempfile::tempdir().unwrap();
    let refused = |folder: &Path, name: &str, says: &str| {
        let run = warplab_in(folder, &["new-lab", name], &[]);
        assert_eq!(run.code, 2, "{run:?}");
        assert!(run.stderr.contains(says), "`{says}` is not in {}", run.stderr);
    };
    refused(copy.path(), "made_by_a_test", "is not inside a checkout of warplab");
    for folder in ["kernels/include", "labs/mine", "harness/cli/src"] {
        fs::create_dir_all(copy.path().join(folder)).unwrap();
    }
    fs::write(copy.path().join("harness/cli/Cargo.toml"), "[dependencies]\n").unwrap();
    let labs = copy.path().join("labs/mine");
    refused(&labs, "mine", "there is a lab `mine` already");
    refused(&labs, "two-words", "lower-case letters, digits and _");
    refused(&labs, "loop", "reserved");
    refused(&labs, "made_by_a_test", "harness/cli/Cargo.toml has no line `# The labs, in the order of src/labs.rs.`");
    assert!(!copy.path().join("labs/made_by_a_test").exists());
}
