//! `warplab nvcc`: NVIDIA's compiler, as `warplab setup --nvcc` has brought it or as it is installed, with what the
//! embedded machine needs: the runtime as a shared library, and PTX in the program.
use std::{
    env,
    ffi::OsString,
    path::{Path, PathBuf},
    process::{Command as Process, ExitCode, Stdio},
};

use clap::{Arg, ArgMatches, Command, value_parser};
use harness::Error;
use kernels::toolbox;

use crate::{closed, cmake, libraries};

/// nvcc in the folder of its tool.
const BROUGHT: &str = "nvidia/cu13/bin/nvcc";

/// The oldest architecture that nvcc 13 compiles for; its PTX runs on every newer one.
const OLDEST: &str = "arch=compute_75,code=compute_75";

/// What is said when these are asked for.
const STATIC: &str =
    "note: -cudart static is taken for -cudart shared: a runtime that is linked in runs with NVIDIA's driver only";
const LATE: &str = "note: optimisation at link time is left out: it leaves no PTX, which the embedded machine executes";

const MORE: &str = "\
Every option is nvcc's, and is passed on. Added are `-cudart shared`, so that `warplab exec` can run the program on the embedded
machine, and PTX for compute capability 7.5, unless your own options keep PTX (-arch, or -gencode with code=compute_NN). Two
kinds of options are replaced, with a note: `-cudart static`, and `-dlto`, which optimises at link time and leaves no PTX.
With `-lcuda`, the embedded machine stands for NVIDIA's driver while the program is linked.
`--cmake` alone writes a toolchain file for CMake, and prints where it is.

Examples:
  warplab nvcc hello.cu -o hello        then: warplab exec ./hello 10
  warplab nvcc -lineinfo -c part.cu     findings then name the line
  cmake -B build -DCMAKE_TOOLCHAIN_FILE=\"$(warplab nvcc --cmake)\"";

pub fn command() -> Command {
    Command::new("nvcc")
        .about("Compile a CUDA C++ program with NVIDIA's nvcc, for a GPU and for the embedded machine")
        .disable_help_flag(true)
        .arg(
            Arg::new("options")
                .value_name("OPTIONS")
                .num_args(0..)
                .trailing_var_arg(true)
                .allow_hyphen_values(true)
                .value_parser(value_parser!(OsString))
                .help("nvcc's options and files"),
        )
        .after_help(MORE)
}

pub fn run(matches: &ArgMatches) -> Result<ExitCode, Error> {
    let options: Vec<&OsString> = matches.get_many("options").map(Iterator::collect).unwrap_or_default();
    if options.is_empty() {
        return Err(Error::usage("name what to compile: `warplab nvcc hello.cu -o hello`"));
    }
    if options.iter().any(|option| *option == "--cmake") {
        if options.len() > 1 {
            return Err(Error::usage("--cmake writes a file for CMake, and stands alone: `warplab nvcc --cmake`"));
        }
        harness::print(&cmake::write(&find()?)?.display().to_string());
        return Ok(ExitCode::SUCCESS);
    }
    let code = compile(&options)?;
    Ok(ExitCode::from(code))
}

/// Runs nvcc with these options, and with what the machine needs. Its exit code.
///
/// # Errors
/// [`Error::CannotRun`] without nvcc or a C++ compiler.
pub fn compile(options: &[&OsString]) -> Result<u8, Error> {
    let nvcc = find()?;
    let texts: Vec<String> = options.iter().map(|option| option.to_string_lossy().into_owned()).collect();
    let only_asks = texts.iter().any(|text| matches!(text.as_str(), "--version" | "-V" | "--help" | "-h"));
    let mut process = Process::new(&nvcc);
    if !only_asks {
        check_host_compiler(&texts)?;
        process.args(added(&texts));
    }
    let (passed, notes) = passed_on(options);
    for note in notes {
        harness::print_error(note);
    }
    process.args(passed);
    if links_driver(&texts) {
        process.args(driver_folder()?);
    }
    let status = process.status().map_err(|error| {
        Error::CannotRun(format!("cannot start {}: {error}; `warplab setup --nvcc` brings it", nvcc.display()))
    })?;
    let code = status.code().map_or(1, |code| code as u8);
    if let Some(library) = closed::asked_for(&texts).filter(|_| code != 0) {
        harness::print_error(&format!(
            "{library} belongs to one of NVIDIA's libraries of machine code for GPUs: `warplab setup --nvcc` does not bring it, \
             and the embedded machine cannot run it; to compile this for a GPU, install NVIDIA's CUDA toolkit"
        ));
    }
    Ok(code)
}

