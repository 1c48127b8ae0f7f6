//! A kernel file as a lab embeds it.
use std::{borrow::Cow, fs, path::Path};

use sha2::{Digest, Sha256};

use crate::{Error, headers};

/// The virtual architecture of committed PTX unless the source names another: Volta, the first whose
/// lanes are scheduled independently. (The driver gives PTX of an older architecture the older,
/// lockstep scheduling, even on a newer GPU, and the labs are about the newer.)
pub const BASE_ARCH: u32 = 70;

/// One `.cu` file with the committed PTX beside it, both inside the binary.
#[derive(Debug, Clone)]
pub struct KernelSource {
    /// File name, e.g. `vecadd.cu`: what a lab asks for and what `--kernel` replaces.
    pub name: Cow<'static, str>,
    /// The path that messages and line information name: relative to the workspace, or as the user gave it.
    pub path: Cow<'static, str>,
    /// CUDA C++ source text.
    pub cuda: Cow<'static, str>,
    /// Committed PTX; empty when the source has none.
    pub ptx: Cow<'static, str>,
}

impl KernelSource {
    /// Reads a `.cu` file, to run under `name` in place of a lab's own. PTX beside it serves as committed
    /// PTX does: when it was made from this very source.
    ///
    /// # Errors
    /// [`Error::Read`] when the file cannot be read as text.
    pub fn read(path: &Path, name: &str) -> Result<Self, Error> {
        let cuda = fs::read_to_string(path).map_err(|source| Error::Read {
            path: path.into(),
            source,
        })?;
        Ok(Self {
            name: name.to_string().into(),
            path: path.display().to_string().into(),
            cuda: cuda.into(),
            ptx: fs::read_to_string(path.with_extension("ptx"))
                .unwrap_or_default()
                .into(),
        })
    }

    /// The names that follow `__global__` in the source: its kernels, as far as macros and templates hide none.
    pub fn kernels(&self) -> Vec<&str> {
        let declared = self.cuda.split("__global__").skip(1);
        declared.filter_map(declared_name).collect()
    }

    /// How the source declares a kernel, on one line; none where a macro or a template hides it.
    pub fn declaration(&self, kernel: &str) -> Option<String> {
        let mut declared = self.cuda.split("__global__").skip(1);
        let rest = declared.find(|rest| declared_name(rest) == Some(kernel))?;
        let (_, parameters) = rest.split_once(&format!("{kernel}("))?;
        let (parameters, _) = parameters.split_once(')')?;
        let parameters: Vec<&str> = parameters.split_whitespace().collect();
        let parameters = parameters.join(" ");
        Some(format!(
            "extern \"C\" __global__ void {kernel}({parameters})"
        ))
    }

    /// The virtual architecture, e.g. 80, that committed PTX of this source is made for: [`BASE_ARCH`], or
    /// what a line `// target: compute_80` near the top asks for.
    pub fn arch(&self) -> u32 {
        let asked = self.cuda.lines().take(40).find_map(|l| {
            l.trim()
                .strip_prefix("// target: compute_")?
                .trim()
                .parse()
                .ok()
        });
        asked.unwrap_or(BASE_ARCH)
    }

    /// SHA-256 over the source and the shared headers that it includes: what committed PTX is matched by.
    pub fn hash(&self) -> String {
        let mut hasher = Sha256::new();
        let mut part = |name: &str, text: &str| {
            // A checkout with other line ends is the same source.
            let text = text.replace("\r\n", "\n");
            for piece in [name, &text] {
                hasher.update((piece.len() as u64).to_le_bytes());
                hasher.update(piece.as_bytes());
            }
        };
        part("", &self.cuda);
        for (name, text) in headers::included(&self.cuda) {
            part(name, text);
        }
        hex(&hasher.finalize())
    }
}

/// The name in front of the first parenthesis, that of `__launch_bounds__` apart.
fn declared_name(rest: &str) -> Option<&str> {
    let open = rest.find('(')?;
    let name = rest[..open]
        .trim_end()
        .rsplit(|c: char| !(c.is_alphanumeric() || c == '_'))
        .next()?;
    if name == "__launch_bounds__" {
        let close = rest[open..].find(')')?;
        return declared_name(&rest[open + close + 1..]);
    }
    Some(name).filter(|n| !n.is_empty())
}

/// Bytes as lower-case hexadecimal.
pub(crate) fn hex(bytes: &[u8]) -> String {
    use std::fmt::Write;
    bytes.iter().fold(String::new(), |mut s, b| {
        let _ = write!(s, "{b:02x}");
        s
    })
}

/// Embeds `kernels/<stem>.cu` and `kernels/<stem>.ptx` of the calling lab as a [`KernelSource`].
///
/// A new kernel needs an (empty) `.ptx` file beside it before it builds; `warplab ptx` fills it.
#[macro_export]
macro_rules! source {
    ($stem:literal) => {
        $crate::KernelSource {
            name: ::std::borrow::Cow::Borrowed(concat!($stem, ".cu")),
            path: ::std::borrow::Cow::Borrowed(concat!(
                "labs/",
                env!("CARGO_PKG_NAME"),
                "/kernels/",
                $stem,
                ".cu"
            )),
            cuda: ::std::borrow::Cow::Borrowed(include_str!(concat!(
                env!("CARGO_MANIFEST_DIR"),
                "/kernels/",
                $stem,
                ".cu"
            ))),
            ptx: ::std::borrow::Cow::Borrowed(include_str!(concat!(
                env!("CARGO_MANIFEST_DIR"),
                "/kernels/",
                $stem,
                ".ptx"
            ))),
        }
    };
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_kernels_of_a_source_are_known_by_name() {
        let source = KernelSource {
            name: "x.cu".into(),
            path: "x.cu".into(),
            cuda: "extern \"C\" __global__ void add(int n) { f(n); }\n__global__ void __launch_bounds__(256) sum (float *x) {}\n__global__"
                .into(),
            ptx: "".into(),
        };
        assert_eq!(source.kernels(), ["add", "sum"]);
        let add = "extern \"C\" __global__ void add(int n)";
        assert_eq!(source.declaration("add").as_deref(), Some(add));
        assert_eq!(source.declaration("other"), None);
    }
}
