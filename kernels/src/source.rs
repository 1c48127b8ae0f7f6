//! A kernel file as embedded in a lab.
use std::{
    borrow::Cow,
    fs, io,
    path::{Path, PathBuf},
};

use sha2::{Digest, Sha256};

use crate::{
    Arch, CommittedPtx, Error,
    headers::{self, Header},
    read,
};

/// The virtual architecture of committed PTX unless the source names another: Volta, the first with independent thread
/// scheduling. (The driver runs PTX of an older architecture with the older, lockstep scheduling, even on a newer GPU,
/// and the labs are about the newer.)
pub const BASE_ARCH: u32 = 70;

/// The variable that declares the PTX next to a file of `--kernel` as trusted.
pub const TRUST_PTX: &str = "WARPLAB_TRUST_PTX";

/// A `.cu` file with its own headers and its committed PTX, all inside the binary.
#[derive(Debug, Clone)]
pub struct KernelSource {
    /// File name, e.g. `vecadd.cu`: a lab requests it, and `--kernel` replaces it.
    pub name: Cow<'static, str>,
    /// The path for messages and line information: relative to the workspace, or as the user gave it.
    pub path: Cow<'static, str>,
    /// CUDA C++ source text.
    pub cuda: Cow<'static, str>,
    /// Committed PTX.
    pub ptx: CommittedPtx,
    /// Its own headers: those that it includes and that are not in `kernels/include`, one for each name.
    pub headers: Cow<'static, [Header]>,
}

impl KernelSource {
    /// Reads a `.cu` file that replaces a lab's own under `name`, with the headers next to it that it includes.
    ///
    /// A `.ptx` file next to it is not read, because nothing proves that it was made from this source: the author of
    /// one file can also write the other, and the hash in it. With `WARPLAB_TRUST_PTX=1`, the user declares it as
    /// trusted; it is then used like committed PTX.
    ///
    /// # Errors
    /// [`Error::Read`] when the file cannot be read as text, [`Error::TwoHeaders`].
    pub fn read(path: &Path, name: &str) -> Result<Self, Error> {
        Self::read_or_copy(path, None, name)
    }

    /// As [`KernelSource::read`], for a pipe at `path` that another process of this program may have read and copied
    /// ([`crate::copy_for_children`]).
    ///
    /// # Errors
    /// As [`KernelSource::read`].
    pub fn read_or_copy(path: &Path, copy: Option<&Path>, name: &str) -> Result<Self, Error> {
        let text = copy.map_or_else(|| read::given(path), read::file);
        let source = Self::with_text(path, name, None, text)?;
        let is_trusted = std::env::var_os(TRUST_PTX).is_some_and(|value| value == "1");
        if !is_trusted {
            return Ok(source);
        }
        let ptx = fs::read_to_string(path.with_extension("ptx")).unwrap_or_default();
        Ok(Self { ptx: ptx.into(), ..source })
    }

    /// Reads a committed `.cu` file and its committed PTX. Headers that are not next to the file are searched in the
    /// folder `more`.
    ///
    /// # Errors
    /// As [`KernelSource::read`].
    pub(crate) fn read_committed(path: &Path, name: &str, more: Option<&Path>) -> Result<Self, Error> {
        let source = Self::with_text(path, name, more, read::given(path))?;
        Ok(Self { ptx: CommittedPtx::read(path), ..source })
    }

    fn with_text(path: &Path, name: &str, more: Option<&Path>, text: io::Result<String>) -> Result<Self, Error> {
        let cuda = text.map_err(|source| Error::Read { path: path.into(), source })?;
        let folders: Vec<PathBuf> = headers::folder_of(path).into_iter().chain(more.map(Path::to_path_buf)).collect();
        Ok(Self {
            name: name.to_string().into(),
            path: path.display().to_string().into(),
            headers: headers::read(&cuda, &folders)?.into(),
            cuda: cuda.into(),
            ptx: CommittedPtx::NONE,
        })
    }

    /// Makes this source replace `replaced`: gives it that name, and those of its headers that this source does not
    /// have. If the text is the same, it also gets the PTX of `replaced`.
    #[must_use]
    pub fn in_place_of(mut self, replaced: &Self) -> Self {
        self.name.clone_from(&replaced.name);
        let mut headers = self.headers.into_owned();
        for theirs in replaced.headers.iter() {
            if !headers.iter().any(|own| own.name == theirs.name) {
                headers.push(theirs.clone());
            }
        }
        self.headers = headers.into();
        if self.ptx.is_empty() && self.hash() == replaced.hash() {
            let named = |path: &str| format!("\"{path}\"");
            self.ptx = replaced.ptx.text().replace(&named(&replaced.path), &named(&self.path)).into();
        }
        self
    }

    /// Returns path and text of every file that line information in its PTX may name, except CUDA's own: the source,
    /// and the headers that it includes, both its own and shared ones.
    pub fn files(&self) -> impl Iterator<Item = (&str, &str)> {
        let headers = headers::included(self).into_iter();
        let headers = headers.map(|header| (header.path.as_ref(), header.text.as_ref()));
        std::iter::once((self.path.as_ref(), self.cuda.as_ref())).chain(headers)
    }

