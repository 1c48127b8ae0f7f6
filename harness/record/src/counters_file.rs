//! `<lab>.counters.csv`: what the machine counted in each case. Its first columns name the row.
use crate::{
    columns::{Cell, SCHEMA},
    counters::{Counter, Counters},
    csv_line::csv_line,
    csv_table::CsvTable,
    record::{Record, Value},
    row::Row,
};

/// The columns that name the row: its number, counted from 1, and what it is.
const KEY: [&str; 5] = ["schema", "row", "variant", "case", "n"];

/// Returns the header.
pub fn counters_header() -> String {
    csv_line(KEY.into_iter().chain(Counter::ALL.iter().map(|counter| counter.name())).map(String::from))
}

/// Returns the line of this record, whose row has this number in the lab's CSV, counted from 1; `None` if nothing was
/// counted.
pub fn counters_line(record: &Record, row: usize) -> Option<String> {
    if record.counters.is_empty() {
        return None;
    }
    let n = record.n.map_or_else(String::new, |n| n.to_string());
    let key = [SCHEMA.to_string(), row.to_string(), record.variant.clone(), record.case.clone(), n];
    let values = Counter::ALL.iter().map(|counter| Cell::from(record.counters.value(*counter)).text());
    Some(csv_line(key.into_iter().chain(values)))
}

/// Adds the counters of such a file to the rows. Returns a remark if the last line is incomplete.
///
/// # Errors
/// A sentence, when a line has a version that this program does not read, or belongs to no row.
pub(crate) fn add_counters(rows: &mut [Row], text: &str) -> Result<Option<String>, String> {
    let table = CsvTable::parse(text)?;
    if table.header.iter().take(KEY.len()).ne(KEY) {
        return Err(format!("its first columns are not {}", KEY.join(", ")));
    }
    let columns: Vec<Option<Counter>> = table.header.iter().skip(KEY.len()).map(Counter::named).collect();
    for (number, line) in &table.lines {
        if !line[0].parse::<u32>().is_ok_and(|schema| schema <= SCHEMA) {
            return Err(format!("line {number} has version `{}`, and this warplab reads up to {SCHEMA}", &line[0]));
        }
        let position = line[1].parse::<usize>().ok().and_then(|row| row.checked_sub(1));
        // The row of a run that was killed, or whose disk was full, may be torn.
        if position.is_some_and(|row| row >= rows.len()) {
            return Ok(Some(format!("line {number} and what follows it belong to rows that are missing")));
        }
        let row = position.and_then(|row| rows.get_mut(row));
        let is_its = |row: &&mut Row| row.variant == line[2] && row.case == line[3] && row.size_text() == line[4];
        let row = row.filter(is_its).ok_or_else(|| format!("line {number} belongs to no row of the lab"))?;
        let mut counters = Counters::default();
        for (counter, text) in columns.iter().zip(line.iter().skip(KEY.len())) {
            if let Some(counter) = counter {
                counters.set(*counter, Value::from_text(text));
            }
        }
        row.set_counters(counters);
    }
    Ok(table.remark)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixtures::{record, report, row};

    fn rows() -> Vec<Row> {
        // The second row is a leak of the first one's case.
        ["a", "a", "b"].map(|variant| row(&[("variant", variant), ("case", "block 256"), ("n", "1000")])).into()
    }

    fn file() -> String {
        let counted = Record { counters: Counters::from_report(&report()), ..record() };
        let other = Record { variant: "b".into(), ..counted.clone() };
        counters_header() + &counters_line(&counted, 1).unwrap() + &counters_line(&other, 3).unwrap()
    }

    #[test]
    fn counters_come_back_to_the_rows_that_were_counted() {
        let mut rows = rows();
        assert_eq!(add_counters(&mut rows, &file()), Ok(None));
        let counted = Counters::from_report(&report());
        assert_eq!(rows.iter().map(|row| row.counters.is_empty()).collect::<Vec<_>>(), [false, true, false]);
        for counter in Counter::ALL {
            let expected = counted.get(*counter);
            assert_eq!([0, 2].map(|row: usize| rows[row].counters.get(*counter)), [expected; 2], "{counter:?}");
        }
        assert_eq!(counters_line(&record(), 1), None);
    }

    #[test]
    fn a_torn_line_is_said_and_a_foreign_one_refused() {
        let text = file();
        let torn = add_counters(&mut rows(), &text[..text.len() - 3]).unwrap().unwrap();
        assert!(torn.contains("line 3, is not whole"), "{torn}");
        let short = add_counters(&mut rows()[..2], &text).unwrap().unwrap();
        assert!(short.contains("line 3 and what follows it"), "{short}");
        let error = add_counters(&mut rows(), &text.replace(",3,b,", ",2,b,")).unwrap_err();
        assert!(error.contains("line 3 belongs to no row"), "{error}");
        assert!(add_counters(&mut rows(), &text.replace("\n2,", "\n9,")).unwrap_err().contains("version `9`"));
        let (header, lines) = text.split_once('\n').unwrap();
        let short = add_counters(&mut rows(), &format!("{header}\n2,1\n{lines}")).unwrap_err();
        assert!(short.contains("line 2 has 2 cells"), "{short}");
        assert!(add_counters(&mut rows(), "a,b\n").unwrap_err().contains("first columns"));
    }
}
