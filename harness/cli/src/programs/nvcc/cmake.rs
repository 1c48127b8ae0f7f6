//! `warplab nvcc --cmake`: the toolchain file with which CMake builds programs that `warplab exec` can run.
use std::{
    env, fs,
    path::{Path, PathBuf},
};

use harness::Error;

use crate::{programs::libraries, shared::output_options::update};

/// The file, with placeholders for the paths of nvcc and of this program.
const TEMPLATE: &str = include_str!("../../../templates/cmake/warplab.cmake");

/// Writes the file to the user's cache folder, and returns its path.
///
/// # Errors
/// [`Error::Io`] when it cannot be written; [`Error::CannotRun`] without a cache folder.
pub fn write() -> Result<PathBuf, Error> {
    let folder = kernels::cache_folder().ok_or_else(|| {
        Error::CannotRun("there is no home folder for the toolchain file; name a folder by WARPLAB_CACHE".into())
    })?;
    let folder = std::path::absolute(&folder).unwrap_or(folder);
    fs::create_dir_all(&folder).map_err(|source| Error::Io { action: "create", path: folder.clone(), source })?;
    let own = env::current_exe().unwrap_or_else(|_| "warplab".into());
    let nvcc = write_compiler(&folder, &own)?;
    let file = folder.join("warplab.cmake");
    let values = [
        ("NVCC", &nvcc),
        ("WARPLAB", &own),
        ("LINK", &libraries::write_for_linkers(&folder)?),
        ("RUNTIME", &libraries::write_for_programs()?),
    ];
    harness::write_whole(&file, text(&values).as_bytes())?;
    Ok(file)
}

/// Writes the compiler that CMake calls: a script of the name `nvcc` which runs `warplab nvcc` with this cache. Returns
/// its path.
fn write_compiler(cache: &Path, own: &Path) -> Result<PathBuf, Error> {
    let folder = cache.join("cmake");
    let file = folder.join("nvcc");
    let io = |source| Error::Io { action: "write", path: file.clone(), source };
    fs::create_dir_all(&folder).map_err(io)?;
    update(&file, script(cache, own).as_bytes())?;
    #[cfg(unix)]
    fs::set_permissions(&file, std::os::unix::fs::PermissionsExt::from_mode(0o755)).map_err(io)?;
    Ok(file)
}

fn script(cache: &Path, own: &Path) -> String {
    let quoted = |path: &Path| format!("'{}'", path.to_string_lossy().replace('\'', "'\\''"));
    format!("#!/bin/sh\nWARPLAB_CACHE={} exec {} nvcc \"$@\"\n", quoted(cache), quoted(own))
}

/// The file's text, with the value of each placeholder. CMake writes paths with slashes, on Windows too.
fn text(values: &[(&str, &PathBuf)]) -> String {
    let quoted = |path: &Path| path.to_string_lossy().replace('\\', "/").replace('"', "\\\"").replace('$', "\\$");
    values.iter().fold(TEMPLATE.into(), |text, (name, path)| text.replace(&format!("@{name}@"), &quoted(path)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_file_names_the_programs_and_leaves_nothing_open() {
        let names = ["NVCC", "WARPLAB", "LINK", "RUNTIME"];
        let paths = ["/a b/cmake/nvcc", "/home/$x/warplab", "/c/link", "/c/r"].map(PathBuf::from);
        let text = text(&names.into_iter().zip(&paths).collect::<Vec<_>>());
        assert!(text.contains("set(CMAKE_CUDA_COMPILER \"/a b/cmake/nvcc\")\n"), "{text}");
        assert!(text.contains("set(CMAKE_TEST_LAUNCHER \"/home/\\$x/warplab;exec\")\n"), "{text}");
        assert!(text.contains("\"/c/link/libcuda.so\"") && text.contains("\"/c/link/libnvidia-ml.so\""), "{text}");
        assert!(text.contains("set(CMAKE_BUILD_RPATH \"/c/r\")\n"), "{text}");
        assert!(!text.contains('@'), "{text}");
    }

    #[test]
    fn the_compiler_is_this_program_with_its_cache() {
        let script = script(Path::new("/it's/cache"), Path::new("/a b/warplab"));
        assert_eq!(script, "#!/bin/sh\nWARPLAB_CACHE='/it'\\''s/cache' exec '/a b/warplab' nvcc \"$@\"\n");
    }
}
