//! Packs a submission: an archive of the kernel file and the student's own headers, with a list of them.
use std::{
    collections::BTreeMap,
    fmt::Write as _,
    fs,
    io::{Cursor, Write as _},
    path::Path,
};

use harness::{Error, Exit, Lab, Result};
use kernels::{GET_NVRTC, Header, KernelSource, is_header};
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};
use zip::{CompressionMethod, DateTime, ZipWriter, write::SimpleFileOptions};

use super::{check::not_compiled, folder::Folder, to_do::to_do};
use crate::{
    assignment::rubric::Rubric,
    submission::{LIST, Submission as Taken, Wanted},
};

/// The device for which the kernels must compile: the default of the emulated machine.
const CAPABILITY: (i32, i32) = (8, 0);

/// The list of an archive's content.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Submission {
    /// The lab's name.
    pub lab: String,
    /// The version of warplab that made the archive.
    pub warplab: String,
    /// The path of the kernel file in the archive.
    pub kernel: String,
    /// All files in the archive but this list, in order of path.
    pub files: Vec<Listed>,
}

/// A file in an archive.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Listed {
    /// Its path, with forward slashes.
    pub path: String,
    /// Its length.
    pub bytes: usize,
    /// Its SHA-256, in lower-case hexadecimal.
    pub sha256: String,
}

/// Writes the submission from `folder`, of `lab`'s assignment, to `archive`, and describes its content. The same files
/// give the same bytes. An unchanged starter, and a file that does not compile, are refused unless `anyway`.
///
/// # Errors
/// [`Error::Usage`] for a refused submission, with the reason; [`Error::Kernel`] when the kernel file cannot be read;
/// [`Error::Io`]. No archive is written then.
pub fn submit(lab: &'static Lab, folder: &Path, archive: &Path, anyway: bool) -> Result<String> {
    let read = Folder::read(folder)?;
    // A mistake in course.toml does not prevent a submission.
    let rubric = match (Folder::rubric(folder, lab), &lab.assignment) {
        (Err(Error::Usage(_)), Some(assignment)) => Rubric::own(assignment, lab)?,
        (rubric, _) => rubric?,
    };
    let replaced = lab.kernels.iter().find(|file| file.name == rubric.kernel).expect("the rubric fits the lab");
    if archive.extension().is_none_or(|end| end != "zip") {
        return Err(Error::usage(format!("{}: the name of the archive must end with .zip", archive.display())));
    }
    let mut source = KernelSource::read(&folder.join(&read.kernel), &read.kernel)?;
    let files = own_files(folder, &read.kernel, &mut source);

    let mut notes = Vec::new();
    let starter = rubric.starter(&replaced.cuda)?;
    if is_unchanged(&source.cuda, &starter.text) {
        let words = format!("{} is as `warplab start` wrote it: nothing is solved yet", read.kernel);
        or_anyway(Error::usage(words), anyway, &mut notes)?;
    }
    let has: Vec<String> = texts(&source).flat_map(|text| kernels_of(text, replaced)).collect();
    let mut missing = kernels_of(&starter.text, replaced);
    missing.retain(|name| !has.contains(name));
    if !missing.is_empty() {
        let words = format!("{} lacks what was asked for: kernel {}", read.kernel, missing.join(", kernel "));
        // A macro may define a kernel, but a file without any kernel is suspicious.
        if has.is_empty() { or_anyway(Error::usage(words), anyway, &mut notes)? } else { notes.push(words) }
    }
    let open: Vec<&str> = to_do(&source.cuda).iter().map(|open| open.exercise).collect();
    if !open.is_empty() {
        notes.push(format!("still marked TODO: {}", open.join(", ")));
    }
    if kernels::nvrtc()?.is_none() {
        notes.push(format!("not compiled before, because NVRTC was not found. {GET_NVRTC}"));
    } else {
        let source = source.in_place_of(replaced);
        if let Err(error) = kernels::ptx_for(&source, CAPABILITY) {
            or_anyway(not_compiled(error, &source, &folder.join(&read.kernel)), anyway, &mut notes)?;
        }
    }
    let bytes = zipped(lab.name, &read.kernel, &files)?;
    // Marks depend on the kernel file's name in the rubric.
    let wanted = Wanted { lab: lab.name, kernel: &rubric.kernel };
    if let Err(error) = Taken::check(&archive.display().to_string(), &bytes, wanted) {
        or_anyway(Error::usage(format!("this archive could not be graded: {error}")), anyway, &mut notes)?;
    }
    harness::write_whole(archive, &bytes)?;
    let names: Vec<&str> = files.keys().map(String::as_str).collect();
    let mut said = format!("wrote {} ({}): hand in this file", archive.display(), names.join(", "));
    for note in notes {
        let _ = write!(said, "\n{note}");
    }
    Ok(said)
}

