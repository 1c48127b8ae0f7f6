use std::fs;

use tempfile::TempDir;

use super::*;

/// A folder with these files, each of which holds its own path.
fn folder(files: &[&str]) -> TempDir {
    let folder = tempfile::tempdir().unwrap();
    for file in files {
        let path = folder.path().join(file);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, file).unwrap();
    }
    folder
}

fn entries_in(folder: &TempDir) -> Vec<Entry> {
    roster(folder).entries
}

fn roster(folder: &TempDir) -> Roster {
    entries(Some(folder.path()), None, &folder.path().join("marks")).unwrap()
}

fn ids(entries: &[Entry]) -> Vec<&str> {
    entries.iter().map(|entry| entry.id.as_str()).collect()
}

#[cfg(unix)]
#[test]
fn a_name_steers_no_terminal() {
    let class = folder(&["a\u{1b}[31mda.cu", "bob\n.cu"]);
    let entries = entries_in(&class);
    assert_eq!(ids(&entries), ["a[31mda", "bob"]);
    assert_eq!((entries[0].students[0].id.as_str(), entries[0].students[0].name.as_str()), ("a[31mda", "a[31mda"));
    assert_eq!(entries[1].handed_in, Ok(class.path().join("bob\n.cu")));
}

#[test]
fn a_folder_holds_a_file_a_folder_or_an_archive_for_each_student() {
    let class = folder(&["ada.cu", "ada.ptx", "bob/a.cu", "cy.d.tar.gz", "dan.ZIP", "notes.txt", ".git/x", "marks/x"]);
    let entries = entries_in(&class);
    assert_eq!(ids(&entries), ["ada", "bob", "cy.d", "dan"]);
    assert_eq!(roster(&class).strays, ["notes.txt"]);
    assert_eq!(entries[1].handed_in, Ok(class.path().join("bob")));
    assert!(entries.iter().all(|entry| entry.submitted.is_some()));
}

#[test]
fn two_submissions_of_one_student_are_an_error() {
    let class = folder(&["ada.cu", "ada.zip"]);
    let error = entries(Some(class.path()), None, Path::new("out")).unwrap_err().to_string();
    assert!(error.contains("ada.cu") && error.contains("ada.zip"), "{error}");
    let empty = folder(&[]);
    assert!(entries(Some(empty.path()), None, Path::new("out")).unwrap_err().to_string().contains("no submission"));
}

#[cfg(unix)]
#[test]
fn a_link_is_not_followed() {
    let class = folder(&["ada.cu"]);
    std::os::unix::fs::symlink("/etc/passwd", class.path().join("bob.cu")).unwrap();
    assert!(entries_in(&class)[1].handed_in.as_ref().is_err_and(|why| why.contains("link")));
}

#[test]
fn moodles_names_are_taken_apart() {
    let class = folder(&[
        "Ada Lovelace_1234567_assignsubmission_file/histogram.cu",
        "Ada Lovelace_1234567_assignsubmission_onlinetext/text.html",
        "Bob_de_Vries_7_assignsubmission_file_histogram.cu",
        "Cy_8_assignsubmission_file_a.cu",
        "Cy_8_assignsubmission_file_b.cuh",
        "Dan_9_assignsubmission_onlinetext/onlinetext.html",
    ]);
    let entries = entries_in(&class);
    assert_eq!(ids(&entries), ["1234567", "7", "8", "9"]);
    let names: Vec<&str> = entries.iter().map(|entry| entry.students[0].name.as_str()).collect();
    assert_eq!(names, ["Ada Lovelace", "Bob_de_Vries", "Cy", "Dan"]);
    assert!(entries[0].handed_in.is_ok() && entries[1].handed_in.is_ok());
    assert!(entries[2].handed_in.as_ref().is_err_and(|why| why.contains("in folders")));
    assert!(entries[3].handed_in.as_ref().is_err_and(|why| why.contains("no file")));
}

