//! Tables from the CSVs of a run: the columns that a marker names. Numbers are rounded to three significant digits.

use std::path::Path;

use record::{LabRows, Row};

use super::{
    fault::{Error, Fault},
    marker::Marker,
};

/// Reads the rows of the CSV `name` (without extension) of the run in `reports`, or in a folder of it.
pub(super) fn rows(reports: &Path, name: &str) -> Result<Vec<Row>, Fault> {
    let path = reports.join(name);
    let lab = path.file_name().and_then(|name| name.to_str()).unwrap_or_default();
    let rows = LabRows::read(path.parent().unwrap_or(reports), lab);
    rows.map(|rows| rows.rows).map_err(|error| Fault::Error(Error::Run(error)))
}

/// Fails if a column that the marker names is in no row.
pub(super) fn check(marker: &Marker<'_>, rows: &[Row]) -> Result<(), Fault> {
    marker.check(|column| rows.first().is_some_and(|row| row.has_column(column)))
}

/// The rows selected by `marker`, from the CSV that it names, as a Markdown table.
pub(super) fn table(marker: &str, reports: &Path) -> Result<String, Fault> {
    let marker = Marker::new(marker)?;
    let all = rows(reports, marker.name)?;
    check(&marker, &all)?;
    if marker.columns.is_empty() {
        return Err(Fault::Marker("it names no columns".into()));
    }
    let asked = all.iter().filter(|row| marker.keeps(|column| row.cell(column)));
    let rows: Vec<Vec<String>> =
        asked.map(|row| marker.columns.iter().map(|column| rounded(&row.cell(column))).collect()).collect();
    if rows.is_empty() {
        return Err(marker.no_row());
    }
    let titles: Vec<String> = marker.columns.iter().map(|column| title(column)).collect();
    let titles: Vec<&str> = titles.iter().map(String::as_str).collect();
    Ok(harness::markdown(&titles, &rows))
}

/// The heading of a column.
fn title(column: &str) -> String {
    match column {
        "time_median_ms" => "median, ms".into(),
        "time_mean_ms" => "mean, ms".into(),
        "time_min_ms" => "least, ms".into(),
        "gb_per_s" => "GB/s".into(),
        "gflop_per_s" => "GFLOP/s".into(),
        "tflop_per_s" => "TFLOP/s".into(),
        "percent_of_ceiling" => "% of ceiling".into(),
        other => match (other.strip_suffix("_ms"), other.strip_prefix("published_")) {
            (Some(stem), _) => format!("{}, ms", stem.replace('_', " ")),
            (None, Some(column)) => format!("published {}", title(column)),
            (None, None) => other.replace('_', " "),
        },
    }
}

/// Rounds a number to three significant digits; integers and words stay unchanged.
pub(super) fn rounded(field: &str) -> String {
    match field.parse::<f64>() {
        Ok(x) if x.is_finite() && x.fract() != 0.0 => {
            let digits = 2 - x.abs().log10().floor() as i32;
            let digits = usize::try_from(digits.clamp(0, 9)).unwrap_or(0);
            format!("{x:.digits$}")
        }
        _ => field.to_owned(),
    }
}
