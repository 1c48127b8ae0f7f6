//! The columns of a lab's CSV: one table with the name, the unit and the meaning of each, and the functions that write
//! and read its cell. The header, the cells, the fields of the JSON and the tables of `reports/README.md` are derived
//! from it. The machine's counters are columns of a file of their own: [`crate::counters`].
use std::str::FromStr;

use predict::{Bound, LaunchKind, Prediction, Term};

use crate::{
    column::{Column, column},
    kernel::{Peak, RegisterSource, Resources},
    prediction::Predicted,
    record::{Record, Value},
    times::Times,
    verdict::{Expectation, Verdict},
};

/// The version of the columns; a change of meaning increments it. Version 1 had the counters among them, and no
/// `mistake`.
pub const SCHEMA: u32 = 2;

/// A row's value in a column.
#[derive(Debug, Clone, PartialEq)]
pub enum Cell {
    /// The column does not apply to the row.
    Empty,
    /// A number, as written in the CSV.
    Number(String),
    /// Words.
    Words(String),
}

impl Cell {
    /// Returns the cell's text in the CSV.
    pub fn text(self) -> String {
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

/// A column that every row has: how its cell is written, and how it is read.
#[derive(Debug)]
pub(crate) struct KnownColumn {
    pub(crate) column: Column,
    pub(crate) write: fn(&Record) -> Cell,
    /// Sets what the text of a cell says; `None` if it is not a value of the column.
    pub(crate) read: fn(&mut Record, &str) -> Option<()>,
}

const fn known(
    name: &'static str,
    meaning: &'static str,
    write: fn(&Record) -> Cell,
    read: fn(&mut Record, &str) -> Option<()>,
) -> KnownColumn {
    KnownColumn { column: column(name, meaning), write, read }
}

impl KnownColumn {
    const fn unit(mut self, unit: &'static str) -> Self {
        self.column = self.column.unit(unit);
        self
    }
}

/// The columns that come first, in the order of the CSV.
#[rustfmt::skip]
const FIRST: &[KnownColumn] = &[
    known("schema", "the version of these columns", |_| Cell::number(Some(SCHEMA)), |_, _| Some(())),
    known("lab", "the lab that ran", |r| Cell::words(r.lab.as_str()), |r, t| words(&mut r.lab, t)),
    known("variant", "the variant that ran", |r| Cell::words(r.variant.as_str()), |r, t| words(&mut r.variant, t)),
    known("case", "what distinguishes the row from the variant's other rows", |r| Cell::words(r.case.as_str()), |r, t| words(&mut r.case, t)),
    known("device", "`cuda`: a GPU; `emulated`: the embedded machine, whose times say how long the emulation took and nothing about a GPU, so that the rates stay empty", |r| Cell::words(r.device.as_str()), |r, t| words(&mut r.device, t)),
    known("n", "the size of the problem", |r| Cell::number(r.n), |r, t| set(&mut r.n, integer(t))).unit("elements"),
    known("grid", "the grid of the launch, as `8`, `8x4` or `8x4x2`", |r| Cell::words(r.grid.as_deref()), |r, t| set(&mut r.grid, some_words(t))).unit("blocks"),
    known("block", "the block of the launch, written as the grid is", |r| Cell::words(r.block.as_deref()), |r, t| set(&mut r.block, some_words(t))).unit("threads"),
    known("shared_bytes", "dynamic shared memory of a block", |r| Cell::number(r.shared_bytes), |r, t| set(&mut r.shared_bytes, integer(t))),
    known("memory_mode", "how the data got to the device",
        |r| Cell::words(r.memory_mode.as_deref()),
        |r, t| set(&mut r.memory_mode, some_words(t))),
    known("seed", "the seed of the inputs",
        |r| Cell::number(Some(r.seed)),
        |r, t| integer(t).map(|seed| r.seed = seed.unwrap_or_default())),
    known("samples", "the timed launches that were kept",
        |r| Cell::number(r.times.map(|t| t.samples)),
        |r, t| of_times(r, integer(t)?, |times, samples| times.samples = samples)),
    known("time_min_ms", "the shortest of these samples: between two events, on a device that is kept busy until the launches are there, \
         or by the host's clock where the lab says so",
        |r| Cell::number(r.times.map(|t| t.min)),
        |r, t| of_times(r, number(t)?, |times, ms| times.min = ms)),
    known("time_median_ms", "their median",
        |r| Cell::number(r.times.map(|t| t.median)),
        |r, t| of_times(r, number(t)?, |times, ms| times.median = ms)),
    known("time_mean_ms", "their mean",
        |r| Cell::number(r.times.map(|t| t.mean)),
        |r, t| of_times(r, number(t)?, |times, ms| times.mean = ms)),
    known("time_stdev_ms", "their standard deviation (n - 1)",
        |r| Cell::number(r.times.map(|t| t.stdev)),
        |r, t| of_times(r, number(t)?, |times, ms| times.stdev = ms)),
    known("bytes", "the least that the case must move: every input read once, every output written once", |r| Cell::number(r.bytes), |r, t| set(&mut r.bytes, integer(t))),
    known("gb_per_s", "`bytes` over the median time", |r| Cell::number(r.gb_per_s), |r, t| set(&mut r.gb_per_s, number(t))),
    known("flop", "the floating-point operations that the case must do", |r| Cell::number(r.flop), |r, t| set(&mut r.flop, integer(t))).unit("operations"),
    known("gflop_per_s", "`flop` over the median time", |r| Cell::number(r.gflop_per_s), |r, t| set(&mut r.gflop_per_s, number(t))),
    known("percent_of_ceiling", "`gb_per_s` as a share of the ceiling that fits the traffic, measured on the same device at the start of the same run: a copy, or reading alone or writing alone, or the link",
        |r| Cell::number(r.percent_of_ceiling),
        |r, t| set(&mut r.percent_of_ceiling, number(t))).unit("%"),
    known("max_abs_error", "the largest difference from the reference, which the CPU computes in f64", |r| Cell::number(r.max_abs_error), |r, t| set(&mut r.max_abs_error, number(t))),
    known("verdict", "`pass`, `fail` (a wrong answer), `finding` (a check of the machine found a bug) or `skip` (the case could not run here)",
        |r| Cell::words(r.verdict.word()),
        |r, t| Verdict::named(t).map(|verdict| r.verdict = verdict)),
    known("mistake", "the mistake of a variant that is wrong on purpose; empty for all others", |r| Cell::words(r.expectation.mistake()), mistake),
    known("mistake_showed", "of such a variant: `yes` if the answer or a check showed the mistake, `no` if it was right by luck", |r| Cell::words(r.expectation.showed().map(yes_or_no)), showed),
    known("note", "why the case was skipped, what was found, or what a variant that is wrong on purpose did wrong", |r| Cell::words(r.note.as_str()), |r, t| words(&mut r.note, t)),
];

/// The columns of a row's kernel, which follow the lab's own.
#[rustfmt::skip]
const OF_KERNEL: &[KnownColumn] = &[
    known("kernel_registers", "registers of a thread of the row's kernel, as the device's driver gives them (the emulated device: as ptxas does if it is installed, else estimated); empty where the row has several kernels, or none",
        |r| Cell::number(r.resources.map(|all| all.registers)),
        |r, t| of_kernel(r, integer(t)?, |all, registers| all.registers = registers)).unit("registers of a thread"),
    known("kernel_occupancy_percent", "of the warps that an SM can hold, those of this kernel that the row's launch keeps resident, as the driver computes it",
        |r| Cell::number(r.resources.and_then(|all| all.occupancy_percent)),
        |r, t| of_kernel(r, number(t)?, |all, percent| all.occupancy_percent = Some(percent))),
    known("kernel_registers_from", "where these registers come from: the GPU's `driver`, `ptxas`, or `estimated` by the embedded machine",
        |r| Cell::words(r.resources.and_then(|all| all.registers_from).map(RegisterSource::word)), registers_from),
    known("peak", "what does the operations, where their number may bound the row: `single` (precision), or the tensor cores with inputs of `tf32` or `bf16`, or with three products of TF32 numbers for one (`split-tf32`)", |r| Cell::words(r.peak.map(Peak::word)), peak),
];

/// The columns of the prediction, which come last.
#[rustfmt::skip]
const OF_PREDICTION: &[KnownColumn] = &[
    known("predicted_ms", "what the launches of a sample are predicted to take on the emulated part (`--predict`); nothing was measured",
        |r| Cell::number(r.prediction().map(|all| all.ms)),
        |r, t| of_prediction(r, number(t)?, |all, ms| all.ms = ms)),
    known("predicted_low_ms", "of ten such times, about eight were measured to lie above this,",
        |r| Cell::number(r.prediction().map(|all| all.low_ms)),
        |r, t| of_prediction(r, number(t)?, |all, ms| all.low_ms = ms)),
    known("predicted_high_ms", "and below this",
        |r| Cell::number(r.prediction().map(|all| all.high_ms)),
        |r, t| of_prediction(r, number(t)?, |all, ms| all.high_ms = ms)),
    known("predicted_bound", "what is predicted to bound it, or why nothing is predicted", |r| Cell::words(r.predicted.as_ref().map(Predicted::bound).as_deref()), bound),
];

/// The columns that every row has and that come first in every CSV.
pub const COMMON: [Column; FIRST.len()] = columns_of(FIRST);

/// The columns of a row's kernel, which follow the lab's own in every CSV.
pub const KERNEL: [Column; OF_KERNEL.len()] = columns_of(OF_KERNEL);

/// The predictions' columns, which are the last in every CSV.
pub const PREDICTED: [Column; OF_PREDICTION.len()] = columns_of(OF_PREDICTION);

const fn columns_of<const N: usize>(table: &[KnownColumn]) -> [Column; N] {
    let mut columns = [column("", ""); N];
    let mut i = 0;
    while i < N {
        columns[i] = table[i].column;
        i += 1;
    }
    columns
}

/// Returns the column of this name that every row has.
pub(crate) fn known_column(name: &str) -> Option<&'static KnownColumn> {
    FIRST.iter().chain(OF_KERNEL).chain(OF_PREDICTION).find(|known| known.column.name == name)
}

/// Reads a number; `Some(None)` if the cell is empty.
#[expect(clippy::option_option, reason = "an empty cell is allowed, a text that is not a number is a mistake")]
fn number<T: FromStr>(text: &str) -> Option<Option<T>> {
    if text.is_empty() { Some(None) } else { text.parse().ok().map(Some) }
}

/// Reads an integer. Other programs may have written it with an exponent.
#[expect(clippy::option_option, reason = "as for numbers")]
fn integer<T: FromStr + TryFrom<u64>>(text: &str) -> Option<Option<T>> {
    number(text).or_else(|| {
        let value = text.parse::<f64>().ok().filter(|value| value.fract() == 0.0 && (0.0..2e19).contains(value))?;
        T::try_from(value as u64).ok().map(Some)
    })
}

fn set<T>(field: &mut T, value: Option<T>) -> Option<()> {
    value.map(|value| *field = value)
}

#[expect(clippy::unnecessary_wraps, reason = "other columns refuse some texts")]
fn words(field: &mut String, text: &str) -> Option<()> {
    text.clone_into(field);
    Some(())
}

#[expect(clippy::option_option, clippy::unnecessary_wraps, reason = "other columns refuse some texts")]
fn some_words(text: &str) -> Option<Option<String>> {
    Some((!text.is_empty()).then(|| text.into()))
}

#[expect(clippy::unnecessary_wraps, reason = "the last step of functions that refuse some texts")]
fn of_times<T>(record: &mut Record, value: Option<T>, set: impl Fn(&mut Times, T)) -> Option<()> {
    if let Some(value) = value {
        set(record.times.get_or_insert_default(), value);
    }
    Some(())
}

#[expect(clippy::unnecessary_wraps, reason = "the last step of functions that refuse some texts")]
fn of_kernel<T>(record: &mut Record, value: Option<T>, set: impl Fn(&mut Resources, T)) -> Option<()> {
    if let Some(value) = value {
        set(record.resources.get_or_insert_default(), value);
    }
    Some(())
}

#[expect(clippy::unnecessary_wraps, reason = "the last step of functions that refuse some texts")]
fn of_prediction(record: &mut Record, value: Option<f64>, set: impl Fn(&mut Prediction, f64)) -> Option<()> {
    if let Some(value) = value {
        let predicted = record.predicted.get_or_insert_default();
        let unknown = Prediction { ms: 0.0, low_ms: 0.0, high_ms: 0.0, kind: LaunchKind::default(), terms: Vec::new() };
        set(predicted.in_all.get_or_insert(unknown), value);
    }
    Some(())
}

/// Reads what bounds a prediction, or why there is none.
fn bound(record: &mut Record, text: &str) -> Option<()> {
    if text.is_empty() {
        return Some(());
    }
    let predicted = record.predicted.get_or_insert_default();
    match &mut predicted.in_all {
        Some(all) => all.terms = vec![Term { bound: Bound::named(text)?, ms: all.ms }],
        None => predicted.not_predicted = Some(text.into()),
    }
    Some(())
}

fn registers_from(record: &mut Record, text: &str) -> Option<()> {
    let source = if text.is_empty() { None } else { Some(RegisterSource::named(text)?) };
    of_kernel(record, source, |all, source| all.registers_from = Some(source))
}

fn peak(record: &mut Record, text: &str) -> Option<()> {
    if !text.is_empty() {
        record.peak = Some(Peak::named(text)?);
    }
    Some(())
}

#[expect(clippy::unnecessary_wraps, reason = "other columns refuse some texts")]
fn mistake(record: &mut Record, text: &str) -> Option<()> {
    if !text.is_empty() {
        record.expectation = Expectation::Wrong { mistake: text.into(), showed: None };
    }
    Some(())
}

fn showed(record: &mut Record, text: &str) -> Option<()> {
    let said = match text {
        "" => return Some(()),
        "yes" => true,
        "no" => false,
        _ => return None,
    };
    match &mut record.expectation {
        Expectation::Wrong { showed, .. } => *showed = Some(said),
        Expectation::Right => return None,
    }
    Some(())
}

fn yes_or_no(is: bool) -> &'static str {
    if is { "yes" } else { "no" }
}

