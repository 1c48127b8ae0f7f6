//! Remarks on a kernel's counters compared with those of the lab's own kernel: only remarks that a reader can act on.
use harness::{Counter, Record};

/// Remarks on the rows of one variant against the lab's own rows of the same cases.
pub fn remarks(rows: &[Record], own: &[Record]) -> Vec<String> {
    // The case with the most work shows best what the kernel does.
    let work = |r: &Record| r.counters.get(Counter::ThreadInstructions).unwrap_or(0.0);
    let heaviest = rows.iter().max_by(|a, b| work(a).total_cmp(&work(b)));
    let Some(row) = heaviest.filter(|r| work(r) > 0.0) else {
        return Vec::new();
    };
    let same = |o: &&Record| (&o.variant, &o.case, o.n) == (&row.variant, &row.case, row.n);
    let Some(own) = own.iter().find(same) else {
        return Vec::new();
    };
    let mut said = Vec::new();
    for (sectors, ideal, word) in [
        (Counter::GlobalLoadSectors, Counter::GlobalLoadIdealSectors, "loads touch"),
        (Counter::GlobalStoreSectors, Counter::GlobalStoreIdealSectors, "stores touch"),
    ] {
        let per_ideal = |r: &Record| {
            let ideal = r.counters.get(ideal)?;
            (ideal > 0.0).then_some(r.counters.get(sectors)? / ideal)
        };
        if let Some(mine) = per_ideal(row)
            && mine > 1.25
            && per_ideal(own).is_none_or(|own| mine > 1.1 * own)
        {
            said.push(format!(
                "global {word} {mine:.1} sectors for each sector that the data would fill: let neighbouring lanes use neighbouring words"
            ));
        }
        let sectors = |r: &Record| r.counters.get(sectors).unwrap_or(0.0);
        let (mine, lab) = (sectors(row), sectors(own));
        if lab > 0.0 && mine > 1.25 * lab && per_ideal(row).is_some_and(|r| r <= 1.25) {
            said.push(format!(
                "global {word} {:.1} times the sectors that the lab's own kernel does: keep data that are used again in shared memory or registers",
                mine / lab
            ));
        }
    }
    let more = |counter: Counter, factor: f64| {
        let mine = row.counters.get(counter).unwrap_or(0.0);
        let lab = own.counters.get(counter).unwrap_or(0.0);
        (mine > factor * lab).then_some((mine, lab))
    };
    if let Some((mine, lab)) = more(Counter::SharedBankConflicts, 1.1) {
        let ways = row.counters.get(Counter::SharedWorstWays).unwrap_or(1.0);
        said.push(format!(
            "{mine:.0} passes lost to shared-memory bank conflicts, {ways:.0}-way at worst (the lab's own: {lab:.0})"
        ));
    }
    if let Some((mine, _)) = more(Counter::LocalLoadBytes, 1.1) {
        said.push(format!(
            "{mine:.0} bytes read from local memory: an array that is indexed at run time, or too many registers"
        ));
    }
    for (space, lanes) in [("global", Counter::GlobalAtomicLanes), ("shared", Counter::SharedAtomicLanes)] {
        if let Some((mine, lab)) = more(lanes, 1.1) {
            said.push(format!(
                "{mine:.0} {space} atomics by threads (the lab's own: {lab:.0}): sum up in the warp or block first"
            ));
        }
    }
    let efficiency = |r: &Record| r.counters.get(Counter::WarpExecutionEfficiencyPercent);
    if let (Some(mine), Some(lab)) = (efficiency(row), efficiency(own))
        && mine < lab - 10.0
    {
        said.push(format!("{mine:.0} % of the lanes are at work on average (the lab's own: {lab:.0} %)"));
    }
    let instructions = work(own);
    if instructions > 0.0 && work(row) > 1.5 * instructions {
        said.push(format!("{:.1} times the instructions of the lab's own kernel", work(row) / instructions));
    }
    if said.is_empty() {
        said.push("counts as the lab's own kernel does, or better".into());
    }
    said
}

#[cfg(test)]
mod tests {
    use super::super::sample::{counted, record};
    use super::*;
    use harness::Verdict;

    fn row(sectors: u64, conflicts: u64, instructions: u64) -> Record {
        counted(
            record(Verdict::Pass),
            &[
                ("thread_instructions", instructions),
                ("global_load_sectors", sectors),
                ("global_load_ideal_sectors", 125),
                ("shared_bank_conflicts", conflicts),
                ("shared_worst_ways", 32),
                ("warp_execution_efficiency_percent", 99),
            ],
        )
    }

    #[test]
    fn only_what_is_worse_than_the_labs_own_is_said() {
        let own = [row(125, 10, 1000)];
        let good = "counts as the lab's own kernel does, or better";
        assert_eq!(remarks(&[row(125, 10, 1000)], &own), [good]);
        assert_eq!(remarks(&[row(125, 0, 900)], &own), [good]);
        let said = remarks(&[row(1000, 320, 1600)], &own);
        assert_eq!(said.len(), 3, "{said:?}");
        assert!(said[0].contains("8.0 sectors"), "{said:?}");
        assert!(said[1].contains("32-way"), "{said:?}");
        assert!(said[2].starts_with("1.6 times"), "{said:?}");
    }

    #[test]
    fn without_a_case_to_compare_with_nothing_is_said() {
        assert!(remarks(&[row(125, 0, 1000)], &[]).is_empty());
        assert!(remarks(&[row(125, 0, 0)], &[row(125, 0, 0)]).is_empty());
    }
}