    /// Returns the text of one of [`KernelSource::files`], by its path or the end of it.
    pub fn text(&self, path: &str) -> Option<&str> {
        let end = format!("/{path}");
        let mut files = self.files();
        let (_, text) = files.find(|(file, _)| *file == path || file.ends_with(&end))?;
        Some(text)
    }

    /// Returns the names of its kernels, which follow `__global__`. Kernels that a macro or a template defines are not
    /// found.
    pub fn kernels(&self) -> Vec<&str> {
        let declared = self.cuda.split("__global__").skip(1);
        declared.filter_map(declared_name).collect()
    }

    /// Returns the declaration of a kernel in the source, on one line; `None` if a macro or a template defines it.
    pub fn declaration(&self, kernel: &str) -> Option<String> {
        let mut declared = self.cuda.split("__global__").skip(1);
        let rest = declared.find(|rest| declared_name(rest) == Some(kernel))?;
        let (_, parameters) = rest.split_once(&format!("{kernel}("))?;
        let (parameters, _) = parameters.split_once(')')?;
        let parameters: Vec<&str> = parameters.split_whitespace().collect();
        let parameters = parameters.join(" ");
        Some(format!("extern \"C\" __global__ void {kernel}({parameters})"))
    }

    /// Returns the virtual architecture, e.g. 80, of this source's committed PTX: [`BASE_ARCH`], or that of a line `//
    /// target: compute_80` or `// target: compute_90a` near the top.
    pub fn arch(&self) -> Arch {
        let asked =
            self.cuda.lines().take(40).find_map(|l| l.trim().strip_prefix("// target: compute_")?.trim().parse().ok());
        asked.unwrap_or(Arch::from(BASE_ARCH))
    }

    /// SHA-256 of the source and the headers that it includes, except CUDA's own. It shows whether committed PTX was
    /// made from this source.
    pub fn hash(&self) -> String {
        let mut hasher = Sha256::new();
        let mut part = |name: &str, text: &str| {
            // Line endings do not matter.
            let text = text.replace("\r\n", "\n");
            for piece in [name, &text] {
                hasher.update((piece.len() as u64).to_le_bytes());
                hasher.update(piece.as_bytes());
            }
        };
        part("", &self.cuda);
        for header in headers::included(self) {
            part(&header.name, &header.text);
        }
        hex(&hasher.finalize())
    }
}

/// Returns the name before the first parenthesis that does not belong to an attribute such as `__launch_bounds__(...)`
/// or `__cluster_dims__(...)`.
fn declared_name(rest: &str) -> Option<&str> {
    let open = rest.find('(')?;
    let name = rest[..open].trim_end().rsplit(|c: char| !(c.is_alphanumeric() || c == '_')).next()?;
    if name.starts_with("__") && name.ends_with("__") {
        return declared_name(&rest[open + length_in_parentheses(&rest[open..])?..]);
    }
    Some(name).filter(|n| !n.is_empty())
}

/// Returns the length in bytes of a text's leading parenthesised part, parentheses included.
fn length_in_parentheses(text: &str) -> Option<usize> {
    let mut depth = 0;
    text.char_indices().find_map(|(at, c)| {
        depth += i32::from(c == '(') - i32::from(c == ')');
        (depth == 0).then_some(at + 1)
    })
}

/// Returns bytes as lower-case hexadecimal.
pub fn hex(bytes: &[u8]) -> String {
    use std::fmt::Write;
    bytes.iter().fold(String::new(), |mut s, b| {
        let _ = write!(s, "{b:02x}");
        s
    })
}

/// Embeds `kernels/<stem>.cu` and `kernels/<stem>.ptx.lzma` of the calling lab as a [`KernelSource`], with its headers:
/// `source!("scan", headers: ["scan.cuh"])`. Every header of the lab's own that the file includes, directly or
/// indirectly, must be listed, or the committed PTX counts as stale.
///
/// A new kernel needs an (empty) `.ptx.lzma` file before it builds; `warplab ptx` fills it.
#[macro_export]
macro_rules! source {
    (@path $($file:expr),+) => {
        ::std::borrow::Cow::Borrowed(concat!("labs/", env!("CARGO_PKG_NAME"), "/kernels/", $($file),+))
    };
    (@text $($file:expr),+) => {
        ::std::borrow::Cow::Borrowed(include_str!(concat!(env!("CARGO_MANIFEST_DIR"), "/kernels/", $($file),+)))
    };
    ($stem:literal) => {
        $crate::source!($stem, headers: [])
    };
    ($stem:literal, headers: [$($header:literal),* $(,)?]) => {
        $crate::KernelSource {
            name: ::std::borrow::Cow::Borrowed(concat!($stem, ".cu")),
            path: $crate::source!(@path $stem, ".cu"),
            cuda: $crate::source!(@text $stem, ".cu"),
            ptx: $crate::CommittedPtx::Lzma(include_bytes!(concat!(
                env!("CARGO_MANIFEST_DIR"),
                "/kernels/",
                $stem,
                ".ptx.lzma"
            ))),
            headers: {
                const HEADERS: &[$crate::Header] = &[$($crate::Header {
                    name: ::std::borrow::Cow::Borrowed($header),
                    path: $crate::source!(@path $header),
                    text: $crate::source!(@text $header),
                }),*];
                ::std::borrow::Cow::Borrowed(HEADERS)
            },
        }
    };
}

