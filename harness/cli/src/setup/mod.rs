//! Sets warplab up on a computer. `warplab setup` brings NVRTC and CUDA's headers, nvcc, or ptxas, from PyPI to
//! warplab's own cache folder; `warplab completions` and `warplab man` write what the shell and `man` read.
//!
//! `pins` lists the wheels, `fetch` gets and checks them, `install` unpacks them where `kernels` looks for them, and
//! `check` reports what is installed. Unfinished work is in a folder of `half`, and `cache` handles what warplab caches
//! automatically.
mod cache;
mod check;
mod complete;
mod fetch;
mod half;
mod install;
mod pins;

use std::{
    path::{Path, PathBuf},
    process::ExitCode,
};

use clap::{Arg, ArgAction, ArgGroup, ArgMatches, Command, value_parser};
use harness::Error;
use kernels::toolbox;

use crate::shared::subcommand::Subcommand::{self, OfProgram, Plain};
use install::State;
use pins::{Tool, Wheel};

/// The subcommand that brings what warplab needs.
pub const SUBCOMMANDS: &[Subcommand] = &[Plain(command, run)];

/// The subcommands for the shell, in the order of the help.
pub const OF_SHELL: &[Subcommand] = &[
    OfProgram(complete::completions_command, |matches, program| Ok(complete::completions(matches, program))),
    OfProgram(complete::man_command, complete::man),
];

const ABOUT: &str = "Download NVRTC and CUDA's headers, which compile edited kernels; needs Python's pip, and no GPU";

const DETAILS: &str = "\
The files come from PyPI in the versions that this warplab was tested with, and are used only if their SHA-256 is right. \
They are kept in the folder `toolbox` of warplab's cache: ~/.cache/warplab on Linux, or what WARPLAB_CACHE names. For all \
users of a computer they are kept in /usr/local/share/warplab (%ProgramData%\\warplab on Windows) by --system. The user's \
own come first. NVIDIA's licence is next to them.

With --nvcc, nvcc is downloaded, with CUDA's runtime and headers: `warplab nvcc` compiles whole programs with it. It \
needs a C++ compiler on this computer, such as g++.

With --ptxas, NVIDIA's assembler and disassembler are downloaded: `warplab sass` shows the machine code of kernels.

A computer room without access to PyPI: `warplab setup --download FOLDER` where there is access, then \
`warplab setup --from FOLDER` there.";

pub fn command() -> Command {
    let folder =
        |name: &'static str| Arg::new(name).long(name).value_name("FOLDER").value_parser(value_parser!(PathBuf));
    let flag = |name: &'static str| Arg::new(name).long(name).action(ArgAction::SetTrue);
    Command::new("setup")
        .about(ABOUT)
        .after_help(DETAILS)
        .arg(
            flag("nvcc").help("Download nvcc, which compiles whole programs, instead of NVRTC, which compiles kernels"),
        )
        .arg(
            flag("ptxas").conflicts_with("nvcc").help(
                "Download ptxas and nvdisasm, which show a kernel's machine code and registers, instead of NVRTC",
            ),
        )
        .arg(
            flag("check")
                .help("Report what is installed; exit code 4 if no kernel can be compiled, or something is damaged"),
        )
        .arg(folder("from").help("Take the wheels from this folder, without a network"))
        .arg(folder("download").help("Only download the wheels into this folder"))
        .arg(
            flag("remove")
                .help("Delete the downloaded files; with NVRTC also everything that warplab has cached automatically"),
        )
        .arg(flag("system").help("Install or remove for all users of this computer").conflicts_with("download"))
        .arg(
            Arg::new("pins")
                .long("pins")
                .value_name("FILE")
                .value_parser(value_parser!(PathBuf))
                .hide(true)
                .help("Another table of what to download, like harness/cli/src/setup/pins.toml"),
        )
        .group(ArgGroup::new("what").args(["check", "from", "download", "remove"]))
}

pub fn run(matches: &ArgMatches) -> Result<ExitCode, Error> {
    let path = |name: &str| matches.get_one::<PathBuf>(name).map(PathBuf::as_path);
    let named = [toolbox::NVCC, toolbox::PTXAS].into_iter().find(|name| matches.get_flag(name));
    let tool = Tool::named(named.unwrap_or(toolbox::NVRTC), path("pins"))?;
    if matches.get_flag("check") {
        // On platforms without NVIDIA's wheels, the tool is not installed either.
        return Ok(check::check(&tool, &tool.wheels(&pins::platform()).unwrap_or_default()).into());
    }
    let toolbox = if matches.get_flag("system") { toolbox::of_all_users() } else { of_user()? };
    let folder = toolbox.join(&tool.name);
    if matches.get_flag("remove") {
        let words = if install::remove(&folder)? { "removed" } else { "there is nothing to remove" };
        harness::print(&format!("{}: {words}", folder.display()));
        if named.is_none() && !matches.get_flag("system") {
            cache::remove()?.iter().for_each(|line| harness::print(line));
        }
        return Ok(ExitCode::SUCCESS);
    }
    let wheels = tool.wheels(&pins::platform())?;
    if let Some(folder) = path("download") {
        for line in fetch::download(&wheels, folder)? {
            harness::print(&line);
        }
        let shown = folder.display();
        let which = named.map_or_else(String::new, |name| format!(" --{name}"));
        harness::print(&format!("{shown}: with these files `warplab setup{which} --from {shown}` needs no network"));
        return Ok(ExitCode::SUCCESS);
    }
    bring(&tool, &wheels, &folder, path("from"))?;
    Ok(ExitCode::SUCCESS)
}

fn of_user() -> Result<PathBuf, Error> {
    let none =
        || Error::CannotRun("there is no home folder: set WARPLAB_CACHE to a folder for the downloaded files".into());
    toolbox::of_user().ok_or_else(none)
}

/// Fills the folder of a tool with wheels from `from`, or from PyPI.
fn bring(tool: &Tool, wheels: &[Wheel], folder: &Path, from: Option<&Path>) -> Result<(), Error> {
    if let State::Whole(_) = install::state(folder, wheels) {
        harness::print(&format!("{}: {} are there already", folder.display(), tool.what));
    } else {
        match from {
            Some(from) => unpack(tool, wheels, from, folder)?,
            None => {
                let packages: Vec<String> = wheels.iter().map(|w| format!("{} {}", w.package, w.version)).collect();
                harness::print(&format!("Fetching {} from PyPI", packages.join(", ")));
                let half = half::folder_in(folder.parent().unwrap_or(folder))?;
                for line in fetch::download(wheels, half.path())? {
                    harness::print(&line);
                }
                unpack(tool, wheels, half.path(), folder)?;
            }
        }
        if let State::Whole(bytes) = install::state(folder, wheels) {
            let megabytes = check::megabytes(bytes);
            harness::print(&format!("{}: {} are there now, {megabytes} MB", folder.display(), tool.what));
        }
    }
    harness::print(&check::after(tool, folder)?);
    Ok(())
}

fn unpack(tool: &Tool, wheels: &[Wheel], from: &Path, folder: &Path) -> Result<(), Error> {
    let paths: Vec<PathBuf> = wheels.iter().map(|wheel| fetch::checked(from, wheel)).collect::<Result<_, _>>()?;
    install::unpack(wheels, &paths, &tool.links, folder)
}