/// The user's options as nvcc gets them, and what is said about those that are replaced.
fn passed_on(options: &[&OsString]) -> (Vec<OsString>, Vec<&'static str>) {
    let (mut passed, mut notes) = (Vec::new(), Vec::new());
    let mut rest = options.iter().peekable();
    while let Some(option) = rest.next() {
        let text = option.to_string_lossy();
        let follows_static = rest.peek().is_some_and(|next| **next == "static");
        if matches!(&*text, "-cudart" | "--cudart") && follows_static {
            rest.next();
            notes.push(STATIC);
        } else if matches!(&*text, "-cudart=static" | "--cudart=static") {
            notes.push(STATIC);
        } else if matches!(&*text, "-dlto" | "--dlink-time-opt") {
            notes.push(LATE);
        } else if text.contains("code=lto_") || text.contains("code=[lto_") || text.contains(",lto_") {
            passed.push(text.replace("lto_", "sm_").into());
            notes.push(LATE);
        } else {
            passed.push((*option).clone());
        }
    }
    notes.dedup();
    (passed, notes)
}

/// Whether the program is linked with the driver's library.
fn links_driver(options: &[String]) -> bool {
    let split = options.windows(2).any(|pair| pair[0] == "-l" && pair[1] == "cuda");
    let named = |option: &String| matches!(option.as_str(), "-lcuda" | "--library=cuda");
    split || options.iter().any(named) || options.windows(2).any(|pair| pair[0] == "--library" && pair[1] == "cuda")
}

/// The option that leads the linker to a driver's library. It comes last: a toolkit's own stands before it.
fn driver_folder() -> Result<[OsString; 2], Error> {
    let folder = kernels::cache_folder().ok_or_else(|| {
        Error::CannotRun("there is no home folder for the driver to link with; name a folder by WARPLAB_CACHE".into())
    })?;
    Ok(["-L".into(), libraries::write_for_linkers(&folder)?.into()])
}

/// What is added to the user's options.
fn added(options: &[String]) -> Vec<&'static str> {
    let has = |names: &[&str]| {
        options.iter().any(|option| {
            names.iter().any(|name| {
                let rest = option.strip_prefix(name);
                rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('='))
            })
        })
    };
    let mut added = Vec::new();
    let runtimes = |option: &String| matches!(option.as_str(), "-cudart" | "--cudart");
    let split = options.windows(2).any(|pair| runtimes(&pair[0]) && pair[1] != "static");
    let joined = |option: &String| option.contains("-cudart=") && !option.ends_with("=static");
    if !split && !options.iter().any(joined) {
        added.extend(["-cudart", "shared"]);
    }
    let names_part = has(&["-arch", "--gpu-architecture"]);
    let names_code = has(&["-gencode", "--generate-code"]);
    let keeps_ptx = options.iter().any(|option| option.contains("code=compute_") || option.contains("code=[compute_"));
    // nvcc alone compiles for its oldest architecture, and -arch keeps PTX of its own.
    if names_code && !keeps_ptx && !names_part {
        added.extend(["-gencode", OLDEST]);
    }
    added
}

/// The host's C++ compiler must be there: nvcc's own words for its absence name neither it nor a way to get it.
fn check_host_compiler(options: &[String]) -> Result<(), Error> {
    if options.iter().any(|option| option.starts_with("-ccbin") || option.starts_with("--compiler-bindir")) {
        return Ok(());
    }
    let named = env::var_os("NVCC_CCBIN").filter(|name| !name.is_empty());
    let compiler = named.unwrap_or_else(|| "g++".into());
    let mut process = Process::new(&compiler);
    process.arg("--version").stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    process.status().map(drop).map_err(|error| {
        Error::CannotRun(format!(
            "nvcc needs a C++ compiler, and {} cannot be started: {error}. Install one (on Debian and Ubuntu: `apt install \
             g++`), or name another by -ccbin",
            compiler.display()
        ))
    })
}

