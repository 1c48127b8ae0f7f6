//! Untrusted submissions are read safely.
use std::{
    fs::{self, File},
    io::Write,
    path::{Path, PathBuf},
};

use course::submission::{Submission, Wanted};
use tempfile::tempdir;

/// The file to look for.
const WANTED: Wanted = Wanted { lab: "lab", kernel: "k.cu" };

/// The files in a submission of `k.cu`, or why it is not taken.
fn opened(path: &Path) -> Result<Vec<(String, String)>, String> {
    Ok(remarked(path)?.0)
}

/// The same, with the remark for the student.
#[allow(clippy::type_complexity, reason = "two results")]
fn remarked(path: &Path) -> Result<(Vec<(String, String)>, Option<String>), String> {
    let submission = Submission::open(path, WANTED).map_err(|error| error.to_string())?;
    assert_eq!(submission.kernel, submission.folder().join("k.cu"));
    let text = |name: &String| (name.clone(), fs::read_to_string(submission.folder().join(name)).unwrap());
    Ok((submission.files.iter().map(text).collect(), submission.remark))
}

#[test]
fn an_empty_kernel_file_is_told_as_that() {
    let folder = tempdir().unwrap();
    let file = folder.path().join("ada.cu");
    for text in ["", " \n\t\n"] {
        fs::write(&file, text).unwrap();
        assert_eq!(opened(&file), Err("k.cu is empty".into()));
        assert_eq!(opened(&zipped(folder.path(), &[("k.cu", text.as_bytes())])), Err("k.cu is empty".into()));
    }
}

#[allow(clippy::unnecessary_wraps, reason = "it is compared with a result")]
fn files(names: &[(&str, &str)]) -> Result<Vec<(String, String)>, String> {
    Ok(names.iter().map(|(name, text)| (name.to_string(), text.to_string())).collect())
}

/// A `.zip` and a `.tar.gz` of these entries, with any names.
fn archives(folder: &Path, entries: &[(&str, &str)]) -> [PathBuf; 2] {
    let entries: Vec<(&str, &[u8])> = entries.iter().map(|(name, text)| (*name, text.as_bytes())).collect();
    archives_of(folder, &entries)
}

fn archives_of(folder: &Path, entries: &[(&str, &[u8])]) -> [PathBuf; 2] {
    let tar = folder.join("a.tar.gz");
    let encoder = flate2::write::GzEncoder::new(File::create(&tar).unwrap(), flate2::Compression::fast());
    let mut writer = tar::Builder::new(encoder);
    for (name, bytes) in entries {
        let mut header = tar::Header::new_gnu();
        header.as_gnu_mut().unwrap().name[..name.len()].copy_from_slice(name.as_bytes());
        header.set_size(bytes.len() as u64);
        header.set_mode(0o644);
        header.set_cksum();
        writer.append(&header, *bytes).unwrap();
    }
    writer.into_inner().unwrap().finish().unwrap();
    [zipped(folder, entries), tar]
}

fn zipped(folder: &Path, entries: &[(&str, &[u8])]) -> PathBuf {
    let zip = folder.join("a.zip");
    let mut writer = zip::ZipWriter::new(File::create(&zip).unwrap());
    let options = zip::write::SimpleFileOptions::default();
    for (name, bytes) in entries {
        writer.start_file(*name, options).unwrap();
        writer.write_all(bytes).unwrap();
    }
    writer.finish().unwrap();
    zip
}

#[test]
fn the_kernel_file_and_the_headers_below_its_folder_are_taken() {
    let folder = tempdir().unwrap();
    let entries = [
        ("ada/k.cu", "kernel"),
        ("ada/own.cuh", "header"),
        ("ada/notes.txt", "no"),
        ("ada/sub/more/deep.h", "deep"),
        ("other.cuh", "no"),
        ("__MACOSX/ada/k.cu", "no"),
        (".git/k.cu", "no"),
    ];
    let taken = files(&[("k.cu", "kernel"), ("own.cuh", "header"), ("sub/more/deep.h", "deep")]);
    for archive in archives(folder.path(), &entries) {
        assert_eq!(opened(&archive), taken, "{archive:?}");
    }
    let handed = folder.path().join("handed");
    for (name, text) in entries {
        let path = handed.join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }
    assert_eq!(opened(&handed), taken);
    // A kernel file that is given directly may have any name, and is taken alone: other files in its folder may be
    // others'.
    let own = "#include \"own.cuh\"\n#include \"sub/more/deep.h\"\n";
    fs::write(handed.join("ada/mine.cu"), own).unwrap();
    fs::remove_file(handed.join("ada/k.cu")).unwrap();
    let alone = "a kernel file is marked alone, without own.cuh, sub/more/deep.h next to it: hand in a folder or an archive with all";
    let taken = (files(&[("k.cu", own)]).unwrap(), Some(alone.to_string()));
    assert_eq!(remarked(&handed.join("ada/mine.cu")), Ok(taken));
    let taken = files(&[("k.cu", own), ("own.cuh", "header"), ("sub/more/deep.h", "deep")]);
    // So may a file that is the only one; two may not.
    let remark = Some("ada/mine.cu was taken as k.cu: name it so".to_string());
    assert_eq!(remarked(&handed), Ok((taken.unwrap(), remark)));
    fs::write(handed.join("other.cu"), "").unwrap();
    assert_eq!(opened(&handed).unwrap_err(), "there is no k.cu, but ada/mine.cu, other.cu: rename your file");
}