/// The columns of one lab's rows: the common ones, the lab's own, the kernel's, and the predictions.
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
        COMMON.into_iter().chain(self.own.iter().copied()).chain(KERNEL).chain(PREDICTED)
    }

    /// Returns the value in the lab's own column `column`, as a number.
    pub fn number(&self, record: &Record, column: &str) -> Option<f64> {
        record.own.get(self.position(column)?)?.number()
    }

    /// Returns the value in the lab's own column `column`, as text; `None` if it is empty.
    pub fn text(&self, record: &Record, column: &str) -> Option<String> {
        let value = record.own.get(self.position(column)?)?;
        Some(Cell::from(value).text()).filter(|text| !text.is_empty())
    }

    /// Sets one of the lab's own columns.
    ///
    /// # Panics
    /// When the lab has no such column: a bug in the lab.
    pub fn set(&self, record: &mut Record, column: &str, value: impl Into<Value>) {
        let i = self.position(column);
        let i = i.unwrap_or_else(|| panic!("lab {} has no column {column}", self.lab));
        record.own[i] = value.into();
    }

    fn position(&self, own: &str) -> Option<usize> {
        self.own.iter().position(|c| c.name == own)
    }

    /// Returns every column's name, and the record's cell in it.
    pub fn cells(&self, record: &Record) -> impl Iterator<Item = (&'static str, Cell)> {
        let cells =
            |table: &'static [KnownColumn]| table.iter().map(|known| (known.column.name, (known.write)(record)));
        let own = self.own.iter().zip(&record.own).map(|(column, value)| (column.name, Cell::from(value)));
        cells(FIRST).chain(own).chain(cells(OF_KERNEL)).chain(cells(OF_PREDICTION))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixtures::{columns, record};

    #[test]
    fn every_column_has_its_cell_in_order() {
        let record = record();
        let cells: Vec<(&str, String)> = columns().cells(&record).map(|(name, cell)| (name, cell.text())).collect();
        assert_eq!(cells.len(), COMMON.len() + 2 + KERNEL.len() + PREDICTED.len());
        assert!(columns().all().map(|column| column.name).eq(cells.iter().map(|cell| cell.0)));
        let cell = |name: &str| cells.iter().find(|c| c.0 == name).unwrap().1.as_str();
        let shown =
            ["schema", "case", "n", "memory_mode", "time_median_ms", "gb_per_s", "max_abs_error", "verdict"].map(cell);
        assert_eq!(shown, ["2", "block 256", "1000", "", "2", "", "0", "skip"]);
        assert_eq!([cell("own_ms"), cell("other")], ["1.5", ""]);
        assert!(cells[COMMON.len() + 2..].iter().all(|c| c.1.is_empty()));
    }

    #[test]
    fn a_row_without_a_kernel_has_no_values_and_not_zeros() {
        let of =
            |record: &Record| -> Vec<String> { OF_KERNEL.iter().map(|known| (known.write)(record).text()).collect() };
        assert_eq!(of(&record()), ["", "", "", ""]);
        let registers_from = Some(RegisterSource::Ptxas);
        let resources = Some(Resources { registers: 40, occupancy_percent: Some(75.0), registers_from });
        let row = Record { resources, peak: Some(Peak::SplitTf32), ..record() };
        assert_eq!(of(&row), ["40", "75", "ptxas", "split-tf32"]);
        // As in a run of an earlier version.
        let resources = Some(Resources { registers: 40, occupancy_percent: None, registers_from: None });
        assert_eq!(of(&Record { resources, ..record() })[1..3], ["", ""]);
    }
}
