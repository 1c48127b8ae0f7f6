//! `warplab exec`: runs any CUDA program where a lab would run: on the GPU if there is one, else on the embedded
//! machine. `warplab driver` is the same on the embedded machine only.
mod clients;
pub mod driver;
mod exec_output;
mod inspect;
mod names;
mod options;
mod process;
mod source;
mod summary;
mod timeout;

use std::{env, ffi::OsString, path::Path, process::ExitCode};

use clap::{Arg, ArgAction, ArgMatches, Command, value_parser};
use harness::{Device, DeviceChoice, Error};

use crate::{
    programs::{libraries, nvcc},
    shared::{scratch, signals},
};
pub use clients::variables as variables_of_clients;
pub use exec_output::RequestedOutput;
pub use inspect::needs_driver;
pub use process::{ExecSettings, ProgramResult};
use source::Compiled;
pub use source::capability;

const MORE: &str = "\
PROGRAM is a program that `warplab nvcc` or nvcc has compiled, any other program that uses CUDA's driver, or a file x.cu, \
which is compiled first, for the part that is emulated.

Exit codes: PROGRAM's own, but 1 if that is 0 and anything was found in it or in a process that it started (a refused \
launch counts unless its process asked for the error), 124 if --timeout ends it, 128 plus the signal's number if a signal \
ends PROGRAM, 2 if the command line is wrong or PROGRAM cannot be started, 4 if it cannot run here.

Examples:
  warplab exec hello.cu 10                          compile and run
  warplab exec --nvcc=-O3 --nvcc=-std=c++20 hello.cu 10
  warplab exec --check all ./hello 10               look for mistakes of every kind
  warplab exec --hot --out run ./hello 10           then: warplab report run
  warplab exec --predict=h200 ./hello 10            what the kernels would take on an H200
  warplab exec --device emulated:t4 -- python3 x.py    numba, Triton, PyCUDA, Taichi, cuda.core";

/// The prefix of the folders in which programs find their libraries.
const SCRATCH: &str = ".warplab-exec-";

pub fn command() -> Command {
    Command::new("exec")
        .about("Run a CUDA program on the GPU if there is one, or else on the embedded machine")
        .args(options::watching())
        .args(exec_output::options())
        .arg(nvcc_option())
        .arg(options::program("The program to run, or its source x.cu, and its arguments").required(true))
        .after_help(MORE)
}

/// The option of commands that compile a source by nvcc.
pub fn nvcc_option() -> Arg {
    Arg::new("nvcc")
        .long("nvcc")
        .value_name("OPTION")
        .action(ArgAction::Append)
        .allow_hyphen_values(true)
        .value_parser(value_parser!(OsString))
        .help("Pass OPTION to nvcc, which compiles x.cu; may be given several times")
}

pub fn run(matches: &ArgMatches) -> Result<ExitCode, Error> {
    let request = Request {
        command: command(),
        choice: matches.get_one::<DeviceChoice>("device").cloned().unwrap_or(DeviceChoice::Auto),
        of_nvcc: matches.get_many("nvcc").map(Iterator::collect).unwrap_or_default(),
        libraries: None,
        output: RequestedOutput::from_matches(matches),
    };
    request.run(matches)
}

/// A program to run: what differs between `exec` and `driver`.
struct Request<'m> {
    /// The subcommand, among whose options the nearest to a mistyped one is found.
    command: Command,
    choice: DeviceChoice,
    /// Options of nvcc for a source.
    of_nvcc: Vec<&'m OsString>,
    /// The folder that holds the libraries of the embedded machine; `None` to write them to a temporary one.
    libraries: Option<&'m Path>,
    output: RequestedOutput,
}

