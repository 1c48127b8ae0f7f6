//! A kernel file as a lab embeds it.
use std::borrow::Cow;

/// One `.cu` file with the committed PTX beside it, both inside the binary.
#[derive(Debug, Clone)]
pub struct KernelSource {
    /// File name, e.g. `vecadd.cu`: what a lab asks for and what `--kernel` replaces.
    pub name: Cow<'static, str>,
    /// The path that messages and line information name, relative to the workspace.
    pub path: Cow<'static, str>,
    /// CUDA C++ source text.
    pub cuda: Cow<'static, str>,
    /// Committed PTX; empty when the source has none yet.
    pub ptx: Cow<'static, str>,
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
