//! `warplab record` and `warplab show`: recordings of labs and programs, and the pages made of them.

use std::{fs, path::Path};

use recording::{AccessKind, Event, Recording, Replay, Space};

use crate::common::{Run, warplab_in};

/// Runs `warplab record` in this folder; returns the run, and the recording if there is one.
fn record(folder: &Path, args: &[&str]) -> (Run, Option<Recording>) {
    let run = warplab_in(folder, &[&["record"], args].concat(), &[]);
    let bytes = fs::read(folder.join("run.wlr")).ok();
    (run, bytes.map(|bytes| Recording::read(&bytes).unwrap()))
}

#[test]
fn a_lab_is_recorded_and_shown() {
    let folder = tempfile::tempdir().unwrap();
    let args =
        ["reduction", "--variant", "interleaved", "-n", "700", "--blocks", "0..0", "-o", "run.wlr", "--html", "a.html"];
    let (run, recording) = record(folder.path(), &args);
    assert_eq!((run.code, run.stderr.as_str()), (0, ""), "{run:?}");
    let recording = recording.unwrap();
    let steps = recording.header.steps;
    assert!(run.stdout.starts_with(&format!("run.wlr: interleaved_sum, launch 1: {steps} steps of ")), "{run:?}");
    assert!(recording.header.has_lines() && recording.header.sources[0].text.is_some());
    assert_eq!(recording.header.shared.len(), 1);
    let has = |wanted: fn(Event) -> bool| recording.steps.iter().any(|step| wanted(step.event));
    assert!(has(|event| matches!(event, Event::WaitAtBarrier(0))));
    assert!(has(|event| event == Event::Diverge) && has(|event| event == Event::Exit));
    // The record agrees with itself, and ends with the block's sum, which one lane stores.
    Replay::of(&recording).unwrap();
    let mut stores = recording.steps.iter().filter_map(|step| Some((step, step.access.as_ref()?)));
    let last = stores.rfind(|(_, a)| a.kind == AccessKind::Store && a.space == Space::Global).unwrap();
    assert_eq!(last.0.mask, 1);
    let page = fs::read_to_string(folder.path().join("a.html")).unwrap();
    assert!(page.len() < 3_000_000, "{} bytes", page.len());
    let shown = warplab_in(folder.path(), &["show", "run.wlr"], &[]);
    assert_eq!((shown.code, shown.stdout.trim(), shown.stderr.as_str()), (0, "run.html", ""));
    assert_eq!(fs::read_to_string(folder.path().join("run.html")).unwrap(), page);
    let mut names: Vec<_> = fs::read_dir(folder.path()).unwrap().map(|entry| entry.unwrap().file_name()).collect();
    names.sort();
    assert_eq!(names, ["a.html", "run.html", "run.wlr"], "nothing else is left");
}

#[test]
fn the_replay_of_every_lab_s_first_launch_agrees() {
    for (lab, variant) in [
        ("reduction", "shuffle"),
        ("reduction", "atomic-finish"),
        ("scan", "blelloch"),
        ("transpose", "tiled"),
        ("histogram", "shared"),
        ("stencil", "tiled"),
    ] {
        let folder = tempfile::tempdir().unwrap();
        let list = warplab_in(folder.path(), &["list", lab], &[]);
        let is_there = list.stdout.lines().any(|line| line.trim_start().starts_with(&format!("{variant} ")));
        let chosen: &[&str] = if is_there { &["--variant", variant] } else { &[] };
        let args = [&[lab][..], chosen, &["--quick", "--blocks", "0..3"]].concat();
        let (run, recording) = record(folder.path(), &args);
        assert_eq!(run.code, 0, "{lab}: {run:?}");
        let recording = recording.unwrap();
        Replay::of(&recording).unwrap_or_else(|error| panic!("{lab} {variant}: {error}"));
        assert!(recording.header.steps > 10, "{lab}");
    }
}

#[test]
fn what_does_not_fit_is_cut_and_other_blocks_are_named() {
    let folder = tempfile::tempdir().unwrap();
    let args = ["--limit", "1", "vecadd", "-n", "2^22", "--blocks", "2..4000"];
    let (run, recording) = record(folder.path(), &args);
    assert_eq!(run.code, 0, "{run:?}");
    let header = recording.unwrap().header;
    assert_eq!((header.cut.map(|cut| cut.limit), header.blocks.first), (Some(1 << 20), 2));
    assert!(run.stdout.contains("without the steps of the others"), "{run:?}");
    assert!(run.stdout.contains("The steps are cut: the rest exceeds 1.0 MiB; raise --limit"), "{run:?}");
    let page = warplab_in(folder.path(), &["show", "run.wlr", "-o", "-"], &[]);
    assert!(page.stdout.contains("The recording ends early, after "));
}

#[test]
fn what_cannot_be_recorded_is_said() {
    let folder = tempfile::tempdir().unwrap();
    for (args, words) in [
        (&["--device", "cuda:0", "vecadd"][..], "emulated"),
        (&["--kernel", "nosuch", "vecadd", "-n", "64"], "launch 1 of kernel nosuch did not happen"),
        (&["--launch", "999", "vecadd", "-n", "64"], "launch 999 of any kernel did not happen"),
        (&["vecadd", "-n", "64", "--blocks", "5..1"], "A at most B"),
        (&["vecadd", "-n", "64", "--blocks", "70..71"], "has no block 70"),
        (&["./no-such-program"], "no-such-program"),
    ] {
        let (run, recording) = record(folder.path(), args);
        assert!(run.code != 0 && recording.is_none(), "{args:?}: {run:?}");
        assert!(run.stderr.contains(words), "{args:?}: {run:?}");
    }
}

#[test]
fn a_file_that_is_no_recording_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let (_, recording) = record(folder.path(), &["vecadd", "-n", "64"]);
    assert!(recording.is_some());
    let bytes = fs::read(folder.path().join("run.wlr")).unwrap();
    let mut other = bytes.clone();
    other[8] = 1;
    let mut damaged = bytes.clone();
    damaged[40] ^= 1;
    for (bytes, words) in [
        (&b"hello"[..], "it is not a recording"),
        (&bytes[..bytes.len() - 1], "it is incomplete"),
        (&other, "it has version 1 of the format"),
        (&damaged, "it is damaged"),
    ] {
        fs::write(folder.path().join("x.wlr"), bytes).unwrap();
        let run = warplab_in(folder.path(), &["show", "x.wlr"], &[]);
        assert_eq!(run.code, 2, "{run:?}");
        assert!(run.stderr.contains(&format!("cannot show x.wlr: {words}")), "{run:?}");
        assert!(!folder.path().join("x.html").exists());
    }
    assert!(warplab_in(folder.path(), &["show", "none.wlr"], &[]).stderr.contains("cannot read none.wlr"));
}
