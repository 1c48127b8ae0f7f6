//! The complete input of a compilation, and its result.
use std::collections::BTreeSet;

use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

use crate::{Arch, Header, KernelSource, headers, source::hex};

/// Options besides the architecture. `-lineinfo` makes findings and profilers name lines of the `.cu`.
const OPTIONS: [&str; 2] = ["-lineinfo", "--std=c++17"];

/// A compilation's input. The compiler opens no file, so its result depends only on this input and its own version.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Input {
    /// The name of the text in messages and line information.
    pub(crate) name: String,
    /// CUDA C++ source text.
    pub(crate) text: String,
    /// Every header that it may include, by the name with which it is included, in order of name.
    pub(crate) headers: Vec<Header>,
    /// The command line.
    pub(crate) options: Vec<String>,
}

impl Input {
    /// Returns the input of `source` for `compute_<arch>`, with its own and the shared headers; CUDA's own must be
    /// added.
    pub(crate) fn new(source: &KernelSource, arch: Arch) -> Self {
        let mut options = vec![format!("--gpu-architecture=compute_{arch}")];
        options.extend(OPTIONS.map(String::from));
        let headers = headers::known(source).into_values().cloned().collect();
        Self { name: source.path.to_string(), text: source.cuda.to_string(), headers, options }
    }

    /// Returns the names in its text and headers that may be header names.
    pub(crate) fn names(&self) -> BTreeSet<String> {
        let headers = self.headers.iter().map(|header| &*header.text);
        std::iter::once(&*self.text).chain(headers).flat_map(headers::names).collect()
    }

    /// Returns the header that is included as `name`.
    pub(crate) fn header(&self, name: &str) -> Option<&Header> {
        let place = self.headers.binary_search_by(|header| header.name.as_ref().cmp(name)).ok()?;
        self.headers.get(place)
    }

    /// Adds a header, unless there is one with its name.
    pub(crate) fn add(&mut self, header: Header) {
        if let Err(place) = self.headers.binary_search_by(|other| other.name.cmp(&header.name)) {
            self.headers.insert(place, header);
        }
    }

    /// SHA-256 of the input and `compiler`: inputs with the same digest give the same result.
    pub(crate) fn digest(&self, compiler: &str) -> String {
        let mut hasher = Sha256::new();
        let headers = self.headers.iter().flat_map(|header| [&*header.name, &*header.path, &*header.text]);
        let parts = [compiler, &self.name, &self.text].into_iter().chain(self.options.iter().map(String::as_str));
        for part in parts.chain(headers) {
            hasher.update((part.len() as u64).to_le_bytes());
            hasher.update(part.as_bytes());
        }
        hex(&hasher.finalize())
    }
}

/// The compiler's result.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) enum Answer {
    /// PTX, as written by the compiler, and its log, which contains warnings.
    Compiled { ptx: String, log: String },
    /// The log contains the errors in the text.
    Rejected { log: String },
    /// One of the compiler's functions failed for another reason.
    Failed { call: String, reason: String },
}

#[cfg(test)]
mod tests {
    use super::*;

    fn input() -> Input {
        let header = |name: &str| Header {
            name: name.to_string().into(),
            path: format!("labs/{name}").into(),
            text: format!("int {name};").into(),
        };
        let options = vec!["-a".into()];
        Input { name: "x.cu".into(), text: "int x;".into(), headers: vec![header("a"), header("c")], options }
    }

    #[test]
    fn the_digest_covers_all_that_the_compiler_is_given() {
        let own = input().digest("12.9");
        let change = |edit: fn(&mut Input)| {
            let mut changed = input();
            edit(&mut changed);
            changed.digest("12.9")
        };
        let edits: [fn(&mut Input); 7] = [
            |i| i.name.push('y'),
            |i| i.text.push('y'),
            |i| i.options.push("-b".into()),
            |i| i.headers[0].text.to_mut().push('y'),
            |i| i.headers[0].name.to_mut().push('y'),
            |i| i.headers[0].path.to_mut().push('y'),
            |i| i.headers.truncate(1),
        ];
        for (number, edit) in edits.into_iter().enumerate() {
            assert_ne!(change(edit), own, "edit {number}");
        }
        assert_ne!(input().digest("13.0"), own);
        assert_eq!(change(|_| ()), own);
    }

    #[test]
    fn headers_are_kept_in_order_and_the_first_of_a_name_stays() {
        let mut input = input();
        for text in ["first", "second"] {
            input.add(Header { name: "b".into(), path: "b".into(), text: text.into() });
        }
        let names: Vec<&str> = input.headers.iter().map(|header| header.name.as_ref()).collect();
        assert_eq!(names, ["a", "b", "c"]);
        assert_eq!(input.header("b").map(|header| header.text.as_ref()), Some("first"));
        assert_eq!(input.header("d"), None);
    }
}
