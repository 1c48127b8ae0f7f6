//! Python environments in which NVIDIA's packages may be installed.
use std::{
    env, fs,
    path::{Path, PathBuf},
};

/// Returns the environment that contains this program, which a wheel installs as `bin/warplab`; it need not be active.
pub fn own() -> Option<PathBuf> {
    Some(env::current_exe().ok()?.parent()?.parent()?.to_path_buf())
}

/// Returns the active environments.
pub fn active() -> impl Iterator<Item = PathBuf> {
    ["VIRTUAL_ENV", "CONDA_PREFIX"].into_iter().filter_map(env::var_os).map(PathBuf::from)
}

/// Returns the folders of the packages in the environment at `root`. Debian names the folder of the system's Python
/// differently.
pub fn packages(root: &Path) -> Vec<PathBuf> {
    let of_versions = folders(&root.join("lib"), "python3");
    let on_unix = of_versions.iter().flat_map(|p| ["site-packages", "dist-packages"].map(|name| p.join(name)));
    std::iter::once(root.join("Lib/site-packages")).chain(on_unix).collect()
}

/// Returns the subfolders of `root` whose names start with `prefix`, in descending order of name: the latest version
/// comes first.
pub(crate) fn folders(root: &Path, prefix: &str) -> Vec<PathBuf> {
    let mut found: Vec<_> = fs::read_dir(root)
        .into_iter()
        .flatten()
        .filter_map(Result::ok)
        .filter(|e| e.file_name().to_string_lossy().starts_with(prefix))
        .map(|e| e.path())
        .collect();
    found.sort_by(|a, b| b.cmp(a));
    found
}
