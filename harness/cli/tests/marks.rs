//! Marks by the rubric of vecadd, from the submission to Gradescope's results. Submissions are compiled, so most of
//! these tests need NVRTC.

use std::path::{Path, PathBuf};

use crate::common::{fails, warplab, warplab_with};
use serde_json::Value;

fn of_vecadd(path: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../labs/vecadd").join(path)
}

/// Marks these submissions.
fn marks(submissions: &[&Path], more: &[&str]) -> Vec<Value> {
    let paths: Vec<&str> = submissions.iter().map(|path| path.to_str().unwrap()).collect();
    let run = warplab(&[&["grade", "vecadd", "--format", "json", "--schedules", "2"], &paths[..], more].concat());
    assert_eq!(run.code, 0, "{run:?}");
    let all: Value = serde_json::from_str(&run.stdout).unwrap_or_else(|e| panic!("{e}: {run:?}"));
    all["submissions"].as_array().unwrap().clone()
}

/// The points of its parts, and of all.
fn points(marked: &Value) -> [f64; 3] {
    [&marked["parts"][0], &marked["parts"][1], marked].map(|mark| mark["points"].as_f64().unwrap())
}

/// The lab's own file is recognised without a compiler, and judged on the same GPU everywhere.
#[test]
fn the_labs_own_kernel_file_has_all_points() {
    let file = of_vecadd("kernels/vecadd.cu");
    let args = ["grade", "vecadd", file.to_str().unwrap(), "--json"];
    let run = warplab_with(&args, &[("WARPLAB_NVRTC", "off"), ("WARPLAB_PROFILE", "h100")]);
    assert_eq!(run.code, 0, "{run:?}");
    let all: Value = serde_json::from_str(&run.stdout).unwrap();
    let marked = &all["submissions"][0];
    assert_eq!(marked["device"], "emulated:a100");
    assert_eq!((points(marked), &marked["of"]), ([60.0, 40.0, 100.0], &100.0.into()), "{marked}");
    assert_eq!(marked["sizes"].as_array().unwrap().len(), 6, "{marked}");
}

/// One kernel of the lab, of which one sum is NaN.
const NAN: &str = r#"
extern "C" __global__ void vecadd(const float *x, const float *y, float *z, unsigned long long n)
{
    unsigned long long i = (unsigned long long)blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        z[i] = i == n / 2 ? sqrtf(-2.0f - x[i]) : x[i] + y[i];
}
"#;

#[test]
#[ignore = "needs NVRTC"]
fn a_starter_has_none_and_a_mutant_loses_what_it_breaks_nvrtc() {
    let folder = tempfile::tempdir().unwrap();
    let starter = folder.path().join("starter");
    assert_eq!(warplab(&["start", "vecadd", starter.to_str().unwrap()]).code, 0);
    // One kernel is the lab's, the other one a mutant's.
    let own = std::fs::read_to_string(of_vecadd("kernels/vecadd.cu")).unwrap();
    let mutant = |name: &str, old: &str, new: &str| {
        assert!(own.contains(old), "{old}");
        let folder = folder.path().join(name);
        std::fs::create_dir(&folder).unwrap();
        std::fs::write(folder.join("vecadd.cu"), own.replacen(old, new, 1)).unwrap();
        folder
    };
    let tail = mutant("tail", "if (i < n)", "if (i + 1 < n)");
    let stride = mutant("stride", "i += grid_threads()", "i += n");
    let scattered = mutant("scattered", "z[i] = x[i] + y[i];", "z[i] = x[i] + y[i] + 0 * x[i * 8 % n];");
    let alone = mutant("alone", "if (i < n)", "if (i == 0) for (i = 0; i < n; i++)");
    let hostile = folder.path().join("hostile.zip");
    std::fs::write(&hostile, "not an archive").unwrap();
    let broken = mutant("broken", "z[i] =", "z[i] = this is not C");
    // All else is missing.
    let whole = folder.path().join("whole");
    std::fs::create_dir(&whole).unwrap();
    std::fs::write(whole.join("vecadd.cu"), NAN).unwrap();
    let all = marks(&[&starter, &tail, &hostile, &stride, &scattered, &broken, &whole, &alone], &["--seed", "7"]);
    let expected = [
        [0.0, 0.0, 0.0],
        [0.0, 40.0, 40.0],
        [0.0, 0.0, 0.0],
        [60.0, 0.0, 60.0],
        [50.0, 40.0, 90.0],
        [0.0, 0.0, 0.0],
        [0.0, 0.0, 0.0],
        // Right answers, but one thread that adds all elements is not what part `add` asks for.
        [0.0, 40.0, 40.0],
    ];
    for (marked, expected) in all.iter().zip(expected) {
        assert_eq!(points(marked), expected, "{marked:#}");
    }
    assert!(all[2]["fault"].as_str().unwrap().contains("is not a zip archive"), "{}", all[2]);
    let fault = all[5]["fault"].as_str().unwrap();
    assert!(fault.starts_with("vecadd.cu does not compile"), "{fault}");
    // The same seed gives the same marks.
    assert_eq!(marks(&[&tail], &["--seed", "7"])[0]["parts"], all[1]["parts"]);
}

