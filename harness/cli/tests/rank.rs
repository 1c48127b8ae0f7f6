//! `warplab rank`: files with mistakes have no rank, and the intervals of equal files overlap. All have PTX, so that no
//! NVRTC is needed.
use std::path::Path;

use crate::common::{edited, fails, lab_file, warplab_with};

/// Ranks files of a lab; returns the exit status and the JSON.
fn rank(lab: &str, options: &[&str], files: &[&Path]) -> (i32, serde_json::Value) {
    let files = files.iter().map(|file| file.to_str().unwrap());
    let args: Vec<&str> =
        [&["rank", lab, "--json", "--seed", "1"], options].concat().into_iter().chain(files).collect();
    let run = warplab_with(&args, &[("WARPLAB_NVRTC", "off")]);
    let json = serde_json::from_str(&run.stdout).unwrap_or_else(|e| panic!("{e}: {run:?}"));
    (run.code, json)
}

#[test]
fn what_is_right_is_ranked_and_the_rest_has_a_reason() {
    let folder = tempfile::tempdir().unwrap();
    let right = lab_file("vecadd", "kernels/vecadd.cu");
    let wrong = edited(folder.path(), "vecadd", "vecadd", &[("x[i] + y[i]", "x[i] - y[i]"), ("add.f32", "sub.f32")]);
    let (code, json) = rank("vecadd", &["--variant", "pageable", "-n", "65536"], &[&wrong, &right, &right]);
    assert_eq!((code, &json["part"]), (0, &"NVIDIA H200".into()), "{json}");
    let of = |at: usize| &json["candidates"][at];
    for at in [0, 1] {
        assert_eq!((&of(at)["verdict"], &of(at)["file"]), (&"right".into(), &right.to_str().unwrap().into()), "{json}");
        let time = |name: &str| of(at)[name].as_f64().unwrap();
        let [low, ms, high] = ["predicted_low_ms", "predicted_ms", "predicted_high_ms"].map(time);
        assert!(0.0 < low && low < ms && ms < high, "{json}");
    }
    assert_eq!(json["unclear"], serde_json::json!([[0, 1]]), "one file twice");
    assert_eq!(json["measure"], serde_json::json!([right, right]));
    assert_eq!((&of(2)["verdict"], &of(2)["file"]), (&"wrong".into(), &wrong.to_str().unwrap().into()), "{json}");
    assert!(of(2)["reason"].as_str().is_some_and(|reason| reason.contains("wrong")), "{json}");
    assert!(of(2)["predicted_ms"].is_null(), "{json}");
}

#[test]
fn without_predicted_times_what_is_right_is_to_be_measured() {
    let [wrong, right] = ["kernels/bughunt.cu", "tests/fixed/bughunt.cu"].map(|file| lab_file("bughunt", file));
    let (code, json) = rank("bughunt", &["--variant", "no-barrier"], &[&wrong, &right]);
    let (first, last) = (&json["candidates"][0], &json["candidates"][1]);
    assert_eq!((code, &json["measure"], &json["part"]), (0, &serde_json::json!([right]), &"".into()), "{json}");
    assert_eq!((&first["verdict"], &last["verdict"]), (&"right".into(), &"wrong".into()), "{json}");
    let (code, json) = rank("bughunt", &["--variant", "no-barrier"], &[&wrong]);
    assert_eq!((code, &json["measure"]), (1, &serde_json::json!([])), "{json}");
}

#[test]
fn senseless_rankings_are_refused_before_anything_runs() {
    let right = lab_file("bughunt", "tests/fixed/bughunt.cu").display().to_string();
    fn rank<'a>(more: &[&'a str]) -> Vec<&'a str> {
        [&["rank", "bughunt", "--variant", "bounds"], more].concat()
    }
    fails(&rank(&["/nowhere/a.cu"]), 2, &["/nowhere/a.cu"]);
    fails(&rank(&[&right, "--device", "cuda:0"]), 2, &["rank predicts times", "warplab run bughunt --kernel"]);
    fails(&rank(&[&right, "--device", "emulated:h900"]), 2, &["h900"]);
    fails(&["rank", "bughunt", "--variant", "bound", &right], 2, &["no variant `bound`", "bounds"]);
    fails(&["rank", "reduction", "--variant", "no-barrier", &right], 2, &["wrong on purpose"]);
    fails(&rank(&[]), 2, &["<FILE>..."]);
}
