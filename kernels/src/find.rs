//! The places where NVRTC is searched: the user's choice, the folder of `warplab setup`, CUDA toolkits, the active
//! Python's packages, the system's library path.
use std::{
    env, fs,
    path::{Path, PathBuf},
    process::Stdio,
};

use crate::{
    environments,
    program::{self, PYTHON},
    toolbox,
};

/// The environment variable that names NVRTC.
pub(crate) const VARIABLE: &str = "WARPLAB_NVRTC";

/// The value of the environment variable `WARPLAB_NVRTC`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Choice {
    /// Search.
    Search,
    /// Use this library, or fail.
    Path(PathBuf),
    /// Do not use NVRTC, even if it is installed.
    Off,
}

/// Parses `WARPLAB_NVRTC`: a library's path, or `off`.
pub(crate) fn choice() -> Choice {
    match env::var_os(VARIABLE) {
        Some(v) if v == "off" => Choice::Off,
        Some(v) if !v.is_empty() => Choice::Path(v.into()),
        _ => Choice::Search,
    }
}

/// Returns the candidates in order; the first that loads is used. Lazy, because running Python takes time.
pub(crate) fn candidates() -> impl Iterator<Item = PathBuf> {
    brought(toolbox::all())
        .chain(environments::own().into_iter().flat_map(|root| in_environment(&root)))
        .chain(toolkits())
        .chain(environments::active().flat_map(|root| in_environment(&root)))
        .chain(std::iter::once_with(from_python).flatten())
        .chain(SYSTEM_NAMES.iter().map(PathBuf::from))
}

/// Names for the system's loader to find, newest first.
#[cfg(not(windows))]
const SYSTEM_NAMES: &[&str] = &["libnvrtc.so", "libnvrtc.so.13", "libnvrtc.so.12", "libnvrtc.so.11.2"];
#[cfg(windows)]
const SYSTEM_NAMES: &[&str] = &["nvrtc64_130_0.dll", "nvrtc64_120_0.dll", "nvrtc64_112_0.dll"];

/// Returns the libraries that `warplab setup` installed.
fn brought(toolboxes: impl Iterator<Item = PathBuf>) -> impl Iterator<Item = PathBuf> {
    toolboxes.flat_map(|toolbox| in_site_packages(&toolbox::nvrtc_in(&toolbox)))
}

fn toolkits() -> impl Iterator<Item = PathBuf> {
    let named = ["CUDA_HOME", "CUDA_PATH"].into_iter().filter_map(env::var_os).map(PathBuf::from);
    let mut usual = environments::folders(Path::new("/usr/local"), "cuda");
    usual.extend(environments::folders(Path::new("/opt"), "cuda"));
    named
        .chain(usual)
        .flat_map(|root| ["lib64", "lib", "bin", "bin/x64"].map(|f| root.join(f)))
        .flat_map(|f| libraries(&f))
}

/// Returns the libraries in the packages of the Python environment at `root`.
fn in_environment(root: &Path) -> Vec<PathBuf> {
    environments::packages(root).iter().flat_map(|s| in_site_packages(s)).collect()
}

/// Returns the libraries of NVIDIA's wheels: `nvidia-cuda-nvrtc-cu12` unpacks to `nvidia/cuda_nvrtc`,
/// `nvidia-cuda-nvrtc` to `nvidia/cu13`.
fn in_site_packages(site: &Path) -> Vec<PathBuf> {
    ["cuda_nvrtc/lib", "cu13/lib", "cuda_nvrtc/bin", "cu13/bin", "cu13/bin/x86_64"]
        .iter()
        .flat_map(|f| libraries(&site.join("nvidia").join(f)))
        .collect()
}

/// Asks the Python in PATH for its package folders. With `-I` (isolated), it runs no module of the current folder.
fn from_python() -> Vec<PathBuf> {
    const ASK: &str = "import site; print('\\n'.join(site.getsitepackages() + [site.getusersitepackages()]))";
    let output = program::named(PYTHON).args(["-I", "-c", ASK]).stdin(Stdio::null()).stderr(Stdio::null()).output();
    let Ok(output) = output else {
        return Vec::new();
    };
    String::from_utf8_lossy(&output.stdout).lines().flat_map(|s| in_site_packages(Path::new(s.trim()))).collect()
}

/// Returns the NVRTC libraries in a folder, in descending order of name: the most specific version comes first.
fn libraries(folder: &Path) -> Vec<PathBuf> {
    let mut found: Vec<_> = fs::read_dir(folder)
        .into_iter()
        .flatten()
        .filter_map(Result::ok)
        .filter(|e| is_nvrtc(&e.file_name().to_string_lossy()))
        .map(|e| e.path())
        .collect();
    found.sort_by(|a, b| b.cmp(a));
    found
}

/// Whether a file name is that of NVRTC itself, not of its builtins or of its alternative build.
fn is_nvrtc(name: &str) -> bool {
    (name.starts_with("libnvrtc.so") || name.starts_with("nvrtc64_")) && !name.contains("alt")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn wheels_are_found_in_an_environment() {
        let root = tempfile::tempdir().unwrap();
        let lib = root.path().join("lib/python3.11/site-packages/nvidia/cuda_nvrtc/lib");
        fs::create_dir_all(&lib).unwrap();
        for name in ["libnvrtc.so.12", "libnvrtc-builtins.so.12.9", "libnvrtc.alt.so.12"] {
            fs::write(lib.join(name), "").unwrap();
        }
        assert_eq!(in_environment(root.path()), [lib.join("libnvrtc.so.12")]);
    }

    #[test]
    fn what_was_brought_is_found_in_each_toolbox() {
        let root = tempfile::tempdir().unwrap();
        let toolboxes = ["user", "all", "none"].map(|name| root.path().join(name));
        let libraries = [0, 1].map(|index| toolboxes[index].join("nvrtc/nvidia/cuda_nvrtc/lib/libnvrtc.so.12"));
        for library in &libraries {
            fs::create_dir_all(library.parent().unwrap()).unwrap();
            fs::write(library, "").unwrap();
        }
        assert!(brought(toolboxes.into_iter()).eq(libraries));
    }

    #[test]
    fn builtins_are_not_the_compiler() {
        assert!(is_nvrtc("libnvrtc.so.12.9.86") && is_nvrtc("nvrtc64_120_0.dll"));
        assert!(
            !is_nvrtc("libnvrtc-builtins.so.12.9")
                && !is_nvrtc("nvrtc-builtins64_129.dll")
                && !is_nvrtc("nvrtc64_120_0.alt.dll")
        );
    }
}
