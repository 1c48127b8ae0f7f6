//! CUDA's own headers, installed next to NVRTC. The compiler may not open them: it is given the headers that a kernel
//! file includes, directly or indirectly, as text.
use std::{
    collections::BTreeSet,
    fs,
    path::{Component, Path, PathBuf},
};

use crate::{
    Error, Header, KernelSource,
    headers::{bare_names, directives, names, system},
    input::Input,
};

/// The folders of CUDA's headers.
#[derive(Debug, Clone, Default)]
pub(crate) struct CudaHeaders {
    folders: Vec<PathBuf>,
}

impl CudaHeaders {
    /// Returns the headers (`cuda_fp16.h`, `cooperative_groups.h`) next to the NVRTC in the folders `near`, in the
    /// layout of a toolkit or of NVIDIA's Python packages.
    pub(crate) fn beside(near: &[PathBuf]) -> Self {
        let places = [
            "../include",
            "../include/cccl",
            "../../cuda_runtime/include",
            "../../cuda_cccl/include",
            "../../cuda_nvcc/include",
        ];
        let mut folders: Vec<PathBuf> = Vec::new();
        for folder in near.iter().flat_map(|near| places.map(|place| near.join(place))) {
            if let Ok(folder) = fs::canonicalize(folder)
                && folder.is_dir()
                && !folders.contains(&folder)
            {
                folders.push(folder);
            }
        }
        Self { folders }
    }

    /// The folders.
    pub(crate) fn folders(&self) -> impl Iterator<Item = &Path> {
        self.folders.iter().map(PathBuf::as_path)
    }

    /// Adds to `input` the CUDA headers that its text and its headers name, and those that these include.
    ///
    /// # Errors
    /// [`Error::TwoHeaders`].
    pub(crate) fn add_named(&self, input: &mut Input) -> Result<(), Error> {
        if self.folders.is_empty() {
            return Ok(());
        }
        let texts = std::iter::once(input.text.as_str()).chain(input.headers.iter().map(|header| &*header.text));
        let all: BTreeSet<String> = texts.flat_map(|text| names(text).into_iter().chain(bare_names(text))).collect();
        for name in all {
            self.add(input, &name)?;
        }
        Ok(())
    }

    /// Adds the header `name` to `input`, and those that it includes. Returns `false` if there is no such header, or
    /// `input` already has it.
    ///
    /// # Errors
    /// [`Error::TwoHeaders`].
    pub(crate) fn add(&self, input: &mut Input, name: &str) -> Result<bool, Error> {
        let Some(file) = self.find(name).filter(|_| input.header(name).is_none()) else { return Ok(false) };
        let mut wanted = vec![(name.to_string(), file)];
        while let Some((name, file)) = wanted.pop() {
            let path = self.shown(&file);
            if let Some(header) = input.header(&name) {
                if header.path != path {
                    return Err(Error::TwoHeaders {
                        name,
                        first: header.path.to_string(),
                        second: format!("{path} of CUDA"),
                    });
                }
                continue;
            }
            let Ok(text) = fs::read_to_string(&file) else { continue };
            let folder = file.parent().unwrap_or(Path::new("/"));
            for directive in directives(&text) {
                let near = Some(folder).filter(|_| !directive.is_bracketed);
                let near = near.and_then(|folder| self.inside(&folder.join(directive.name)));
                if let Some(file) = near.or_else(|| self.find(directive.name)) {
                    wanted.push((directive.name.to_string(), file));
                }
            }
            input.add(Header { name: name.into(), path: path.into(), text: text.into() });
        }
        Ok(true)
    }

    /// Whether all headers that `source` includes in angle brackets, and that are not embedded, are available.
    pub(crate) fn has_all_of(&self, source: &KernelSource) -> bool {
        let names = system(source);
        // CUDA's own headers include one from CCCL, which is a separate package.
        names.is_empty() || self.find("nv/target").is_some() && names.into_iter().all(|name| self.find(name).is_some())
    }

    /// Returns the file that is included as `name` in angle brackets.
    pub(crate) fn find(&self, name: &str) -> Option<PathBuf> {
        if Path::new(name).has_root() {
            return None;
        }
        self.folders.iter().find_map(|folder| self.inside(&folder.join(name)))
    }

