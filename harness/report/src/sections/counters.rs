//! The embedded machine's counters, as quantities that do not depend on the size of the problem where possible.
use record::{Counter, LabRows, Row};

use crate::{
    charts::figure::FigureTable,
    number_format::{count, grouped, short},
};

/// The maximum number of a lab's rows that are shown.
const MOST: usize = 150;

/// A quantity: its heading, and its value.
type Quantity = (&'static str, fn(&Row) -> Option<f64>);

fn ratio(row: &Row, over: Counter, under: Counter) -> Option<f64> {
    Some(row.counters.get(over)? / row.counters.get(under).filter(|count| *count > 0.0)?)
}

const QUANTITIES: [Quantity; 9] = [
    ("warp instructions", |row| row.counters.get(Counter::Instructions)),
    ("lanes that were on, %", |row| row.counters.get(Counter::WarpExecutionEfficiencyPercent)),
    ("branches that diverged, %", |row| Some(100.0 * ratio(row, Counter::DivergentBranches, Counter::Branches)?)),
    ("sectors a load", |row| ratio(row, Counter::GlobalLoadSectors, Counter::GlobalLoadRequests)),
    ("least sectors a load", |row| ratio(row, Counter::GlobalLoadIdealSectors, Counter::GlobalLoadRequests)),
    ("sectors a store", |row| ratio(row, Counter::GlobalStoreSectors, Counter::GlobalStoreRequests)),
    ("least sectors a store", |row| ratio(row, Counter::GlobalStoreIdealSectors, Counter::GlobalStoreRequests)),
    ("bank conflicts", |row| row.counters.get(Counter::SharedBankConflicts)),
    ("atomic collisions", |row| {
        Some(row.counters.get(Counter::GlobalAtomicCollisions)? + row.counters.get(Counter::SharedAtomicCollisions)?)
    }),
];

/// Returns the table; `None` if there are no counters. Of many rows, [`MOST`] divided by `part` are shown.
pub fn table(lab: &LabRows, part: usize) -> Option<FigureTable> {
    let most = MOST / part;
    let rows: Vec<&Row> =
        lab.rows.iter().filter(|row| row.counters.get(Counter::Instructions).is_some_and(|n| n > 0.0)).collect();
    rows.first()?;
    let mut table = FigureTable::new(&["variant"]);
    table.headings.extend(QUANTITIES.iter().map(|quantity| quantity.0.to_string()));
    for row in rows.iter().take(most) {
        let cell = |quantity: &Quantity| {
            quantity.1(row).map_or(
                String::new(),
                |value| {
                    if value.fract() == 0.0 { grouped(value) } else { short(value) }
                },
            )
        };
        table.rows.push([row.name()].into_iter().chain(QUANTITIES.iter().map(cell)).collect());
    }
    if rows.len() > most {
        table.left_out = format!("{} more in {}.csv.", count(rows.len() - most, "row"), lab.lab);
    }
    Some(table.without_empty_columns())
}

#[cfg(test)]
mod tests {
    use super::*;
    use record::fixtures::row;

    #[test]
    fn what_was_not_asked_for_has_no_quotient() {
        let counted = row(&[
            ("variant", "a"),
            ("instructions", "1200"),
            ("global_load_sectors", "32"),
            ("global_load_requests", "8"),
            ("branches", "0"),
            ("divergent_branches", "0"),
        ]);
        let lab = LabRows { lab: "x".into(), rows: vec![counted, row(&[])], ..LabRows::default() };
        let table = table(&lab, 1).unwrap();
        assert_eq!(table.headings, ["variant", "warp instructions", "sectors a load"]);
        assert_eq!(table.rows, [["a", "1,200", "4"].map(String::from).to_vec()]);
    }
}
