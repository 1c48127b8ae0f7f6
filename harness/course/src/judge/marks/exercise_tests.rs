//! Tests of points with hand-made judgements.
use std::collections::BTreeSet;

use harness::{Record, Verdict};

use super::*;
use crate::judge::verdict::{
    atomics::Atomics,
    sample::{counted, race, record},
    work::Work,
};

const RUBRIC: &str = r#"
title = "t"
kernel = "k.cu"

[[part]]
name = "p"
variants = ["v", "w"]
right = 40
clean = 10

[[part.goal]]
points = 8
counter = "global_load_sectors"
at_most = "2 * blocks"
cases = ["big"]
words = "read it once"

[part.speed]
points = 5
of = "ceiling"
fraction = 0.5
"#;

fn asked() -> Exercise {
    toml::from_str::<crate::assignment::rubric::Rubric>(RUBRIC).unwrap().exercises.remove(0)
}

fn grade(variant: &'static str, result: VariantResult) -> VariantVerdict {
    VariantVerdict {
        variant,
        result,
        judged: 1,
        tried: 1,
        failures: Vec::new(),
        unjudged: Vec::new(),
        findings: Vec::new(),
        known_findings: 0,
        remarks: Vec::new(),
        rows: vec![row("big", 7, false)],
        missing: BTreeSet::new(),
    }
}

/// A row of four blocks.
fn row(case: &str, sectors: u64, is_hidden: bool) -> JudgedRow {
    let row = Record { case: case.into(), grid: Some("4".into()), n: Some(877), ..record(Verdict::Pass) };
    let row = counted(row, &[("launches", 1), ("global_load_sectors", sectors)]);
    JudgedRow { row, is_hidden, atomics: Atomics::default(), work: None }
}

fn event(place: &str, is_hidden: bool) -> Event {
    Event { place: place.into(), what: "1 of 9 wrong".into(), is_hidden }
}

fn marked(grades: &[VariantVerdict]) -> ExerciseMark {
    mark(&asked(), &Lab::DEFAULT, "k.cu", &Evidence { emulated: grades, ptx: "", gpu: None, timed: None })
}

fn states(mark: &ExerciseMark) -> Vec<State> {
    mark.criteria.iter().map(|criterion| criterion.state).collect()
}

use State::{Earned, Lost, NotMeasured, Unjudged};

#[test]
fn a_right_and_clean_part_within_its_limits_has_all_points() {
    let mark = marked(&[grade("v", VariantResult::Right), grade("w", VariantResult::Right)]);
    assert_eq!(states(&mark), [Earned, Earned, Earned, NotMeasured], "{mark:?}");
    // A speed that is not measured counts neither for nor against.
    assert_eq!((mark.points, mark.of), (58.0, 58.0));
}

#[test]
fn one_variant_that_is_wrong_at_one_size_loses_the_part() {
    for (is_hidden, words, raise) in
        [(false, "wrong at n = 877: 1 of 9", "at n = 877 first"), (true, "wrong at a hidden one", "sizes of your own")]
    {
        let wrong = VariantVerdict { failures: vec![event("n = 877", is_hidden)], ..grade("w", VariantResult::Wrong) };
        let mark = marked(&[grade("v", VariantResult::Right), wrong]);
        assert_eq!(states(&mark), [Lost, Lost, Lost, NotMeasured], "{mark:?}");
        assert_eq!((mark.points, mark.of), (0.0, 58.0));
        let right = &mark.criteria[0];
        assert!(right.words.contains(words) && right.raise.contains(raise), "{right:?}");
        assert_eq!(right.words.contains("877"), !is_hidden, "{right:?}");
        assert_eq!(right.details[0].is_hidden, is_hidden);
    }
}

#[test]
fn a_wrong_part_names_what_a_check_has_found() {
    let of = |known| {
        let (failures, findings) = (vec![event("n = 33", false)], vec![race(47, 1)]);
        let wrong = VariantVerdict { failures, findings, known_findings: known, ..grade("w", VariantResult::Wrong) };
        marked(&[grade("v", VariantResult::Right), wrong]).criteria[0].clone()
    };
    assert_eq!(of(1).words, "wrong at n = 33: 1 of 9 wrong; a check has found: Race at a.cu:47");
    assert_eq!(of(1).details.last().map(|detail| detail.is_hidden), Some(false));
    // A finding seen only at a hidden size may reveal numbers of its launch.
    assert_eq!(of(0).words, "wrong at n = 33: 1 of 9 wrong");
    assert_eq!(of(0).details.last().map(|detail| detail.is_hidden), Some(true));
}