/// The answers and the counters of an atomicAdd are right too: only the PTX shows the difference.
#[test]
#[ignore = "needs NVRTC"]
fn a_sum_that_is_not_stored_by_compare_and_swap_loses_the_points_for_it_nvrtc() {
    let folder = tempfile::tempdir().unwrap();
    let own = of_vecadd("../reduction/kernels/reduction.cu");
    let text = std::fs::read_to_string(own).unwrap();
    let begin = "__device__ void cas_add(double* total, double v) {\n";
    let rubric = std::fs::read_to_string(of_vecadd("../reduction/assignment/rubric.toml")).unwrap();
    let (head, parts) = rubric.split_once("[sizes]").unwrap();
    let parts = &parts[parts.find("[[part]]").unwrap()..];
    let rubric = format!("{head}[sizes]\nvisible = [33]\nhidden = 0\n{parts}");
    std::fs::write(folder.path().join("rubric.toml"), rubric).unwrap();
    let path = |name: &str| folder.path().join(name).to_str().unwrap().to_string();
    let earned = |text: &str| {
        let (file, rubric) = (path("reduction.cu"), path("rubric.toml"));
        std::fs::write(&file, text).unwrap();
        let run = warplab(&["grade", "reduction", &file, "--rubric", &rubric, "--format", "json", "--seed", "7"]);
        let all: Value = serde_json::from_str(&run.stdout).unwrap_or_else(|e| panic!("{e}: {run:?}"));
        let mut parts = all["submissions"][0]["parts"].as_array().unwrap().iter();
        let criteria = parts.find(|part| part["name"] == "compare-and-swap").unwrap()["criteria"].as_array().unwrap();
        criteria.iter().map(|criterion| criterion["points"].as_f64().unwrap()).collect::<Vec<_>>()
    };
    assert_eq!(earned(&text), [10.0, 5.0, 5.0]);
    let body = text.find(begin).unwrap() + begin.len();
    let end = body + text[body..].find("\n}\n").unwrap();
    assert_eq!(earned(&format!("{}    atomicAdd(total, v);{}", &text[..body], &text[end..])), [5.0, 5.0, 0.0]);
}

#[test]
fn a_computer_that_cannot_judge_says_so_and_gives_no_points() {
    let folder = tempfile::tempdir().unwrap();
    let out = folder.path().join("results.json");
    let file = folder.path().join("vecadd.cu");
    std::fs::write(&file, NAN).unwrap();
    let args = ["grade", "vecadd", file.to_str().unwrap(), "--format", "gradescope", "--out", out.to_str().unwrap()];
    let run = warplab_with(&args, &[("WARPLAB_NVRTC", "off")]);
    assert_eq!(run.code, 4, "{run:?}");
    let results: Value = serde_json::from_str(&std::fs::read_to_string(&out).unwrap()).unwrap();
    for test in results["tests"].as_array().unwrap() {
        assert!(test["score"].is_null() && test["output"].as_str().unwrap().contains("NVRTC was not found"), "{test}");
    }
}

