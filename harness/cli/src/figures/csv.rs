//! Tables from the CSVs of a run: the columns that a marker names. Numbers are rounded to three significant digits.

use std::collections::HashMap;
use std::path::Path;

use super::{
    fault::{Error, Fault},
    marker::Marker,
};

/// A CSV of a run.
pub(super) struct Rows {
    header: HashMap<String, usize>,
    records: Vec<csv::StringRecord>,
}

/// A row of a CSV.
#[derive(Clone, Copy)]
pub(super) struct CsvRow<'r> {
    rows: &'r Rows,
    record: &'r csv::StringRecord,
}

impl Rows {
    /// Reads the CSV `name` (without extension) of the run in `folder`.
    pub(super) fn read(folder: &Path, name: &str) -> Result<Self, Fault> {
        let path = folder.join(format!("{name}.csv"));
        let csv_error = |source: csv::Error| Fault::Error(Error::Csv { path: path.clone(), source });
        let mut reader = csv::Reader::from_path(&path).map_err(csv_error)?;
        let header = reader.headers().map_err(csv_error)?.iter().enumerate().map(|(i, h)| (h.to_owned(), i)).collect();
        let records = reader.records().collect::<Result<_, _>>().map_err(csv_error)?;
        Ok(Self { header, records })
    }

    /// Whether there is such a column.
    pub(super) fn has(&self, column: &str) -> bool {
        self.header.contains_key(column)
    }

    /// All rows.
    pub(super) fn iter(&self) -> impl Iterator<Item = CsvRow<'_>> {
        self.records.iter().map(|record| CsvRow { rows: self, record })
    }
}

impl<'r> CsvRow<'r> {
    /// A cell; empty if there is no such column.
    pub(super) fn cell(self, column: &str) -> &'r str {
        self.rows.header.get(column).and_then(|&i| self.record.get(i)).unwrap_or("")
    }
}

/// The rows selected by `marker`, from the CSV that it names, as a Markdown table.
pub(super) fn table(marker: &str, reports: &Path) -> Result<String, Fault> {
    let marker = Marker::new(marker)?;
    let csv = Rows::read(reports, marker.name)?;
    marker.check(|column| csv.has(column))?;
    if marker.columns.is_empty() {
        return Err(Fault::Marker("it names no columns".into()));
    }
    let asked = csv.iter().filter(|row| marker.keeps(|column| row.cell(column)));
    let rows: Vec<Vec<String>> =
        asked.map(|row| marker.columns.iter().map(|column| rounded(row.cell(column))).collect()).collect();
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
