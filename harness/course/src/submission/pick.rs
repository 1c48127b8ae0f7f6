//! Picks files from a submission: the kernel file, and the headers in its folder and below.
use std::{collections::BTreeMap, io::Read};

use kernels::is_header;

use super::{
    archive_kind::{ArchiveKind, CLOSED, is_kernel, is_named},
    bounds::{self, DEEPEST, LARGEST_ARCHIVE, LARGEST_FILE, LARGEST_UNPACKED, LONGEST_NAME, MOST_HEADERS},
    list::{LIST, Made},
    unread::{Unread, too_large, too_large_archive, unfit},
    wanted::Wanted,
};

/// Files by their paths relative to the kernel file's folder, with `/` between folders, and their content.
pub type Files = BTreeMap<String, Vec<u8>>;

/// The most names of files in an error.
const TOLD: usize = 5;

/// The picked files.
#[derive(Debug)]
pub enum Picked {
    /// The kernel file, under the assignment's name, and the headers below its folder.
    Files(Files, Option<String>),
    /// An archive, with its path: there is no kernel file next to it.
    Archive(String, Vec<u8>),
}

/// The files found so far, by their paths in the submission, with `/` between folders.
pub struct Found<'a> {
    wanted: Wanted<'a>,
    files: Files,
    bytes: usize,
    /// The paths of the archives; the first one's content is kept unless it is too large.
    archives: Vec<String>,
    archive: Option<Vec<u8>>,
    /// The first archive of a kind that cannot be opened here.
    closed: Option<String>,
    made: Option<(String, Made)>,
}

impl<'a> Found<'a> {
    /// No files yet, for a submission in which `wanted` is looked for.
    pub fn new(wanted: Wanted<'a>) -> Self {
        Self { wanted, files: Files::new(), bytes: 0, archives: Vec::new(), archive: None, closed: None, made: None }
    }

    /// Whether a file of this path is worth reading. Archives made on a Mac contain a shadow of each file, which is
    /// not.
    pub fn wants(&self, path: &str) -> bool {
        let mut folders = path.split('/').collect::<Vec<_>>();
        let name = folders.pop().unwrap_or_default();
        if name.starts_with('.') || folders.iter().any(|folder| folder.starts_with('.') || *folder == "__MACOSX") {
            return false;
        }
        is_header(name)
            || is_kernel(name)
            || name == self.wanted.kernel
            || name == LIST
            || ArchiveKind::from_name(name).is_some()
    }

    /// Adds a file.
    ///
    /// # Errors
    /// When it is too large, is there twice, or is one header too many.
    pub fn add(&mut self, path: &str, reader: &mut impl Read) -> Result<(), Unread> {
        let unreadable = |error| unfit(format!("{path} cannot be read: {error}"));
        let name = name_of(path);
        if let Some(kind) = ArchiveKind::from_name(name) {
            if kind == ArchiveKind::Other {
                self.closed.get_or_insert_with(|| path.into());
                return Ok(());
            }
            if self.archives.is_empty() {
                self.archive = bounds::read(reader, LARGEST_ARCHIVE).map_err(unreadable)?;
            }
            self.archives.push(path.into());
            return Ok(());
        }
        let bytes = bounds::read(reader, LARGEST_FILE).map_err(unreadable)?;
        if name == LIST {
            self.made = bytes.and_then(|bytes| Some((folder_of(path).into(), Made::read(&bytes)?)));
            return Ok(());
        }
        let bytes = bytes.ok_or_else(|| too_large(path))?;
        self.bytes += bytes.len();
        if self.files.len() > MOST_HEADERS || self.bytes as u64 > LARGEST_UNPACKED {
            return Err(unfit(format!(
                "there are more than {MOST_HEADERS} headers, or more than {} MiB of them",
                LARGEST_UNPACKED >> 20
            )));
        }
        match self.files.insert(path.into(), bytes) {
            Some(_) => Err(unfit(format!("{path} is there twice"))),
            None => Ok(()),
        }
    }

