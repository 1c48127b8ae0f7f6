//! Several runs: the cases that two or more of them share, side by side. The significance of differences is not judged
//! here, because that requires the samples.
use std::collections::HashMap;

use record::{Row, Run};

use crate::{
    charts::figure::FigureTable,
    number_format::{count, grouped, short, time},
};

/// The maximum number of a lab's cases that are shown.
const MOST: usize = 200;

/// Identifies a case among those of the lab.
type Key<'r> = (&'r str, &'r str, Option<u64>);

fn key(row: &Row) -> Key<'_> {
    (row.variant(), row.case(), row.n)
}

/// Returns a table for each lab of which at least two runs have timed the same cases: the lab, and the table.
pub fn tables(runs: &[Run], names: &[String]) -> Vec<(String, FigureTable)> {
    let mut labs: Vec<&str> = Vec::new();
    for lab in runs.iter().flat_map(|run| &run.labs) {
        if !labs.contains(&lab.lab.as_str()) {
            labs.push(&lab.lab);
        }
    }
    let one = |lab: &str| table(runs, names, lab).map(|table| (lab.to_string(), table));
    labs.into_iter().filter_map(one).collect()
}

fn table(runs: &[Run], names: &[String], lab: &str) -> Option<FigureTable> {
    let rows_of = |run| -> Vec<&Row> {
        let run: &Run = run;
        run.labs
            .iter()
            .filter(|rows| rows.lab == lab)
            .flat_map(|rows| &rows.rows)
            .filter(|row| row.ms().is_some())
            .collect()
    };
    let by_run: Vec<Vec<&Row>> = runs.iter().map(rows_of).collect();
    let mut order: Vec<Key> = Vec::new();
    let mut times: HashMap<Key, Vec<Option<f64>>> = HashMap::new();
    for (i, rows) in by_run.iter().enumerate() {
        for row in rows {
            let known = times.entry(key(row)).or_insert_with(|| {
                order.push(key(row));
                vec![None; runs.len()]
            });
            known[i] = row.ms();
        }
    }
    order.retain(|key| times[key].iter().flatten().count() >= 2);
    order.first()?;
    let mut table = FigureTable::new(&["variant", "case", "n"]);
    for (i, name) in names.iter().enumerate() {
        table.headings.push(format!("median, {name}"));
        if i > 0 {
            table.headings.push(format!("{name} / {}", names[0]));
        }
    }
    if order.len() > MOST {
        table.left_out = format!("{} more.", count(order.len() - MOST, "case"));
        order.truncate(MOST);
    }
    for key in order {
        let times = &times[&key];
        let mut cells = vec![key.0.to_string(), key.1.to_string(), key.2.map_or(String::new(), |n| grouped(n as f64))];
        for (i, ms) in times.iter().enumerate() {
            cells.push(ms.map_or(String::new(), time));
            if i > 0 {
                cells.push(ms.zip(times[0]).map_or(String::new(), |(ms, first)| short(ms / first)));
            }
        }
        table.rows.push(cells);
    }
    Some(table.without_empty_columns())
}

#[cfg(test)]
mod tests {
    use super::*;
    use record::{LabRows, fixtures::row};

    #[test]
    fn cases_that_both_runs_have_stand_side_by_side() {
        let run = |times: &[(&str, &str)]| {
            let rows = times
                .iter()
                .map(|(variant, ms)| row(&[("variant", variant), ("n", "4"), ("time_median_ms", ms)]))
                .collect();
            let labs = vec![LabRows { lab: "scan".into(), rows, ..LabRows::default() }];
            Run { folder: "x".into(), sessions: Vec::new(), labs, remarks: Vec::new() }
        };
        let runs = [run(&[("a", "2"), ("gone", "1")]), run(&[("new", "1"), ("a", "3")])];
        let tables = tables(&runs, &["old".into(), "new".into()]);
        assert_eq!(tables.len(), 1);
        assert_eq!(tables[0].1.headings, ["variant", "n", "median, old", "median, new", "new / old"]);
        assert_eq!(tables[0].1.rows, [["a", "4", "2 ms", "3 ms", "1.5"].map(String::from).to_vec()]);
    }
}
