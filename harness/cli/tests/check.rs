//! `warplab check`: help in a student's folder.

use std::{
    collections::BTreeMap,
    fs,
    io::Read,
    path::{Path, PathBuf},
    process::{Child, Command, Stdio},
    sync::{Arc, Mutex},
    thread,
    time::{Duration, Instant, SystemTime},
};

use crate::common::{Run, fails, warplab_in};

/// A student's folder, `mine`.
struct Mine(tempfile::TempDir);

impl Mine {
    fn from_lab(lab: &str) -> Self {
        let place = tempfile::tempdir().unwrap();
        let run = warplab_in(place.path(), &["start", lab, "mine"], &[]);
        assert_eq!(run.code, 0, "{run:?}");
        Self(place)
    }

    fn folder(&self) -> PathBuf {
        self.0.path().join("mine")
    }

    fn kernel(&self) -> PathBuf {
        self.folder().join("vecadd.cu")
    }

    /// The kernel file with the first `old` replaced.
    fn edited(&self, old: &str, new: &str) -> String {
        let text = fs::read_to_string(self.kernel()).unwrap();
        assert!(text.contains(old), "{text}");
        text.replacen(old, new, 1)
    }

    fn edit(&self, old: &str, new: &str) {
        fs::write(self.kernel(), self.edited(old, new)).unwrap();
    }

    fn check(&self, args: &[&str]) -> Run {
        warplab_in(&self.folder(), &[&["check"], args].concat(), &[])
    }
}

/// Checks that the run has ended with `code` and printed all of `words`.
fn says(run: &Run, code: i32, words: &[&str]) {
    assert_eq!(run.code, code, "{run:?}");
    for words in words {
        assert!(run.stdout.contains(words) || run.stderr.contains(words), "no `{words}` in {run:?}");
    }
}

const ADD: &str = "// TODO (exercise add): ";
const RIGHT: &str = "unsigned long long i = grid_index();\n    if (i < n) z[i] = x[i] + y[i];\n    // ";
const STRIDE: &str = "// TODO (exercise stride): ";

/// The number of the line of the kernel file that contains `words`.
fn line_of(text: &str, words: &str) -> usize {
    text.lines().position(|line| line.contains(words)).unwrap() + 1
}

#[test]
fn a_folder_that_is_no_students_and_an_exercise_that_is_not_asked_for_are_refused() {
    fails(&["check"], 2, &["this is not an exercise folder", "cd into yours, or name it", "warplab start LAB"]);
    fails(&["check", "--watch"], 2, &["this is not an exercise folder"]);
    fails(&["check", "--all", "--exercise", "add"], 2, &["--all", "--exercise"]);
    let mine = Mine::from_lab("vecadd");
    // It was called --part.
    for option in ["--exercise", "--part"] {
        says(&mine.check(&[option, "ad"]), 2, &["no exercise `ad`", "did you mean `add`?"]);
    }
    let course = fs::read_to_string(mine.folder().join("course.toml")).unwrap();
    fs::write(mine.folder().join("course.toml"), course.replace("[sizes]", "[size]")).unwrap();
    says(&mine.check(&[]), 2, &["./course.toml: ", "size"]);
    fs::write(mine.folder().join("course.toml"), course.replacen("vecadd", "vecad", 1)).unwrap();
    says(&mine.check(&[]), 2, &["no lab `vecad`"]);
}

#[test]
fn without_a_compiler_the_command_that_brings_it_is_named() {
    let mine = Mine::from_lab("vecadd");
    let run = warplab_in(&mine.folder(), &["check"], &[("WARPLAB_NVRTC", "off")]);
    says(&run, 4, &["vecadd.cu cannot be tried", "`warplab setup`"]);
}

