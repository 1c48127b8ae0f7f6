//! A row as it was read back: the record, and the columns of its lab, which are named in the file only.
use std::{ops::Deref, rc::Rc};

use crate::{
    column::Column,
    columns::{COMMON, Cell, KnownColumn, SCHEMA, known_column},
    counters::{Counter, Counters},
    record::{Record, Value},
    verdict::Expectation,
};

/// The header of a lab's CSV.
#[derive(Debug)]
pub struct Header {
    columns: Vec<FileColumn>,
    /// The names of the lab's own columns, in order.
    own: Vec<String>,
}

/// A column of a file.
#[derive(Debug)]
enum FileColumn {
    /// One that every row has.
    Common(&'static KnownColumn),
    /// A counter, in files of version 1.
    Counter(Counter),
    /// The lab's own.
    Own,
}

impl Header {
    /// Parses the header of a CSV.
    ///
    /// # Errors
    /// A sentence, when a column that every row has is missing.
    pub fn new(names: &csv::StringRecord) -> Result<Rc<Self>, String> {
        let column = |name: &str| match (known_column(name), Counter::named(name)) {
            (Some(known), _) => FileColumn::Common(known),
            (None, Some(counter)) => FileColumn::Counter(counter),
            (None, None) => FileColumn::Own,
        };
        let columns: Vec<FileColumn> = names.iter().map(column).collect();
        let is_missing = |name: &&str| !SINCE_VERSION_2.contains(name) && !names.iter().any(|known| known == *name);
        let missing: Vec<&str> = COMMON.iter().map(|column| column.name).filter(is_missing).collect();
        if !missing.is_empty() {
            return Err(format!("it lacks the columns {}", missing.join(", ")));
        }
        let is_own = |(_, column): &(&str, &FileColumn)| matches!(column, FileColumn::Own);
        let own = names.iter().zip(&columns).filter(is_own).map(|(name, _)| name.into()).collect();
        Ok(Rc::new(Self { columns, own }))
    }
}

/// Common columns that version 1 did not have.
const SINCE_VERSION_2: [&str; 2] = ["mistake", "mistake_showed"];

/// One row: one case of one variant.
#[derive(Debug, Clone)]
pub struct Row {
    record: Record,
    header: Rc<Header>,
}

impl Deref for Row {
    type Target = Record;

    fn deref(&self) -> &Record {
        &self.record
    }
}

impl Row {
    /// Reads a row from its cells.
    ///
    /// # Errors
    /// A sentence, when a cell does not match its column, or the row has a version that this program does not read.
    pub fn new(header: &Rc<Header>, cells: &csv::StringRecord) -> Result<Self, String> {
        // The version comes first: other cells of a newer one may mean something else.
        let version = cells.get(0).unwrap_or_default();
        match version.parse::<u32>() {
            Ok(schema) if schema > SCHEMA => {
                return Err(format!(
                    "its columns have version {schema}, and this warplab reads up to {SCHEMA}: use the warplab that wrote it, \
                     or a newer one"
                ));
            }
            Ok(_) => {}
            Err(_) => return Err(format!("`{version}` is not a version of the columns")),
        }
        let mut record = Record::default();
        for (column, text) in header.columns.iter().zip(cells) {
            match column {
                FileColumn::Own => record.own.push(Value::from_text(text)),
                FileColumn::Counter(counter) => record.counters.set(*counter, Value::from_text(text)),
                FileColumn::Common(known) => (known.read)(&mut record, text)
                    .ok_or_else(|| format!("`{text}` in the column {} is not a value of it", known.column.name))?,
            }
        }
        if record.times.is_some_and(|times| times.median == 0.0) {
            record.times = None;
        }
        if record.counters.is_empty() {
            record.counters = Counters::default();
        }
        if version == "1" {
            record.expectation = Expectation::from_note(&record.note);
        }
        if record.expectation.showed() == Some(true) {
            record.wrong = Some(record.note.clone());
        }
        Ok(Self { record, header: header.clone() })
    }