/// Returns the error, or turns it into a note if the user wants to submit `anyway`.
fn or_anyway(error: Error, anyway: bool, notes: &mut Vec<String>) -> Result<()> {
    if anyway {
        notes.push(error.to_string());
        return Ok(());
    }
    // A compiler that cannot be started says nothing about the file.
    if error.exit() != Exit::Usage {
        return Err(error);
    }
    Err(Error::usage(format!("{error}\n`warplab submit --anyway` hands it in regardless")))
}

/// The text of each submitted file, by its path: the kernel file, and the headers in its folder that it includes. All
/// other files are removed from `source`.
fn own_files(folder: &Path, kernel: &str, source: &mut KernelSource) -> BTreeMap<String, String> {
    let mut files = BTreeMap::from([(kernel.to_string(), source.cuda.to_string())]);
    let root = fs::canonicalize(folder).unwrap_or_else(|_| folder.into());
    let mut kept: Vec<Header> = Vec::new();
    for header in source.headers.iter() {
        let real = fs::canonicalize(header.path.as_ref()).unwrap_or_default();
        let Ok(inside) = real.strip_prefix(&root) else { continue };
        let path = inside.to_string_lossy().replace('\\', "/");
        if is_header(&path) && !path.split('/').any(|part| part.starts_with('.')) {
            files.insert(path, header.text.to_string());
            kept.push(header.clone());
        }
    }
    source.headers = kept.into();
    files
}

/// The names of the kernels in a text that replaces `replaced`.
fn kernels_of(text: &str, replaced: &KernelSource) -> Vec<String> {
    let source = KernelSource { cuda: text.to_string().into(), ..replaced.clone() };
    source.kernels().into_iter().map(str::to_owned).collect()
}

/// The kernel file's text, and those of its own headers.
fn texts(source: &KernelSource) -> impl Iterator<Item = &str> {
    std::iter::once(&*source.cuda).chain(source.headers.iter().map(|header| &*header.text))
}

/// Whether the file is as it was handed out, now or by an earlier version, whose marks had the name alone.
fn is_unchanged(cuda: &str, starter: &str) -> bool {
    lines(cuda).eq(lines(starter)) || lines(cuda).eq(lines(&starter.replace("// TODO (exercise ", "// TODO (")))
}

/// The lines of a text, with any line endings, without empty lines at its end.
fn lines(text: &str) -> impl Iterator<Item = &str> {
    text.trim_end().lines().map(str::trim_end)
}

/// The archive: the list, then the files in order of path, all with the same time.
fn zipped(lab: &str, kernel: &str, files: &BTreeMap<String, String>) -> Result<Vec<u8>> {
    let listed = |(path, text): (&String, &String)| Listed {
        path: path.clone(),
        bytes: text.len(),
        sha256: kernels::hex(&Sha256::digest(text.as_bytes())),
    };
    let list = Submission {
        lab: lab.into(),
        warplab: env!("CARGO_PKG_VERSION").into(),
        kernel: kernel.into(),
        files: files.iter().map(listed).collect(),
    };
    let list = serde_json::to_string_pretty(&list).expect("plain texts and numbers") + "\n";
    let options = SimpleFileOptions::default()
        .compression_method(CompressionMethod::Deflated)
        .last_modified_time(DateTime::default())
        .unix_permissions(0o644);
    let mut zip = ZipWriter::new(Cursor::new(Vec::new()));
    let mut add = |path: &str, text: &str| {
        zip.start_file(path, options)?;
        zip.write_all(text.as_bytes()).map_err(zip::result::ZipError::from)
    };
    let all = std::iter::once((LIST, list.as_str())).chain(files.iter().map(|(path, text)| (path.as_str(), &**text)));
    let written = all.into_iter().try_for_each(|(path, text)| add(path, text)).and_then(|()| zip.finish());
    written.map(Cursor::into_inner).map_err(|source| Error::Io {
        action: "pack",
        path: kernel.into(),
        source: source.into(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_ends_of_lines_are_no_solution() {
        assert!(lines("a\r\nb \r\n\r\n").eq(lines("a\nb\n")));
        assert!(!lines("a\nb").eq(lines("a\nc")));
    }

    #[test]
    fn an_unchanged_file_of_an_earlier_version_is_no_solution() {
        let starter = "// TODO (exercise add): Add.\n";
        assert!(is_unchanged(starter, starter) && is_unchanged("// TODO (add): Add.\r\n", starter));
        assert!(!is_unchanged("// TODO (add): Add.\nx\n", starter));
    }
}