#[test]
fn threads_that_do_not_share_the_work_lose_the_part() {
    let alone = |is_hidden| {
        let mut alone = row("big", 7, is_hidden);
        alone.row = counted(alone.row, &[("longest_warp_instructions", 60_120), ("thread_instructions", 60_120)]);
        alone.work = Some(Work { longest_warp: 31.0, instructions: 2000.0, waits: false });
        marked(&[
            VariantVerdict { rows: vec![alone], ..grade("v", VariantResult::Right) },
            grade("w", VariantResult::Right),
        ])
    };
    let mark = alone(false);
    assert_eq!(states(&mark), [Lost, Lost, Lost, NotMeasured], "{mark:?}");
    let said = "the answers are right, but the threads do not share the work: one warp executes 60120 instructions";
    assert!(mark.criteria[0].words.starts_with(said), "{mark:?}");
    assert!(mark.criteria[1].words.contains("only if the threads share the work"), "{mark:?}");
    let hidden = alone(true).criteria.swap_remove(0);
    assert!(hidden.words.ends_with("at a hidden size") && hidden.details[0].is_hidden, "{hidden:?}");
}

#[test]
fn what_fails_at_several_sizes_is_told_once() {
    let timeout = Event { what: "the launch timed out".into(), ..event("n = 9", false) };
    let failures =
        vec![event("n = 1", false), event("n = 33", false), timeout, event("n = 1000", false), event("n = 877", true)];
    let mark =
        marked(&[grade("v", VariantResult::Right), VariantVerdict { failures, ..grade("w", VariantResult::Wrong) }]);
    let told: Vec<(&str, bool)> =
        mark.criteria[0].details.iter().map(|detail| (detail.text.as_str(), detail.is_hidden)).collect();
    let expected = [
        ("n = 1: 1 of 9 wrong", false),
        ("also at n = 33, 1000", false),
        ("also at n = 877", true),
        ("n = 9: the launch timed out", false),
    ];
    assert_eq!(told, expected);
}

#[test]
fn of_many_places_a_few_are_named() {
    let failures: Vec<Event> = (1..=9).map(|n| event(&format!("n = {n}"), n > 6)).collect();
    let mark =
        marked(&[grade("v", VariantResult::Right), VariantVerdict { failures, ..grade("w", VariantResult::Wrong) }]);
    let told: Vec<&str> = mark.criteria[0].details.iter().map(|detail| detail.text.as_str()).collect();
    assert_eq!(told, ["n = 1: 1 of 9 wrong", "also at n = 2, 3, 4, and 2 more", "also at n = 7, 8, 9"]);
}

#[test]
fn a_finding_costs_what_clean_is_worth_and_half_of_the_part_at_least() {
    let found = |known| VariantVerdict {
        findings: vec![race(3, 1)],
        known_findings: known,
        ..grade("w", VariantResult::Finding)
    };
    for (known, is_hidden) in [(1, false), (0, true)] {
        let mark = marked(&[grade("v", VariantResult::Right), found(known)]);
        assert_eq!(states(&mark), [Earned, Lost, Earned, NotMeasured], "{mark:?}");
        assert_eq!((mark.points, mark.of), (29.0, 58.0));
        let [right, clean] = [&mark.criteria[0], &mark.criteria[1]];
        assert!(right.points == 21.0 && right.words.ends_with("only with this: no check finds anything"), "{right:?}");
        assert!(clean.words.starts_with("Race at a.cu:3"), "{clean:?}");
        assert_eq!((clean.words.contains("hidden"), clean.details[0].is_hidden), (is_hidden, is_hidden));
    }
}

