//! `warplab nvcc --cmake`: the toolchain file with which CMake builds programs that `warplab exec` can run.
use std::{
    env, fs,
    path::{Path, PathBuf},
};

use harness::Error;

use super::old_cuda;
use crate::programs::libraries;

/// The file, with placeholders for the paths of nvcc and of this program.
const TEMPLATE: &str = include_str!("../../../templates/cmake/warplab.cmake");

/// Writes the file to the user's cache folder, and returns its path.
///
/// # Errors
/// [`Error::Io`] when it cannot be written; [`Error::CannotRun`] without a cache folder.
pub fn write(nvcc: &Path) -> Result<PathBuf, Error> {
    let folder = kernels::cache_folder().ok_or_else(|| {
        Error::CannotRun("there is no home folder for the toolchain file; name a folder by WARPLAB_CACHE".into())
    })?;
    let folder = std::path::absolute(&folder).unwrap_or(folder);
    fs::create_dir_all(&folder).map_err(|source| Error::Io { action: "create", path: folder.clone(), source })?;
    let nvcc = std::path::absolute(nvcc).unwrap_or_else(|_| nvcc.into());
    let own = env::current_exe().unwrap_or_else(|_| "warplab".into());
    let file = folder.join("warplab.cmake");
    let for_linkers = libraries::write_for_linkers(&folder)?;
    let runtime = libraries::write_for_programs()?;
    let headers = old_cuda::write_headers()?.unwrap_or_default();
    harness::write_whole(&file, text(&nvcc, &own, &for_linkers, &runtime, &headers).as_bytes())?;
    Ok(file)
}

/// The file's text. CMake writes paths with slashes, on Windows too.
fn text(nvcc: &Path, own: &Path, for_linkers: &Path, runtime: &Path, headers: &Path) -> String {
    let quoted = |path: &Path| path.to_string_lossy().replace('\\', "/").replace('"', "\\\"").replace('$', "\\$");
    let text = TEMPLATE.replace("@NVCC@", &quoted(nvcc)).replace("@WARPLAB@", &quoted(own));
    text.replace("@LINK@", &quoted(for_linkers))
        .replace("@RUNTIME@", &quoted(runtime))
        .replace("@HEADERS@", &quoted(headers))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_file_names_the_programs_and_leaves_nothing_open() {
        let text = text(
            Path::new("/a b/bin/nvcc"),
            Path::new("/home/$x/warplab"),
            Path::new("/c/link"),
            Path::new("/c/r"),
            Path::new("/c/h"),
        );
        assert!(text.contains("set(CMAKE_CUDA_COMPILER \"/a b/bin/nvcc\")\n"), "{text}");
        assert!(text.contains("set(CMAKE_TEST_LAUNCHER \"/home/\\$x/warplab;exec\")\n"), "{text}");
        assert!(text.contains("\"/c/link/libcuda.so\"") && text.contains("\"/c/link/libnvidia-ml.so\""), "{text}");
        assert!(text.contains("set(CMAKE_BUILD_RPATH \"/c/r\")\n"), "{text}");
        assert!(!text.contains('@'), "{text}");
    }
}
