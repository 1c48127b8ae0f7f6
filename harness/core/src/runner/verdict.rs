//! Derives a case's verdict from its check, its findings and its variant's expectation.
use record::{Expectation, Record, Verdict};

use crate::lab::row::Expect;

/// Returns the verdict for a case's check, findings and expectation, and a text for the note.
pub(crate) fn verdict(expect: Expect, wrong: Option<&str>, finding: Option<&str>) -> (Verdict, String) {
    let seen = match (wrong, finding) {
        (Some(w), Some(f)) => format!("{f}; {w}"),
        (Some(x), None) | (None, Some(x)) => x.to_string(),
        (None, None) => String::new(),
    };
    match expect {
        Expect::Right if finding.is_some() => (Verdict::Finding, seen),
        Expect::Right if wrong.is_some() => (Verdict::Fail, seen),
        Expect::Right => (Verdict::Pass, seen),
        Expect::Wrong(reason) if seen.is_empty() => {
            (Verdict::Fail, format!("should be wrong ({reason}), but was right"))
        }
        Expect::Racy(reason) | Expect::Planted(reason) if seen.is_empty() => {
            (Verdict::Pass, format!("wrong on purpose ({reason}): right by luck in this run"))
        }
        Expect::Wrong(reason) | Expect::Racy(reason) | Expect::Planted(reason) => {
            (Verdict::Pass, format!("wrong on purpose ({reason}): {seen}"))
        }
    }
}

/// Returns what was expected of this case, and whether its mistake showed.
pub(crate) fn expectation(expect: Expect, record: &Record) -> Expectation {
    match expect {
        Expect::Right => Expectation::Right,
        Expect::Wrong(reason) | Expect::Racy(reason) | Expect::Planted(reason) => Expectation::Wrong {
            mistake: reason.into(),
            showed: (record.verdict != Verdict::Skip).then(|| record.wrong.is_some() || !record.findings.is_empty()),
        },
    }
}

#[cfg(test)]
mod tests {
    use record::fixtures::{record, told};

    use super::*;

    #[test]
    fn a_verdict_is_what_was_seen_against_what_was_expected() {
        use Expect::{Planted, Racy, Right, Wrong};
        for (expect, wrong, finding, verdict_expected, words) in [
            (Right, None, None, Verdict::Pass, ""),
            (Right, Some("7 of 9"), None, Verdict::Fail, "7 of 9"),
            (Right, None, Some("race"), Verdict::Finding, "race"),
            (Right, Some("7 of 9"), Some("race"), Verdict::Finding, "race; 7 of 9"),
            (Wrong("no barrier"), Some("7 of 9"), None, Verdict::Pass, "wrong on purpose (no barrier): 7 of 9"),
            (Wrong("no barrier"), None, Some("race"), Verdict::Pass, "wrong on purpose (no barrier): race"),
            (Wrong("no barrier"), None, None, Verdict::Fail, "but was right"),
            (Racy("no barrier"), None, None, Verdict::Pass, "right by luck"),
            (Racy("no barrier"), Some("7 of 9"), None, Verdict::Pass, "no barrier"),
            (Planted("no barrier"), None, Some("race"), Verdict::Pass, "wrong on purpose (no barrier): race"),
            (Planted("no barrier"), None, None, Verdict::Pass, "right by luck"),
        ] {
            let (seen, note) = verdict(expect, wrong, finding);
            assert_eq!(seen, verdict_expected, "{expect:?} {wrong:?} {finding:?}");
            assert!(note.contains(words), "{note}");
        }
    }

    #[test]
    fn a_mistake_shows_in_the_answer_or_as_a_finding_or_not_at_all() {
        let of = |expect, verdict, wrong: Option<&str>, findings| {
            let wrong = wrong.map(Into::into);
            let record = Record { verdict, wrong, findings, ..record() };
            let expectation = expectation(expect, &record);
            (expectation.mistake().map(str::to_string), expectation.showed())
        };
        let (racy, reason) = (Expect::Racy("no barrier"), Some("no barrier".to_string()));
        assert_eq!(of(racy, Verdict::Pass, Some("7 of 9"), Vec::new()), (reason.clone(), Some(true)));
        assert_eq!(of(racy, Verdict::Pass, None, vec![told()]), (reason.clone(), Some(true)));
        assert_eq!(of(racy, Verdict::Pass, None, Vec::new()), (reason.clone(), Some(false)));
        assert_eq!(of(racy, Verdict::Skip, None, Vec::new()), (reason, None));
        assert_eq!(of(Expect::Right, Verdict::Fail, Some("7 of 9"), Vec::new()), (None, None));
    }
}