#[test]
fn canvass_names_are_taken_apart() {
    let names =
        ["hoppergrace_LATE_124_457_vecadd-1.zip", "lovelaceada_123_458_vecadd.cu", "bob_7_8_a.cu", "bob_7_9_b.cu"];
    let class = folder(&[&names[..], &["notes.txt"]].concat());
    let entries = entries_in(&class);
    assert_eq!(ids(&entries), ["123", "124", "7"]);
    let student = &entries[1].students[0];
    assert_eq!((student.name.as_str(), student.is_canvas), ("hoppergrace", true));
    assert!(entries[0].handed_in.is_ok() && entries[1].handed_in.is_ok());
    assert!(entries[2].handed_in.as_ref().is_err_and(|why| why.contains("one archive")));
    assert_eq!(roster(&class).strays, ["notes.txt"]);
    // With one name that does not match Canvas's pattern, all are taken as names of students.
    let class = folder(&[names[1], "ada.cu"]);
    assert_eq!(ids(&entries_in(&class)), ["ada", "lovelaceada_123_458_vecadd"]);
}

#[test]
fn gradescopes_export_names_students_and_times() {
    let class = folder(&["submission_11/histogram.cu", "submission_12/histogram.cu"]);
    let metadata = "\
---
submission_11:
  :submitters:
  - :name: Ada Lovelace
    :sid: '0123'
    :email: ada@example.org
  - :name: Bob
    :sid: 124
    :email: bob@example.org
  :created_at: 2026-05-01 14:59:00.000000000 -07:00
  :score: 0.0
  :status: processed
  :history:
  - :id: 10
    :score: 1.0
submission_12:
  :submitters: []
submission_13:
  :submitters:
  - :name: Cy
";
    fs::write(class.path().join("submission_metadata.yml"), metadata).unwrap();
    let entries = entries_in(&class);
    assert_eq!(ids(&entries), ["11", "12", "13"]);
    let [ada, bob] = &entries[0].students[..] else { panic!("{entries:?}") };
    assert_eq!((ada.name.as_str(), ada.id.as_str(), ada.email.as_str()), ("Ada Lovelace", "0123", "ada@example.org"));
    assert_eq!(bob.id, "124");
    assert_eq!(entries[0].submitted, humantime::parse_rfc3339("2026-05-01T21:59:00Z").ok());
    assert_eq!(entries[1].students[0].name, "submission_12");
    assert!(entries[2].handed_in.is_err());

    fs::write(class.path().join("submission_metadata.yml"), "../x:\n  :submitters: []\n").unwrap();
    assert!(entries_of_broken(&class).contains("submission_metadata.yml"));
}

fn entries_of_broken(class: &TempDir) -> String {
    entries(Some(class.path()), None, Path::new("out")).unwrap_err().to_string()
}

#[test]
fn a_table_names_students_and_paths() {
    let class = folder(&["repos/ada/histogram.cu"]);
    let table = class.path().join("roster.csv");
    let read = || entries(None, Some(&table), Path::new("out"));
    fs::write(&table, "student, path, time\nAda, repos/ada, 2026-05-01T10:00:00Z\nBob, repos/bob,\nCy,,\n").unwrap();
    let all = read().unwrap().entries;
    assert_eq!(ids(&all), ["Ada", "Bob", "Cy"]);
    assert_eq!(all[0].handed_in, Ok(class.path().join("repos/ada")));
    assert_eq!(all[0].submitted, humantime::parse_rfc3339("2026-05-01T10:00:00Z").ok());
    assert!(all[1].handed_in.is_err() && all[2].handed_in.is_err());

    for (text, words) in [
        ("student,folder\nAda,x\n", "the columns are student and path"),
        ("student;path\nAda;x\n", "commas between them"),
        ("student,path\n,x\n", "line 2 names no student"),
        ("student,path,time\nAda,x,noon\n", "line 2: `noon`"),
    ] {
        fs::write(&table, text).unwrap();
        let error = read().unwrap_err().to_string();
        assert!(error.contains(words), "{error}");
    }
}