#[test]
#[ignore = "needs NVRTC"]
fn one_exercise_after_the_other_with_nvrtc() {
    let mine = Mine::from_lab("vecadd");
    // The handed-out file.
    let line = line_of(&fs::read_to_string(mine.kernel()).unwrap(), ADD);
    let run = mine.check(&[]);
    let place = format!("`add`, is to be done: vecadd.cu:{line}. It is wrong at n = 1.");
    says(
        &run,
        1,
        &[
            "[.?] no exercise is right yet; 2 is not tried yet (`--all`)",
            &place,
            "  nothing was written: no thread has stored anything in global memory\n",
            "Next: change exercise `add`",
        ],
    );
    assert!(!run.stdout.contains("`stride`"), "{run:?}");
    // The first right part leads to the next one, and is praised once.
    mine.edit(ADD, RIGHT);
    let run = mine.check(&[]);
    says(
        &run,
        1,
        &[
            "[#.] 1 of 2 exercises is right",
            "`add` is right now: well done.",
            "Exercise 2 of 2, `stride`, is to be done",
        ],
    );
    assert!(!mine.check(&[]).stdout.contains("well done"));
    says(&mine.check(&["--exercise", "add"]), 0, &["`add`, is right.", "Next: `warplab check`"]);
    // All parts right.
    mine.edit(
        STRIDE,
        "for (unsigned long long i = grid_index(); i < n; i += grid_threads()) z[i] = x[i] + y[i];\n    // ",
    );
    says(&mine.check(&[]), 0, &["[##] 2 of 2 exercises are right", "`stride` is right now", "Next: `warplab submit`"]);
    // A part that is broken again is no longer remembered as right.
    mine.edit("if (i < n) z[i]", "z[i + 1]");
    says(&mine.check(&["--all"]), 1, &["[#.] 1 of 2", "`add`, is wrong"]);
    mine.edit("z[i + 1]", "if (i < n) z[i]");
    says(&mine.check(&[]), 0, &["`add` is right now: well done."]);
    let kept = fs::read_to_string(mine.folder().join(".gitignore")).unwrap();
    assert!(kept.contains("\n.warplab/\n"), "{kept}");
}

#[test]
#[ignore = "needs NVRTC"]
fn what_the_compiler_says_is_at_its_line_with_nvrtc() {
    let mine = Mine::from_lab("vecadd");
    mine.edit(ADD, "z[0] = twice;\n    // ");
    let line = line_of(&fs::read_to_string(mine.kernel()).unwrap(), "twice");
    let mark = format!(
        "vecadd.cu:{line}:12: error: identifier \"twice\" is undefined\n   |\n{line} |     z[0] = twice;\n   |            ^"
    );
    says(&mine.check(&[]), 2, &["vecadd.cu does not compile", &mark]);
    let submit = warplab_in(&mine.folder(), &["submit"], &[]);
    says(&submit, 2, &["does not compile", &mark, "--anyway"]);
    let text = fs::read_to_string(mine.kernel()).unwrap();
    fs::write(mine.kernel(), format!("#include <stdio.h>\n{text}")).unwrap();
    let below = format!("vecadd.cu:{}:12: error: identifier \"twice\" is undefined", line + 1);
    says(&mine.check(&[]), 2, &["vecadd.cu does not compile", &below]);
    fs::write(mine.kernel(), text).unwrap();
    // A warning is shown without affecting the result; one about handed-out lines is not shown.
    mine.edit("z[0] = twice;", &format!("int unused;\n    {RIGHT}"));
    let place = format!("vecadd.cu:{line}:9: warning #177-D: variable \"unused\"");
    says(&mine.check(&["--exercise", "add"]), 0, &[&place, "`add`, is right."]);
    let handed_out = Mine::from_lab("histogram").check(&[]);
    assert!(handed_out.code == 1 && !handed_out.stdout.contains("warning"), "{handed_out:?}");
}

