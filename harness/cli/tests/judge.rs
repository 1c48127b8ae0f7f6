//! `warplab judge`: the example problems with right files, and with wrong, slow and cheating ones. The quick tests have
//! PTX, so that no NVRTC is needed.
use std::{
    fs,
    path::{Path, PathBuf},
};

use serde_json::Value;

use crate::common::{Run, ptx_for, warplab_with};

/// The example problems.
const PROBLEMS: [&str; 5] = ["vecadd", "softmax", "quantised", "prefix-sum", "sort"];

fn problem(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("problems").join(name)
}

/// A copy of an example problem, with the PTX of its kernel files.
struct Copy(tempfile::TempDir);

impl Copy {
    fn of(name: &str) -> Self {
        let copy = Self(tempfile::tempdir().unwrap());
        for entry in fs::read_dir(problem(name)).unwrap() {
            let file = entry.unwrap().path();
            match file.extension().and_then(|ending| ending.to_str()) {
                Some("cu") => copy.edited(&file, file.file_name().unwrap().to_str().unwrap(), &[]),
                Some("gz") => {}
                _ => drop(fs::copy(&file, copy.path(file.file_name().unwrap().to_str().unwrap())).unwrap()),
            }
        }
        copy
    }

    fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    /// Writes the kernel file `own` under this name with each text replaced, in the source and in the PTX.
    fn edited(&self, own: &Path, name: &str, changes: &[(&str, &str)]) {
        let file = self.path(name);
        let changed = |text: String| changes.iter().fold(text, |text, (old, new)| text.replace(old, new));
        fs::write(&file, changed(fs::read_to_string(own).unwrap())).unwrap();
        fs::write(file.with_extension("ptx"), changed(ptx_for(own, &file))).unwrap();
    }

    /// Replaces a text in the problem's file.
    fn change(&self, old: &str, new: &str) {
        let file = self.path("problem.toml");
        let text = fs::read_to_string(&file).unwrap();
        assert!(text.contains(old), "{text}");
        fs::write(file, text.replacen(old, new, 1)).unwrap();
    }

    fn judge(&self, options: &[&str], files: &[&str]) -> Run {
        let paths: Vec<String> =
            ["problem.toml"].iter().chain(files).map(|file| self.path(file).display().to_string()).collect();
        let paths: Vec<&str> = paths.iter().map(String::as_str).collect();
        warplab_with(&[&["judge"], &paths[..], &["--seed", "7"], options].concat(), &[("WARPLAB_NVRTC", "off")])
    }

    /// Judges files; returns the exit status and the JSON.
    fn verdicts(&self, files: &[&str]) -> (i32, Value) {
        let run = self.judge(&["--json"], files);
        (run.code, serde_json::from_str(&run.stdout).unwrap_or_else(|error| panic!("{error}: {run:?}")))
    }

    /// The problem is refused with all of these words.
    fn is_refused(&self, words: &[&str]) {
        let run = self.judge(&[], &["right.cu"]);
        assert_eq!(run.code, 2, "{words:?}: {run:?}");
        for word in words {
            assert!(run.stderr.contains(word), "`{word}` is not in {}", run.stderr);
        }
    }
}

/// The verdict on a file: its word, and its reasons and findings as one text.
fn verdict(json: &Value, file: &str) -> (String, String) {
    let of = json["files"].as_array().unwrap().iter().find(|one| one["file"].as_str().unwrap().ends_with(file));
    let of = of.unwrap_or_else(|| panic!("{file}: {json}"));
    let texts = |list: &str, text: fn(&Value) -> &Value| {
        let each = of[list].as_array().unwrap().iter().map(|one| text(one).as_str().unwrap().to_string());
        each.collect::<Vec<_>>().join("\n")
    };
    let text = texts("reasons", |reason| reason) + &texts("findings", |finding| &finding["text"]);
    (of["verdict"].as_str().unwrap().into(), text)
}

/// Another solution than the reference is right, and both have predicted times.
fn is_right(name: &str) {
    let (code, json) = Copy::of(name).verdicts(&["right.cu"]);
    assert_eq!((code, &json["schema"], &json["problem"]), (0, &1.into(), &name.into()), "{json}");
    for time in [&json["files"][0]["time"], &json["reference"]] {
        let ms = |value: &Value| value.as_f64().unwrap();
        let [low, high] = [0, 1].map(|at| ms(&time["interval_ms"][at]));
        assert!(0.0 < low && low < ms(&time["ms"]) && ms(&time["ms"]) < high, "{json}");
    }
}

