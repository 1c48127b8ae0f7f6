//! Environment variables that some clients need before they use the embedded machine.
use std::{
    env,
    ffi::OsString,
    path::{Path, PathBuf},
};

use kernels::toolbox;

use crate::programs::libraries::{DRIVER, JIT_AUDIT, PTXAS};

/// The variable that names the audit libraries of the dynamic loader.
const AUDIT: &str = "LD_AUDIT";

/// The variables for clients of the libraries in `folder`.
pub fn variables(folder: &Path) -> Vec<(&'static str, OsString)> {
    let mut variables: Vec<(&str, OsString)> = vec![
        // numba does not search the library path.
        ("NUMBA_CUDA_DRIVER", folder.join(DRIVER).into()),
        // Triton asks the loader's cache before the library path, and would have ptxas generate machine code, which it
        // caches.
        ("TRITON_LIBCUDA_PATH", folder.into()),
        ("TRITON_PTXAS_PATH", folder.join(PTXAS).into()),
        ("TRITON_PTXAS_BLACKWELL_PATH", folder.join(PTXAS).into()),
    ];
    // For programs that ask NVRTC or nvJitLink for machine code. Only glibc's loader audits.
    if cfg!(all(target_os = "linux", target_env = "gnu")) {
        variables.push((AUDIT, audited(&folder.join(JIT_AUDIT), env::var_os(AUDIT))));
    }
    // CuPy keeps what it has compiled on disk, where PTX has entries of its own, separate from those of a GPU.
    if env::var_os("CUPY_COMPILE_WITH_PTX").is_none() {
        variables.push(("CUPY_COMPILE_WITH_PTX", "1".into()));
    }
    let own = toolbox::of_user().map(|toolbox| toolbox.with_file_name("triton"));
    if let Some(kept) = own.filter(|_| env::var_os("TRITON_CACHE_DIR").is_none()) {
        variables.push(("TRITON_CACHE_DIR", kept.into()));
    }
    variables
}

/// The audit libraries, with `ours` first. Another copy of ours, of an outer `exec`, is replaced.
fn audited(ours: &Path, others: Option<OsString>) -> OsString {
    let others = others.unwrap_or_default();
    let is_other = |file: &PathBuf| file.file_name().is_some_and(|name| Some(name) != ours.file_name());
    let others = env::split_paths(&others).filter(is_other);
    let all: Vec<_> = std::iter::once(ours.to_path_buf()).chain(others).collect();
    env::join_paths(all).unwrap_or_else(|_| ours.into())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn audit_libraries_of_the_user_stay_and_an_older_copy_goes() {
        let ours = Path::new("/new/libwarplab-jit-audit.so");
        assert_eq!(audited(ours, None), ours);
        let others = "/old/libwarplab-jit-audit.so:/a/other.so";
        assert_eq!(audited(ours, Some(others.into())), "/new/libwarplab-jit-audit.so:/a/other.so");
    }
}
