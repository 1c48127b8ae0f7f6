//! Describes what was wrong in a case, for the author of the kernel.
use std::fmt::Write as _;

use harness::{Counter, Record};
use wire::{RenderedFinding, finding::FindingKind};

/// The counters of writes to global memory.
const WRITES: [Counter; 2] = [Counter::GlobalStoreRequests, Counter::GlobalAtomicRequests];

/// The description of a row whose kernels have written nothing to global memory.
pub const NOTHING: &str = "nothing was written: no thread has stored anything in global memory";

/// What was wrong in `row`, if it is wrong; `theirs` is the row of the lab's own kernels. If a fault ended the kernel,
/// the finding says more than the driver's code; if nothing was written, that says more than the wrong answers.
pub fn words(row: &Record, theirs: Option<&Record>) -> Option<String> {
    let wrong = row.wrong.as_ref()?;
    if let Some(ended) = row.findings.iter().find_map(ended) {
        return Some(ended);
    }
    let is_empty = row.findings.is_empty() && writes(row) == Some(0.0);
    let is_all = is_empty && theirs.and_then(writes).is_some_and(|theirs| theirs > 0.0);
    Some(if is_all { NOTHING.into() } else { wrong.clone() })
}

/// The number of writes of the row's kernels to global memory; `None` if it is not counted.
fn writes(row: &Record) -> Option<f64> {
    WRITES.iter().map(|counter| row.counters.get(*counter)).sum()
}

/// How a finding has ended a kernel, if it has.
fn ended(told: &RenderedFinding) -> Option<String> {
    let place = told.finding.places().into_iter().next();
    let place = place.map_or(String::new(), |place| format!("{}:{}", place.file, place.line));
    let kernel = &told.kernel_name;
    let mut words = String::new();
    match told.finding.kind {
        FindingKind::EndlessLoop { budget } => {
            let _ = write!(words, "{kernel} did not end: it was stopped after {budget} warp instructions");
            if !place.is_empty() {
                let _ = write!(words, ", in a loop at {place}");
            }
        }
        FindingKind::Deadlock => {
            let _ = write!(words, "{kernel} did not end: every thread that is left waits for another one");
            if !place.is_empty() {
                let _ = write!(words, ", one of them at {place}");
            }
        }
        FindingKind::OutOfBounds { .. }
        | FindingKind::ReadOnly { .. }
        | FindingKind::Misaligned { .. }
        | FindingKind::UseAfterFree
        | FindingKind::HostPointer
        | FindingKind::NullPointer
        | FindingKind::Assert { .. }
        | FindingKind::Trap
        | FindingKind::InvalidCall { .. }
        | FindingKind::InvalidBranch { .. }
        | FindingKind::StackOverflow { .. } => {
            let at = if place.is_empty() { place } else { format!(" at {place}") };
            let _ = write!(words, "{kernel} was ended by a fault{at}: {}", told.mistake);
        }
        _ => return None,
    }
    Some(words)
}

#[cfg(test)]
mod tests {
    use harness::Verdict;

    use super::{
        super::sample::{counted, race, record},
        *,
    };

    fn row(writes: u64, findings: Vec<RenderedFinding>) -> Record {
        let wrong = Some("1 of 1 wrong: [0] is 0, should be 1".into());
        let counters = [("global_store_requests", writes), ("global_atomic_requests", 0)];
        Record { wrong, findings, ..counted(record(Verdict::Fail), &counters) }
    }

    fn told(kind: FindingKind) -> RenderedFinding {
        let mut told = race(7, 1);
        told.finding.kind = kind;
        told.mistake = "Invalid __global__ write".into();
        told
    }

    #[test]
    fn nothing_was_written_where_the_labs_own_kernels_write_and_these_do_not() {
        let theirs = row(3, Vec::new());
        assert_eq!(words(&row(0, Vec::new()), Some(&theirs)).unwrap(), NOTHING);
        // One that writes, one whose task is to print, one without counters, and one without a row to compare with.
        let wrong = theirs.wrong.clone().unwrap();
        for (mine, theirs) in [
            (row(1, Vec::new()), Some(&theirs)),
            (row(0, Vec::new()), Some(&row(0, Vec::new()))),
            (Record { counters: harness::Counters::default(), ..row(0, Vec::new()) }, Some(&theirs)),
            (row(0, Vec::new()), None),
        ] {
            assert_eq!(words(&mine, theirs), Some(wrong.clone()));
        }
        assert_eq!(words(&Record { wrong: None, ..row(0, Vec::new()) }, Some(&theirs)), None);
    }

    #[test]
    fn what_has_ended_a_kernel_is_said_with_its_place() {
        let of = |kind| words(&row(0, vec![race(7, 1), told(kind)]), Some(&row(3, Vec::new()))).unwrap();
        let endless = "k did not end: it was stopped after 20 warp instructions, in a loop at a.cu:7";
        assert_eq!(of(FindingKind::EndlessLoop { budget: 20 }), endless);
        assert_eq!(of(FindingKind::HostPointer), "k was ended by a fault at a.cu:7: Invalid __global__ write");
        assert!(of(FindingKind::Deadlock).ends_with("waits for another one, one of them at a.cu:7"));
        // A race does not end a kernel.
        assert!(words(&row(1, vec![race(7, 1)]), None).unwrap().starts_with("1 of 1 wrong"));
    }
}