#[test]
fn a_goal_holds_for_every_row_of_its_cases() {
    let with = |rows| [VariantVerdict { rows, ..grade("v", VariantResult::Right) }, grade("w", VariantResult::Right)];
    let goal = |rows| marked(&with(rows)).criteria.remove(2);
    assert_eq!(goal(vec![row("big one", 8, false), row("small", 99, false)]).state, Earned);
    let lost = goal(vec![row("big one", 9, false)]);
    assert_eq!((lost.state, lost.points, lost.of), (Lost, 0.0, 8.0));
    assert!(lost.words.contains("is 9 at n = 877 (big one), and may be 8 at most"), "{lost:?}");
    assert!(lost.raise.contains("read it once"), "{lost:?}");
    let hidden = goal(vec![row("big one", 9, true)]);
    assert!(hidden.state == Lost && !hidden.words.contains("877") && hidden.details[0].is_hidden, "{hidden:?}");
    // Reading by atomics counts as reading.
    let atomics = Atomics { global_lanes: 30.0, global_requests: 1.0, ..Atomics::default() };
    let read = |launches| {
        let row = row("big", 7, false);
        let row = counted(row.row, &[("launches", launches), ("global_load_sectors", 7)]);
        let row = Record { block: Some("32".into()), ..row };
        goal(vec![JudgedRow { row, is_hidden: false, atomics, work: None }])
    };
    let lost = read(1);
    assert!(lost.state == Lost && lost.words.contains("is 37 at n = 877 (big), 30 of them atomics,"), "{lost:?}");
    // One atomic per warp may draw a ticket.
    assert_eq!(read(8).state, Earned);
    // Without a row that can be judged, the goal is not met.
    let rows = |case| VariantVerdict { rows: vec![row(case, 1, false)], ..grade("v", VariantResult::Right) };
    let mark = marked(&[rows("small"), VariantVerdict { variant: "w", ..rows("small") }]);
    assert_eq!(mark.criteria[2].state, Unjudged, "{mark:?}");
    assert!(mark.unjudged.is_some());
}

#[test]
fn a_part_without_a_goal_that_it_is_about_has_half_of_its_points() {
    let rows = vec![row("big", 9, false)];
    let grades = [VariantVerdict { rows, ..grade("v", VariantResult::Right) }, grade("w", VariantResult::Right)];
    let mut asked = asked();
    for (required, points) in [(false, 50.0), (true, 29.0)] {
        asked.goals[0].required = required;
        let evidence = Evidence { emulated: &grades, ptx: "", gpu: None, timed: None };
        let mark = mark(&asked, &Lab::DEFAULT, "k.cu", &evidence);
        assert_eq!((states(&mark)[2], mark.points, mark.of), (Lost, points, 58.0), "{mark:?}");
        assert_eq!(mark.criteria[0].words.ends_with("only with this: read it once"), required, "{mark:?}");
    }
}

#[test]
fn what_could_not_be_judged_is_said_and_not_right() {
    let unjudged = VariantVerdict { unjudged: vec![event("n = 33", false)], ..grade("w", VariantResult::Unjudged) };
    for grades in [vec![grade("v", VariantResult::Right), unjudged], vec![grade("v", VariantResult::Right)]] {
        let mark = marked(&grades);
        assert_eq!(states(&mark), [Unjudged, Unjudged, Unjudged, NotMeasured], "{mark:?}");
        assert_eq!((mark.points, mark.of), (0.0, 58.0));
        assert!(mark.unjudged.is_some());
    }
    // A wrong variant decides, whatever could not be judged.
    let wrong = VariantVerdict { failures: vec![event("n = 1", false)], ..grade("v", VariantResult::Wrong) };
    assert_eq!(states(&marked(&[wrong]))[0], Lost);
}

#[test]
fn a_kernel_that_is_missing_is_not_right_even_in_part() {
    for mark in [VariantResult::Missing, VariantResult::Right] {
        let missing = VariantVerdict { missing: BTreeSet::from(["w_k".into()]), ..grade("w", mark) };
        let mark = marked(&[grade("v", VariantResult::Right), missing]);
        assert_eq!(states(&mark)[0], Lost, "{mark:?}");
        assert!(mark.criteria[0].words.contains("no kernel w_k"), "{mark:?}");
    }
}

#[test]
fn on_a_gpu_answers_count_there_and_beside_it() {
    let right = [grade("v", VariantResult::Right), grade("w", VariantResult::Right)];
    let wrong = [
        grade("v", VariantResult::Right),
        VariantVerdict { failures: vec![event("n = 1", false)], ..grade("w", VariantResult::Wrong) },
    ];
    let fast = Record { percent_of_ceiling: Some(60.0), times: harness::times(&[1.0], 0), ..record(Verdict::Pass) };
    let timed = Ok(Timed { mine: vec![fast], theirs: Vec::new() });
    for (emulated, gpu, expected, points) in [
        (&right, &right, [Earned, Earned, Earned, Earned], 63.0),
        (&right, &wrong, [Lost, Lost, Lost, Lost], 0.0),
        (&wrong, &right, [Lost, Lost, Lost, Lost], 0.0),
    ] {
        let evidence = Evidence { emulated, ptx: "", gpu: Some(gpu), timed: Some(&timed) };
        let mark = mark(&asked(), &Lab::DEFAULT, "k.cu", &evidence);
        assert_eq!(states(&mark), expected, "{mark:?}");
        assert_eq!((mark.points, mark.of), (points, 63.0));
    }
}