    /// Adds the counters, which are in a file of their own.
    pub(crate) fn set_counters(&mut self, counters: Counters) {
        self.record.counters = counters;
    }

    /// Returns the value in one of the lab's own columns; `None` if the file has no such column, it does not apply, or
    /// it is not a number.
    pub fn own(&self, column: &Column) -> Option<f64> {
        self.own_named(column.name)
    }

    /// Returns the text in one of the lab's own columns; empty if the file has no such column or it does not apply.
    pub fn own_text(&self, column: &Column) -> String {
        self.cell(column.name)
    }

    /// As [`Row::own`], for columns whose names are composed, or found by [`Row::own_columns`].
    pub fn own_named(&self, name: &str) -> Option<f64> {
        self.own_value(name)?.number().filter(|number| number.is_finite())
    }

    /// Returns the number in the column of this name, which a text or a user has chosen, or which is composed.
    pub fn number(&self, name: &str) -> Option<f64> {
        self.cell(name).parse().ok().filter(|number: &f64| number.is_finite())
    }

    /// Returns the names of the lab's own columns that begin with `prefix`, in the order of the file.
    pub fn own_columns<'a>(&'a self, prefix: &'a str) -> impl Iterator<Item = &'a str> {
        self.header.own.iter().map(String::as_str).filter(move |name| name.starts_with(prefix))
    }

    /// Returns the cell in the column of this name, which a text or a user has chosen; empty if there is none.
    pub fn cell(&self, name: &str) -> String {
        let known = known_column(name).map(|known| (known.write)(&self.record).text());
        let counter = || Counter::named(name).map(|counter| Cell::from(self.record.counters.value(counter)).text());
        known.or_else(counter).or_else(|| Some(Cell::from(self.own_value(name)?).text())).unwrap_or_default()
    }

    /// Whether the file has a column of this name.
    pub fn has_column(&self, name: &str) -> bool {
        known_column(name).is_some() || Counter::named(name).is_some() || self.header.own.iter().any(|own| own == name)
    }

    fn own_value(&self, name: &str) -> Option<&Value> {
        let at = self.header.own.iter().position(|own| own == name)?;
        self.record.own.get(at)
    }

    /// Returns the record, which a summary is made of.
    pub fn record(&self) -> &Record {
        &self.record
    }

    /// Returns the variant's name.
    pub fn variant(&self) -> &str {
        &self.variant
    }

    /// Returns the case, which distinguishes the row from the variant's other rows.
    pub fn case(&self) -> &str {
        &self.case
    }

    /// Returns the variant and, if it has one, the case.
    pub fn name(&self) -> String {
        if self.case.is_empty() { self.variant.clone() } else { format!("{}, {}", self.variant, self.case) }
    }

    /// Returns the median time, in ms; also `None` on the embedded machine, whose times are not those of a GPU.
    pub fn ms(&self) -> Option<f64> {
        self.times.map(|times| times.median).filter(|ms| *ms > 0.0 && !self.is_emulated())
    }

    /// Returns the standard deviation of the samples as a percentage of their median, if there is more than one.
    pub fn noise_percent(&self) -> Option<f64> {
        let times = self.times.filter(|times| times.samples > 1)?;
        Some(100.0 * times.stdev / self.ms()?)
    }

    /// Returns the bytes that the case must move, as a number to compute with.
    pub fn bytes(&self) -> Option<f64> {
        self.bytes.map(|bytes| bytes as f64)
    }

    /// Returns the operations that the case must do, as a number to compute with.
    pub fn flop(&self) -> Option<f64> {
        self.flop.map(|flop| flop as f64)
    }

    /// Returns the threads of a block, if it has one dimension.
    pub fn threads_in_a_line(&self) -> Option<f64> {
        self.block.as_deref()?.parse().ok()
    }

    /// Returns the size of the problem, as a number to compute with.
    pub fn size(&self) -> Option<f64> {
        self.n.map(|n| n as f64)
    }

