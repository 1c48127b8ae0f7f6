//! Tables of the same rows on two GPUs: the reference run's, and those of another run in a folder next to it.
//!
//! The marker names that folder, followed by rows as in other markers, each after a semicolon: `h100; scan
//! variant=ahead; sort variant=radix element=u32`.

use std::path::Path;

use record::{Row, drawn};

use super::{
    csv::{self, rounded},
    fault::Fault,
    marker::Marker,
};

/// A share of what bounds a row, and its name.
type Share = (&'static str, fn(&Row) -> Option<f64>);

/// The shares by which rows are compared: the first that both rows have.
const SHARES: [Share; 2] =
    [("cublas", |row| row.own(&drawn::PERCENT_OF_CUBLAS)), ("ceiling", |row| row.percent_of_ceiling)];

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
    let (ours, theirs) = (csv::rows(reports, marker.name)?, csv::rows(other, marker.name)?);
    csv::check(marker, &ours)?;
    let lab = marker.name.rsplit('/').next().unwrap_or(marker.name);
    let key = |row: &Row| [row.variant.clone(), row.case.clone(), row.size_text()];
    let mut rows = Vec::new();
    for row in ours.iter().filter(|row| marker.keeps(|column| row.cell(column))) {
        let like = theirs.iter().find(|found| key(found) == key(row)).ok_or_else(|| {
            Fault::Marker(format!("{} has no row {}", other.join(marker.name).display(), key(row).join(" ")))
        })?;
        let share = SHARES.iter().find_map(|(of, share)| Some((*of, share(row)?, share(like)?)));
        let (of, here, there) =
            share.ok_or_else(|| Fault::Marker(format!("{} has a row without a share", marker.name)))?;
        let times =
            [row, like].map(|row| row.times.map_or_else(String::new, |times| rounded(&times.median.to_string())));
        let shares = [format!("{here:.1}"), format!("{there:.1}"), format!("{:.2}", there / here)];
        rows.push([vec![lab.to_owned()], key(row).into(), times.into(), vec![of.to_owned()], shares.into()].concat());
    }
    if rows.is_empty() { Err(marker.no_row()) } else { Ok(rows) }
}