/// nvcc: the one that was brought, else the one on the path or in the usual folder.
///
/// # Errors
/// [`Error::CannotRun`] when there is none.
pub fn find() -> Result<PathBuf, Error> {
    let brought = brought().map(|folder| folder.join(BROUGHT));
    let paths = env::var_os("PATH").unwrap_or_default();
    let on_path = env::split_paths(&paths).map(|folder| folder.join("nvcc")).collect::<Vec<_>>();
    let usual = Path::new("/usr/local/cuda/bin/nvcc").to_path_buf();
    let found = brought.into_iter().chain(on_path).chain([usual]).find(|path| path.is_file());
    found.ok_or_else(|| {
        Error::CannotRun("there is no nvcc on this computer; `warplab setup --nvcc` brings it from PyPI".into())
    })
}

/// The folder of what `warplab setup --nvcc` has brought.
fn brought() -> Option<PathBuf> {
    toolbox::all().map(|toolbox| toolbox.join(toolbox::NVCC)).find(|folder| folder.join(BROUGHT).is_file())
}

/// The folder of NVIDIA's own runtime, if it was brought.
pub fn runtime_folder() -> Option<PathBuf> {
    Some(brought()?.join("nvidia/cu13/lib"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_is_missing_is_added() {
        let added = |options: &str| added(&options.split(' ').map(String::from).collect::<Vec<_>>()).join(" ");
        assert_eq!(added("x.cu -o x"), "-cudart shared");
        assert_eq!(added("x.cu -cudart=static"), "-cudart shared");
        assert_eq!(added("-cudart static x.cu"), "-cudart shared");
        assert_eq!(added("-cudart none x.cu"), "");
        assert_eq!(added("x.cu --cudart shared"), "");
        assert_eq!(added("x.cu -arch=sm_90"), "-cudart shared");
        let code = "x.cu -gencode arch=compute_90,code=sm_90";
        assert_eq!(added(code), format!("-cudart shared -gencode {OLDEST}"));
        assert_eq!(added("x.cu -gencode=arch=compute_90,code=[compute_90,sm_90]"), "-cudart shared");
        assert_eq!(added(&format!("{code} -gencode arch=compute_90,code=compute_90")), "-cudart shared");
    }

    #[test]
    fn what_the_machine_cannot_run_is_replaced_and_told() {
        let passed = |options: &str| {
            let words: Vec<OsString> = options.split(' ').map(OsString::from).collect();
            let (passed, notes) = passed_on(&words.iter().collect::<Vec<_>>());
            (passed.join(" ".as_ref()).into_string().unwrap(), notes)
        };
        assert_eq!(passed("x.cu -cudart static -O3"), ("x.cu -O3".into(), vec![STATIC]));
        assert_eq!(passed("--cudart=static x.cu"), ("x.cu".into(), vec![STATIC]));
        assert_eq!(passed("-dlto x.cu -dlto"), ("x.cu".into(), vec![LATE]));
        let late = "-gencode arch=compute_90,code=lto_90 x.cu";
        assert_eq!(passed(late), (late.replace("lto_", "sm_"), vec![LATE]));
        let plain = "x.cu -cudart shared -o static";
        assert_eq!(passed(plain), (plain.into(), vec![]));
    }

    #[test]
    fn a_program_of_the_drivers_functions_is_known_by_its_library() {
        let links = |options: &str| links_driver(&options.split(' ').map(String::from).collect::<Vec<_>>());
        assert!(links("x.cu -lcuda") && links("x.cu -l cuda") && links("--library cuda x.cu"));
        assert!(!links("x.cu -lcudart -lcudadevrt -o cuda"));
    }
}