#[test]
fn a_sum_of_vectors_is_right() {
    is_right("vecadd");
}

#[test]
fn a_softmax_is_right() {
    is_right("softmax");
}

#[test]
fn a_quantised_product_is_right() {
    is_right("quantised");
}

#[test]
fn a_prefix_sum_is_right() {
    is_right("prefix-sum");
}

#[test]
fn a_sort_is_right_by_a_program() {
    is_right("sort");
}

#[test]
fn wrong_and_slow_files_have_a_reason() {
    let copy = Copy::of("vecadd");
    let right = problem("vecadd").join("right.cu");
    copy.edited(&right, "wrong.cu", &[("x[i] + y[i]", "x[i] - y[i]"), ("add.f32", "sub.f32")]);
    copy.edited(&right, "one_warp.cu", &[("<<<min(ceil_div(n, 128), 1056), 128>>>", "<<<1, 32>>>")]);
    copy.edited(&right, "large.cu", &[("1056), 128>>>", "1056), 2048>>>")]);
    copy.edited(&right, "other.cu", &[("(x, y, sum, n)\n", "(x, y, sum)\n")]);
    // Half of the reference's time is allowed.
    copy.change("slower_than_reference = 1.5", "slower_than_reference = 0.5");
    let (code, json) = copy.verdicts(&["wrong.cu", "one_warp.cu", "large.cu", "other.cu", "right.cu"]);
    assert_eq!(code, 1, "{json}");
    for (file, word, reasons) in [
        ("wrong.cu", "wrong", vec!["n=1: ", "1 of 1 wrong", "[sum 0] is ", "should be "]),
        ("one_warp.cu", "slow", vec!["one warp executes", "(n=100000), the reference 22"]),
        ("large.cu", "refused", vec!["the number of threads in a block is 2048, but", "allows 1024"]),
        ("other.cu", "refused", vec!["kernel `add` takes 4 parameters, but its launch passes 3 arguments"]),
        ("right.cu", "slow", vec!["and the reference 0.0", "times as long, where slower_than_reference allows 0.5"]),
    ] {
        let (found, text) = verdict(&json, file);
        assert_eq!(found, word, "{file}: {text}");
        for reason in reasons {
            assert!(text.contains(reason), "{file}: `{reason}` is not in {text}");
        }
    }
    let run = copy.judge(&[], &["one_warp.cu"]);
    assert!(run.code == 3 && run.stdout.contains("one_warp.cu: slow\n  one warp executes"), "{run:?}");
}

#[test]
fn a_race_is_found_in_its_line() {
    let copy = Copy::of("softmax");
    let reference = problem("softmax").join("reference.cu");
    copy.edited(
        &reference,
        "race.cu",
        &[("        __syncthreads();\n    }\n    float all", "    }\n    float all"), ("bar.sync", "// bar.sync")],
    );
    let (code, json) = copy.verdicts(&["race.cu"]);
    let (_, text) = verdict(&json, "race.cu");
    assert!(code == 1 && text.contains("Race reported") && text.contains("reference.cu:"), "{text}");
}

#[test]
fn a_program_alone_gives_the_expected_output() {
    let copy = Copy::of("sort");
    copy.change("cu = \"reference.cu\"\n", "");
    copy.change("slower_than_reference = 2.0\n", "");
    let right = problem("sort").join("right.cu");
    copy.edited(&right, "wrong.cu", &[("sorted[i] = work[i]", "sorted[i] = work[i] - 1")]);
    let ptx = fs::read_to_string(copy.path("wrong.ptx")).unwrap();
    // The last store of the file is that of `store`.
    let at = ptx.rfind("st.global.u32").unwrap();
    let register = ptx[at..].split(", ").nth(1).and_then(|rest| rest.split(';').next()).unwrap().to_string();
    let wrong = format!("{}add.s32 {register}, {register}, -1;\n\t{}", &ptx[..at], &ptx[at..]);
    fs::write(copy.path("wrong.ptx"), wrong).unwrap();
    let (code, json) = copy.verdicts(&["right.cu", "wrong.cu"]);
    assert_eq!((code, &json["reference"]), (1, &Value::Null), "{json}");
    assert_eq!(verdict(&json, "right.cu").0, "right", "{json}");
    let (word, text) = verdict(&json, "wrong.cu");
    assert!(word == "wrong" && text.contains("2000 of 2000 wrong"), "{text}");
}

