//! Environment variables that some clients need before they use the embedded machine.
use std::{env, ffi::OsString, path::Path};

use kernels::toolbox;

use crate::programs::libraries::{DRIVER, PTXAS};

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
    // CuPy asks NVRTC for machine code.
    if env::var_os("CUPY_COMPILE_WITH_PTX").is_none() {
        variables.push(("CUPY_COMPILE_WITH_PTX", "1".into()));
    }
    let own = toolbox::of_user().map(|toolbox| toolbox.with_file_name("triton"));
    if let Some(kept) = own.filter(|_| env::var_os("TRITON_CACHE_DIR").is_none()) {
        variables.push(("TRITON_CACHE_DIR", kept.into()));
    }
    variables
}
