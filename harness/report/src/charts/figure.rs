//! A figure: a chart, its text, and its data.
use crate::charts::{bars::Bars, plot::Plot, stacks::Stacks};

/// A figure.
#[derive(Debug, Clone)]
pub struct Figure {
    /// The title.
    pub title: String,
    /// The observations, a sentence each.
    pub says: Vec<String>,
    /// The chart.
    pub chart: Chart,
    /// Its data.
    pub table: FigureTable,
}

/// A chart of one kind.
#[derive(Debug, Clone)]
pub enum Chart {
    /// Bars.
    Bars(Bars),
    /// Stacked bars.
    Stacks(Stacks),
    /// Lines and points over two axes.
    Plot(Plot),
}

/// A table: each row has as many cells as there are headings.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct FigureTable {
    /// The headings.
    pub headings: Vec<String>,
    /// The rows.
    pub rows: Vec<Vec<String>>,
    /// A remark on what the table leaves out; empty if it is complete.
    pub left_out: String,
}

impl FigureTable {
    /// Returns an empty table with these headings.
    pub fn new(headings: &[&str]) -> Self {
        let headings = headings.iter().map(ToString::to_string).collect();
        Self { headings, ..Self::default() }
    }

    /// Returns the table without its empty columns.
    #[must_use]
    pub fn without_empty_columns(mut self) -> Self {
        let is_used = |column: usize| self.rows.iter().any(|row| row.get(column).is_some_and(|cell| !cell.is_empty()));
        let used: Vec<usize> = (0..self.headings.len()).filter(|column| is_used(*column)).collect();
        let keep = |cells: &[String]| used.iter().filter_map(|column| cells.get(*column).cloned()).collect();
        self.headings = keep(&self.headings);
        self.rows = self.rows.iter().map(|row| keep(row)).collect();
        self
    }

    /// Whether this column contains only numbers, with or without a unit, but no dates, and no names that begin with a
    /// digit.
    pub fn is_number(&self, column: usize) -> bool {
        let mut cells = self.rows.iter().filter_map(|row| row.get(column)).filter(|cell| !cell.is_empty());
        cells.all(|cell| {
            let cell = cell.trim_start_matches(|c: char| "±–+- ".contains(c)).replace(',', "");
            let number = cell.split_whitespace().next().unwrap_or("0");
            number.trim_end_matches('%').parse::<f64>().is_ok()
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dates_commits_and_sizes_are_no_numbers() {
        let is_number = |cells: &[&str]| {
            let rows = cells.iter().map(|cell| vec![(*cell).to_string()]).collect();
            FigureTable { headings: vec!["x".into()], rows, ..FigureTable::default() }.is_number(0)
        };
        assert!(is_number(&["1,234.5", "", "-3", "+2.1 %", "± 4", "49.1 µs", "–", "1.2e-7", "-2 to +3"]));
        for text in ["2026-10-01T00:00:00Z", "975cbff544ff", "4096x4096", "a"] {
            assert!(!is_number(&["1", text]), "{text}");
        }
    }
}