/// Systems and mail programs change names.
#[test]
fn a_kernel_file_is_known_in_capitals_and_behind_txt() {
    let folder = tempdir().unwrap();
    for (name, remark) in [
        ("K.CU", Some("K.CU was taken as k.cu: name it so")),
        ("sub/k.cu.txt", Some("sub/k.cu.txt was taken as k.cu: name it so")),
        ("mine.Cu.TXT", Some("mine.Cu.TXT was taken as k.cu: name it so")),
        ("k.cu", None),
    ] {
        let header = format!("{}OWN.CUH", name.rsplit_once('/').map_or("", |_| "sub/"));
        let taken = files(&[("OWN.CUH", "header"), ("k.cu", "kernel")]).unwrap();
        for archive in archives(folder.path(), &[(name, "kernel"), (&header, "header"), ("help.txt", "no")]) {
            assert_eq!(remarked(&archive), Ok((taken.clone(), remark.map(String::from))), "{archive:?}");
        }
        let file = folder.path().join(name.rsplit('/').next().unwrap());
        fs::write(&file, "kernel").unwrap();
        assert_eq!(opened(&file), files(&[("k.cu", "kernel")]));
    }
    // The file of the wanted name is taken, whatever else is there.
    let taken = files(&[("help.cu", "help"), ("k.cu", "kernel")]);
    for archive in archives(folder.path(), &[("K.cu.txt", "kernel"), ("help.cu", "help")]) {
        assert_eq!(opened(&archive), taken, "{archive:?}");
    }
    let plain = folder.path().join("plain.tar");
    let mut writer = tar::Builder::new(File::create(&plain).unwrap());
    let mut header = tar::Header::new_gnu();
    header.set_size(6);
    header.set_cksum();
    writer.append_data(&mut header, "k.cu", &b"kernel"[..]).unwrap();
    writer.finish().unwrap();
    assert_eq!(opened(&plain), files(&[("k.cu", "kernel")]));
    let closed = archives(folder.path(), &[("mine.7z", "")]);
    assert!(opened(&closed[0]).unwrap_err().contains("but mine.7z, which cannot be opened here: pack it"));
}

/// An archive is opened if there is no kernel file, and one more nested in it.
#[test]
fn an_archive_in_a_folder_or_in_an_archive_is_opened() {
    let folder = tempdir().unwrap();
    let taken = files(&[("k.cu", "kernel"), ("sub/a.cuh", "header")]);
    let mut bytes = archives(folder.path(), &[("k.cu", "kernel"), ("sub/a.cuh", "header"), ("b.zip", "no")]);
    for depth in 1..=3 {
        for (path, name) in bytes.iter().zip(["own.zip", "own.tar.gz"]) {
            let handed = folder.path().join(format!("{depth} {name}"));
            fs::create_dir(&handed).unwrap();
            fs::copy(path, handed.join(name)).unwrap();
            fs::write(handed.join("notes.txt"), "").unwrap();
            let told = opened(&handed);
            if depth < 3 {
                assert_eq!(told, taken, "{handed:?}");
            } else {
                assert!(told.as_ref().is_err_and(|told| told.contains("but in.zip: unpack it")), "{told:?}");
            }
            fs::write(handed.join("second.tgz"), "").unwrap();
            assert!(opened(&handed).unwrap_err().contains("several archives"), "{handed:?}");
        }
        let inner = fs::read(&bytes[0]).unwrap();
        let outer = folder.path().join(depth.to_string());
        fs::create_dir(&outer).unwrap();
        bytes = archives_of(&outer, &[("in.zip", &inner), ("notes.txt", b"")]);
    }
    let broken = archives(folder.path(), &[("in.zip", "none")]);
    assert!(opened(&broken[0]).unwrap_err().starts_with("in.zip is not a zip archive"));
}

/// The list of `warplab submit` names the lab and the path of the kernel file.
#[test]
fn the_list_of_an_archive_is_believed_only_about_names() {
    let folder = tempdir().unwrap();
    let list = |lab: &str| format!("{{\"lab\": {lab:?}, \"kernel\": \"mine.cu\"}}");
    for (list, told) in [
        (list("lab"), Ok("kernel")),
        (list("other"), Err("this was made by `warplab submit` for other, not lab")),
        (list("<b>other</b>"), Err("there is no k.cu, but help.cu, mine.cu: rename your file")),
        ("none".into(), Err("there is no k.cu, but help.cu, mine.cu: rename your file")),
    ] {
        let entries = [("mine.cu", "kernel"), ("help.cu", "help"), ("submission.json", &list)];
        for archive in archives(folder.path(), &entries) {
            let opened = opened(&archive);
            let kernel = opened.as_ref().map(|files| files[1].1.as_str()).map_err(String::as_str);
            assert_eq!(kernel, told, "{list}");
        }
    }
}

