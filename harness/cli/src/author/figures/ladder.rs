//! Tables that compare variants: time, rate, the least time by bytes and operations, a peer, registers and occupancy.
//! They are those of `warplab report`, as Markdown. Values missing in a run are shown as a dash.

use std::path::Path;

use record::{Row, Run};
use report::{LabCatalog, limit_table};

use super::{
    csv,
    fault::{Error, Fault},
    marker::Marker,
};
use crate::labs::LABS;

/// The timed rows selected by `marker`, of the lab whose CSV it names.
pub(super) fn table(marker: &str, reports: &Path) -> Result<String, Fault> {
    let marker = Marker::new(marker)?;
    if !marker.columns.is_empty() {
        return Err(Fault::Marker("a ladder has columns of its own".into()));
    }
    let path = reports.join(marker.name);
    let lab = path.file_name().and_then(|name| name.to_str()).unwrap_or_default();
    let folder = path.parent().unwrap_or(reports);
    let run = Run::read(folder).map_err(|error| Fault::Error(Error::Run(error)))?;
    let rows = run.labs.iter().find(|rows| rows.lab == lab).map(|rows| &rows.rows);
    let rows = rows.ok_or_else(|| Fault::Marker(format!("there is no {}.csv of a lab", marker.name)))?;
    csv::check(&marker, rows)?;
    let asked: Vec<&Row> =
        rows.iter().filter(|row| row.ms().is_some() && marker.keeps(|column| row.cell(column))).collect();
    if asked.is_empty() {
        return Err(marker.no_row());
    }
    let (table, says) = limit_table(&run, lab, &asked, &LabCatalog(LABS));
    let headings: Vec<&str> = table.headings.iter().map(String::as_str).collect();
    let dashed = |cell: &String| if cell.is_empty() { "–".to_string() } else { cell.clone() };
    let rows: Vec<Vec<String>> = table.rows.iter().map(|row| row.iter().map(dashed).collect()).collect();
    let legend = if says.is_empty() { String::new() } else { format!("\n{}\n", says.join(" ")) };
    Ok(harness::markdown(&headings, &rows) + &legend)
}

#[cfg(test)]
mod tests {
    use std::fs;

    use harness::COMMON;

    use super::*;

    /// A run of one row, measured by a version that did not record registers.
    fn run() -> tempfile::TempDir {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let names: Vec<&str> = COMMON.iter().map(|column| column.name).collect();
        let row = |cells: &[(&str, &str)]| {
            let defaults = [("schema", "1"), ("lab", "scan"), ("device", "cuda"), ("verdict", "pass")];
            let cell = |name: &&str| {
                let found = cells.iter().chain(&defaults).find(|cell| cell.0 == *name);
                found.map_or("", |cell| cell.1)
            };
            names.iter().map(cell).collect::<Vec<_>>().join(",")
        };
        let slow = [("variant", "slow"), ("time_median_ms", "2"), ("gb_per_s", "1000"), ("percent_of_ceiling", "25")];
        let unmeasured = [("variant", "not timed"), ("n", "8")];
        let text = format!("{}\n{}\n{}\n", names.join(","), row(&slow), row(&unmeasured));
        fs::create_dir(folder.path().join("large")).expect("a folder");
        for csv in ["scan.csv", "large/scan.csv"] {
            fs::write(folder.path().join(csv), &text).expect("a CSV");
        }
        folder
    }

    fn made(marker: &str) -> String {
        let folder = run();
        table(marker, folder.path()).unwrap_or_else(|fault| match fault {
            Fault::Marker(what) => what,
            Fault::Error(error) => error.to_string(),
        })
    }

    #[test]
    fn what_the_run_does_not_tell_is_a_dash() {
        let expected = "\
            | variant | median, ms | GB/s | at best, ms | % of that | limit | ratio to peer | peer | registers | occupancy, % |\n\
            | --- | ---: | ---: | ---: | ---: | --- | ---: | ---: | ---: | ---: |\n\
            | slow | 2 | 1,000 | 0.5 | 25 | 4,000 GB/s | – | – | – | – |\n";
        let made = [made("scan"), made("large/scan variant!=fast")];
        assert!(made.iter().all(|made| made.starts_with(expected)), "{made:?}");
        assert!(made[0].contains("\nAt best: "), "{made:?}");
    }

    #[test]
    fn what_is_not_there_is_named() {
        for (marker, part) in [
            ("scan variant=fast", "no row"),
            ("scan n=8", "no row"),
            ("scan speed=1", "\"speed\""),
            ("scan columns=n", "columns of its own"),
            ("sort", "no sort.csv"),
            ("other/sort", "no such folder"),
            ("", "no CSV"),
        ] {
            assert!(made(marker).contains(part), "{marker}: {}", made(marker));
        }
    }
}
