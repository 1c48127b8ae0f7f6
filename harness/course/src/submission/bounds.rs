//! Limits on how much of a submission is read.
use std::{
    fs::{File, OpenOptions},
    io::{self, Read},
    path::Path,
};

/// The most bytes of a kernel file or header.
pub const LARGEST_FILE: u64 = 1 << 20;
/// The most headers below the folder of a kernel file.
pub const MOST_HEADERS: usize = 256;
/// The most bytes of a file's or folder's name.
pub const LONGEST_NAME: usize = 128;
/// The most files in a folder or an archive, of any kind.
pub const MOST_ENTRIES: usize = 10_000;
/// The deepest nesting of folders.
pub const DEEPEST: usize = 8;
/// The most bytes of an archive.
pub const LARGEST_ARCHIVE: u64 = 16 << 20;
/// The most bytes that an archive may unpack to, as far as it must be unpacked to be read.
pub const LARGEST_UNPACKED: u64 = 64 << 20;

/// Opens a regular file; refuses files on which a reader would block, such as a pipe.
///
/// # Errors
/// The system's errors, and when it is not a file.
pub fn open(path: &Path) -> io::Result<File> {
    if !path.metadata()?.is_file() {
        return Err(io::Error::other("it is not a file"));
    }
    OpenOptions::new().read(true).open(path)
}

/// Reads all of `reader`, or returns `None` if it has more than `most` bytes.
///
/// # Errors
/// The reader's errors.
pub fn read(reader: &mut impl Read, most: u64) -> io::Result<Option<Vec<u8>>> {
    let mut bytes = Vec::new();
    reader.take(most + 1).read_to_end(&mut bytes)?;
    Ok((bytes.len() as u64 <= most).then_some(bytes))
}
