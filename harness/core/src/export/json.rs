//! JSON lines: an object for each row on standard output (`--json`), with fields named after the columns.
use std::rc::Rc;

use record::{Cell, Columns, Counter, Record};
use serde_json::{Map, Number, Value, json};

use crate::{
    error::Result,
    export::{
        event::{Event, Listener},
        terminal::Terminal,
    },
};

/// Writes an object for each row.
#[derive(Debug)]
pub(crate) struct JsonLines {
    terminal: Rc<Terminal>,
    /// The columns of the lab that runs.
    columns: Option<Rc<Columns>>,
    /// The number of costliest lines that are written.
    hot: usize,
}

impl JsonLines {
    pub(crate) fn new(terminal: &Rc<Terminal>, hot: usize) -> Self {
        Self { terminal: terminal.clone(), columns: None, hot }
    }
}

impl Listener for JsonLines {
    fn hear(&mut self, event: Event<'_>) -> Result<()> {
        match (event, &self.columns) {
            (Event::RowsStarted(rows), _) => self.columns = Some(rows.columns.clone()),
            (Event::Row(record), Some(columns)) => {
                self.terminal.data(&format!("{}\n", object(columns, record, self.hot)))?;
            }
            _ => {}
        }
        Ok(())
    }
}

/// Returns a record as an object. Empty cells are left out. Values without a column come last.
fn object(columns: &Columns, record: &Record, hot: usize) -> Value {
    let counters = Counter::ALL.iter().map(|counter| (counter.name(), Cell::from(record.counters.value(*counter))));
    let fields = columns.cells(record).chain(counters).filter_map(|(name, cell)| {
        let value = match cell {
            Cell::Empty => return None,
            Cell::Words(words) => words.into(),
            // JSON has no infinity and no NaN, so these become strings.
            Cell::Number(text) => match serde_json::from_str::<Number>(&text) {
                Ok(number) => number.into(),
                Err(_) => text.into(),
            },
        };
        Some((name.to_string(), value))
    });
    let mut object: Map<String, Value> = fields.collect();
    if !record.findings.is_empty() {
        let texts = record.findings.iter().map(|f| f.text.trim_end());
        object.insert("findings".into(), texts.collect());
    }
    if let Some(wrong) = &record.wrong {
        object.insert("wrong".into(), json!(wrong));
    }
    if let Some(kernel) = &record.missing_kernel {
        object.insert("missing_kernel".into(), json!(kernel));
    }
    if !record.hot.is_empty() {
        object.insert("hot".into(), json!(&record.hot[..hot.min(record.hot.len())]));
    }
    Value::Object(object)
}

#[cfg(test)]
mod tests {
    use super::*;
    use record::column;

    #[test]
    fn fields_have_the_columns_names_and_empty_cells_are_left_out() {
        let columns = Columns { lab: "lab", own: vec![column("own_ms", "a time"), column("answer", "an answer")] };
        let mut record = record::fixtures::record();
        record.own = vec![record::Value::Real(f64::NAN), record::Value::Text("4".into())];
        record.case = "8".into();
        let object = object(&columns, &record, 0);
        assert_eq!(object["n"], 1000);
        assert_eq!(object["time_median_ms"], 2);
        // Words stay strings, but a lab's answer that is a number becomes a number.
        assert_eq!(object["case"], "8");
        assert_eq!(object["answer"], 4);
        assert_eq!(object["own_ms"], "NaN");
        assert_eq!(object["findings"], json!(["Invalid read\nat line 3"]));
        assert!(object.get("memory_mode").is_none());
        assert!(object.get("launches").is_none());
    }
}
