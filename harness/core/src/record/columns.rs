//! The columns of a CSV: one table with name, unit, meaning and cell of the columns that every row has. The header, the
//! cells, the fields of the JSON and the tables of `reports/README.md` are derived from it.
use crate::record::{
    column::{Column, Sourced, column, columns_of},
    counters::COUNTERS,
    kernel::{self, KERNEL},
    prediction::{self, PREDICTED},
    row::{Record, Value},
};

/// The version of the columns; a change of meaning increments it.
pub const SCHEMA: u32 = 1;

/// A row's value in a column.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Cell {
    /// The column does not apply to the row.
    Empty,
    /// A number, as written in the CSV.
    Number(String),
    /// Words.
    Words(String),
}

impl Cell {
    /// Returns the cell's text in the CSV.
    pub(crate) fn text(self) -> String {
        match self {
            Self::Empty => String::new(),
            Self::Number(text) | Self::Words(text) => text,
        }
    }

    fn number<T: ToString>(value: Option<T>) -> Self {
        value.map_or(Self::Empty, |v| Self::Number(v.to_string()))
    }

    fn words<'a>(text: impl Into<Option<&'a str>>) -> Self {
        let text = text.into().filter(|t| !t.is_empty());
        text.map_or(Self::Empty, |t| Self::Words(t.to_string()))
    }
}

impl From<&Value> for Cell {
    fn from(value: &Value) -> Self {
        match value {
            Value::Empty => Self::Empty,
            Value::Int(v) => Self::Number(v.to_string()),
            Value::Real(v) => Self::Number(v.to_string()),
            // An answer to a question may be a word or a number; one that parses as a number is a number.
            Value::Text(v) if v.parse::<serde_json::Number>().is_ok() => Self::Number(v.clone()),
            Value::Text(v) => Self::words(v.as_str()),
        }
    }
}

/// A column that every row has, and the function from a record to its cell.
type Common = Sourced<fn(&Record) -> Cell>;

const fn common(name: &'static str, meaning: &'static str, cell: fn(&Record) -> Cell) -> Common {
    Common { column: column(name, meaning), source: cell }
}

impl Common {
    const fn unit(self, unit: &'static str) -> Self {
        Self { column: self.column.unit(unit), source: self.source }
    }
}

/// The common columns with their cells, in the order of the CSV.
#[rustfmt::skip]
const TABLE: &[Common] = &[
    common("schema", "the version of these columns", |_| Cell::number(Some(SCHEMA))),
    common("lab", "the lab that ran", |r| Cell::words(r.lab.as_str())),
    common("variant", "the variant that ran", |r| Cell::words(r.variant.as_str())),
    common("case", "what tells the row from the variant's other rows", |r| Cell::words(r.case.as_str())),
    common("device", "`cuda`: a GPU; `emulated`: the embedded machine, whose times say how long the emulation took and nothing about a GPU, so that the rates stay empty", |r| Cell::words(r.device.as_str())),
    common("n", "the size of the problem", |r| Cell::number(r.n)).unit("elements"),
    common("grid", "the grid of the launch, as `8`, `8x4` or `8x4x2`", |r| Cell::words(r.grid.as_deref())).unit("blocks"),
    common("block", "the block of the launch, written as the grid is", |r| Cell::words(r.block.as_deref())).unit("threads"),
    common("shared_bytes", "dynamic shared memory of a block", |r| Cell::number(r.shared_bytes)),
    common("memory_mode", "how the data got to the device", |r| Cell::words(r.memory_mode.as_deref())),
    common("seed", "the seed of the inputs", |r| Cell::number(Some(r.seed))),
    common("samples", "the timed launches that were kept", |r| Cell::number(r.times.map(|t| t.samples))),
    common(
        "time_min_ms",
        "the shortest of these samples: between two events, on a device that is kept busy until the launches are there, \
         or by the host's clock where the lab says so",
        |r| Cell::number(r.times.map(|t| t.min)),
    ),
    common("time_median_ms", "their median", |r| Cell::number(r.times.map(|t| t.median))),
    common("time_mean_ms", "their mean", |r| Cell::number(r.times.map(|t| t.mean))),
    common("time_stdev_ms", "their standard deviation (n - 1)", |r| Cell::number(r.times.map(|t| t.stdev))),
    common("bytes", "the least that the case must move: every input read once, every output written once", |r| Cell::number(r.bytes)),
    common("gb_per_s", "`bytes` over the median time", |r| Cell::number(r.gb_per_s)),
    common("flop", "the floating-point operations that the case must do", |r| Cell::number(r.flop)).unit("operations"),
    common("gflop_per_s", "`flop` over the median time", |r| Cell::number(r.gflop_per_s)),
    common("percent_of_ceiling", "`gb_per_s` as a share of the ceiling that fits the traffic, measured on the same device at the start of the same run: a copy, or reading alone or writing alone, or the link", |r| Cell::number(r.percent_of_ceiling)).unit("%"),
    common("max_abs_error", "the largest difference from the reference, which the CPU computes in f64", |r| Cell::number(r.max_abs_error)),
    common("verdict", "`pass`, `fail` (a wrong answer), `finding` (a check of the machine found a bug) or `skip` (the case could not run here)", |r| Cell::words(r.verdict.word())),
    common("note", "why the case was skipped, what was found, or what a variant that is wrong on purpose did wrong", |r| Cell::words(r.note.as_str())),
];

