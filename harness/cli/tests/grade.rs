//! Grading: the labs' own kernels pass, their mutants do not. The files have their PTX beside them, so that no NVRTC
//! is needed.
mod common;

use std::path::{Path, PathBuf};

use common::{fails, warplab, warplab_with};

/// A file of a lab.
fn of(lab: &str, path: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("../../labs")
        .join(lab)
        .join(path)
}

/// Grades `file` as `lab`'s without NVRTC; the exit code and the JSON.
fn grade(lab: &str, file: &Path, more: &[&str]) -> (i32, serde_json::Value) {
    let args = [
        &["grade", lab, "--json", "--kernel", file.to_str().unwrap()],
        more,
    ];
    let run = warplab_with(&args.concat(), &[("WARPLAB_NVRTC", "off")]);
    let json = serde_json::from_str(&run.stdout).unwrap_or_else(|e| panic!("{e}: {run:?}"));
    (run.code, json)
}

#[test]
fn a_labs_own_kernels_are_right() {
    let file = of("vecadd", "kernels/vecadd.cu");
    let (code, json) = grade("vecadd", &file, &["--schedules", "3"]);
    assert_eq!((code, &json["passed"]), (0, &true.into()), "{json}");
    let variants = json["variants"].as_array().unwrap();
    assert_eq!(variants.len(), 9);
    for variant in variants {
        assert_eq!(variant["verdict"], "right", "{variant}");
        assert_eq!(variant["sizes_run"], 4, "{variant}");
        let remarks = &variant["remarks"];
        assert_eq!(remarks[0], "counts as the lab's own kernel does, or better");
    }
}

#[test]
fn a_file_of_several_is_known_by_its_kernels() {
    let folder = tempfile::tempdir().unwrap();
    for kind in ["cu", "ptx"] {
        let own = of("trapezoid", &format!("kernels/trapezoid.{kind}"));
        std::fs::copy(own, folder.path().join(format!("mine.{kind}"))).unwrap();
    }
    let file = folder.path().join("mine.cu");
    let more = ["--variant", "shuffle", "--variant", "serial", "-n", "1000"];
    let (code, json) = grade("trapezoid", &file, &more);
    assert_eq!(code, 0, "{json}");
    let graded = json["variants"].as_array().unwrap();
    // The CPU's variant is none of the file's.
    assert_eq!(graded.len(), 1, "{json}");
    assert_eq!(graded[0]["variant"], "shuffle");
    assert_eq!(graded[0]["verdict"], "right");
}

#[test]
fn mutants_are_rejected_and_told_why() {
    for (lab, mutant, variant, verdict) in [
        ("vecadd", "unwritten", "pageable", "wrong"),
        ("vecadd", "off_by_one", "pageable", ""),
        ("reduction", "missing_barrier", "shuffle", ""),
        ("reduction", "unwritten", "interleaved", "wrong"),
    ] {
        let file = of(lab, &format!("tests/mutants/{mutant}/{lab}.cu"));
        let (code, json) = grade(lab, &file, &["--variant", variant]);
        assert_eq!(code, 1, "{lab} {mutant}: {json}");
        let graded = &json["variants"][0];
        assert_ne!(graded["verdict"], "right", "{lab} {mutant}: {json}");
        assert!(verdict.is_empty() || graded["verdict"] == verdict, "{json}");
        let told = [&graded["failures"], &graded["findings"]];
        let told: usize = told.iter().map(|t| t.as_array().unwrap().len()).sum();
        assert!(told > 0, "{lab} {mutant}: {json}");
    }
}

#[test]
fn the_text_names_the_line() {
    let file = of("reduction", "tests/mutants/missing_barrier/reduction.cu");
    let file = file.to_str().unwrap();
    let args = [
        "grade",
        "reduction",
        "--variant",
        "shuffle",
        "--kernel",
        file,
    ];
    let run = warplab_with(&args, &[("WARPLAB_NVRTC", "off")]);
    assert_eq!(run.code, 1, "{run:?}");
    for words in [
        "Race reported",
        "reduction.cu:",
        "__syncthreads()",
        "0 of 1 variants are right",
    ] {
        assert!(run.stdout.contains(words), "no {words} in {}", run.stdout);
    }
}

#[test]
fn what_cannot_be_graded_is_said() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("mine.cu");
    let path = file.to_str().unwrap();
    std::fs::write(&file, "extern \"C\" __global__ void nothing() {}\n").unwrap();
    fails(
        &["grade", "vecad", "--kernel", path],
        2,
        &["did you mean `vecadd`?"],
    );
    fails(
        &["grade", "vecadd", "--kernel", "no.cu"],
        2,
        &["cannot read the kernel file no.cu"],
    );
    fails(&["grade", "vecadd"], 2, &["--kernel"]);
    fails(
        &["grade", "trapezoid", "--kernel", path],
        2,
        &["holds no kernel of lab trapezoid", "trapezoid.cu"],
    );
    fails(
        &["grade", "trapezoid", "--kernel", path, "--variant", "race"],
        2,
        &["variant `race` of trapezoid is wrong on purpose"],
    );
    fails(
        &["grade", "vecadd", "--kernel", path, "--device", "cuda:0"],
        2,
        &["grade runs on the emulated device"],
    );
    let run = warplab_with(
        &["grade", "vecadd", "--kernel", path],
        &[("WARPLAB_NVRTC", "off")],
    );
    assert_eq!(run.code, 4, "{run:?}");
    assert!(run.stderr.contains("NVRTC was not found"), "{run:?}");
    assert!(warplab(&["grade", "--help"]).stdout.contains("Example:"));
}