/// Names that a folder cannot have are the archive's fault.
#[test]
fn names_that_cannot_be_written_are_no_fault_of_the_computer() {
    let folder = tempdir().unwrap();
    for archive in archives(folder.path(), &[("k.cu", "kernel"), ("a.h", "file"), ("a.h/b.h", "in it")]) {
        assert_eq!(opened(&archive).unwrap_err(), "a.h is both a file and a folder");
    }
    let (long, deep) = (format!("{}.h", "x".repeat(300)), "d/".repeat(40) + "a.h");
    let [zip, _] = archives_of(folder.path(), &[("k.cu", b"kernel"), (&deep, b"")]);
    assert_eq!(opened(&zip), files(&[("k.cu", "kernel")]));
    let zip = zipped(folder.path(), &[("k.cu", b"kernel"), (&long, b"")]);
    assert_eq!(opened(&zip), files(&[("k.cu", "kernel")]));
}

#[test]
fn what_leads_out_of_an_archive_is_not_taken() {
    for name in ["../k.cu", "a/../../k.cu", "/k.cu", "..\\k.cu", "C:\\k.cu"] {
        let folder = tempdir().unwrap();
        for archive in archives(folder.path(), &[("k.cu", "kernel"), (name, "evil")]) {
            let told = opened(&archive).unwrap_err();
            assert!(told.contains("leads out of it"), "{name} in {archive:?}: {told}");
        }
    }
}

#[test]
fn links_are_not_followed() {
    let folder = tempdir().unwrap();
    let tar = folder.path().join("a.tgz");
    let encoder = flate2::write::GzEncoder::new(File::create(&tar).unwrap(), flate2::Compression::fast());
    let mut writer = tar::Builder::new(encoder);
    let mut header = tar::Header::new_gnu();
    header.set_entry_type(tar::EntryType::Symlink);
    header.set_size(0);
    writer.append_link(&mut header, "k.cu", "/etc/passwd").unwrap();
    writer.into_inner().unwrap().finish().unwrap();
    assert_eq!(opened(&tar).unwrap_err(), "there is no k.cu");
    #[cfg(unix)]
    {
        let handed = folder.path().join("handed");
        fs::create_dir(&handed).unwrap();
        std::os::unix::fs::symlink("/etc/passwd", handed.join("k.cu")).unwrap();
        std::os::unix::fs::symlink("/", handed.join("all")).unwrap();
        assert_eq!(opened(&handed).unwrap_err(), "there is no k.cu");
        let (bob, link) = (folder.path().join("bob.cu"), folder.path().join("eve.cu"));
        fs::write(&bob, "kernel").unwrap();
        std::os::unix::fs::symlink(&bob, &link).unwrap();
        assert!(opened(&link).unwrap_err().contains("it is a link"));
    }
}

#[test]
fn what_is_too_large_or_ambiguous_is_told() {
    let folder = tempdir().unwrap();
    let large = "x".repeat((1 << 20) + 1);
    for archive in archives(folder.path(), &[("k.cu", &large)]) {
        assert!(opened(&archive).unwrap_err().contains("more than 1024 KiB"), "{archive:?}");
    }
    for archive in archives(folder.path(), &[("a/k.cu", "1"), ("b/k.cu", "2")]) {
        assert!(opened(&archive).unwrap_err().contains("two files k.cu: a/k.cu and b/k.cu"), "{archive:?}");
    }
    let many: Vec<String> = (0..10_001).map(|index| format!("{index}.txt")).collect();
    let many: Vec<(&str, &str)> = many.iter().map(|name| (name.as_str(), "")).collect();
    for archive in archives(folder.path(), &many) {
        assert!(opened(&archive).unwrap_err().contains("more than 10000 files"), "{archive:?}");
    }
    // A small archive that unpacks to 70 MiB before its kernel file.
    let bomb = "0".repeat(70 << 20);
    let [zip, tar] = archives(folder.path(), &[("bomb.txt", &bomb), ("k.cu", "kernel")]);
    assert!(opened(&tar).unwrap_err().contains("not a whole .tar.gz"));
    assert_eq!(opened(&zip), files(&[("k.cu", "kernel")]));
}

#[test]
fn what_is_no_archive_is_told() {
    let folder = tempdir().unwrap();
    for (name, words) in [
        ("a.zip", "is not a zip archive"),
        ("a.tar.gz", "is not a whole .tar.gz"),
        ("a.tar", "is not a whole .tar.gz or .tar"),
        ("a.rar", "cannot be opened here: pack it as a .zip or a .tar.gz"),
        ("a.tar.xz", "cannot be opened here: pack it as a .zip or a .tar.gz"),
        ("a.7z", "cannot be opened here: pack it as a .zip or a .tar.gz"),
        ("a.pdf", "is not a .cu file, a folder,"),
        ("empty", "there is no k.cu"),
    ] {
        let path = folder.path().join(name);
        if name == "empty" {
            fs::create_dir(&path).unwrap();
        } else {
            fs::write(&path, "not an archive").unwrap();
        }
        let told = opened(&path).unwrap_err();
        assert!(told.contains(words), "{name}: {told}");
    }
}
