//! The folders for NVIDIA's tools that `warplab setup` installs: in the user's cache folder, or in a folder for all
//! users. Each tool has its own folder, laid out like Python's site-packages.
use std::{
    env,
    path::{Path, PathBuf},
};

use crate::cache;

/// Returns the user's toolbox, in the cache folder: `WARPLAB_CACHE`, or `~/.cache/warplab` on Linux. `None` without a
/// home folder.
pub fn of_user() -> Option<PathBuf> {
    Some(cache::folder()?.join("toolbox"))
}

/// Returns the toolbox that all users of this computer share.
pub fn of_all_users() -> PathBuf {
    if cfg!(windows) {
        let data = env::var_os("ProgramData").unwrap_or_else(|| "C:\\ProgramData".into());
        return Path::new(&data).join("warplab").join("toolbox");
    }
    "/usr/local/share/warplab/toolbox".into()
}

/// Returns every toolbox, the user's own first.
pub fn all() -> impl Iterator<Item = PathBuf> {
    of_user().into_iter().chain(std::iter::once_with(of_all_users))
}

/// The name of the folder of NVRTC and CUDA's headers in a toolbox.
pub const NVRTC: &str = "nvrtc";

/// The name of nvcc's folder in a toolbox.
pub const NVCC: &str = "nvcc";

/// The name of the folder of the assembler and the disassembler in a toolbox.
pub const PTXAS: &str = "ptxas";

/// Returns the folder of NVRTC and CUDA's headers in a toolbox.
pub fn nvrtc_in(toolbox: &Path) -> PathBuf {
    toolbox.join(NVRTC)
}
