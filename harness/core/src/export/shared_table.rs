//! The table on standard output that several labs share: one header, with the columns of all of them.
use record::{COMMON, Cell, Columns, Counter, KERNEL, PREDICTED, Record};

/// The names of the columns.
#[derive(Debug)]
pub(crate) struct SharedTable {
    names: Vec<&'static str>,
}

impl SharedTable {
    /// Collects the common columns, the own columns of every lab, each name once, the kernel's, the predictions and,
    /// with `--counters`, the counters.
    pub(crate) fn from_columns(labs: &[Columns], has_counters: bool) -> Self {
        let mut names: Vec<&str> = COMMON.iter().map(|column| column.name).collect();
        for column in labs.iter().flat_map(|lab| &lab.own).chain(&KERNEL).chain(&PREDICTED) {
            if !names.contains(&column.name) {
                names.push(column.name);
            }
        }
        if has_counters {
            names.extend(Counter::ALL.iter().map(|counter| counter.name()));
        }
        Self { names }
    }

    /// Returns the header.
    pub(crate) fn header(&self) -> Vec<String> {
        self.names.iter().map(ToString::to_string).collect()
    }

    /// Returns a record's cells. The columns of other labs stay empty.
    pub(crate) fn row(&self, columns: &Columns, record: &Record) -> Vec<String> {
        let mut row = vec![String::new(); self.names.len()];
        let counters = Counter::ALL.iter().map(|counter| (counter.name(), Cell::from(record.counters.value(*counter))));
        for (name, cell) in columns.cells(record).chain(counters) {
            if let Some(at) = self.names.iter().position(|known| *known == name) {
                row[at] = Cell::text(cell);
            }
        }
        row
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use record::{
        column,
        fixtures::{columns, record},
    };

    #[test]
    fn labs_share_a_header_and_each_name_is_there_once() {
        let other = Columns { lab: "other", own: vec![column("third", "a word"), column("other", "a word")] };
        let table = SharedTable::from_columns(&[columns(), other.clone()], false);
        let header = table.header();
        assert_eq!(header.len(), COMMON.len() + 3 + KERNEL.len() + PREDICTED.len());
        let at = |name: &str| header.iter().position(|n| n == name).unwrap();
        let (ours, theirs) = (table.row(&columns(), &record()), table.row(&other, &record()));
        assert_eq!([ours[at("own_ms")].as_str(), &ours[at("third")]], ["1.5", ""]);
        assert_eq!([theirs[at("own_ms")].as_str(), &theirs[at("third")]], ["", "1.5"]);
        assert_eq!((ours[at("verdict")].as_str(), ours.len()), ("skip", header.len()));
        let with_counters = SharedTable::from_columns(&[columns()], true).header();
        assert_eq!(with_counters.last().map(String::as_str), Some("waiting_loops"));
    }
}
