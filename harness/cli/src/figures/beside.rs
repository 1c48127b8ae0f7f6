//! Tables of the same rows on two GPUs: the reference run's, and those of another run in a folder next to it.
//!
//! The marker names that folder, followed by rows as in other markers, each after a semicolon: `h100; scan
//! variant=ahead; sort variant=radix element=u32`.

use std::path::Path;

use super::{
    csv::{CsvRow, Rows, rounded},
    fault::Fault,
    marker::Marker,
};

/// The columns that identify a row in its CSV.
const KEY: [&str; 3] = ["variant", "case", "n"];
/// The columns by which rows are compared: the first that the CSV has and both rows fill.
const SHARES: [&str; 2] = ["percent_of_cublas", "percent_of_ceiling"];

/// The rows selected by `marker`, on both GPUs.
pub(super) fn table(marker: &str, reports: &Path) -> Result<String, Fault> {
    let mut parts = marker.split(';').map(str::trim);
    let name =
        parts.next().filter(|name| !name.is_empty()).ok_or_else(|| Fault::Marker("it names no folder".into()))?;
    let other = reports.join("..").join(name);
    let here = reports.file_name().map_or_else(String::new, |name| name.to_string_lossy().to_uppercase());
    let there = name.to_uppercase();
    let mut rows = Vec::new();
    for part in parts {
        rows.append(&mut pairs(&Marker::new(part)?, reports, &other)?);
    }
    if rows.is_empty() {
        return Err(Fault::Marker("it names no rows".into()));
    }
    let titles = [
        "lab".into(),
        "variant".into(),
        "case".into(),
        "n".into(),
        format!("{here}, ms"),
        format!("{there}, ms"),
        "% of".into(),
        format!("{here}, %"),
        format!("{there}, %"),
        format!("{there} / {here}"),
    ];
    let titles: Vec<&str> = titles.iter().map(String::as_str).collect();
    Ok(harness::markdown(&titles, &rows))
}

/// The rows of one CSV, each with its counterpart in the other run.
fn pairs(marker: &Marker, reports: &Path, other: &Path) -> Result<Vec<Vec<String>>, Fault> {
    let (ours, theirs) = (Rows::read(reports, marker.name)?, Rows::read(other, marker.name)?);
    marker.check(|column| ours.has(column))?;
    let lab = marker.name.rsplit('/').next().unwrap_or(marker.name);
    let mut rows = Vec::new();
    for row in ours.iter().filter(|row| marker.keeps(|column| row.cell(column))) {
        let is_alike = |found: &CsvRow| KEY.iter().all(|column| found.cell(column) == row.cell(column));
        let like = theirs.iter().find(is_alike).ok_or_else(|| {
            let key = KEY.map(|column| row.cell(column)).join(" ");
            Fault::Marker(format!("{} has no row {key}", other.join(marker.name).display()))
        })?;
        let number = |text: &str| text.parse::<f64>().ok();
        let both = |column: &str| number(row.cell(column)).zip(number(like.cell(column)));
        let share = SHARES.iter().find_map(|column| Some((column.trim_start_matches("percent_of_"), both(column)?)));
        let share = share.ok_or_else(|| Fault::Marker(format!("{} has a row without a share", marker.name)))?;
        let (of, (here, there)) = share;
        let key = KEY.map(|column| row.cell(column).to_owned());
        let times = [row, like].map(|row| rounded(row.cell("time_median_ms")));
        let shares = [format!("{here:.1}"), format!("{there:.1}"), format!("{:.2}", there / here)];
        rows.push([vec![lab.to_owned()], key.into(), times.into(), vec![of.to_owned()], shares.into()].concat());
    }
    if rows.is_empty() { Err(marker.no_row()) } else { Ok(rows) }
}
