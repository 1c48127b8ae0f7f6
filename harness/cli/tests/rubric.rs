//! A teacher's rubric: one that no submission can pass is refused, and changes reach students and marks.

use std::{fs, path::Path};

use crate::common::{Run, one_line, warplab, warplab_in, warplab_with};

fn of_vecadd(path: &str) -> String {
    fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("../../labs/vecadd").join(path)).unwrap()
}

/// vecadd's rubric with `old` replaced, in a separate folder.
fn changed(old: &str, new: &str) -> (tempfile::TempDir, String) {
    let own = of_vecadd("assignment/rubric.toml");
    assert!(own.contains(old), "{own}");
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("rubric.toml");
    fs::write(&file, own.replacen(old, new, 1)).unwrap();
    (folder, file.to_str().unwrap().into())
}

const SIZES: &str = "visible = [1, 33, 1000, 100000]";

fn check(old: &str, new: &str) -> Run {
    let (_folder, file) = changed(old, new);
    warplab(&["rubric", "vecadd", "--check", &file])
}

#[cfg(unix)]
#[test]
fn what_never_ends_is_no_rubric() {
    crate::common::fails(&["rubric", "vecadd", "--check", "/dev/zero"], 2, &["no rubric is larger than 1024 KiB"]);
}

#[test]
fn what_no_submission_can_pass_is_refused() {
    const OPTIONS: &str = r#"["--stride", "--blocks", "24", "--threads", "32"]"#;
    for (old, new, says) in [
        (OPTIONS, r#"["--strid"]"#, "part `stride`, options: unexpected argument '--strid'"),
        (OPTIONS, r#"["--stride", "--blocks"]"#, "part `stride`, options: a value is required for '--blocks"),
        (OPTIONS, r#"["--stride", "--blocks", "0"]"#, "part `stride`"),
        (OPTIONS, r#"["--stride", "--blocks={0..3}"]"#, "part `stride`"),
        (OPTIONS, r#"["-n", "5"]"#, "part `stride`, options: --n is not allowed in a rubric"),
        (OPTIONS, r#"["--stride", "--device", "cuda:0"]"#, "--device is not allowed in a rubric"),
        (OPTIONS, r#"["--help"]"#, "can only have options with which kernels run"),
        (SIZES, "visible = [1, 1000000000000]", "sizes.visible: no part can be tried at n = 1000000000000: "),
        (
            "1.1 * global_load_ideal_sectors",
            "0.9 * global_load_ideal_sectors",
            "part `add`: the lab's own kernels miss a goal: global_load_sectors is ",
        ),
        (
            "words = \"neigh",
            "cases = [\"letters\"]\nwords = \"neigh",
            "no submission can reach the goal of global_load_sectors",
        ),
        (r#"name = "stride""#, r#"name = "strid""#, "marks no part `strid`; did you mean `stride`?"),
    ] {
        let run = check(old, new);
        assert_eq!(run.code, 2, "{new}: {run:?}");
        let said = one_line(&run.stderr);
        assert!(said.contains(says), "{new}: {said}");
    }
    // What they keep at the sizes that are known need not hold at those that the seed of a grading decides.
    let (_folder, file) = changed(SIZES, "visible = [1, 33, 1000]");
    let text = fs::read_to_string(&file).unwrap();
    fs::write(&file, text.replace("1.1 * global_load_ideal_sectors", "250")).unwrap();
    let run = warplab(&["rubric", "vecadd", "--check", &file]);
    assert!(one_line(&run.stderr).contains("miss a goal: global_load_sectors is "), "{run:?}");
    let fits = check(OPTIONS, r#"["--stride", "--blocks={2..3}", "--threads", "64"]"#);
    assert!(fits.code == 0 && fits.stdout.contains(": 2 parts, "), "{fits:?}");
}

#[test]
fn marks_say_which_size_was_not_tried() {
    let (folder, rubric) = changed(SIZES, "visible = [1, 1000000000000]");
    let file = folder.path().join("vecadd.cu");
    fs::write(&file, of_vecadd("kernels/vecadd.cu")).unwrap();
    let args = ["grade", "vecadd", file.to_str().unwrap(), "--rubric", &rubric, "--format", "json"];
    let run = warplab_with(&args, &[("WARPLAB_NVRTC", "off")]);
    assert!(run.stdout.contains("not tried: n = 1000000000000: "), "{run:?}");
    assert!(!run.stdout.contains("right at every size, known or hidden"), "{run:?}");
}

/// The printed rubric can be handed out unchanged; changes reach the student, and a part that is left out is handed out
/// solved.
#[test]
fn a_changed_rubric_is_handed_out() {
    let place = tempfile::tempdir().unwrap();
    let shown = warplab(&["rubric", "vecadd", "--hints"]).stdout;
    let (head, _) = shown.rsplit_once("[[part]]\nname = \"stride\"").unwrap();
    let mine = head.replace("Vector addition", "Our sums").replacen("Which element is thread 3", "My own hint", 1);
    fs::write(place.path().join("mine.toml"), mine).unwrap();
    let start = warplab_in(place.path(), &["start", "vecadd", "one", "--rubric", "mine.toml"], &[]);
    assert_eq!(start.code, 0, "{start:?}");
    assert!(start.stdout.trim_end().ends_with("Next: cd one; warplab check"), "{start:?}");
    let read = |name: &str| fs::read_to_string(place.path().join("one").join(name)).unwrap();
    let (cuda, course) = (read("vecadd.cu"), read("course.toml"));
    assert!(cuda.contains("// TODO (exercise add): ") && !cuda.contains("TODO (exercise stride)"), "{cuda}");
    assert!(cuda.contains("i += grid_threads()") && !cuda.contains("if (i < n)"), "{cuda}");
    assert!(course.starts_with("lab = \"vecadd\"\n") && course.matches("lab = ").count() == 1, "{course}");
    // A teacher's own hints exist nowhere else.
    assert!(course.contains("Our sums") && course.contains("My own hint"), "{course}");
    let bare = warplab_in(place.path(), &["start", "vecadd", "bare"], &[("WARPLAB_NVRTC", "off")]);
    assert!(bare.stdout.contains("`warplab setup`"), "{bare:?}");
    let run = warplab_in(&place.path().join("one"), &["run", "vecadd", "--quick", "-n", "5"], &[]);
    let told = "warplab run vecadd --kernel vecadd.cu";
    assert_eq!(one_line(&run.stderr).matches(told).count(), 1, "{run:?}");
}
