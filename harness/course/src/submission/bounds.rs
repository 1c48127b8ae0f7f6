//! How much of a submission is read.
use std::{
    fs::{File, OpenOptions},
    io::{self, Read},
    path::Path,
};

use super::{Unread, unfit};

/// Bytes of a kernel file or header.
pub const LARGEST_FILE: u64 = 1 << 20;
/// Headers below the folder of a kernel file.
pub const MOST_HEADERS: usize = 256;
/// Bytes of a file's or a folder's name.
pub const LONGEST_NAME: usize = 128;
/// Files in a folder or an archive, of any kind.
pub const MOST_ENTRIES: usize = 10_000;
/// Folders in folders.
pub const DEEPEST: usize = 8;
/// Bytes of an archive.
pub const LARGEST_ARCHIVE: u64 = 16 << 20;
/// Bytes that an archive may unpack to, as far as it must be unpacked to be read.
pub const LARGEST_UNPACKED: u64 = 64 << 20;

/// What an archive that is too large is told.
pub fn too_large_archive(name: &str) -> Unread {
    unfit(format!("{name} has more than {} MiB", LARGEST_ARCHIVE >> 20))
}

/// Opens a file, but nothing that a reader would have to wait for, such as a pipe.
///
/// # Errors
/// The system's, and when it is no file.
pub fn open(path: &Path) -> io::Result<File> {
    if !path.metadata()?.is_file() {
        return Err(io::Error::other("it is not a file"));
    }
    OpenOptions::new().read(true).open(path)
}

/// All of `reader`, or `None` if it has more than `most` bytes.
///
/// # Errors
/// The reader's.
pub fn read(reader: &mut impl Read, most: u64) -> io::Result<Option<Vec<u8>>> {
    let mut bytes = Vec::new();
    reader.take(most + 1).read_to_end(&mut bytes)?;
    Ok((bytes.len() as u64 <= most).then_some(bytes))
}
