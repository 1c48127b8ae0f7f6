//! Reads a submission that is an archive. It is never unpacked to files: the relevant kinds of files are read from it,
//! and the rest is skipped.
use std::{
    io::{Read, Seek},
    path::{Component, Path},
};

use flate2::read::GzDecoder;

use super::{
    archive_kind::{ArchiveKind, CLOSED},
    bounds::{self, LARGEST_ARCHIVE, LARGEST_UNPACKED, MOST_ENTRIES},
    pick::{Found, Picked},
    unread::{Unread, too_large_archive, unfit, unreadable},
    wanted::Wanted,
};

/// Reads the archive at `path`.
///
/// # Errors
/// As [`super::Submission::open`].
pub fn read_file(path: &Path, kind: ArchiveKind, wanted: Wanted) -> Result<Picked, Unread> {
    let file = bounds::open(path).map_err(|error| unreadable(path, &error))?;
    let size = file.metadata().map_err(|error| unreadable(path, &error))?.len();
    if size > LARGEST_ARCHIVE {
        return Err(too_large_archive(&path.display().to_string()));
    }
    read(&path.display().to_string(), kind, file, wanted)
}

/// Reads an archive with the display name `shown`.
///
/// # Errors
/// As [`super::Submission::open`].
pub fn read(shown: &str, kind: ArchiveKind, reader: impl Read + Seek, wanted: Wanted) -> Result<Picked, Unread> {
    match kind {
        ArchiveKind::Zip => zip(shown, reader, wanted),
        ArchiveKind::TarGz => tar(shown, GzDecoder::new(reader), wanted),
        ArchiveKind::Tar => tar(shown, reader, wanted),
        ArchiveKind::Other => Err(unfit(format!("{shown} {CLOSED}"))),
    }
}

fn zip(shown: &str, reader: impl Read + Seek, wanted: Wanted) -> Result<Picked, Unread> {
    let broken = |error: &zip::result::ZipError| unfit(format!("{shown} is not a zip archive: {error}"));
    let mut archive = zip::ZipArchive::new(reader).map_err(|error| broken(&error))?;
    if archive.len() > MOST_ENTRIES {
        return Err(too_many());
    }
    let mut found = Found::new(wanted);
    for index in 0..archive.len() {
        let mut entry = archive.by_index(index).map_err(|error| broken(&error))?;
        let name = inside(&entry.name().map_err(|error| broken(&error))?)?;
        if entry.is_file() && !entry.is_symlink() && found.wants(&name) {
            found.add(&name, &mut entry)?;
        }
    }
    found.pick()
}

/// Reads a `.tar`, compressed or not.
fn tar(shown: &str, reader: impl Read, wanted: Wanted) -> Result<Picked, Unread> {
    let broken = |error: &std::io::Error| unfit(format!("{shown} is not a whole .tar.gz or .tar: {error}"));
    // Everything before an entry must be unpacked to reach it.
    let mut archive = tar::Archive::new(reader.take(LARGEST_UNPACKED));
    let mut found = Found::new(wanted);
    for (entry, count) in archive.entries().map_err(|error| broken(&error))?.zip(1..) {
        if count > MOST_ENTRIES {
            return Err(too_many());
        }
        let mut entry = entry.map_err(|error| broken(&error))?;
        let name = inside(&String::from_utf8_lossy(&entry.path_bytes()))?;
        if entry.header().entry_type().is_file() && found.wants(&name) {
            found.add(&name, &mut entry)?;
        }
    }
    found.pick()
}

fn too_many() -> Unread {
    unfit(format!("the archive has more than {MOST_ENTRIES} files: hand in the kernel file and its headers alone"))
}

/// The path of an entry, which must stay inside the archive.
fn inside(name: &str) -> Result<String, Unread> {
    let name = name.replace('\\', "/");
    let leaves = |part| !matches!(part, Component::Normal(_) | Component::CurDir);
    if Path::new(&name).components().any(leaves) || name.contains(':') || name.contains('\0') {
        return Err(unfit(format!("the archive has a file that leads out of it: {name}")));
    }
    let parts = name.split('/').filter(|part| !part.is_empty() && *part != ".");
    Ok(parts.collect::<Vec<_>>().join("/"))
}
