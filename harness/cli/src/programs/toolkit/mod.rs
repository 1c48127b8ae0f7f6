//! The commands of a CUDA toolkit that this program serves under their own names, and the environment in which they are
//! on PATH.
mod command_line;
mod compute_sanitizer;
mod cuda_gdb;
pub mod environment;
mod links;
mod ncu;
mod ncu_metrics;
mod nsys;
pub mod nvcc;
mod nvidia_smi;
mod nvprof;
mod profile;
pub mod shell;
mod smi_fields;
mod smi_table;

use std::{env, ffi::OsString, path::Path, path::PathBuf};

use harness::{Device, DeviceChoice};
use kernels::program;

use crate::shared::subcommand::Subcommand::{self, Plain};

/// The subcommands that have the names of tools, in the order of the help. `nvcc` is a subcommand of `programs`.
pub const SUBCOMMANDS: &[Subcommand] = &[
    Plain(nvidia_smi::command, nvidia_smi::run),
    Plain(nsys::command, nsys::run),
    Plain(nvprof::command, nvprof::run),
    Plain(ncu::command, ncu::run),
    Plain(compute_sanitizer::command, compute_sanitizer::run),
    Plain(cuda_gdb::command, cuda_gdb::run),
];

/// The tools: a link of one of these names to this program runs the subcommand of that name.
pub const TOOLS: &[&str] = &["compute-sanitizer", "cuda-gdb", "ncu", "nsys", "nvcc", "nvidia-smi", "nvprof"];

/// Adds the subcommand to the arguments if the program was started under the name of a tool.
pub fn with_subcommand(mut arguments: Vec<OsString>) -> Vec<OsString> {
    let name = arguments.first().and_then(|path| Path::new(path).file_name()).map(OsString::from);
    if let Some(name) = name.filter(|name| TOOLS.iter().any(|tool| name == tool)) {
        arguments.insert(1, name);
    }
    arguments
}

/// Replaces this process by the toolkit's own command of the same name, if the shell found this program on PATH under
/// that name and the computer has a GPU. With the embedded machine on the library path, no GPU is found.
pub fn yield_to_real(arguments: &[OsString]) {
    let Some(name) = arguments.first().and_then(|path| started_from_path(Path::new(path))) else { return };
    let Some(real) = real(&name) else { return };
    if !matches!(harness::choose(&DeviceChoice::Auto).map(|opened| opened.device), Ok(Device::Gpu(_))) {
        return;
    }
    #[cfg(unix)]
    {
        let mut process = std::process::Command::new(real);
        let error = std::os::unix::process::CommandExt::exec(process.args(&arguments[1..]));
        harness::print_error(&format!("{} of the CUDA toolkit cannot be started: {error}", name.display()));
    }
}

/// The name of the tool as which the program was found on PATH; `None` if it was started by a path, as CMake does.
fn started_from_path(started: &Path) -> Option<OsString> {
    let name = started.file_name().filter(|name| TOOLS.iter().any(|tool| name == tool))?;
    let folder = started.parent().unwrap_or(Path::new(""));
    let is_ours = links::folder().is_some_and(|ours| ours == folder);
    (folder.as_os_str().is_empty() || is_ours).then(|| name.to_owned())
}

/// The first program of this name on PATH that is not this program.
pub fn real(name: &OsString) -> Option<PathBuf> {
    let own = env::current_exe().and_then(|path| path.canonicalize()).ok()?;
    let mut on_path = program::folders().into_iter().map(|folder| folder.join(name)).filter(|path| path.is_file());
    on_path.find(|path| path.canonicalize().is_ok_and(|path| path != own))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_link_with_the_name_of_a_tool_is_that_tool() {
        let named = |words: &[&str]| with_subcommand(words.iter().map(OsString::from).collect());
        assert_eq!(named(&["/a/nvcc", "x.cu"]), ["/a/nvcc", "nvcc", "x.cu"]);
        assert_eq!(named(&["/nvcc/warplab", "list"]), ["/nvcc/warplab", "list"]);
        assert!(named(&[]).is_empty());
    }

    #[test]
    fn a_tool_that_was_started_by_a_path_is_this_program() {
        assert_eq!(started_from_path(Path::new("nvcc")), Some("nvcc".into()));
        assert_eq!(started_from_path(Path::new("/cmake/nvcc")), None);
        assert_eq!(started_from_path(Path::new("warplab")), None);
    }
}
