//! "Slower than allowed": the best variant of every case against a share of its ceiling.
use std::collections::BTreeMap;

use crate::record::row::{Record, Verdict};

/// What ran too slowly: each case whose best variant stays below `percent` of its ceiling, as a line. A case
/// is a lab, a size and a label; rows without a per cent (no ceiling applies) do not count.
pub(crate) fn too_slow(records: &[Record], percent: f64) -> Vec<String> {
    let mut best: BTreeMap<(&str, &str, Option<u64>), &Record> = BTreeMap::new();
    let reached = |r: &Record| r.percent_of_ceiling.unwrap_or(0.0);
    for record in records {
        if record.verdict != Verdict::Pass || record.percent_of_ceiling.is_none() {
            continue;
        }
        let key = (record.lab.as_str(), record.case.as_str(), record.n);
        let fastest = best.entry(key).or_insert(record);
        if reached(record) > reached(fastest) {
            *fastest = record;
        }
    }
    best.values()
        .filter(|r| reached(r) < percent)
        .map(|r| {
            let size = r.n.map_or_else(String::new, |n| format!(" n = {n}"));
            let case = [r.lab.as_str(), r.case.as_str()].join(" ");
            format!(
                "{}{size}: the best, {}, reaches {:.1} % of its ceiling, {percent} % are asked for",
                case.trim_end(),
                r.variant,
                reached(r)
            )
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::record::row::tests::record;

    fn row(variant: &str, n: u64, percent: Option<f64>) -> Record {
        Record { variant: variant.into(), n: Some(n), percent_of_ceiling: percent, verdict: Verdict::Pass, ..record() }
    }

    #[test]
    fn the_best_variant_of_each_case_counts() {
        let rows = [
            row("naive", 10, Some(12.0)),
            row("shared", 10, Some(81.0)),
            row("naive", 20, Some(40.5)),
            row("shared", 20, Some(30.0)),
            row("serial", 30, None),
        ];
        assert!(too_slow(&rows, 40.0).is_empty());
        let slow = too_slow(&rows, 80.0);
        assert_eq!(slow.len(), 1, "{slow:?}");
        let words = "lab block 256 n = 20: the best, naive, reaches 40.5 % of its ceiling, 80 % are asked for";
        assert_eq!(slow[0], words);
    }

    #[test]
    fn a_row_that_failed_is_not_fast() {
        let mut wrong = row("naive", 10, Some(99.0));
        wrong.verdict = Verdict::Fail;
        assert_eq!(too_slow(&[wrong, row("shared", 10, Some(50.0))], 60.0).len(), 1);
    }
}
