//! A marker's text, which selects a CSV of the reference run, rows and columns.
//!
//! The first word names the CSV; `column=value` keeps the rows with that value (values separated by `|` are
//! alternatives), `column!=value` those without it; `columns=` names the columns to show.

use super::fault::Fault;

/// A marker's words.
#[derive(Debug)]
pub(super) struct Marker<'m> {
    /// The CSV, relative to the reference run's folder and without extension.
    pub(super) name: &'m str,
    /// The columns to show.
    pub(super) columns: Vec<&'m str>,
    filters: Vec<Filter<'m>>,
}

#[derive(Debug)]
struct Filter<'m> {
    column: &'m str,
    is_wanted: bool,
    values: Vec<&'m str>,
}

impl<'m> Marker<'m> {
    /// Parses a marker.
    pub(super) fn new(text: &'m str) -> Result<Self, Fault> {
        let mut words = text.split_whitespace();
        let name = words.next().ok_or_else(|| Fault::Marker("it names no CSV".into()))?;
        let (mut columns, mut filters) = (Vec::new(), Vec::new());
        for word in words {
            let (key, value) = word
                .split_once('=')
                .ok_or_else(|| Fault::Marker(format!("{word:?} is not of the form column=value")))?;
            if key == "columns" {
                columns.extend(value.split(','));
            } else {
                let (column, is_wanted) = key.strip_suffix('!').map_or((key, true), |key| (key, false));
                filters.push(Filter { column, is_wanted, values: value.split('|').collect() });
            }
        }
        Ok(Self { name, columns, filters })
    }

    /// Fails if the CSV lacks one of the named columns.
    pub(super) fn check(&self, has: impl Fn(&str) -> bool) -> Result<(), Fault> {
        let mut named = self.columns.iter().copied().chain(self.filters.iter().map(|filter| filter.column));
        match named.find(|column| !has(column)) {
            Some(column) => Err(Fault::Marker(format!("{}.csv has no column {column:?}", self.name))),
            None => Ok(()),
        }
    }

    /// Whether the row with these cells is selected.
    pub(super) fn keeps(&self, cell: impl Fn(&str) -> String) -> bool {
        self.filters.iter().all(|filter| filter.values.contains(&cell(filter.column).as_str()) == filter.is_wanted)
    }

    /// The error that no row is selected.
    pub(super) fn no_row(&self) -> Fault {
        Fault::Marker(format!("no row of {}.csv matches", self.name))
    }
}