#[test]
fn what_cannot_be_marked_is_said() {
    let file = of_vecadd("kernels/vecadd.cu");
    let file = file.to_str().unwrap();
    fails(&["grade", "vecadd", "no.cu"], 2, &["there is no submission no.cu"]);
    fails(&["grade", "vecadd", file, file, "--format", "gradescope"], 2, &["shows one submission"]);
    fails(&["grade", "vecadd", file, "--format", "xml"], 2, &["junit"]);
    fails(&["grade", "vecadd", file, "--kernel", file], 2, &["cannot be used with"]);
    fails(&["grade", "vecadd", file, "--device", "auto"], 2, &["name cuda:N or emulated"]);
    fails(&["grade", "vecadd", file, "--device", "emulated:t5"], 2, &["t4"]);
    let folder = tempfile::tempdir().unwrap();
    let rubric = folder.path().join("rubric.toml");
    let own = std::fs::read_to_string(of_vecadd("assignment/rubric.toml")).unwrap();
    std::fs::write(&rubric, own.replace("clean =", "claen =")).unwrap();
    fails(&["grade", "vecadd", file, "--rubric", rubric.to_str().unwrap()], 2, &["did you mean `clean`"]);
}

/// Each submission is read alone, so that no one can hand in another's work or see the teacher's files.
#[test]
#[ignore = "needs NVRTC"]
fn each_submission_sees_its_own_files_alone_nvrtc() {
    let folder = tempfile::tempdir().unwrap();
    let write = |name: &str, text: &str| {
        let path = folder.path().join(name);
        std::fs::write(&path, text).unwrap();
        path
    };
    let bob = folder.path().join("bob.cu");
    std::fs::copy(of_vecadd("kernels/vecadd.cu"), &bob).unwrap();
    std::fs::copy(&bob, folder.path().join("solution.cuh")).unwrap();
    let eve = write("eve.cu", "#include \"bob.cu\"\n");
    let mallory = write("mallory.cu", "#include \"solution.cuh\"\n");
    let mut all = vec![bob.as_path(), &eve, &mallory];
    let link = folder.path().join("link.cu");
    #[cfg(unix)]
    {
        std::os::unix::fs::symlink("bob.cu", &link).unwrap();
        all.push(&link);
    }
    let marked = marks(&all, &[]);
    assert_eq!(points(&marked[0]), [60.0, 40.0, 100.0], "{}", marked[0]);
    for (marked, words) in marked[1..].iter().zip(["bob.cu", "solution.cuh", "it is a link"]) {
        assert_eq!(points(marked), [0.0; 3], "{marked}");
        assert!(marked["fault"].as_str().unwrap().contains(words), "{marked}");
    }
    // Line information may name any file: only lines of compiled files are shown.
    write("key.txt", "the_secret_word\n");
    write("key.cuh", "the_secret_word\n");
    for key in ["key.txt", "key.cuh"] {
        let text = format!(
            "extern \"C\" __global__ void vecadd(const float *x, const float *y, float *z, unsigned long long n) {{\n\
             #line 1 \"{key}\"\n    z[n + 100000] = x[0];\n}}\n"
        );
        let curious = write("curious.cu", &text);
        let marked = marks(&[&curious], &["--explain"]);
        assert!(marked[0].to_string().contains(key), "{}", marked[0]);
        assert!(!marked[0].to_string().contains("the_secret_word"), "{}", marked[0]);
    }
}

