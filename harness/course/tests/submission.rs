//! What is handed in is read without trust.
use std::{
    fs::{self, File},
    io::Write,
    path::{Path, PathBuf},
};

use course::submission::Submission;
use tempfile::tempdir;

/// The files that a submission of `k.cu` holds, or why it is not taken.
fn opened(path: &Path) -> Result<Vec<(String, String)>, String> {
    let submission = Submission::open(path, "k.cu").map_err(|error| error.to_string())?;
    assert_eq!(submission.kernel.file_name().unwrap(), "k.cu");
    let entries = fs::read_dir(submission.kernel.parent().unwrap()).unwrap().map(|entry| entry.unwrap().path());
    let mut files: Vec<(String, String)> = entries
        .map(|path| (path.file_name().unwrap().to_str().unwrap().into(), fs::read_to_string(path).unwrap()))
        .collect();
    files.sort();
    Ok(files)
}

#[allow(clippy::unnecessary_wraps, reason = "it is compared with a result")]
fn files(names: &[(&str, &str)]) -> Result<Vec<(String, String)>, String> {
    Ok(names.iter().map(|(name, text)| (name.to_string(), text.to_string())).collect())
}

/// A `.zip` and a `.tar.gz` of these entries, whatever their names are.
fn archives(folder: &Path, entries: &[(&str, &str)]) -> [PathBuf; 2] {
    let [zip, tar] = ["a.zip", "a.tar.gz"].map(|name| folder.join(name));
    let mut writer = zip::ZipWriter::new(File::create(&zip).unwrap());
    let options = zip::write::SimpleFileOptions::default();
    for (name, text) in entries {
        writer.start_file(*name, options).unwrap();
        writer.write_all(text.as_bytes()).unwrap();
    }
    writer.finish().unwrap();
    let encoder = flate2::write::GzEncoder::new(File::create(&tar).unwrap(), flate2::Compression::fast());
    let mut writer = tar::Builder::new(encoder);
    for (name, text) in entries {
        let mut header = tar::Header::new_gnu();
        header.as_gnu_mut().unwrap().name[..name.len()].copy_from_slice(name.as_bytes());
        header.set_size(text.len() as u64);
        header.set_mode(0o644);
        header.set_cksum();
        writer.append(&header, text.as_bytes()).unwrap();
    }
    writer.into_inner().unwrap().finish().unwrap();
    [zip, tar]
}

#[test]
fn the_kernel_file_and_the_headers_beside_it_are_taken() {
    let folder = tempdir().unwrap();
    let entries = [
        ("ada/k.cu", "kernel"),
        ("ada/own.cuh", "header"),
        ("ada/notes.txt", "no"),
        ("other.cuh", "no"),
        ("__MACOSX/ada/k.cu", "no"),
        (".git/k.cu", "no"),
    ];
    let taken = files(&[("k.cu", "kernel"), ("own.cuh", "header")]);
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
    // A kernel file that is named itself may have any name.
    fs::rename(handed.join("ada/k.cu"), handed.join("ada/mine.cu")).unwrap();
    assert_eq!(opened(&handed.join("ada/mine.cu")), taken);
    let told = opened(&handed).unwrap_err();
    assert_eq!(told, "there is no k.cu, but ada/mine.cu: rename your file");
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
        ("a.rar", "is none of these"),
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
