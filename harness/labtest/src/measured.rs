//! The rows measured on one H200 (`reports/h200/LAB.csv`), for tests of the figures in the handouts.
use std::collections::HashMap;

/// A lab's rows of the reference run.
#[derive(Debug)]
pub struct Measured(Vec<HashMap<String, String>>);

/// Returns the reference run of `lab`.
///
/// # Panics
/// When there is no such run.
pub fn measured(lab: &str) -> Measured {
    Measured(rows(lab))
}

/// Returns the rows of `reports/h200/CSV.csv`.
pub(crate) fn rows(csv: &str) -> Vec<HashMap<String, String>> {
    let file = format!("{}/../../reports/h200/{csv}.csv", env!("CARGO_MANIFEST_DIR"));
    let mut reader = csv::Reader::from_path(&file).unwrap_or_else(|error| panic!("{file}: {error}"));
    reader.deserialize().map(Result::unwrap).collect()
}

impl Measured {
    /// Returns a column of the row of `variant` in `case`, as a number.
    ///
    /// # Panics
    /// When there is not exactly one such row, or when the column is not a number.
    pub fn number(&self, variant: &str, case: &str, column: &str) -> f64 {
        let is = |row: &&HashMap<String, String>| row["variant"] == variant && row["case"] == case;
        let rows: Vec<_> = self.0.iter().filter(is).collect();
        let [row] = rows[..] else { panic!("{} rows of {variant} in `{case}`", rows.len()) };
        row[column].parse().unwrap_or_else(|_| panic!("{column} of {variant} in `{case}` is `{}`", row[column]))
    }

    /// Returns the median time of the row of `variant` in `case`, in ms.
    ///
    /// # Panics
    /// As [`Measured::number`].
    pub fn ms(&self, variant: &str, case: &str) -> f64 {
        self.number(variant, case, "time_median_ms")
    }
}