#[test]
#[ignore = "needs NVRTC"]
fn the_smallest_size_that_is_not_right_is_told_with_nvrtc() {
    let mine = Mine::from_lab("vecadd");
    mine.edit(ADD, "unsigned long long i = grid_index();\n    if (i < n && i < 20) z[i] = x[i] + y[i];\n    // ");
    // The kernel's output is shown, up to a limit.
    mine.edit("if (i < n && i < 20)", r#"printf("mine: %d\n", (int)i); if (i < n && i < 20)"#);
    let run = mine.check(&[]);
    says(&run, 1, &["wrong at n = 33.", "[20] was never written, should be", "your kernel printed:\n  mine: "]);
    assert_eq!(run.stdout.matches("  mine: ").count(), 20, "{run:?}");
    mine.edit(r#"printf("mine: %d\n", (int)i); "#, "");
    assert!(!run.stdout.contains("n = 1000"), "{run:?}");
    // A finding is reported with its line.
    let line = line_of(&fs::read_to_string(mine.kernel()).unwrap(), "i < 20");
    mine.edit("if (i < n && i < 20) z[i]", "z[i]");
    let run = mine.check(&[]);
    says(&run, 1, &["at n = 1", &format!("vecadd.cu:{line}:"), "z[i] = x[i] + y[i];", "error: "]);
    // The answers are right, but neighbouring threads access distant elements.
    let far = "unsigned long long t = grid_index(), i = t / 256 * 256 + t % 32 * 8 + t % 256 / 32;";
    mine.edit("unsigned long long i = grid_index();", far);
    mine.edit("    z[i] = x", "    if (i < n) z[i] = x");
    let goal =
        ["its counters are beyond their goals", "each warp that loads reads ", " would do, at n = 100000", "goal: "];
    says(&mine.check(&[]), 1, &goal);
}

#[test]
#[ignore = "needs NVRTC"]
fn hints_come_by_degrees_with_nvrtc() {
    let mine = Mine::from_lab("vecadd");
    says(&mine.check(&[]), 1, &["hint: 3 are left."]);
    says(&mine.check(&["--hint"]), 1, &["Hint 1 of 3 for exercise `add`: Which element"]);
    says(&mine.check(&[]), 1, &["hint: 2 are left."]);
    says(&mine.check(&["--hint"]), 1, &["Hint 2 of 3"]);
    says(&mine.check(&["--exercise", "stride", "--hint"]), 1, &["Hint 1 of 2 for exercise `stride`"]);
    for _ in 0..2 {
        says(&mine.check(&["--hint"]), 1, &["Hint 3 of 3"]);
    }
    says(&mine.check(&[]), 1, &["the last hint again."]);
    mine.edit(ADD, RIGHT);
    says(&mine.check(&["--exercise", "add", "--hint"]), 0, &["no hint is needed"]);
}

#[test]
#[ignore = "needs NVRTC"]
fn what_bounds_a_right_part_is_a_hint_with_its_line_with_nvrtc() {
    let mine = Mine::from_lab("transpose");
    let own = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../labs/transpose/kernels/transpose.cu");
    let own = fs::read_to_string(own).unwrap();
    let file = mine.folder().join("transpose.cu");
    fs::write(&file, &own).unwrap();
    let plain = mine.check(&["--exercise", "tiled"]);
    let run = mine.check(&["--exercise", "tiled", "--hint"]);
    says(&run, plain.code, &["Speed of exercise `tiled`: ", "on an NVIDIA H200 at n = ", "(predicted)"]);
    // A column of the tile lies in one bank.
    let said = run.stdout.replace("\n  ", " ");
    let line = said.split("32 ways on line ").nth(1).and_then(|rest| rest.split(' ').next());
    let line = line.and_then(|line| own.lines().nth(line.parse::<usize>().ok()? - 1)).unwrap_or_default();
    assert!(line.contains("tile[lane]") && said.contains("without the conflicts, "), "{line} {run:?}");
    // A wrong part gets hints, and no prediction of speed.
    fs::write(&file, own.replacen("__global__ void tiled(", "__global__ void tilde(", 1)).unwrap();
    let run = mine.check(&["--exercise", "tiled", "--hint"]);
    says(&run, 1, &["Hint 1 of "]);
    assert!(!run.stdout.contains("Speed of"), "{run:?}");
}

/// The files of a folder, with their modification times.
fn written(folder: &Path) -> BTreeMap<PathBuf, SystemTime> {
    let entries = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap());
    entries.map(|entry| (entry.path(), entry.metadata().unwrap().modified().unwrap())).collect()
}

#[test]
#[ignore = "needs NVRTC"]
fn the_labs_own_kernels_run_once_and_what_is_damaged_is_found_out_again_with_nvrtc() {
    let mine = Mine::from_lab("vecadd");
    mine.edit(ADD, RIGHT);
    let cache = mine.0.path().join("cache");
    let check = || warplab_in(&mine.folder(), &["check"], &[("WARPLAB_CACHE", cache.to_str().unwrap())]);
    says(&check(), 1, &["1 of 2 exercises is right"]);
    let first = written(&cache.join("own"));
    // Two parts at the smallest size, and the right one at the three others.
    assert_eq!(first.len(), 5, "{first:?}");
    says(&check(), 1, &["1 of 2 exercises is right"]);
    assert_eq!(written(&cache.join("own")), first);
    // A damaged file is ignored.
    for damage in [|whole: &str| whole.replace("pass", "fail"), |whole: &str| whole[..whole.len() / 2].into()] {
        for file in first.keys() {
            let whole = fs::read_to_string(file).unwrap();
            assert_ne!(damage(&whole), whole);
            fs::write(file, damage(&whole)).unwrap();
        }
        says(&check(), 1, &["1 of 2 exercises is right"]);
        let is_whole = |file: &PathBuf| kernels::checked_cache::read::<serde_json::Value>(file).is_some();
        assert!(first.keys().all(is_whole));
    }
    // The cache belongs to the user, and is not in the folder that is handed in.
    assert!(!mine.folder().join(".warplab/own").exists());
}

#[test]
#[ignore = "needs NVRTC"]
fn no_variant_is_blamed_for_another_one_with_nvrtc() {
    let mine = Mine::from_lab("histogram");
    let file = mine.folder().join("histogram.cu");
    let own = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../labs/histogram/kernels/histogram.cu");
    fs::write(&file, fs::read_to_string(own).unwrap()).unwrap();
    says(&mine.check(&["--all"]), 0, &["5 of 5 exercises are right"]);
    // It ends the context, and with it everything that would have run later in its process.
    let kernel = "__global__ void matched_letters(";
    let text = fs::read_to_string(&file).unwrap();
    let body = text[text.find(kernel).unwrap()..].find('{').unwrap() + text.find(kernel).unwrap() + 1;
    fs::write(&file, format!("{} __trap(); {}", &text[..body], &text[body..])).unwrap();
    let run = mine.check(&["--all"]);
    says(&run, 1, &["4 of 5 exercises are right", "`matched`, is wrong at n = 1."]);
}

#[test]
#[ignore = "needs NVRTC"]
fn what_ends_a_kernel_is_told_in_words_with_nvrtc() {
    let mine = Mine::from_lab("vecadd");
    mine.edit(ADD, "for (volatile int i = 0; i < 1;) {}\n    // ");
    let line = line_of(&fs::read_to_string(mine.kernel()).unwrap(), "for (vol");
    let run = mine.check(&[]);
    let words = format!(
        "  vecadd did not end: it was stopped after 20000000 warp instructions, in a loop at vecadd.cu:{line}\n"
    );
    says(&run, 1, &["wrong at n = 1.", "goes round this loop"]);
    let told = run.stdout.replace("\n    ", " ");
    assert!(told.contains(&words) && !told.contains("CUDA_ERROR"), "no {words} in {told}");
    let file = mine.kernel();
    let marked = warplab_in(&mine.folder(), &["grade", "vecadd", file.to_str().unwrap(), "--explain"], &[]);
    let told = marked.stdout.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(told.contains(words.trim()) && !told.contains("CUDA_ERROR"), "no {words} in {told}");
    mine.edit("for (volatile int i = 0; i < 1;) {}", "z[n] = 1;");
    let fault =
        format!("  vecadd was ended by a fault at vecadd.cu:{line}: Invalid __global__ write of size 4 bytes\n");
    says(&mine.check(&[]), 1, &[&fault, "the index must stay"]);
}

/// If a part has several variants, each failure names its own. These fail differently: device memory and host memory
/// never have the same address.
#[test]
#[ignore = "needs NVRTC"]
fn a_variant_that_is_wrong_is_named_with_nvrtc() {
    let mine = Mine::from_lab("returning");
    let file = mine.folder().join("returning.cu");
    let text = fs::read_to_string(&file).unwrap();
    fs::write(
        &file,
        text.replacen("// TODO (exercise pointer)", "*result = (size_t)result >> 4;\n// TODO (exercise pointer)", 1),
    )
    .unwrap();
    says(&mine.check(&[]), 1, &["  in explicit: 1 of 1 wrong: [the sum] is ", "  in managed: 1 of 1 wrong: "]);
}

/// A running `check --watch`, and its output so far.
struct Watching {
    child: Child,
    said: Arc<Mutex<String>>,
}

impl Watching {
    /// Starts it with its output in a pipe.
    fn from_folder(folder: &Path) -> Self {
        let (out, theirs) = std::io::pipe().unwrap();
        Self::with(folder, theirs.into(), out)
    }

    fn with(folder: &Path, theirs: Stdio, mut out: impl Read + Send + 'static) -> Self {
        let mut command = Command::new(env!("CARGO_BIN_EXE_warplab"));
        command.args(["check", "--watch"]).current_dir(folder).stdout(theirs).stderr(Stdio::null());
        let child = command.spawn().unwrap();
        let said = Arc::new(Mutex::new(String::new()));
        let heard = said.clone();
        thread::spawn(move || {
            let mut bytes = [0; 4096];
            while let Ok(count @ 1..) = out.read(&mut bytes) {
                *heard.lock().unwrap() += &String::from_utf8_lossy(&bytes[..count]);
            }
        });
        Self { child, said }
    }

    /// Waits until it has answered and waits for the next save; returns the output since the last call.
    fn answer(&self) -> String {
        let begun = Instant::now();
        loop {
            let said = self.said.lock().unwrap().clone();
            if said.replace('\r', "").ends_with("Waiting for the next save; Ctrl-C ends it.\n") {
                self.said.lock().unwrap().clear();
                return said;
            }
            assert!(begun.elapsed() < Duration::from_secs(60), "no answer but {said}");
            thread::sleep(Duration::from_millis(20));
        }
    }

    /// Sends Ctrl-C, and returns the exit status.
    #[cfg(unix)]
    fn interrupt(&mut self) -> Option<i32> {
        // SAFETY: a signal to a process that this has started and not yet waited for.
        unsafe { libc::kill(self.child.id() as i32, libc::SIGINT) };
        self.child.wait().unwrap().code()
    }
}

impl Drop for Watching {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

#[cfg(unix)]
#[test]
#[ignore = "needs NVRTC"]
fn every_save_is_answered_until_ctrl_c_with_nvrtc() {
    let mine = Mine::from_lab("vecadd");
    let mut watching = Watching::from_folder(&mine.folder());
    let first = watching.answer();
    assert!(first.contains("no exercise is right yet") && first.contains("and save it."), "{first}");
    assert!(!first.contains('\u{1b}'), "what is no terminal has no screen to clear: {first:?}");
    // The file is saved in place.
    mine.edit(ADD, RIGHT);
    let answer = watching.answer();
    assert!(answer.contains("1 of 2 exercises") && answer.contains("`add` is right now: well done."), "{answer}");
    // The file is saved under another name and renamed over the old one.
    let other = mine.folder().join(".vecadd.cu.swp");
    fs::write(&other, mine.edited("if (i < n) z[i] =", "z[i] = none +")).unwrap();
    fs::rename(&other, mine.kernel()).unwrap();
    let answer = watching.answer();
    assert!(answer.contains("does not compile") && answer.contains("identifier \"none\""), "{answer}");
    // The file is deleted, and rewritten later.
    let text = mine.edited("z[i] = none +", "if (i < n) z[i] =");
    fs::remove_file(mine.kernel()).unwrap();
    let answer = watching.answer();
    assert!(answer.contains("cannot read the kernel file"), "{answer}");
    fs::write(mine.kernel(), text).unwrap();
    assert!(watching.answer().contains("1 of 2 exercises"));
    assert_eq!(watching.interrupt(), Some(130));
}

#[cfg(unix)]
#[test]
fn the_screen_of_a_terminal_is_cleared_and_what_can_be_mended_is_waited_for() {
    let mine = Mine::from_lab("vecadd");
    let course = mine.folder().join("course.toml");
    let right = fs::read_to_string(&course).unwrap();
    let break_it = |key: &str| fs::write(&course, right.replace("[sizes]", key)).unwrap();
    break_it("[size]");
    let (ours, theirs) = crate::common::terminal(100);
    let mut watching = Watching::with(&mine.folder(), theirs.into(), ours);
    let first = watching.answer();
    assert!(first.starts_with("\u{1b}[2J\u{1b}[H") && first.contains("size"), "{first:?}");
    break_it("[seizes]");
    let second = watching.answer();
    assert!(second.starts_with("\u{1b}[2J\u{1b}[H") && second.contains("seizes"), "{second:?}");
    assert_eq!(watching.interrupt(), Some(130));
    // Saving a file does not install a compiler.
    fs::write(&course, &right).unwrap();
    let run = warplab_in(&mine.folder(), &["check", "--watch"], &[("WARPLAB_NVRTC", "off")]);
    says(&run, 4, &["`warplab setup`"]);
}

#[test]
#[ignore = "needs NVRTC"]
fn the_failing_case_is_shown_at_its_finding_with_nvrtc() {
    let mine = Mine::from_lab("vecadd");
    let page = mine.folder().join("check.html");
    mine.edit(ADD, "unsigned long long i = grid_index();\n    z[i] = x[i] + y[i];\n    // ");
    let run = mine.check(&["--show", "--exercise", "add"]);
    says(&run, 1, &["check.html opens at the finding in block ", "of vecadd, launch 1: Invalid __global__ read"]);
    assert!(fs::read_to_string(&page).unwrap().contains("vecadd"));
    fs::remove_file(&page).unwrap();
    // A wrong answer without a finding is shown from the start.
    mine.edit("z[i] = x[i] + y[i];", "if (i < n) z[i] = x[i] - y[i];");
    says(&mine.check(&["--show", "--exercise", "add"]), 1, &["check.html shows vecadd, launch 1, from its start."]);
    fs::remove_file(&page).unwrap();
    // A page that cannot be written is an error.
    fs::create_dir(&page).unwrap();
    let run = mine.check(&["--show", "--exercise", "add"]);
    assert!(run.code == 4 && run.stderr.contains("cannot write check.html"), "{run:?}");
    fs::remove_dir(&page).unwrap();
    mine.edit("x[i] - y[i]", "x[i] + y[i]");
    says(&mine.check(&["--show", "--exercise", "add"]), 0, &["Nothing to show: no case has a wrong answer"]);
    assert!(!page.exists());
}
