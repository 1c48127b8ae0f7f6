//! The committed PTX of a folder of kernels: generated or checked.
use std::{
    borrow::Cow,
    fs,
    io::Write,
    path::{Path, PathBuf},
};

use crate::{Committed, CommittedPtx, Error, KernelSource, Nvrtc, compile, ptx};

/// The result for one kernel file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Outcome {
    /// The committed PTX matches the source.
    Current,
    /// By its hash, it was made from this source. It was not compiled again, because the compiler or a CUDA header is
    /// missing here, or has another version.
    CurrentByHash {
        /// The compiler that made it.
        made_by: String,
    },
    /// Regenerated.
    Written,
    /// It does not match the source; the text has the reason.
    Stale(String),
}

/// The kernel files of a folder (`labs/<lab>/kernels`), in order of name, with paths relative to `root`. For a folder
/// elsewhere in a lab, such as one of its tests, the lab's own headers are found too.
///
/// # Errors
/// [`Error::Read`].
pub fn sources_in(folder: &Path, root: &Path) -> Result<Vec<KernelSource>, Error> {
    let read = |source| Error::Read { path: folder.into(), source };
    let mut files: Vec<PathBuf> = Vec::new();
    for entry in fs::read_dir(folder).map_err(read)? {
        let path = entry.map_err(read)?.path();
        if path.extension().is_some_and(|e| e == "cu") {
            files.push(path);
        }
    }
    files.sort();
    let above = folder.ancestors().skip(1).take_while(|above| *above != root);
    let of_lab = above.map(|above| above.join("kernels")).find(|kernels| kernels.is_dir());
    let source = |file: PathBuf| {
        let name = file.file_name().unwrap_or_default().to_string_lossy();
        let mut source = KernelSource::read_committed(&file, &name, of_lab.as_deref())?;
        source.path = relative(&source.path, root);
        for header in source.headers.to_mut() {
            header.path = relative(&header.path, root);
        }
        Ok(source)
    };
    files.into_iter().map(source).collect()
}

/// Returns `path` relative to `root`, with forward slashes.
fn relative(path: &str, root: &Path) -> Cow<'static, str> {
    let path = Path::new(path);
    path.strip_prefix(root).unwrap_or(path).to_string_lossy().replace('\\', "/").into()
}

/// Compiles `source`, which is the file `path`, and writes the committed PTX next to it, atomically. A file that is up
/// to date is not written.
///
/// # Errors
/// Those of a compilation, see [`crate::ptx_for`], or [`Error::Write`].
pub fn generate(nvrtc: &Nvrtc, source: &KernelSource, path: &Path) -> Result<Outcome, Error> {
    let file = &CommittedPtx::file(path);
    let text = text(nvrtc, source)?;
    if source.ptx.text() == text {
        return Ok(Outcome::Current);
    }
    let write = || -> std::io::Result<()> {
        let mut temporary = tempfile::NamedTempFile::new_in(file.parent().unwrap_or(Path::new(".")))?;
        temporary.write_all(&CommittedPtx::file_content(file, &text))?;
        // A temporary file is readable only by its owner, but a committed one must be readable by everyone.
        #[cfg(unix)]
        fs::set_permissions(temporary.path(), std::os::unix::fs::PermissionsExt::from_mode(0o644))?;
        temporary.persist(file)?;
        Ok(())
    };
    write().map_err(|source| Error::Write { path: file.into(), source })?;
    Ok(Outcome::Written)
}

/// Checks that the committed PTX of `source` is up to date. If the compiler has the version that made the PTX, the
/// source is compiled; otherwise the hash in the header is compared.
///
/// # Errors
/// Those of a compilation, see [`crate::ptx_for`].
pub fn check(nvrtc: Option<&Nvrtc>, source: &KernelSource) -> Result<Outcome, Error> {
    let committed = source.ptx.text();
    let Some(header) = Committed::parse(&committed) else {
        return Ok(Outcome::Stale("there is no committed PTX, or it has no header".into()));
    };
    if header.hash != source.hash() {
        return Ok(Outcome::Stale("made from another source or other headers".into()));
    }
    if header.arch != source.arch() {
        return Ok(Outcome::Stale(format!(
            "made for compute_{}, the source says compute_{}",
            header.arch,
            source.arch()
        )));
    }
    match nvrtc {
        Some(nvrtc) if nvrtc.version() == header.compiler && nvrtc.cuda().has_all_of(source) => {
            let same = text(nvrtc, source)? == committed;
            Ok(if same { Outcome::Current } else { Outcome::Stale("compiling gives another text".into()) })
        }
        _ => Ok(Outcome::CurrentByHash { made_by: format!("NVRTC {}", header.compiler) }),
    }
}

fn text(nvrtc: &Nvrtc, source: &KernelSource) -> Result<String, Error> {
    let arch = source.arch();
    Ok(ptx::committed_text(source, &nvrtc.version(), arch, &compile::compile(nvrtc, source, arch)?.ptx))
}
