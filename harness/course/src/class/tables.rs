//! Tables for other programs: marks for Moodle and Canvas, and what has changed.
use std::path::Path;

use harness::{Error, Result};

use super::{changes::Change, sheet::Sheet};
use crate::export::{file, words::points};

/// A text as a cell that no spreadsheet takes for a formula: whoever chooses a file's name does not choose what runs.
fn safe(text: &str) -> String {
    let line = text.replace(['\r', '\n', '\t'], " ");
    if line.trim_start().starts_with(['=', '+', '-', '@']) { format!("'{line}") } else { line }
}

/// A table, whose cells are safe.
#[derive(Default)]
struct Table(Vec<Vec<String>>);

impl Table {
    fn row(&mut self, cells: impl IntoIterator<Item = String>) {
        self.0.push(cells.into_iter().map(|cell| safe(&cell)).collect());
    }

    fn write(self, path: &Path) -> Result<()> {
        let mut writer = csv::Writer::from_writer(Vec::new());
        let io = |source: std::io::Error| Error::Io { action: "write", path: path.into(), source };
        for row in self.0 {
            writer.write_record(row).map_err(|error| io(error.into()))?;
        }
        let bytes = writer.into_inner().map_err(|error| io(error.into_error()))?;
        file::write(path, String::from_utf8_lossy(&bytes).trim_end())
    }
}

/// A row for each student, with the points of each part: Moodle asks which column is which.
pub fn marks(sheet: &Sheet, path: &Path) -> Result<()> {
    let mut table = Table::default();
    let parts = sheet.rubric.parts.iter().map(|part| part.name.clone());
    let begin = ["student", "id", "email", "points", "of"].map(String::from);
    table.row(begin.into_iter().chain(parts).chain(["remarks".to_string()]));
    for row in &sheet.rows {
        for student in &row.entry.students {
            let who = [student.name.clone(), student.id.clone(), student.email.clone()];
            let all = [points(row.points()), points(sheet.of_all())];
            let parts = row.parts.iter().map(|cell| points(cell.points));
            table.row(who.into_iter().chain(all).chain(parts).chain([row.remarks()]));
        }
    }
    table.write(path)
}

/// The columns that Canvas asks for, with one for the assignment.
pub fn canvas(sheet: &Sheet, path: &Path) -> Result<()> {
    let mut table = Table::default();
    let begin = ["Student", "ID", "SIS User ID", "SIS Login ID", "Section"].map(String::from);
    table.row(begin.into_iter().chain([sheet.rubric.title.clone()]));
    let most = points(sheet.of_all());
    table.row(["Points Possible", "", "", "", "", &most].map(String::from));
    for row in &sheet.rows {
        for student in &row.entry.students {
            let (name, id, login) = (student.name.clone(), student.id.clone(), student.email.clone());
            table.row([name, String::new(), id, login, String::new(), points(row.points())]);
        }
    }
    table.write(path)
}

/// The parts whose points have changed.
pub fn changes(changes: &[Change], path: &Path) -> Result<()> {
    let mut table = Table::default();
    table.row(["id", "part", "before", "after"].map(String::from));
    for change in changes {
        table.row([change.id.clone(), change.part.clone(), points(change.before), points(change.after)]);
    }
    table.write(path)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_cell_is_a_formula() {
        for text in ["=1+1", "+1", "-1", "@SUM(A1)", "\t=1", "  =1", "\r\n=cmd|' /C calc'!A0"] {
            assert!(safe(text).starts_with('\''), "{text:?}: {}", safe(text));
        }
        assert_eq!(safe("Ada, \"Countess\""), "Ada, \"Countess\"");
        assert_eq!(safe("a\nb"), "a b");
    }
}
