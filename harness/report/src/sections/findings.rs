//! Findings, failures and skipped cases, with the source where it is known.
use harness::Verdict;
use record::{LabRows, Row};
use wire::printable;

/// A notable case.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Remark {
    /// The variant and the case.
    pub name: String,
    /// Its verdict.
    pub verdict: Verdict,
    /// The verdict for people.
    pub words: &'static str,
    /// Whether the verdict was intended.
    pub is_expected: bool,
    /// The row's note.
    pub note: String,
    /// The machine's findings in full: a report each, with the lines of the source.
    pub texts: Vec<String>,
}

/// The maximum number of a lab's expected cases that are shown.
const MOST_EXPECTED: usize = 60;

/// Returns the remarks: failures and findings first, then skipped cases, then those that are wrong on purpose.
pub fn remarks(lab: &LabRows) -> Vec<Remark> {
    let worth = |row: &&Row| row.verdict != Verdict::Pass || row.expectation.is_wrong();
    let remark = |row: &Row| {
        let is_its = |details: &&harness::Details| {
            let n = details.n.map_or(String::new(), |n| n.to_string());
            details.variant == row.variant() && details.case == row.case() && n == row.size_text()
        };
        let mut texts: Vec<String> = Vec::new();
        for found in lab.details.iter().filter(is_its).flat_map(|details| &details.findings) {
            let text = printable::text(found.text.trim_end()).into_owned();
            if !texts.contains(&text) {
                texts.push(text);
            }
        }
        Remark {
            name: row.name(),
            verdict: row.verdict,
            words: row.verdict_words(),
            is_expected: row.verdict == Verdict::Pass,
            note: row.note.clone(),
            texts,
        }
    };
    let mut remarks: Vec<Remark> = lab.rows.iter().filter(worth).map(remark).collect();
    remarks.sort_by_key(|remark| match remark.verdict {
        Verdict::Fail | Verdict::Finding => 0,
        Verdict::Skip => 1,
        Verdict::Pass => 2,
    });
    let mut expected = 0;
    remarks.retain(|remark| {
        expected += usize::from(remark.is_expected);
        !remark.is_expected || expected <= MOST_EXPECTED
    });
    remarks
}

#[cfg(test)]
mod tests {
    use super::*;
    use harness::{Details, FindingText};
    use record::fixtures::row;

    #[test]
    fn failures_come_first_and_a_finding_is_there_once_with_its_source() {
        let found = || FindingText { headline: "Race".into(), text: "Race\n  at x.cu:3\n".into() };
        let details =
            Details { variant: "racy".into(), n: Some(4), findings: vec![found(), found()], ..Details::default() };
        let other = Details { n: Some(5), ..details.clone() };
        let rows = vec![
            row(&[("variant", "good"), ("n", "4")]),
            row(&[("variant", "racy"), ("n", "4"), ("mistake", "a race")]),
            row(&[("variant", "late"), ("verdict", "skip"), ("note", "no GPU")]),
            row(&[("variant", "bad"), ("verdict", "fail"), ("note", "1 of 4 wrong")]),
        ];
        let remarks = remarks(&LabRows { lab: "x".into(), rows, details: vec![details, other], story: None });
        assert_eq!(remarks.iter().map(|r| r.name.as_str()).collect::<Vec<_>>(), ["bad", "late", "racy"]);
        assert_eq!(remarks[2].texts, ["Race\n  at x.cu:3"]);
        assert!(remarks[2].is_expected && !remarks[0].is_expected);
    }
}
