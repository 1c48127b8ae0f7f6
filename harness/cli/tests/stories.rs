//! What the labs say that a run shows, against the runs on GPUs in `reports/`.
use std::path::{Path, PathBuf};

use harness::{Claim, Holds, Lab, Record, Story, StorySummary, Verdict};

use crate::{
    common::{one_line, warplab_in},
    labs::LABS,
};

/// Returns the folder of a run in `reports`.
fn folder(run: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../reports").join(run)
}

/// Whether a lab was measured in a run of its own, on an H200 only.
fn is_alone(lab: &str) -> bool {
    folder("h200").join(lab).is_dir()
}

/// Returns the rows of a lab in a reference run.
fn rows_on(run: &str, lab: &str) -> Vec<Record> {
    let run = record::Run::read(&folder(run)).unwrap();
    run.labs.iter().find(|rows| rows.lab == lab).unwrap().records()
}

/// Returns the rows of a lab on an H200.
fn rows(lab: &str) -> Vec<Record> {
    rows_on(&if is_alone(lab) { format!("h200/{lab}") } else { "h200".into() }, lab)
}

fn stories() -> impl Iterator<Item = (&'static Lab, Story)> {
    LABS.iter().map(|lab| (*lab, lab.story.unwrap_or_else(|| panic!("{} has no story", lab.name))))
}

fn told(lab: &Lab, story: &Story, rows: &[Record]) -> StorySummary {
    story.of_measured(lab.name, &lab.variants(), rows)
}

#[test]
fn each_lab_s_claim_holds_on_the_gpus_that_ran_it() {
    for (lab, story) in stories() {
        let other = (!is_alone(lab.name)).then(|| ("h100", rows_on("h100", lab.name)));
        for (run, rows) in [("h200", rows(lab.name))].into_iter().chain(other) {
            let told = told(lab, &story, &rows);
            assert_eq!(told.holds, Holds::Yes, "{run} {}: {}", lab.name, told.sentence);
            assert_eq!(told.bars.len(), story.ladder.len(), "{run} {}: {told:?}", lab.name);
            assert!(told.bars.iter().all(|bar| bar.value.is_some()), "{run} {}: {:?}", lab.name, told.bars);
        }
    }
}

#[test]
fn a_kernel_that_became_slow_refutes_the_claim() {
    for (lab, story) in stories() {
        let mut rows = rows(lab.name);
        let Claim::Less { less, .. } = story.claim else {
            rows[0].verdict = Verdict::Fail;
            let told = told(lab, &story, &rows);
            assert_eq!(told.holds, Holds::No, "{}: {}", lab.name, told.sentence);
            continue;
        };
        for row in rows.iter_mut().filter(|row| row.variant == less.variant) {
            if let Some(times) = row.times.as_mut().filter(|_| less.case.is_none_or(|case| row.case == case)) {
                times.median *= 1e3;
            }
        }
        let told = told(lab, &story, &rows);
        assert_eq!(told.holds, Holds::No, "{}: {}", lab.name, told.sentence);
        assert!(told.sentence.starts_with("This run does not confirm"), "{}", told.sentence);
    }
}

#[test]
fn a_row_without_a_time_decides_nothing() {
    for (lab, story) in stories() {
        let mut rows = rows(lab.name);
        let Claim::Less { more, .. } = story.claim else { continue };
        rows.retain(|row| row.variant != more.variant || more.case.is_some_and(|case| row.case != case));
        let told = told(lab, &story, &rows);
        assert_eq!(told.holds, Holds::Unknown, "{}: {}", lab.name, told.sentence);
    }
}

#[test]
fn times_are_predicted_for_the_size_that_is_asked_for() {
    let folder = tempfile::tempdir().unwrap();
    let run = |more: &[&str]| {
        let args = ["run", "transpose", "--device", "emulated:h200", "--no-report", "--predict-n"];
        warplab_in(folder.path(), &[&args[..], more].concat(), &[])
    };
    let larger = run(&["2^15", "--out", "larger"]);
    assert_eq!(larger.code, 0, "{larger:?}");
    assert!(larger.stdout.contains("n = 2^15:"), "{}", larger.stdout);
    for (more, why) in [
        (&["64"][..], "lab transpose runs at n ="),
        (&["2^15", "--all"], "leave it out, or the options that replace them"),
        (&["2^15", "--quiet"], "leave it out, or the options that replace them"),
    ] {
        let refused = run(more);
        assert_eq!(refused.code, 2, "{refused:?}");
        assert!(refused.stderr.contains(why), "{}", refused.stderr);
    }
    let own = warplab_in(folder.path(), &["run", "sort", "--device", "emulated:h200", "--predict-n", "2^28"], &[]);
    assert!(own.code == 2 && own.stderr.contains("lab sort predicts no times for other sizes"), "{own:?}");
    let left: Vec<_> = std::fs::read_dir(folder.path()).unwrap().map(|entry| entry.unwrap().file_name()).collect();
    assert_eq!(left, ["larger"]);
}

#[test]
fn a_summary_without_times_says_why() {
    for (device, why) in [
        ("emulated:h200", "array-in-registers has no number in this run: --quick predicts no times."),
        ("emulated:a100", "array-in-registers has no number in this run: no times are predicted for a100."),
    ] {
        let folder = tempfile::tempdir().unwrap();
        let run =
            warplab_in(folder.path(), &["run", "returning", "--quick", "--device", device], &[("COLUMNS", "120")]);
        assert_eq!(run.code, 0, "{run:?}");
        assert!(one_line(&run.stdout).contains(why), "{}", run.stdout);
    }
}

#[test]
fn a_story_fits_on_a_small_terminal() {
    for (lab, story) in stories() {
        assert!(story.ladder.len() <= 6, "{}: {} rungs", lab.name, story.ladder.len());
        assert!(lab.name.len() + story.question.len() <= 100, "{}: {}", lab.name, story.question);
        assert!(story.question.ends_with('?'), "{}", story.question);
    }
}
