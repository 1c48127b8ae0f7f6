//! The kinds of files, by their names.
use std::path::Path;

/// Whether a file's name has this extension, in any case.
pub fn has_extension(name: &str, extension: &str) -> bool {
    Path::new(name).extension().is_some_and(|end| end.eq_ignore_ascii_case(extension))
}

/// Whether a file of this name is a kernel file. Mail programs and some systems append `.txt` to a name.
pub fn is_kernel(name: &str) -> bool {
    has_extension(without_txt(name), "cu")
}

/// Whether a file of this name is `kernel`, in any case, and with anything appended.
pub fn is_named(name: &str, kernel: &str) -> bool {
    without_txt(name).eq_ignore_ascii_case(kernel)
}

fn without_txt(name: &str) -> &str {
    let end = name.len().saturating_sub(4);
    match name.get(end..) {
        Some(txt) if txt.eq_ignore_ascii_case(".txt") => &name[..end],
        _ => name,
    }
}

/// The message about an archive of another kind.
pub const CLOSED: &str = "cannot be opened here: pack it as a .zip or a .tar.gz";

/// A kind of archive.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ArchiveKind {
    /// `.zip`.
    Zip,
    /// `.tar.gz` or `.tgz`.
    TarGz,
    /// `.tar`.
    Tar,
    /// An archive that cannot be opened here.
    Other,
}

impl ArchiveKind {
    /// The endings of the names of archives, and their kinds.
    pub const ENDINGS: [(&'static str, Self); 14] = [
        (".zip", Self::Zip),
        (".tar.gz", Self::TarGz),
        (".tgz", Self::TarGz),
        (".tar", Self::Tar),
        (".tar.xz", Self::Other),
        (".txz", Self::Other),
        (".tar.bz2", Self::Other),
        (".tbz2", Self::Other),
        (".tar.zst", Self::Other),
        (".7z", Self::Other),
        (".rar", Self::Other),
        (".xz", Self::Other),
        (".bz2", Self::Other),
        (".gz", Self::Other),
    ];

    /// The kind of an archive of this name; `None` if the name is not that of an archive.
    pub fn from_name(name: &str) -> Option<Self> {
        let name = name.to_lowercase();
        let found = Self::ENDINGS.iter().find(|(end, _)| name.ends_with(end));
        found.map(|(_, kind)| *kind)
    }
}