#[cfg(test)]
mod tests {
    use super::*;

    fn source(cuda: &'static str) -> KernelSource {
        let (name, path) = (Cow::Borrowed("x.cu"), Cow::Borrowed("labs/x/kernels/x.cu"));
        KernelSource { name, path, cuda: cuda.into(), ptx: CommittedPtx::NONE, headers: Cow::Borrowed(&[]) }
    }

    fn header(name: &'static str, text: &'static str) -> Header {
        Header { name: name.into(), path: format!("labs/x/kernels/{name}").into(), text: text.into() }
    }

    #[test]
    fn the_kernels_of_a_source_are_known_by_name() {
        let source = source(
            "extern \"C\" __global__ void add(int n) { f(n); }\n__global__ void __launch_bounds__(256) sum (float *x) {}\n__global__",
        );
        assert_eq!(source.kernels(), ["add", "sum"]);
        let add = "extern \"C\" __global__ void add(int n)";
        assert_eq!(source.declaration("add").as_deref(), Some(add));
        assert_eq!(source.declaration("other"), None);
        let attributes = "__global__ void __cluster_dims__(3,1,1) a(int n);\n\
            __global__ __launch_bounds__(max(1, 2)) __maxnreg__(32) void b(int n);\n\
            __global__ void __block_size__((8, 1, 1), (2, 1, 1)) c(int n);\n__global__ void __attribute__((x)) d();\n";
        assert_eq!(self::source(attributes).kernels(), ["a", "b", "c", "d"]);
    }

    #[test]
    fn the_hash_covers_the_headers_that_are_included() {
        let plain = source("#include \"a.cuh\"\n");
        let with = |headers: Vec<Header>| KernelSource { headers: headers.into(), ..plain.clone() };
        let one = with(vec![header("a.cuh", "int a;")]);
        assert_ne!(one.hash(), plain.hash());
        assert_ne!(one.hash(), with(vec![header("a.cuh", "int b;")]).hash());
        // The order of the list does not matter, nor does a header that is not included.
        let more = vec![header("b.cuh", "int b;"), header("a.cuh", "int a;")];
        assert_eq!(one.hash(), with(more).hash());
    }

    #[test]
    fn ptx_beside_a_file_is_not_believed_but_that_of_the_same_text_is() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("mine.cu");
        fs::write(&file, "#include \"a.cuh\"\nint x;\n").unwrap();
        let committed = KernelSource {
            headers: vec![header("a.cuh", "int a;")].into(),
            ptx: "\t.file\t1 \"labs/x/kernels/x.cu\"\n\t.file\t2 \"labs/x/kernels/a.cuh\"\n".to_string().into(),
            ..source("#include \"a.cuh\"\nint x;\n")
        };
        let hash = KernelSource::read(&file, "x.cu").unwrap().in_place_of(&committed).hash();
        fs::write(file.with_extension("ptx"), format!("// source sha256 {hash}\n")).unwrap();
        let read = || KernelSource::read(&file, "x.cu").unwrap();
        assert_eq!(read().ptx.text(), "", "anybody could have written it");
        assert!(KernelSource::read_committed(&file, "x.cu", None).unwrap().ptx.text().contains(&hash));
        let ptx = format!("\t.file\t1 \"{}\"\n\t.file\t2 \"labs/x/kernels/a.cuh\"\n", file.display());
        assert_eq!(read().in_place_of(&committed).ptx.text(), ptx);
        // An own header makes it a different source.
        fs::write(folder.path().join("a.cuh"), "int b;").unwrap();
        assert_eq!(read().in_place_of(&committed).ptx.text(), "");
    }

    #[test]
    fn a_file_in_place_of_another_has_its_name_and_the_headers_that_it_lacks() {
        let headers = vec![header("a.cuh", "theirs"), header("b.cuh", "theirs")];
        let replaced = KernelSource { headers: headers.into(), ..source("") };
        let mine = KernelSource {
            name: "mine.cu".into(),
            headers: vec![header("a.cuh", "mine")].into(),
            ..source("#include \"a.cuh\"\n#include \"b.cuh\"\n#include \"index.cuh\"\n")
        };
        let mine = mine.in_place_of(&replaced);
        assert_eq!(mine.name, "x.cu");
        assert_eq!(mine.text("labs/x/kernels/a.cuh"), Some("mine"));
        assert_eq!(mine.text("b.cuh"), Some("theirs"));
        let shared = headers::headers().next().map(|(_, text)| text);
        assert_eq!(mine.text("kernels/include/index.cuh"), shared);
        assert_eq!(mine.text("c.cuh"), None);
    }
}
