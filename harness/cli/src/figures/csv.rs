//! Tables from the CSVs of a run.
//!
//! The first word of the marker names the CSV; `column=value` keeps the rows with that value (values separated by `|`
//! are alternatives), `column!=value` those without it; `columns=` names the columns to show. Numbers are rounded to
//! three significant digits here and nowhere else.

use std::collections::HashMap;
use std::path::Path;

use super::{Error, Fault};

/// The rows that `marker` asks for, from the CSV that it names, as a Markdown table.
pub(super) fn table(marker: &str, reports: &Path) -> Result<String, Fault> {
    let mut words = marker.split_whitespace();
    let name = words.next().ok_or_else(|| Fault::Marker("it names no CSV".into()))?;
    let path = reports.join(format!("{name}.csv"));
    let csv_error = |source: csv::Error| Fault::Error(Error::Csv { path: path.clone(), source });
    let mut reader = csv::Reader::from_path(&path).map_err(csv_error)?;
    let header: HashMap<String, usize> =
        reader.headers().map_err(csv_error)?.iter().enumerate().map(|(i, h)| (h.to_owned(), i)).collect();
    let column = |name: &str| {
        header.get(name).copied().ok_or_else(|| Fault::Marker(format!("{} has no column {name:?}", path.display())))
    };
    let mut shown = Vec::new();
    let mut filters = Vec::new();
    for word in words {
        let (key, value) =
            word.split_once('=').ok_or_else(|| Fault::Marker(format!("{word:?} is not of the form column=value")))?;
        if key == "columns" {
            for name in value.split(',') {
                shown.push((name, column(name)?));
            }
        } else {
            let (key, is_wanted) = key.strip_suffix('!').map_or((key, true), |key| (key, false));
            filters.push((column(key)?, is_wanted, value.split('|').collect::<Vec<_>>()));
        }
    }
    if shown.is_empty() {
        return Err(Fault::Marker("it names no columns".into()));
    }
    let mut rows: Vec<Vec<String>> = Vec::new();
    for record in reader.records() {
        let record = record.map_err(csv_error)?;
        let field = |i: usize| record.get(i).unwrap_or("");
        if filters.iter().all(|(i, is_wanted, values)| values.contains(&field(*i)) == *is_wanted) {
            rows.push(shown.iter().map(|(_, i)| rounded(field(*i))).collect());
        }
    }
    if rows.is_empty() {
        return Err(Fault::Marker(format!("no row of {} matches", path.display())));
    }
    let titles: Vec<String> = shown.iter().map(|(name, _)| title(name)).collect();
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

/// Rounds a number to three significant digits; whole numbers and words stay as they are.
fn rounded(field: &str) -> String {
    match field.parse::<f64>() {
        Ok(x) if x.is_finite() && x.fract() != 0.0 => {
            let digits = 2 - x.abs().log10().floor() as i32;
            let digits = usize::try_from(digits.clamp(0, 9)).unwrap_or(0);
            format!("{x:.digits$}")
        }
        _ => field.to_owned(),
    }
}
