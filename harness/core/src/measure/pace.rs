//! Compares rates to ceilings: cases whose best variant is slower than allowed, and rows that are faster than possible.
use std::collections::BTreeMap;

use record::{Record, Verdict};

/// Returns a line for each case whose best variant stays below `percent` of its ceiling. A case is a lab, a size and a
/// label; rows without a percentage (no ceiling applies) do not count.
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
                "{}{size}: the best, {}, reaches {:.1} % of its ceiling, {percent} % are required",
                case.trim_end(),
                r.variant,
                reached(r)
            )
        })
        .collect()
}

/// A row above this percentage of its ceiling shows that the ceiling was measured wrongly.
const MOST_PERCENT: f64 = 103.0;

/// Returns the minimum share of a row's bytes that is read from or written to memory; `None` if the cache may hold a
/// large part of them. A later pass over the same data can find as many bytes as the cache holds, and avoid writing as
/// many.
fn share_of_memory(record: &Record, cache: u64) -> Option<f64> {
    let (bytes, passes) = (record.bytes?, record.passes.unwrap_or(1).max(1));
    let spared = (passes - 1).saturating_mul(2).saturating_mul(cache);
    let is_held = bytes / passes < cache.saturating_mul(4) || bytes <= spared;
    (!is_held).then(|| (bytes - spared) as f64 / bytes as f64)
}

/// Returns a line for each row that was faster than its ceiling allows. Only rows count whose bytes are this many times
/// the size of the device's cache, `cache` bytes, that it cannot hold a large part of them.
pub(crate) fn too_fast(records: &[Record], cache: u64) -> Vec<String> {
    let timed = records.iter().filter(|r| r.verdict == Verdict::Pass);
    let above = timed.filter_map(|r| {
        let (percent, from_memory) = (r.percent_of_ceiling?, share_of_memory(r, cache)?);
        (percent * from_memory > MOST_PERCENT).then_some((r, percent))
    });
    above
        .map(|(r, percent)| {
            let row = [r.lab.as_str(), &r.variant, &r.case].join(" ");
            format!("{} reaches {percent:.1} % of its ceiling", row.trim_end())
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use record::fixtures::record;

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
        let words = "lab block 256 n = 20: the best, naive, reaches 40.5 % of its ceiling, 80 % are required";
        assert_eq!(slow[0], words);
    }

    #[test]
    fn a_row_beyond_its_ceiling_is_named_unless_a_cache_may_have_helped() {
        let cache = 60 << 20;
        let row = |percent, bytes| Record { bytes, ..row("naive", 10, percent) };
        let mut wrong = row(Some(150.0), Some(cache * 4));
        wrong.verdict = Verdict::Fail;
        let fine =
            [row(Some(103.0), Some(cache * 9)), row(Some(111.0), Some(cache * 4 - 1)), row(Some(111.0), None), wrong];
        assert!(too_fast(&fine, cache).is_empty());
        let said = too_fast(&[row(Some(103.4), Some(cache * 4)), row(None, Some(cache * 4))], cache);
        assert_eq!(said, ["lab naive block 256 reaches 103.4 % of its ceiling"]);
    }

    #[test]
    fn a_later_pass_may_find_what_the_cache_has_kept_of_the_one_before() {
        let cache = 50 << 20;
        let row = |percent, pass, passes| Record {
            bytes: Some(pass * passes),
            passes: Some(passes),
            ..row("bitonic", 10, Some(percent))
        };
        let ten_times = cache * 10;
        // In nine of ten passes a fifth of the bytes may be avoided: 103 % of the rest is 125.6 % of all.
        assert!(too_fast(&[row(103.0, ten_times, 1), row(125.0, ten_times, 10)], cache).is_empty());
        assert_eq!(too_fast(&[row(103.4, ten_times, 1), row(126.0, ten_times, 10)], cache).len(), 2);
        assert!(too_fast(&[row(900.0, cache * 3, 10)], cache).is_empty(), "the cache holds a good part of a pass");
    }

    #[test]
    fn a_row_that_failed_is_not_fast() {
        let mut wrong = row("naive", 10, Some(99.0));
        wrong.verdict = Verdict::Fail;
        assert_eq!(too_slow(&[wrong, row("shared", 10, Some(50.0))], 60.0).len(), 1);
    }
}
