//! What is there: NVRTC in use, CUDA's headers, and what `warplab setup` brought.
use std::{env, path::Path};

use harness::{Error, Exit};
use kernels::{GET_NVRTC, toolbox};

use super::{
    install::{State, state},
    pins::Wheel,
};

/// Says what is there, and whether kernels can be compiled.
pub fn check(wheels: &[Wheel]) -> Exit {
    let mut lines = Vec::new();
    let mut is_whole = true;
    for toolbox in toolbox::all() {
        let folder = toolbox::nvrtc_in(&toolbox);
        let shown = folder.display();
        lines.push(match state(&folder, wheels) {
            State::Empty => format!("{shown}: nothing was brought here"),
            State::Whole(bytes) => format!("{shown}: all that `warplab setup` brings, {} MB", megabytes(bytes)),
            State::Other => format!("{shown}: brought by another version of warplab; `warplab setup` renews it"),
            State::Damaged(file) => {
                is_whole = false;
                format!("{shown}: damaged, {} is not as it was brought; `warplab setup` mends it", file.display())
            }
        });
    }
    let (can_compile, words) = in_use();
    harness::print(&format!("{}\n{words}", lines.join("\n")));
    if can_compile && is_whole { Exit::Passed } else { Exit::CannotRun }
}

/// Whether kernels can be compiled, and by what.
fn in_use() -> (bool, String) {
    match kernels::nvrtc() {
        Ok(Some(nvrtc)) => {
            let headers = if nvrtc.has_cuda_headers() {
                "with CUDA's headers"
            } else {
                "without CUDA's headers, which `warplab setup` brings with an NVRTC of their version"
            };
            (true, format!("Kernels are compiled by NVRTC {}, {}, {headers}.", nvrtc.version(), nvrtc.path().display()))
        }
        Ok(None) if is_off() => (false, "NVRTC is not used, because WARPLAB_NVRTC is `off`.".into()),
        Ok(None) => (false, format!("NVRTC was not found, so no kernel can be compiled. {GET_NVRTC}.")),
        Err(error) => (false, format!("No kernel can be compiled: {error}.")),
    }
}

/// What is used after `folder` has been filled.
///
/// # Errors
/// [`Error::CannotRun`] when the library that was brought does not load here.
pub fn after(folder: &Path) -> Result<String, Error> {
    let (can_compile, words) = in_use();
    let is_named = env::var_os("WARPLAB_NVRTC").is_some_and(|value| !value.is_empty());
    if is_named || can_compile && kernels::nvrtc()?.is_some_and(|nvrtc| is_in(nvrtc.path(), folder)) {
        return Ok(words);
    }
    Err(Error::CannotRun(format!(
        "{} is there, but its library cannot be loaded on this computer. {words}",
        folder.display()
    )))
}

fn is_off() -> bool {
    env::var_os("WARPLAB_NVRTC").is_some_and(|value| value == "off")
}

fn is_in(path: &Path, folder: &Path) -> bool {
    folder.canonicalize().is_ok_and(|folder| path.starts_with(folder))
}

/// Bytes in whole megabytes.
pub fn megabytes(bytes: u64) -> u64 {
    bytes.div_ceil(1_000_000)
}
