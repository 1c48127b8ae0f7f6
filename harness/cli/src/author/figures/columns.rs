//! Tables of the columns: `common` to all labs, the `counters`, those of the row's `kernel`, what is `predicted`, or
//! each lab's own (`labs`).

use std::path::Path;

use harness::{COMMON, Column, Counter, KERNEL, PREDICTED};

use super::fault::Fault;
use crate::labs::LABS;

/// The columns of the kind `which`, as a Markdown table.
pub(super) fn table(which: &str, _reports: &Path) -> Result<String, Fault> {
    match which {
        "common" => Ok(listed(COMMON.iter())),
        "counters" => {
            let counters: Vec<Column> = Counter::ALL.iter().map(|counter| counter.column()).collect();
            Ok(listed(counters.iter()))
        }
        "kernel" => Ok(listed(KERNEL.iter())),
        "predicted" => Ok(listed(PREDICTED.iter())),
        "labs" => Ok(of_labs()),
        other => Err(Fault::Marker(format!(
            "unknown columns {other:?}; there are: common, counters, kernel, predicted, labs"
        ))),
    }
}

const TITLES: [&str; 4] = ["lab", "column", "unit", "meaning"];

fn listed<'c>(columns: impl Iterator<Item = &'c Column>) -> String {
    let rows: Vec<Vec<String>> = columns.map(row).collect();
    harness::markdown(&TITLES[1..], &rows)
}

fn of_labs() -> String {
    let rows = LABS.iter().flat_map(|lab| {
        let own = lab.all_columns().own;
        own.into_iter().map(|c| [vec![lab.name.to_string()], row(&c)].concat())
    });
    harness::markdown(&TITLES, &rows.collect::<Vec<_>>())
}

fn row(column: &Column) -> Vec<String> {
    vec![format!("`{}`", column.name), column.unit.into(), column.meaning.into()]
}
