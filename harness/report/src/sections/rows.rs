//! The rows of a lab, as a table of the most important columns.
use harness::Verdict;
use record::{LabRows, Row};

use crate::{
    charts::figure::FigureTable,
    number_format::{count, grouped, short, time},
};

/// The maximum number of a lab's rows that are shown. A larger page would be slow to open; the CSV has all.
const MOST: usize = 250;

/// The maximum length of a note that is shown whole.
const NOTE: usize = 160;

/// Returns the table: unexpected rows have precedence when rows are left out. Of many rows, [`MOST`] divided by `part`
/// are shown.
pub fn table(lab: &LabRows, part: usize) -> FigureTable {
    let most = MOST / part;
    let mut table = FigureTable::new(&[
        "variant",
        "case",
        "n",
        "grid",
        "block",
        "median",
        "± %",
        "GB/s",
        "GFLOP/s",
        "% of ceiling",
        "verdict",
        "note",
    ]);
    let mut shown: Vec<(usize, &Row)> = lab.rows.iter().enumerate().collect();
    if shown.len() > most {
        shown.sort_by_key(|(i, row)| (row.verdict == Verdict::Pass, *i));
        shown.truncate(most);
        shown.sort_by_key(|(i, _)| *i);
        table.left_out = format!("{} more in {}.csv.", count(lab.rows.len() - most, "row"), lab.lab);
    }
    for (_, row) in shown {
        let rate = |rate: Option<f64>| rate.filter(|_| !row.is_emulated()).map_or(String::new(), short);
        table.rows.push(vec![
            row.variant().into(),
            row.case().into(),
            row.size().map_or(String::new(), grouped),
            row.grid.as_deref().unwrap_or_default().into(),
            row.block.as_deref().unwrap_or_default().into(),
            row.ms().map_or(String::new(), time),
            row.noise_percent().map_or(String::new(), short),
            rate(row.gb_per_s),
            rate(row.gflop_per_s),
            rate(row.percent_of_ceiling),
            row.verdict_words().into(),
            shortened(&row.note),
        ]);
    }
    table.without_empty_columns()
}

fn shortened(note: &str) -> String {
    match note.char_indices().nth(NOTE) {
        Some((end, _)) => format!("{}…", note[..end].trim_end()),
        None => note.into(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use record::fixtures::row;

    #[test]
    fn of_many_rows_the_failed_ones_are_shown() {
        let mut rows: Vec<Row> = (0..MOST + 50).map(|i| row(&[("variant", &format!("v{i}"))])).collect();
        rows.push(row(&[("variant", "bad"), ("verdict", "fail"), ("note", &"x".repeat(500))]));
        let lab = LabRows { lab: "scan".into(), rows, ..LabRows::default() };
        let (part, table) = (table(&lab, 5), table(&lab, 1));
        assert_eq!((table.rows.len(), table.left_out.as_str()), (MOST, "51 rows more in scan.csv."));
        assert_eq!((part.rows.len(), part.left_out.as_str()), (MOST / 5, "251 rows more in scan.csv."));
        let last = table.rows.last().unwrap();
        assert_eq!((last[0].as_str(), last.last().unwrap().chars().count()), ("bad", NOTE + 1));
    }
}
