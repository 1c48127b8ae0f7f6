//! `warplab sass`: kernels line by line, as source, PTX and machine code (SASS), by NVIDIA's ptxas and nvdisasm.
mod source;
mod text;

use std::{
    ffi::OsString,
    path::{Path, PathBuf},
    process::ExitCode,
};

use assembler::{KernelListing, Listing, Nvdisasm, Ptxas};
use clap::{Arg, ArgMatches, Command, value_parser};
use harness::{DeviceChoice, Error, Exit, Session, arguments::switch, suggest};
use wire::function_name;

use super::exec;
use crate::shared::options;
use source::{Module, PtxSource};

const MORE: &str = "\
FILE is x.cu or x.ptx. A file with a `main` is compiled by nvcc (`warplab setup --nvcc`), any other .cu as a lab's kernels are, by \
NVRTC (`warplab setup`). ptxas then assembles the PTX for the GPU that --device names, and nvdisasm reads its machine code: \
`warplab setup --ptxas` installs both.

Each line of the source is followed by the PTX that was made from it, next to the machine code that was made from that, with the \
number of registers of a thread that hold a value. Nothing is run, and no GPU is needed. ptxas reads the file outside the sandbox: \
do not pass it kernels of people whom you do not trust.

Examples:
  warplab sass vecadd.cu                              the machine code for the default part
  warplab sass x.cu --kernel tile --device emulated:a100
  warplab sass x.ptx --json                           for another program";

pub fn command() -> Command {
    let endings = [
        (Exit::Passed, "shown"),
        (Exit::Usage, "the file or the command line is wrong, or ptxas refuses the PTX"),
        (Exit::CannotRun, "ptxas, nvdisasm or the compiler is missing, or ptxas does not know the architecture"),
    ];
    Command::new("sass")
        .about("Show a kernel's source, PTX and machine code line by line, with its registers; needs no GPU")
        .arg(
            Arg::new("file")
                .value_name("FILE")
                .required(true)
                .value_parser(value_parser!(PathBuf))
                .help("The kernels: x.cu or x.ptx"),
        )
        .arg(Arg::new("kernel").long("kernel").value_name("NAME").help("Only this kernel [default: all]"))
        .arg(options::device(
            "auto",
            "The GPU to assemble for: auto (a GPU if there is one), cuda:N, or emulated[:PROFILE]",
        ))
        .arg(exec::nvcc_option())
        .arg(switch("json", "As JSON"))
        .after_help(format!("{MORE}\n\n{}", Exit::of_command(&endings)))
}

pub fn run(matches: &ArgMatches) -> Result<ExitCode, Error> {
    let file: &PathBuf = matches.get_one("file").expect("clap asks for it");
    let of_nvcc: Vec<&OsString> = matches.get_many("nvcc").map(Iterator::collect).unwrap_or_default();
    // Both are needed, so the compiler need not run without them.
    let tools = (Ptxas::find().map_err(error(file))?, Nvdisasm::find().map_err(error(file))?);
    let choice = matches.get_one::<DeviceChoice>("device").cloned().unwrap_or(DeviceChoice::Auto);
    let capability = Session::open(&choice)?.device.compute_capability;
    let module = match source::ptx(file, &of_nvcc, capability)? {
        PtxSource::Module(module) => module,
        PtxSource::Failed(code) => return Ok(ExitCode::from(code)),
    };
    let Module { ptx, arch, .. } = &module;
    let text = |file: &str| module.text(file);
    let listing = assembler::listing((&tools.0, &tools.1), (ptx, *arch), &text).map_err(error(file))?;
    let kernel = matches.get_one::<String>("kernel").map(String::as_str);
    let listing = only(listing, kernel, file)?;
    if matches.get_flag("json") {
        harness::print_json(&listing);
    } else {
        harness::print(&text::listing(&listing));
    }
    Ok(ExitCode::SUCCESS)
}

/// Keeps the kernel of this name, or all.
fn only(mut listing: Listing, kernel: Option<&str>, file: &Path) -> Result<Listing, Error> {
    if listing.kernels.is_empty() {
        return Err(Error::usage(format!("{} has no kernels: declare one as __global__ void", file.display())));
    }
    let Some(kernel) = kernel else { return Ok(listing) };
    let names: Vec<String> = listing.kernels.iter().map(|listed| function_name(&listed.name).to_string()).collect();
    listing.kernels.retain(|listed| is_named(listed, kernel));
    if listing.kernels.is_empty() {
        let known: Vec<&str> = names.iter().map(String::as_str).collect();
        let among = suggest::among(kernel, &known);
        return Err(Error::usage(format!("{} has no kernel `{kernel}`; {among}", file.display())));
    }
    Ok(listing)
}

/// Whether a kernel has this name: its symbol, or its name in the source, with or without parameters.
fn is_named(listed: &KernelListing, name: &str) -> bool {
    [listed.resources.symbol.as_str(), &listed.name, function_name(&listed.name)].contains(&name)
}

/// Converts an error of the tools: whether the file is wrong, or it cannot be done here.
fn error(file: &Path) -> impl Fn(assembler::Error) -> Error {
    let file = file.display().to_string();
    move |error| match error {
        assembler::Error::Refused { .. } => Error::usage(format!("{file}: {error}")),
        error => Error::CannotRun(error.to_string()),
    }
}