impl Request<'_> {
    /// Runs the program that `matches` names.
    fn run(self, matches: &ArgMatches) -> Result<ExitCode, Error> {
        let words: Vec<&OsString> = matches.get_many("program").map(Iterator::collect).unwrap_or_default();
        let Some((named, arguments)) = words.split_first() else {
            return Err(Error::usage("name a program to run"));
        };
        options::check_name(named, &self.command)?;
        let predict = options::predict(matches);
        let choice = &harness::predicted_device(predict, self.choice, matches)?;
        let opened = harness::choose(choice)?;
        let profile = match &opened.device {
            Device::Emulated(profile) => profile,
            Device::Gpu(_) => "",
        };
        let settings = options::settings(matches, profile, self.output.quiet)?;
        let temporary = temporary_folder()?;
        let program = match source::compiled(named, &self.of_nvcc, temporary.path(), &opened.device)? {
            Compiled::Program(program) => program,
            Compiled::Failed(code) => return Ok(ExitCode::from(code)),
        };
        let ended = match &opened.device {
            Device::Emulated(profile) => {
                emulate(self.libraries, temporary.path(), profile, &program, arguments, &settings)?
            }
            Device::Gpu(number) => {
                settings.must_be_plain(predict.is_some())?;
                // NVIDIA's own runtime if it is installed, else ours, which also runs over NVIDIA's driver.
                let runtime = match nvcc::runtime_folder() {
                    Some(runtime) => runtime,
                    None => {
                        libraries::write_runtime(temporary.path()).map_err(in_temporary("write the runtime to"))?;
                        temporary.path().to_path_buf()
                    }
                };
                process::on_gpu(&runtime, *number, &program, arguments, settings.timeout)?
            }
        };
        if !settings.quiet {
            summary::tell(&ended.processes, &settings);
        }
        let code = ended.code;
        self.output.write(&words, &opened.device, choice, &settings, ended)?;
        Ok(ExitCode::from(code))
    }
}

/// Creates the temporary folder of a run. Signals are forwarded to the program from here on, so that this process
/// lives to delete the folder.
fn temporary_folder() -> Result<scratch::Folder, Error> {
    signals::listen();
    scratch::Folder::new_in(&env::temp_dir(), SCRATCH).map_err(in_temporary("create a folder in"))
}

/// Runs a program on the embedded machine, whose libraries are in `folder`, or else are written to the temporary one.
fn emulate(
    folder: Option<&Path>,
    temporary: &Path,
    profile: &str,
    program: &OsString,
    arguments: &[&OsString],
    settings: &ExecSettings,
) -> Result<ProgramResult, Error> {
    harness::check_profile(profile)?;
    inspect::check(Path::new(program))?;
    if folder.is_none() {
        libraries::write_machine(temporary).map_err(in_temporary("write the driver to"))?;
    }
    process::on_machine(folder.unwrap_or(temporary), temporary, profile, program, arguments, settings)
}

/// Compiles a program if necessary, runs it on this emulated part, and shows what was found in it.
///
/// # Errors
/// As [`run`].
pub fn show(
    words: &[&OsString],
    of_nvcc: &[&OsString],
    profile: &str,
    settings: &ExecSettings,
) -> Result<ProgramResult, Error> {
    let Some((named, arguments)) = words.split_first() else {
        return Err(Error::usage("name a program to run"));
    };
    let temporary = temporary_folder()?;
    let device = Device::Emulated(profile.to_owned());
    let program = match source::compiled(named, of_nvcc, temporary.path(), &device)? {
        Compiled::Program(program) => program,
        Compiled::Failed(code) => return Ok(ProgramResult { code, ..ProgramResult::default() }),
    };
    let ended = emulate(None, temporary.path(), profile, &program, arguments, settings)?;
    summary::tell(&ended.processes, settings);
    Ok(ended)
}

/// The part that the toolkit's tools emulate: the default, or that of `WARPLAB_PROFILE`.
///
/// # Errors
/// [`Error::Usage`] when there is no such part.
pub fn emulated_part() -> Result<String, Error> {
    let choice: DeviceChoice = "emulated".parse().map_err(Error::usage)?;
    let Device::Emulated(profile) = harness::choose(&choice)?.device else {
        unreachable!("an emulated device was chosen");
    };
    harness::check_profile(&profile)?;
    Ok(profile)
}

/// Runs a program on this emulated part for a tool, which shows the result itself.
///
/// # Errors
/// As [`run`].
pub fn watch(words: &[OsString], profile: &str, settings: &ExecSettings) -> Result<ProgramResult, Error> {
    let Some((program, arguments)) = words.split_first() else {
        return Err(Error::usage("name a program to run"));
    };
    let temporary = temporary_folder()?;
    let arguments: Vec<&OsString> = arguments.iter().collect();
    emulate(None, temporary.path(), profile, program, &arguments, settings)
}

fn in_temporary(action: &'static str) -> impl Fn(std::io::Error) -> Error {
    move |source| Error::Io { action, path: env::temp_dir(), source }
}
