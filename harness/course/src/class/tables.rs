//! Tables for other programs: marks for Moodle and Canvas, and changes.
use std::path::Path;

use harness::{Error, Result};
use wire::printable::cell as cell_of;

use super::{
    changes::{Change, GRADED, Moved},
    sheet::Sheet,
};
use crate::export::{file, mark_text::points};

/// A table whose cells are safe to open in a spreadsheet.
#[derive(Default)]
struct SpreadsheetTable(Vec<Vec<String>>);

impl SpreadsheetTable {
    fn row(&mut self, cells: impl IntoIterator<Item = String>) {
        self.0.push(cells.into_iter().map(|cell| cell_of(&cell)).collect());
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

/// Points that are final. An empty cell makes a course system keep its value.
fn cell(known: Option<f64>) -> String {
    known.map_or(String::new(), points)
}

/// Writes a row for each student, with the points of each part; Moodle asks which column is which.
pub fn marks(sheet: &Sheet, path: &Path) -> Result<()> {
    let mut table = SpreadsheetTable::default();
    let parts = sheet.rubric.exercises.iter().map(|part| part.name.clone());
    let begin = ["student", "id", "email", "points", "of"].map(String::from);
    table.row(begin.into_iter().chain(parts).chain(["remarks".to_string()]));
    for row in &sheet.rows {
        for student in &row.entry.students {
            let who = [student.name.clone(), student.id.clone(), student.email.clone()];
            let all = [cell(row.settled()), points(sheet.of_all())];
            let is_there = row.entry.handed_in.is_ok();
            let parts = row.parts.iter().map(|part| cell(part.settled().or((!is_there).then_some(0.0))));
            table.row(who.into_iter().chain(all).chain(parts).chain([row.remarks()]));
        }
    }
    table.write(path)
}

/// Writes the columns that Canvas requires, plus one for the assignment.
pub fn canvas(sheet: &Sheet, path: &Path) -> Result<()> {
    let mut table = SpreadsheetTable::default();
    let begin = ["Student", "ID", "SIS User ID", "SIS Login ID", "Section"].map(String::from);
    table.row(begin.into_iter().chain([sheet.rubric.title.clone()]));
    let most = points(sheet.of_all());
    table.row(["Points Possible", "", "", "", "", &most].map(String::from));
    for row in &sheet.rows {
        for student in &row.entry.students {
            let (name, id, login) = (student.name.clone(), student.id.clone(), student.email.clone());
            // The number in the names of Canvas's files is its own id of a student.
            let (own, id) = if student.is_canvas { (id, String::new()) } else { (String::new(), id) };
            table.row([name, own, id, login, String::new(), cell(row.settled())]);
        }
    }
    table.write(path)
}

/// Writes the parts whose points have changed, then the totals that have changed, each with the reason.
pub fn changes(changes: &[Change], moved: &[Moved], path: &Path) -> Result<()> {
    let mut table = SpreadsheetTable::default();
    table.row(["id", "part", "before", "after", "reason"].map(String::from));
    for change in changes {
        let points = [points(change.before), points(change.after)];
        table.row([change.id.clone(), change.part.clone()].into_iter().chain(points).chain([GRADED.into()]));
    }
    for moved in moved {
        let points = [cell(moved.before), cell(moved.after)];
        table.row([moved.id.clone(), "all".into()].into_iter().chain(points).chain([moved.reason.clone()]));
    }
    table.write(path)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        assignment::rubric::Rubric,
        class::{
            entry::{Entry, Student},
            pages,
            policy::late::Late,
            record::Record,
        },
    };

    /// Canvas ignores an empty cell; 0 would be a mark.
    #[test]
    fn what_could_not_be_graded_has_no_points() {
        let rubric: Rubric =
            toml::from_str("title = \"t\"\nkernel = \"k.cu\"\n[[part]]\nname = \"p\"\nvariants = [\"v\"]\nright = 9\n")
                .unwrap();
        let student = |id: &str, is_canvas| Student { name: id.into(), id: id.into(), is_canvas, ..Student::default() };
        let there = Entry::of_one(student("ada", false), Ok("ada.zip".into()), None);
        let absent = Entry::of_one(student("7", true), Err("nothing was handed in".into()), None);
        let out = tempfile::tempdir().unwrap();
        let late = Late::load(out.path(), &[]).unwrap();
        let record = Record { problem: Some("no memory".into()), ..Record::new(&there) };
        let entries = [(&there, Some(&record)), (&absent, None)];
        let sheet = Sheet::new(&rubric, false, entries.into_iter(), &[], &late);
        let written = |write: &dyn Fn(&Sheet, &Path) -> Result<()>| {
            let path = out.path().join("table.csv");
            write(&sheet, &path).unwrap();
            std::fs::read_to_string(path).unwrap()
        };
        let table = written(&canvas);
        assert!(table.ends_with("\nada,,ada,,,\n7,7,,,,0\n"), "{table}");
        let table = written(&marks);
        assert!(table.contains("\nada,ada,,,9,,could not be graded: no memory\n7,7,,0,9,0,"), "{table}");
        let page = pages::student(&sheet, &sheet.rows[0]) + &pages::feedback(&sheet, &sheet.rows[0]);
        assert!(page.contains("not graded yet") && !page.contains("0 of 9"), "{page}");
    }

    #[test]
    fn no_cell_is_a_formula() {
        let out = tempfile::tempdir().unwrap();
        let mut table = SpreadsheetTable::default();
        table.row(["=cmd|' /C calc'!A0", "\n@SUM(A1)"].map(String::from));
        let path = out.path().join("table.csv");
        table.write(&path).unwrap();
        assert_eq!(std::fs::read_to_string(path).unwrap(), "'=cmd|' /C calc'!A0,' @SUM(A1)\n");
    }
}