    /// Picks the kernel file and the headers below its folder; or the only archive, if there is no kernel file.
    ///
    /// # Errors
    /// When there is none, or more than one.
    pub fn pick(mut self) -> Result<Picked, Unread> {
        let kernel = self.wanted.kernel;
        let named = |is_named: &dyn Fn(&str) -> bool| -> Vec<&String> {
            self.files.keys().filter(|path| is_named(name_of(path))).collect()
        };
        let mut named_so = named(&|name| name == kernel);
        if named_so.is_empty() && self.made.is_none() {
            named_so = named(&|name| is_named(name, kernel));
        }
        let named = named_so;
        let path = match named[..] {
            [] => match self.of_other_name()? {
                Some(path) => path,
                None => return self.only_archive(),
            },
            [path] => path.clone(),
            [first, second, ..] => {
                return Err(unfit(format!("there are two files {kernel}: {first} and {second}; hand in one of them")));
            }
        };
        let folder = folder_of(&path);
        let taken = self.files.remove(&path).unwrap_or_default();
        let below = std::mem::take(&mut self.files).into_iter();
        let below = below.filter_map(|(path, bytes)| Some((path.strip_prefix(folder)?.to_string(), bytes)));
        let mut files: Files = below.filter(|(path, _)| is_short(path)).collect();
        files.insert(kernel.into(), taken);
        let is_folder = |path: &&String| files.keys().any(|other| other.starts_with(&format!("{path}/")));
        if let Some(path) = files.keys().find(is_folder) {
            return Err(unfit(format!("{path} is both a file and a folder")));
        }
        let remark = (name_of(&path) != kernel).then(|| format!("{path} was taken as {kernel}: name it so"));
        Ok(Picked::Files(files, remark))
    }

    /// A kernel file with a name other than the requested one: the one that `warplab submit` lists, or the only one.
    fn of_other_name(&self) -> Result<Option<String>, Unread> {
        let Wanted { lab, kernel } = self.wanted;
        if let Some((folder, made)) = &self.made {
            if made.lab != lab {
                return Err(unfit(format!("this was made by `warplab submit` for {}, not {lab}", made.lab)));
            }
            let path = format!("{folder}{}", made.kernel);
            if self.files.contains_key(&path) {
                return Ok(Some(path));
            }
        }
        let others: Vec<&str> = self.files.keys().map(String::as_str).filter(|path| is_kernel(path)).collect();
        match others[..] {
            [] => Ok(None),
            [only] => Ok(Some(only.into())),
            _ => Err(unfit(format!("there is no {kernel}, but {}: rename your file", first_of(&others)))),
        }
    }

    /// Picks the only archive, if there is no kernel file.
    fn only_archive(self) -> Result<Picked, Unread> {
        let kernel = self.wanted.kernel;
        match (&self.archives[..], self.archive) {
            ([], _) => Err(unfit(match self.closed {
                Some(closed) => format!("there is no {kernel}, but {closed}, which {CLOSED}"),
                None => format!("there is no {kernel}"),
            })),
            ([path], Some(bytes)) => Ok(Picked::Archive(path.clone(), bytes)),
            ([path], None) => Err(too_large_archive(path)),
            (several, _) => Err(unfit(format!(
                "there is no {kernel}, but several archives: {}; hand in one of them",
                first_of(several)
            ))),
        }
    }
}

/// Whether any file system accepts such a path below a folder.
fn is_short(path: &str) -> bool {
    path.split('/').count() <= DEEPEST + 1 && path.split('/').all(|name| name.len() <= LONGEST_NAME)
}

fn first_of<T: AsRef<str>>(paths: &[T]) -> String {
    paths.iter().take(TOLD).map(AsRef::as_ref).collect::<Vec<_>>().join(", ")
}

fn name_of(path: &str) -> &str {
    path.rsplit('/').next().unwrap_or_default()
}

/// The folder of a file, with a trailing `/`, or nothing.
fn folder_of(path: &str) -> &str {
    &path[..path.len() - name_of(path).len()]
}
