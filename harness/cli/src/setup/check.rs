//! Reports the installed tools: NVRTC in use, CUDA's headers, and what `warplab setup` has installed.
use std::{env, path::Path};

use harness::{Error, Exit};
use kernels::{GET_NVRTC, toolbox};

use super::{
    cache,
    install::{State, state},
    pins::{Tool, Wheel},
};
use crate::programs::nvcc;

/// Reports the state of a tool, and whether it can be used.
pub fn check(tool: &Tool, wheels: &[Wheel]) -> Exit {
    let mut lines = Vec::new();
    let mut is_whole = true;
    for toolbox in toolbox::all() {
        let folder = toolbox.join(&tool.name);
        let shown = folder.display();
        lines.push(match state(&folder, wheels) {
            State::Empty => format!("{shown}: nothing is installed here"),
            State::Whole(bytes) => {
                format!("{shown}: everything that `warplab setup` installs, {} MB", megabytes(bytes))
            }
            State::Other => format!("{shown}: installed by another version of warplab; `warplab setup` updates it"),
            State::Damaged(file) => {
                is_whole = false;
                format!("{shown}: damaged, {} is missing or changed; `warplab setup` repairs it", file.display())
            }
        });
    }
    if tool.name == toolbox::NVRTC {
        lines.extend(cache::lines().iter().map(|line| format!("{line}; `warplab setup --remove` deletes that too")));
    }
    let (can_compile, words) = match tool.name.as_str() {
        toolbox::NVCC => nvcc_in_use(),
        toolbox::PTXAS => match assembler_in_use() {
            Ok(words) => (true, words),
            Err(error) => (false, error.to_string()),
        },
        _ => in_use(),
    };
    harness::print(&format!("{}\n{words}", lines.join("\n")));
    if can_compile && is_whole { Exit::Passed } else { Exit::CannotRun }
}

/// Whether kernels can be compiled, and with which compiler.
fn in_use() -> (bool, String) {
    match kernels::nvrtc() {
        Ok(Some(nvrtc)) => {
            let headers = if nvrtc.has_cuda_headers() {
                "with CUDA's headers"
            } else {
                "without CUDA's headers, which `warplab setup` installs with an NVRTC of their version"
            };
            (true, format!("Kernels are compiled by NVRTC {}, {}, {headers}.", nvrtc.version(), nvrtc.path().display()))
        }
        Ok(None) if is_off() => (false, "NVRTC is not used, because WARPLAB_NVRTC is `off`.".into()),
        Ok(None) => (false, format!("NVRTC was not found, so no kernel can be compiled. {GET_NVRTC}.")),
        Err(error) => (false, format!("No kernel can be compiled: {error}.")),
    }
}

/// Whether whole programs can be compiled, and with which compiler.
fn nvcc_in_use() -> (bool, String) {
    match nvcc::find() {
        Ok(nvcc) => (true, format!("Programs are compiled by {}.", nvcc.display())),
        Err(error) => (false, error.to_string()),
    }
}

/// Describes the assembler and the disassembler that are used.
fn assembler_in_use() -> Result<String, assembler::Error> {
    let (ptxas, nvdisasm) = (assembler::Ptxas::find()?, assembler::Nvdisasm::find()?);
    let (assembler, disassembler) = (ptxas.version(), nvdisasm.version());
    Ok(format!("PTX is assembled by ptxas {assembler}, and machine code disassembled by nvdisasm {disassembler}."))
}

/// Describes what is used after the folder of a tool has been filled.
///
/// # Errors
/// [`Error::CannotRun`] when the installed library does not load here.
pub fn after(tool: &Tool, folder: &Path) -> Result<String, Error> {
    if tool.name == toolbox::NVCC {
        return nvcc::find().map(|nvcc| format!("Programs are compiled by {}.", nvcc.display()));
    }
    if tool.name == toolbox::PTXAS {
        return assembler_in_use().map_err(|error| Error::CannotRun(error.to_string()));
    }
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

/// Converts bytes to whole megabytes.
pub fn megabytes(bytes: u64) -> u64 {
    bytes.div_ceil(1_000_000)
}