#[test]
fn a_problem_that_cannot_be_used_is_refused_with_its_place() {
    let with = |name: &str, old: &str, new: &str| {
        let copy = Copy::of(name);
        copy.change(old, new);
        copy
    };
    with("vecadd", "hidden =", "hiden =").is_refused(&["problem.toml", "line 4", "unknown field `hiden`"]);
    with("vecadd", "\"reference.cu\"", "\"ref.cu\"")
        .is_refused(&["problem.toml: reference: cu = \"ref.cu\"", "ref.cu"]);
    with("vecadd", "n = 100000", "n = 4000000000").is_refused(&["need", "MiB at n=4000000000", "smaller sizes"]);
    with("vecadd", "name = \"sum\"", "name = \"z\"")
        .is_refused(&["launch `add<<<", "`sum` is neither a buffer nor a size"]);
    let copy = Copy::of("vecadd");
    copy.edited(&problem("vecadd").join("reference.cu"), "reference.cu", &[("(x, y, sum, n)\n", "(x, y, sum, 1.5)\n")]);
    copy.is_refused(&["problem.toml: parameter 4 of kernel `add` has 4 bytes, but its launch passes a double"]);
    // The program.
    for (line, words) in [
        ("raise SystemExit(\"no keys\")", ["it ended with exit status: 1", "no keys"]),
        ("keys = keys[1:]", ["bytes to sorted.bin, and the output has", "at n=1"]),
        ("raise SystemExit(0)", ["it has not written sorted.bin", "at n=1"]),
    ] {
        let copy = Copy::of("sort");
        let program = copy.path("reference.py");
        let text = fs::read_to_string(&program).unwrap();
        fs::write(&program, text.replace("files[\"sorted\"]", &format!("{line}\nfiles[\"sorted\"]"))).unwrap();
        copy.is_refused(&[&["reference: program `python3 reference.py`"], &words[..]].concat());
    }
    with("sort", "\"python3\"", "\"/nowhere/python\"")
        .is_refused(&["`/nowhere/python reference.py`", "cannot be started"]);
    with("sort", "seconds = 60", "seconds = 0").is_refused(&["limits: seconds must be at least 1"]);
    let run = Copy::of("vecadd").judge(&[], &["none.cu"]);
    assert!(run.code == 2 && run.stderr.contains("none.cu"), "{run:?}");
    let run = Copy::of("vecadd").judge(&["--device", "auto"], &["right.cu"]);
    assert!(run.code == 2 && run.stderr.contains("choose emulated:GPU or cuda:N"), "{run:?}");
}

#[test]
fn a_file_is_not_judged_by_run() {
    let copy = Copy::of("vecadd");
    let [problem, right] = ["problem.toml", "right.cu"].map(|file| copy.path(file).display().to_string());
    let run = warplab_with(&["run", &problem, "--kernel", &right], &[("WARPLAB_NVRTC", "off")]);
    assert!(run.code == 2 && run.stderr.contains("is judged by `warplab judge"), "{run:?}");
}

/// The files of `judging`: the first line of each has the verdict, and words of the reason.
#[test]
#[ignore = "needs NVRTC"]
fn wrong_slow_and_cheating_files_earn_their_verdict_nvrtc() {
    let mut bad = Vec::new();
    for name in PROBLEMS {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/judging").join(name);
        let mut files: Vec<String> =
            fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path().display().to_string()).collect();
        files.sort();
        assert!(files.len() >= 3, "{name}");
        let problem = problem(name).join("problem.toml").display().to_string();
        let mut args = vec!["judge", &problem, "--json", "--seed", "7"];
        args.extend(files.iter().map(String::as_str));
        let run = warplab_with(&args, &[]);
        let json = serde_json::from_str(&run.stdout).unwrap_or_else(|error| panic!("{error}: {run:?}"));
        for file in &files {
            let text = fs::read_to_string(file).unwrap();
            let (word, reason) = text.lines().next().unwrap()[3..].split_once(": ").unwrap();
            let (found, text) = verdict(&json, file);
            if found != word || !text.contains(reason) {
                bad.push(format!("{file}: {found}, not {word}: {text}"));
            }
        }
    }
    assert!(bad.is_empty(), "{}", bad.join("\n"));
}
