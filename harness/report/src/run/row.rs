//! A row of a lab's CSV, whose numeric common columns are checked when it is read; all cells are accessible by their
//! column's name.
use std::{collections::HashMap, rc::Rc};

use harness::{COMMON, SCHEMA, Verdict};

/// Common columns that hold numbers.
const NUMBERS: [&str; 14] = [
    "n",
    "shared_bytes",
    "seed",
    "samples",
    "time_min_ms",
    "time_median_ms",
    "time_mean_ms",
    "time_stdev_ms",
    "bytes",
    "gb_per_s",
    "flop",
    "gflop_per_s",
    "percent_of_ceiling",
    "max_abs_error",
];

/// The columns of a file, with their positions.
#[derive(Debug)]
pub struct Header {
    names: Vec<String>,
    positions: HashMap<String, usize>,
}

impl Header {
    /// Parses the header of a CSV.
    ///
    /// # Errors
    /// A sentence, when a column that every row has is missing.
    pub fn new(names: &csv::StringRecord) -> Result<Rc<Self>, String> {
        let names: Vec<String> = names.iter().map(String::from).collect();
        let positions: HashMap<String, usize> = names.iter().cloned().zip(0..).collect();
        let missing: Vec<&str> = COMMON.iter().map(|c| c.name).filter(|name| !positions.contains_key(*name)).collect();
        if missing.is_empty() {
            Ok(Rc::new(Self { names, positions }))
        } else {
            Err(format!("it lacks the columns {}", missing.join(", ")))
        }
    }

    /// Returns the columns' names, in the order of the file.
    pub fn names(&self) -> &[String] {
        &self.names
    }
}

/// One row: one case of one variant.
#[derive(Debug, Clone)]
pub struct Row {
    header: Rc<Header>,
    cells: csv::StringRecord,
    /// The verdict on the case.
    pub verdict: Verdict,
}

impl Row {
    /// Creates a row from its cells.
    ///
    /// # Errors
    /// A sentence, when a cell does not match its column, or the row has a version that this program does not read.
    pub fn new(header: &Rc<Header>, cells: csv::StringRecord) -> Result<Self, String> {
        let row = Self { header: header.clone(), cells, verdict: Verdict::default() };
        match row.text("schema").parse::<u32>() {
            Ok(schema) if schema > SCHEMA => {
                return Err(format!(
                    "its columns have version {schema}, and this warplab reads up to {SCHEMA}: use the warplab that wrote it, \
                     or a newer one"
                ));
            }
            Ok(_) => {}
            Err(_) => return Err(format!("`{}` is not a version of the columns", row.text("schema"))),
        }
        for column in NUMBERS {
            let text = row.text(column);
            if !text.is_empty() && text.parse::<f64>().is_err() {
                return Err(format!("`{text}` in the column {column} is not a number"));
            }
        }
        let verdict = match row.text("verdict") {
            "pass" => Verdict::Pass,
            "fail" => Verdict::Fail,
            "finding" => Verdict::Finding,
            "skip" => Verdict::Skip,
            other => return Err(format!("`{other}` is not a verdict")),
        };
        Ok(Self { verdict, ..row })
    }

    /// Returns the cell in `column`; empty if the file has no such column or it does not apply.
    pub fn text(&self, column: &str) -> &str {
        self.header.positions.get(column).and_then(|&i| self.cells.get(i)).unwrap_or_default()
    }

    /// Returns the cell in `column` as a finite number.
    pub fn number(&self, column: &str) -> Option<f64> {
        self.text(column).parse().ok().filter(|number: &f64| number.is_finite())
    }

    /// Returns the columns whose names begin with `prefix`, in the order of the file.
    pub fn columns<'a>(&'a self, prefix: &'a str) -> impl Iterator<Item = &'a str> {
        self.header.names.iter().map(String::as_str).filter(move |name| name.starts_with(prefix))
    }

    /// Returns the variant's name.
    pub fn variant(&self) -> &str {
        self.text("variant")
    }

    /// Returns the case, which distinguishes the row from the variant's other rows.
    pub fn case(&self) -> &str {
        self.text("case")
    }

    /// Returns the variant and, if it has one, the case.
    pub fn name(&self) -> String {
        if self.case().is_empty() { self.variant().into() } else { format!("{}, {}", self.variant(), self.case()) }
    }

    /// Whether the row comes from the embedded machine, whose times are not those of a GPU.
    pub fn is_emulated(&self) -> bool {
        self.text("device") == "emulated"
    }

    /// Returns the median time, in ms; also `None` on the embedded machine, whose times are not those of a GPU.
    pub fn ms(&self) -> Option<f64> {
        self.number("time_median_ms").filter(|ms| *ms > 0.0 && !self.is_emulated())
    }

    /// Returns the standard deviation of the samples as a percentage of their median, if there is more than one.
    pub fn noise_percent(&self) -> Option<f64> {
        let is_sampled = self.number("samples").is_some_and(|samples| samples > 1.0);
        let noise = 100.0 * self.number("time_stdev_ms")? / self.ms()?;
        is_sampled.then_some(noise)
    }

    /// Whether the variant is wrong on purpose, according to its note.
    pub fn is_wrong_on_purpose(&self) -> bool {
        self.text("note").contains("wrong on purpose")
    }
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;

    /// Returns a passed row of a GPU with these cells; further columns follow the common ones.
    pub(crate) fn row(cells: &[(&str, &str)]) -> Row {
        let mut names: Vec<&str> = COMMON.iter().map(|c| c.name).collect();
        names.extend(cells.iter().map(|c| c.0).filter(|name| !COMMON.iter().any(|c| c.name == *name)));
        let defaults = [("schema", "1"), ("device", "cuda"), ("verdict", "pass"), ("samples", "3")];
        let cell = |name: &&str| {
            let all = cells.iter().chain(&defaults);
            all.clone().find(|c| c.0 == *name).map_or("", |c| c.1)
        };
        let header = Header::new(&names.iter().collect()).unwrap();
        Row::new(&header, names.iter().map(cell).collect()).unwrap()
    }

    #[test]
    fn an_emulated_time_is_no_time() {
        let cells = [("time_median_ms", "2"), ("time_stdev_ms", "0.5")];
        assert_eq!(row(&cells).ms(), Some(2.0));
        assert_eq!(row(&cells).noise_percent(), Some(25.0));
        let emulated = row(&[cells[0], cells[1], ("device", "emulated")]);
        assert_eq!((emulated.ms(), emulated.noise_percent()), (None, None));
        assert_eq!(row(&[cells[0], cells[1], ("samples", "1")]).noise_percent(), None);
    }

    #[test]
    fn what_is_not_a_row_is_refused_in_words() {
        let names: Vec<&str> = COMMON.iter().map(|c| c.name).collect();
        let header = Header::new(&names.iter().collect()).unwrap();
        let with = |column: &str, text: &str| {
            let good = |name: &&str| match *name {
                name if name == column => text.to_string(),
                "schema" => "1".into(),
                "verdict" => "pass".into(),
                _ => String::new(),
            };
            Row::new(&header, names.iter().map(good).collect())
        };
        assert!(with("n", "4").is_ok());
        assert!(with("schema", "2").unwrap_err().contains("newer"));
        for (column, text) in [("schema", ""), ("n", "many"), ("verdict", "good"), ("gb_per_s", "1,5")] {
            let error = with(column, text).unwrap_err();
            assert!(error.contains(&format!("`{text}`")), "{error}");
        }
        let error = Header::new(&["schema", "lab"].iter().collect()).unwrap_err();
        assert!(error.contains("variant, case"), "{error}");
    }
}