    /// Returns the size of the problem as it is written; empty if there is none.
    pub fn size_text(&self) -> String {
        self.n.map_or_else(String::new, |n| n.to_string())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{fixtures::row, verdict::Verdict};

    #[test]
    fn an_emulated_time_is_no_time() {
        let cells = [("time_median_ms", "2"), ("time_stdev_ms", "0.5")];
        assert_eq!(row(&cells).ms(), Some(2.0));
        assert_eq!(row(&cells).noise_percent(), Some(25.0));
        let emulated = row(&[cells[0], cells[1], ("device", "emulated")]);
        assert_eq!((emulated.ms(), emulated.noise_percent()), (None, None));
        assert_eq!(row(&[cells[0], cells[1], ("samples", "1")]).noise_percent(), None);
    }

    fn with(column: &str, text: &str) -> Result<Row, String> {
        let names: Vec<&str> = COMMON.iter().map(|c| c.name).collect();
        let header = Header::new(&names.iter().collect()).unwrap();
        let good = |name: &&str| match *name {
            name if name == column => text.to_string(),
            "schema" => "1".into(),
            "verdict" => "pass".into(),
            _ => String::new(),
        };
        Row::new(&header, &names.iter().map(good).collect())
    }

    #[test]
    fn what_is_not_a_row_is_refused_in_words() {
        assert!(with("n", "4").is_ok());
        assert!(with("schema", "3").unwrap_err().contains("newer"));
        for (column, text) in [
            ("schema", ""),
            ("n", "many"),
            ("n", "-1"),
            ("verdict", "good"),
            ("gb_per_s", "1,5"),
            ("mistake_showed", "so"),
        ] {
            let error = with(column, text).unwrap_err();
            assert!(error.contains(&format!("`{text}`")), "{error}");
        }
        let error = Header::new(&["schema", "lab"].iter().collect()).unwrap_err();
        assert!(error.contains("variant, case"), "{error}");
    }

    #[test]
    fn a_row_of_version_1_has_its_counters_and_its_mistake() {
        let old = row(&[
            ("schema", "1"),
            ("note", "wrong on purpose (a race): 3 of 9 wrong"),
            ("instructions", "7"),
            ("warp_execution_efficiency_percent", "62.5"),
            ("ways", "32"),
            ("limiter", "blocks"),
        ]);
        assert_eq!(old.counters.get(Counter::Instructions), Some(7.0));
        assert_eq!(old.counters.get(Counter::WarpExecutionEfficiencyPercent), Some(62.5));
        assert_eq!(old.counters.get(Counter::Branches), None);
        assert_eq!((old.expectation.mistake(), old.expectation.showed()), (Some("a race"), Some(true)));
        assert_eq!(
            (old.own_named("ways"), old.cell("limiter"), old.cell("instructions")),
            (Some(32.0), "blocks".into(), "7".into())
        );
        assert_eq!((old.own_named("limiter"), old.own_named("rounds"), old.verdict), (None, None, Verdict::Pass));
        assert_eq!(old.own_columns("w").collect::<Vec<_>>(), ["ways"]);
    }

    #[test]
    fn a_prediction_is_read_with_its_bound_or_its_reason() {
        let told = row(&[
            ("predicted_ms", "2"),
            ("predicted_low_ms", "1.5"),
            ("predicted_high_ms", "3"),
            ("predicted_bound", "shared memory"),
        ]);
        let all = told.prediction().unwrap();
        assert_eq!((all.low_ms, all.ms, all.high_ms, all.bound()), (1.5, 2.0, 3.0, predict::Bound::SharedMemory));
        let refused = row(&[("predicted_bound", "not predicted: takes a lock, so measure this one")]);
        assert_eq!(refused.prediction(), None);
        assert_eq!(refused.cell("predicted_bound"), "not predicted: takes a lock, so measure this one");
        assert!(row(&[]).predicted.is_none());
    }
}
