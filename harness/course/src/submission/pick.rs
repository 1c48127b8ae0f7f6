//! Which of the files of a submission are taken: the kernel file, and the headers beside it.
use std::{collections::BTreeMap, io::Read, path::Path};

use super::{
    Unread,
    bounds::{self, LARGEST_FILE, MOST_HEADERS},
    too_large, unfit,
};

/// Names without folders, and what the files hold.
pub type Files = BTreeMap<String, Vec<u8>>;

/// The files that were found, by their paths in the submission, with `/` between folders.
pub struct Found<'a> {
    kernel: &'a str,
    files: BTreeMap<String, Vec<u8>>,
    /// Kernel files of other names, which may be meant.
    others: Vec<String>,
}

/// Whether a file's name ends so, as the case has it.
pub fn has_extension(name: &str, extension: &str) -> bool {
    Path::new(name).extension().is_some_and(|end| end == extension)
}

impl<'a> Found<'a> {
    /// Nothing yet, of a submission of the kernel file `kernel`.
    pub fn new(kernel: &'a str) -> Self {
        Self { kernel, files: BTreeMap::new(), others: Vec::new() }
    }

    /// Whether a file of this path is worth reading. Archives made on a Mac have a shadow of each file.
    pub fn wants(&mut self, path: &str) -> bool {
        let mut folders = path.split('/').collect::<Vec<_>>();
        let name = folders.pop().unwrap_or_default();
        if name.starts_with('.') || folders.iter().any(|folder| folder.starts_with('.') || *folder == "__MACOSX") {
            return false;
        }
        if has_extension(name, "cu") && name != self.kernel {
            self.others.push(path.into());
        }
        name == self.kernel || has_extension(name, "cuh")
    }

    /// Takes in a file.
    ///
    /// # Errors
    /// When it is too large, is there twice, or is one header too many.
    pub fn add(&mut self, path: &str, reader: &mut impl Read) -> Result<(), Unread> {
        let read = bounds::read(reader, LARGEST_FILE).map_err(|e| unfit(format!("{path} cannot be read: {e}")))?;
        let bytes = read.ok_or_else(|| too_large(path))?;
        if self.files.len() > MOST_HEADERS {
            return Err(unfit(format!("there are more than {MOST_HEADERS} headers")));
        }
        match self.files.insert(path.into(), bytes) {
            Some(_) => Err(unfit(format!("{path} is there twice"))),
            None => Ok(()),
        }
    }

    /// The kernel file, and the files beside it.
    ///
    /// # Errors
    /// When there is none, or more than one.
    pub fn pick(mut self) -> Result<Files, Unread> {
        let kernel = self.kernel;
        let is_kernel = |path: &&String| name_of(path) == kernel;
        let paths: Vec<String> = self.files.keys().filter(is_kernel).cloned().collect();
        match &paths[..] {
            [] => Err(unfit(match &self.others[..] {
                [] => format!("there is no {kernel}"),
                others => {
                    format!("there is no {kernel}, but {}: rename your file", others[..others.len().min(5)].join(", "))
                }
            })),
            [path] => {
                let folder = &path[..path.len() - kernel.len()];
                let is_beside = |other: &String| other.strip_prefix(folder).is_some_and(|name| !name.contains('/'));
                self.files.retain(|path, _| is_beside(path));
                Ok(self.files.into_iter().map(|(path, bytes)| (name_of(&path).to_string(), bytes)).collect())
            }
            [first, second, ..] => {
                Err(unfit(format!("there are two files {kernel}: {first} and {second}; hand in one of them")))
            }
        }
    }
}

fn name_of(path: &str) -> &str {
    path.rsplit('/').next().unwrap_or_default()
}