/// The columns that every row has, in the order of the CSV.
pub const COMMON: [Column; TABLE.len()] = columns_of(TABLE);

/// The columns of one lab's rows: the common ones, the lab's own, the counters, the kernel's, and the predictions.
#[derive(Debug, Clone)]
pub struct Columns {
    /// The lab.
    pub lab: &'static str,
    /// The lab's own columns.
    pub own: Vec<Column>,
}

impl Columns {
    /// Returns every column, in the order of the CSV.
    pub fn all(&self) -> impl Iterator<Item = Column> {
        let common = COMMON.into_iter();
        common.chain(self.own.iter().copied()).chain(COUNTERS).chain(KERNEL).chain(PREDICTED)
    }

    /// Returns the value in the lab's own column `column`, as a number.
    pub(crate) fn number(&self, record: &Record, column: &str) -> Option<f64> {
        record.own.get(self.position(column)?)?.number()
    }

    /// Returns the value in the lab's own column `column`, as text; `None` if it is empty.
    pub(crate) fn text(&self, record: &Record, column: &str) -> Option<String> {
        let value = record.own.get(self.position(column)?)?;
        Some(Cell::from(value).text()).filter(|text| !text.is_empty())
    }

    /// Sets one of the lab's own columns.
    ///
    /// # Panics
    /// When the lab has no such column: a bug in the lab.
    pub(crate) fn set(&self, record: &mut Record, column: &str, value: impl Into<Value>) {
        let i = self.position(column);
        let i = i.unwrap_or_else(|| panic!("lab {} has no column {column}", self.lab));
        record.own[i] = value.into();
    }

    fn position(&self, own: &str) -> Option<usize> {
        self.own.iter().position(|c| c.name == own)
    }

    /// Returns every column's name, and the record's cell in it.
    pub(crate) fn cells(&self, record: &Record) -> impl Iterator<Item = (&'static str, Cell)> {
        let common = TABLE.iter().map(|c| (c.source)(record));
        let own = (0..self.own.len()).map(|i| cell(&record.own, i));
        let counters = (0..COUNTERS.len()).map(|i| cell(&record.counters, i));
        let kernel = kernel::values(record);
        let kernel = (0..KERNEL.len()).map(move |i| cell(&kernel, i));
        let predicted = prediction::values(record);
        let predicted = (0..PREDICTED.len()).map(move |i| cell(&predicted, i));
        self.all().map(|c| c.name).zip(common.chain(own).chain(counters).chain(kernel).chain(predicted))
    }
}

/// Returns the cell of a value that may be absent: a record from a GPU has no counters.
fn cell(values: &[Value], i: usize) -> Cell {
    values.get(i).map_or(Cell::Empty, Cell::from)
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;
    use crate::record::row::tests::record;

    /// Returns the lab columns of the test record.
    pub(crate) fn columns() -> Columns {
        Columns { lab: "lab", own: vec![column("own_ms", "a time"), column("other", "a word")] }
    }

    #[test]
    fn every_column_has_its_cell_in_order() {
        let record = record();
        let cells: Vec<(&str, String)> = columns().cells(&record).map(|(name, cell)| (name, cell.text())).collect();
        assert_eq!(cells.len(), COMMON.len() + 2 + COUNTERS.len() + KERNEL.len() + PREDICTED.len());
        let cell = |name: &str| cells.iter().find(|c| c.0 == name).unwrap().1.as_str();
        let shown =
            ["schema", "case", "n", "memory_mode", "time_median_ms", "gb_per_s", "max_abs_error", "verdict"].map(cell);
        assert_eq!(shown, ["1", "block 256", "1000", "", "2", "", "0", "skip"]);
        assert_eq!([cell("own_ms"), cell("other")], ["1.5", ""]);
        // On a GPU there are no counters, but their columns exist, and are empty.
        assert!(cells[COMMON.len() + 2..].iter().all(|c| c.1.is_empty()));
    }
}