/// Everything that nvcc accepts is accepted, in the encodings and with the names that editors and mail programs
/// produce.
#[test]
#[ignore = "needs NVRTC"]
fn right_submissions_are_taken_as_they_come_nvrtc() {
    let folder = tempfile::tempdir().unwrap();
    let own = std::fs::read_to_string(of_vecadd("kernels/vecadd.cu")).unwrap();
    let own = format!("#include <stdio.h>\n#include <math.h>\n#include <cstdint>\n#include <cuda_runtime.h>\n{own}");
    let wide: Vec<u8> = "\u{feff}".encode_utf16().chain(own.encode_utf16()).flat_map(u16::to_le_bytes).collect();
    let texts = [
        ("VECADD.CU", own.clone().into_bytes()),
        ("vecadd.cu.txt", own.replace('\n', "\r\n").into_bytes()),
        ("latin.cu", [b"// \xe9t\xe9\n", own.as_bytes()].concat()),
        ("wide.cu", wide),
        ("folder/Vecadd.CU", [b"\xef\xbb\xbf", own.as_bytes()].concat()),
    ];
    let mut paths: Vec<PathBuf> = Vec::new();
    for (name, bytes) in texts {
        let path = folder.path().join(name);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(&path, bytes).unwrap();
        paths.push(if name.starts_with("folder") { path.parent().unwrap().into() } else { path });
    }
    let marked = marks(&paths.iter().map(PathBuf::as_path).collect::<Vec<_>>(), &[]);
    for marked in marked {
        assert_eq!(points(&marked), [60.0, 40.0, 100.0], "{marked}");
    }
}

/// Marks include all variants and sizes, so an option to select some of them would have no effect.
#[test]
fn what_marks_do_not_take_is_refused() {
    let file = of_vecadd("kernels/vecadd.cu");
    let file = file.to_str().unwrap();
    fails(&["grade", "vecadd", file, "--variant", "pageable"], 2, &["--variant", "SUBMISSION"]);
    fails(&["grade", "vecadd", file, "-n", "33"], 2, &["-n", "SUBMISSION"]);
    fails(&["grade", "vecadd", file, "--json", "--format", "junit"], 2, &["--json", "--format"]);
}

/// Gradescope's scripts, in a separate folder.
#[cfg(unix)]
#[test]
fn gradescopes_scripts_mark_a_submission_and_say_when_they_fail() {
    use std::process::Command;

    let root = tempfile::tempdir().unwrap();
    let scripts = Path::new(env!("CARGO_MANIFEST_DIR")).join("../course/gradescope");
    let run = |script: &str| {
        let mut command = Command::new("sh");
        command.arg(scripts.join(script)).env("AUTOGRADER_ROOT", root.path()).env("WARPLAB_NVRTC", "off");
        command.output().unwrap()
    };
    let results = || -> Value {
        let text = std::fs::read_to_string(root.path().join("results/results.json")).unwrap();
        serde_json::from_str(&text).unwrap_or_else(|e| panic!("{e}: {text}"))
    };
    let source = root.path().join("source");
    std::fs::create_dir_all(&source).unwrap();
    std::fs::create_dir_all(root.path().join("submission")).unwrap();
    let setup = run("setup.sh");
    assert!(!setup.status.success() && String::from_utf8_lossy(&setup.stderr).contains("put the program warplab"));
    std::os::unix::fs::symlink(env!("CARGO_BIN_EXE_warplab"), source.join("warplab")).unwrap();
    let setup = run("setup.sh");
    assert!(setup.status.success(), "{setup:?}");

    // The lab's name is missing: that is not the student's fault, and gives no score.
    assert_eq!(run("run_autograder").status.code(), Some(1));
    let failed = results();
    assert!(failed["output"].as_str().unwrap().contains("not your fault") && failed["score"].is_null(), "{failed}");

    // As written by an editor on Windows.
    std::fs::write(source.join("lab"), "vecadd\r\n").unwrap();
    let scores = || -> f64 {
        let results = results();
        results["tests"].as_array().unwrap().iter().map(|test| test["score"].as_f64().unwrap()).sum()
    };
    // An empty submission gets 0 points.
    assert_eq!(run("run_autograder").status.code(), Some(0));
    assert_eq!(scores(), 0.0);
    assert!(results()["output"].as_str().unwrap().contains("there is no vecadd.cu"), "{}", results());
    std::fs::copy(of_vecadd("kernels/vecadd.cu"), root.path().join("submission/vecadd.cu")).unwrap();
    assert_eq!(run("run_autograder").status.code(), Some(0));
    assert_eq!(scores(), 100.0);
}
