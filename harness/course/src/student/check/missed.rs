//! Describes the requirements, besides right answers, that an exercise misses: a counter above its limit, an
//! instruction that is missing.
use harness::{Counter, Lab};

use crate::{
    assignment::rubric::{Exercise, Goal, Instruction},
    judge::{
        marks::{
            goal::{Counted, counted, number, worst},
            instruction::{lacking, words as without},
            work::{GOAL, unshared},
        },
        verdict::JudgedRow,
    },
};

/// A goal that is missed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Missed {
    /// The count and what would be enough, or what is missing.
    pub counted: String,
    /// The goal in words.
    pub goal: String,
    /// Whether it is about a counter.
    pub is_counter: bool,
}

/// The counters of traffic, each with the number of warp instructions that cause it and the words for one of them.
const TRAFFIC: [(Counter, Counter, &str); 2] = [
    (Counter::GlobalLoadSectors, Counter::GlobalLoadRequests, "each warp that loads reads"),
    (Counter::GlobalStoreSectors, Counter::GlobalStoreRequests, "each warp that stores writes"),
];

/// How far these rows exceed `goal`, if any does: the one that exceeds it most shows best what is wrong.
pub fn missed(goal: &Goal, lab: &Lab, rows: &[JudgedRow]) -> Option<Missed> {
    let counted = counted(goal, lab, rows);
    worst(counted.iter()).map(|worst| Missed {
        counted: words(goal, worst),
        goal: goal.words.clone(),
        is_counter: true,
    })
}

/// Evidence that the threads of these rows do not share the work, if they do not.
pub fn shirked(exercise: &Exercise, lab: &Lab, rows: &[JudgedRow]) -> Option<Missed> {
    let first = unshared(exercise, lab, rows).into_iter().next()?;
    Some(Missed { counted: first.words, goal: GOAL.into(), is_counter: true })
}

/// Says which required instruction `ptx` lacks, if it does.
pub fn lacked(asked: &Instruction, ptx: &str) -> Option<Missed> {
    lacking(asked, ptx).map(|kernel| Missed {
        counted: without(asked, kernel),
        goal: asked.words.clone(),
        is_counter: false,
    })
}

/// `each warp that loads reads 32 sectors of 32 bytes where 4 would do, at n = 1000 (uniform)`.
fn words(goal: &Goal, worst: &Counted) -> String {
    let (row, counter, limit) = (&worst.judged.row, worst.counter, worst.limit);
    let n = row.n.map_or(String::new(), |n| format!(", at n = {n}"));
    let case = if row.case.is_empty() { String::new() } else { format!(" ({})", row.case) };
    // Atomics are not load requests.
    let traffic = TRAFFIC.into_iter().find(|(traffic, ..)| traffic.name() == goal.counter && worst.atomics == 0.0);
    let of_a_warp = traffic.and_then(|(_, requests, words)| {
        let requests = row.counters.get(requests).filter(|requests| *requests > 0.0)?;
        Some(format!(
            "{words} {} sectors of 32 bytes where {} would do",
            number(counter / requests),
            number(limit / requests)
        ))
    });
    let counted = of_a_warp
        .unwrap_or_else(|| format!("{} is {} where {} would do", goal.counter, number(counter), number(limit)));
    format!("{counted}{}{n}{case}", worst.of_atomics())
}

#[cfg(test)]
mod tests {
    use harness::Verdict;

    use super::*;
    use crate::{
        assignment::limit::Limit,
        judge::verdict::{
            atomics::Atomics,
            sample::{counted, record},
        },
    };

    fn goal(counter: &str, at_most: &str) -> Goal {
        Goal {
            points: 1.0,
            counter: counter.into(),
            at_most: Limit::parse(at_most).unwrap(),
            cases: Vec::new(),
            required: false,
            words: "read once".into(),
        }
    }

    fn row(counters: &[(&str, u64)]) -> JudgedRow {
        let row = counted(record(Verdict::Pass), counters);
        JudgedRow { row, is_hidden: false, atomics: Atomics::default(), work: None }
    }

    #[test]
    fn traffic_is_told_for_a_warp() {
        let rows = [
            row(&[("global_load_sectors", 40), ("global_load_ideal_sectors", 40), ("global_load_requests", 10)]),
            row(&[("global_load_sectors", 320), ("global_load_ideal_sectors", 40), ("global_load_requests", 10)]),
        ];
        let goal = goal("global_load_sectors", "1 * global_load_ideal_sectors");
        let missed = missed(&goal, &Lab::DEFAULT, &rows).unwrap();
        let words = "each warp that loads reads 32 sectors of 32 bytes where 4 would do, at n = 1000 (c)";
        assert_eq!((missed.counted.as_str(), missed.goal.as_str()), (words, "read once"));
        assert_eq!(super::missed(&goal, &Lab::DEFAULT, &rows[..1]), None);
    }

    #[test]
    fn what_is_read_by_atomics_is_said() {
        let loads = row(&[("global_load_sectors", 0), ("global_load_ideal_sectors", 0), ("global_load_requests", 0)]);
        let atomics = Atomics { global_requests: 10.0, global_lanes: 320.0, ..Atomics::default() };
        let rows = [JudgedRow { atomics, ..loads }];
        let missed = missed(&goal("global_load_sectors", "1 * global_load_ideal_sectors"), &Lab::DEFAULT, &rows);
        let words = "global_load_sectors is 320 where 0 would do, 320 of them atomics, at n = 1000 (c)";
        assert_eq!(missed.unwrap().counted, words);
    }

    #[test]
    fn other_counters_go_by_their_names_and_cases_that_are_not_meant_do_not_count() {
        let rows = [row(&[("global_atomic_lanes", 3)])];
        let none = goal("global_atomic_lanes", "0");
        let words = "global_atomic_lanes is 3 where 0 would do, at n = 1000 (c)";
        assert_eq!(missed(&none, &Lab::DEFAULT, &rows).unwrap().counted, words);
        let other = Goal { cases: vec!["bytes".into()], ..none };
        assert_eq!(missed(&other, &Lab::DEFAULT, &rows), None);
    }
}