    /// Returns `path` without `.` and `..`, if it is a file in one of the folders.
    fn inside(&self, path: &Path) -> Option<PathBuf> {
        let mut plain = PathBuf::new();
        for part in path.components() {
            match part {
                Component::ParentDir => drop(plain.pop()),
                Component::CurDir => {}
                part => plain.push(part),
            }
        }
        (self.folders.iter().any(|folder| plain.starts_with(folder)) && plain.is_file()).then_some(plain)
    }

    /// Returns a file's path in its folder, with forward slashes: the same on every computer.
    fn shown(&self, file: &Path) -> String {
        let name = self.folders.iter().find_map(|folder| file.strip_prefix(folder).ok()).unwrap_or(file);
        name.to_string_lossy().replace('\\', "/")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A toolkit with some headers, and an input with `text` and its own header, `mine.cuh`.
    fn toolkit(files: &[(&str, &str)], text: &str) -> (tempfile::TempDir, CudaHeaders, Input) {
        let root = tempfile::tempdir().unwrap();
        for (name, text) in files {
            let path = root.path().join("toolkit/include").join(name);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, text).unwrap();
        }
        fs::create_dir(root.path().join("toolkit/lib64")).unwrap();
        fs::write(root.path().join("toolkit/secret.h"), "secret").unwrap();
        let cuda = CudaHeaders::beside(&[root.path().join("toolkit/lib64")]);
        let own = Header { name: "mine.cuh".into(), path: "labs/mine.cuh".into(), text: "#include <late.h>".into() };
        let input = Input { name: "x.cu".into(), text: text.into(), headers: vec![own], options: Vec::new() };
        (root, cuda, input)
    }

    fn names_of(input: &Input) -> Vec<&str> {
        input.headers.iter().map(|header| header.name.as_ref()).collect()
    }

    const FILES: [(&str, &str); 6] = [
        ("groups.h", "#include \"details/a.h\"\n#  include <details/b.h>\n"),
        ("details/a.h", "#include \"b.h\"\n#include <cstdint>\n"),
        ("details/b.h", "#include \"../late.h\"\n#include_next <nothing.h>\n"),
        ("late.h", "#include NAME\n"),
        ("by_a_macro.h", "#include \"late.h\"\n"),
        ("unused.h", ""),
    ];

    #[test]
    fn what_a_file_names_is_added_with_all_that_this_includes() {
        let (_root, cuda, mut input) = toolkit(&FILES, "#define G <groups.h>\n#include G\n");
        cuda.add_named(&mut input).unwrap();
        let names = ["../late.h", "b.h", "details/a.h", "details/b.h", "groups.h", "late.h", "mine.cuh"];
        assert_eq!(names_of(&input), names);
        assert_eq!(input.header("b.h").unwrap().path, "details/b.h");
        assert!(cuda.add(&mut input, "by_a_macro.h").unwrap());
        assert!(!cuda.add(&mut input, "by_a_macro.h").unwrap(), "it is there now");
        assert!(!cuda.add(&mut input, "none.h").unwrap());
    }

    #[test]
    fn nothing_outside_of_cudas_folders_is_added() {
        let (root, cuda, input) = toolkit(&FILES, "");
        let absolute = root.path().join("toolkit/secret.h").display().to_string();
        for name in ["../secret.h", "details/../../secret.h", &absolute, "/etc/passwd", "", ".", "details"] {
            let mut input = input.clone();
            assert!(!cuda.add(&mut input, name).unwrap(), "{name}");
            assert_eq!(names_of(&input), ["mine.cuh"], "{name}");
        }
    }

    #[test]
    fn a_header_of_its_own_with_the_name_of_one_that_cuda_includes_is_an_error() {
        let files = [("groups.h", "#include \"mine.cuh\"\n"), ("mine.cuh", "")];
        // The kernel file's own header comes first.
        let (_root, cuda, mut input) = toolkit(&files, "#include <mine.cuh>\n");
        cuda.add_named(&mut input).unwrap();
        assert_eq!(names_of(&input), ["mine.cuh"]);
        let (_root, cuda, mut input) = toolkit(&files, "#include <groups.h>\n");
        let error = cuda.add_named(&mut input).unwrap_err().to_string();
        assert!(error.contains("mine.cuh") && error.contains("labs/mine.cuh"), "{error}");
    }
}
