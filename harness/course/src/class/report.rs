//! The report about a graded class, or about as much of it as is graded.
use std::{
    fs,
    path::{Path, PathBuf},
};

use harness::{DeviceChoice, Error, Result};

use super::{
    changes::{self, Change, Moved, changes},
    entry::Entry,
    grade::Class,
    pages,
    policy::{
        late::Late,
        overrides::{Override, overrides},
    },
    record::Record,
    sheet::{Sheet, mean_and_median},
    similar::{self, Member},
    tables,
};
use crate::export::{file, mark_text::points};

/// A teacher's decisions, read before anything is graded, so that a mistake in them costs no time.
#[derive(Debug)]
pub struct Policy {
    overrides: Vec<Override>,
    late: Late,
}

impl Policy {
    /// Reads the policy of the class in `out`.
    ///
    /// # Errors
    /// [`Error::Usage`] when there is a mistake in one of its files.
    pub fn read(class: &Class, out: &Path) -> Result<Self> {
        Ok(Self { overrides: overrides(out, &class.entries, &class.rubric)?, late: Late::load(out, &class.entries)? })
    }
}

/// Reads the record of each submission.
///
/// # Errors
/// [`Error::Io`].
pub fn records(class: &Class) -> Result<Vec<Option<Record>>> {
    class.entries.iter().map(|entry| class.store.read(entry)).collect()
}

/// Writes tables and pages into `out`, and returns the summary for the teacher: how the class did, and what has changed
/// since the records `before`. The flag says whether all points are final.
///
/// # Errors
/// [`Error::Io`].
pub fn write(class: &Class, out: &Path, policy: &Policy, before: &[Option<Record>]) -> Result<(String, bool)> {
    let after = records(class)?;
    let graded = class.entries.iter().zip(after.iter().map(Option::as_ref));
    let has_speed = matches!(class.choice()?, DeviceChoice::Cuda(_));
    let sheet = Sheet::new(&class.rubric, has_speed, graded, &policy.overrides, &policy.late);
    let changed: Vec<Change> = before
        .iter()
        .zip(&after)
        .filter_map(|(before, after)| Some(changes(before.as_ref()?, after.as_ref()?)))
        .flatten()
        .collect();
    tables::marks(&sheet, &out.join("marks.csv"))?;
    tables::canvas(&sheet, &out.join("marks-canvas.csv"))?;
    let told = changes::told(out)?;
    let moved = changes::moved(&told, &changes::tell(&sheet, out)?, &changed);
    tables::changes(&changed, &moved, &out.join("changes.csv"))?;
    students(&sheet, &out.join("students"))?;
    file::write(&out.join("class.html"), &pages::class(&sheet))?;
    file::write(&out.join("similar.html"), &alike(class, &sheet))?;
    let is_settled = sheet.rows.iter().all(super::sheet::SheetRow::is_settled);
    let mut lines = summary(&sheet);
    lines.extend(what_changed(&changed, &moved, &class.again));
    lines.push(format!("Marks: {}; pages: {}", out.join("marks.csv").display(), out.join("class.html").display()));
    Ok((lines.join("\n"), is_settled))
}

/// Writes a page and a text for each submission, and deletes those of others.
fn students(sheet: &Sheet, folder: &Path) -> Result<()> {
    let io = |action, path: &Path| {
        let path = path.to_path_buf();
        move |source| Error::Io { action, path, source }
    };
    fs::create_dir_all(folder).map_err(io("create", folder))?;
    let mut written: Vec<PathBuf> = Vec::new();
    for row in &sheet.rows {
        let name = row.entry.file_name();
        for (ending, text) in [("html", pages::student(sheet, row)), ("txt", pages::feedback(sheet, row))] {
            let path = folder.join(format!("{name}.{ending}"));
            file::write(&path, &text)?;
            written.push(path);
        }
    }
    for entry in fs::read_dir(folder).map_err(io("read", folder))? {
        let path = entry.map_err(io("read", folder))?.path();
        let is_page = path.extension().is_some_and(|end| end == "html" || end == "txt");
        if is_page && !written.contains(&path) {
            fs::remove_file(&path).map_err(io("remove", &path))?;
        }
    }
    Ok(())
}

/// The page about similar submissions.
fn alike(class: &Class, sheet: &Sheet) -> String {
    let own = class.lab.kernels.iter().find(|file| file.name == class.rubric.kernel);
    let solution = own.and_then(|own| similar::of_source(own).ok()).unwrap_or_default();
    let given = own.and_then(|own| starter(class, own).ok()).unwrap_or_default();
    let names: Vec<String> = sheet.rows.iter().map(|row| names(row.entry)).collect();
    let records = sheet.rows.iter().map(|row| row.record.map_or(&[][..], |record| &record.shingles));
    let mut members: Vec<Member> =
        names.iter().zip(records).map(|(name, shingles)| Member { name, shingles }).collect();
    members.push(Member { name: "the lab's own kernels", shingles: &solution });
    pages::similar(sheet, &members, &similar::groups(&members, &given))
}

/// The shingles of the handed-out file.
fn starter(class: &Class, own: &kernels::KernelSource) -> Result<Vec<u32>> {
    let text = class.rubric.starter(&own.cuda)?.text;
    similar::of_source(&kernels::KernelSource { cuda: text.into(), ptx: kernels::CommittedPtx::NONE, ..own.clone() })
}

/// The names of the submitters.
fn names(entry: &Entry) -> String {
    entry.students.iter().map(|student| student.name.as_str()).collect::<Vec<_>>().join(", ")
}

/// The class in a few lines.
fn summary(sheet: &Sheet) -> Vec<String> {
    let all: Vec<f64> = sheet.graded().map(super::sheet::SheetRow::points).collect();
    let mut graded = format!("{} of {} graded", all.len(), sheet.rows.len());
    if let Some((mean, median)) = mean_and_median(&all) {
        let most = points(sheet.of_all());
        graded += &format!(": mean {} of {most} points, median {}", points(mean), points(median));
    }
    let mut lines = vec![sheet.rubric.title.clone(), graded];
    let open: Vec<String> = sheet
        .rows
        .iter()
        .filter(|row| !row.is_settled())
        .map(|row| format!("  {}: {}", row.entry.id, row.remarks()))
        .collect();
    if !open.is_empty() {
        lines.push("Preliminary, because some of it could not be judged here:".into());
        lines.extend(open);
    }
    lines
}

/// Lists the points that have changed.
fn what_changed(changed: &[Change], moved: &[Moved], again: &[String]) -> Vec<String> {
    let part = |change: &Change| {
        let (before, after) = (points(change.before), points(change.after));
        format!("  {}, {}: {before} -> {after}", change.id, change.part)
    };
    let all = |moved: &Moved| {
        let total = |known: Option<f64>| known.map_or("none".into(), points);
        format!("  {}, all: {} -> {} ({})", moved.id, total(moved.before), total(moved.after), moved.reason)
    };
    let lines: Vec<String> = changed.iter().map(part).chain(moved.iter().map(all)).collect();
    match (lines.is_empty(), again.is_empty()) {
        (false, _) => std::iter::once("Changed:".to_string()).chain(lines).collect(),
        (true, false) => vec![format!("Marked again: {}. No points have changed.", again.join(", "))],
        (true, true) => Vec::new(),
    }
}
