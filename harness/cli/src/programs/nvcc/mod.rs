//! `warplab nvcc`: runs NVIDIA's compiler, installed by `warplab setup --nvcc` or otherwise, with what the embedded
//! machine needs: the runtime as a shared library, and PTX in the program.
mod architectures;
mod cmake;
mod linked;
mod old_cuda;
mod pip_toolkit;
pub mod proprietary_libs;
mod start;

use std::{
    env,
    ffi::OsString,
    path::{Path, PathBuf},
    process::{ExitCode, Stdio},
};

use clap::{Arg, ArgMatches, Command, value_parser};
use harness::Error;
use kernels::{program, toolbox};

use crate::{programs::libraries, shared::signals};
use architectures::Compiler;
pub use start::SECTION as STARTS_MACHINE;

/// The path of nvcc in its tool's folder.
const BROUGHT: &str = "nvidia/cu13/bin/nvcc";

/// The environment variable that names another nvcc.
const VARIABLE: &str = "WARPLAB_NVCC";

/// The note about these options.
const STATIC: &str =
    "note: -cudart static is replaced by -cudart shared, this project's runtime, which explains errors";
const STATIC_LIBRARY: &str =
    "note: -lcudart_static is replaced by -lcudart, this project's runtime, which explains errors";

const MORE: &str = "\
All options are nvcc's, and are passed on. Two things are added: `-cudart shared`, for this project's runtime where there is no GPU,
and PTX for every architecture that your options name: code=[sm_90,compute_90] for code=sm_90. -arch=all and
-arch=all-major are written out, because nvcc keeps the PTX of one architecture only; where there is no GPU, -arch=native means
8.0 and 9.0. A program runs on the parts of the architectures that you name, and on newer ones: `exec --device emulated:h200`
takes PTX up to 9.0.
Replaced, with a note, are `-cudart static` and `-lcudart_static`, and `-dlto`, which optimises at link time and leaves no PTX.
Sources of CUDA 11 and 12 compile: headers add what CUDA 13 removed, such as cudaDeviceProp::clockRate and
cudaMemPrefetchAsync with the number of a device, unless --no-compatibility is given. Architectures that nvcc no longer knows
(-arch=sm_35 ... sm_70) become the oldest that it knows, with a note. `-run` runs the program with `warplab exec`.
With `-lcuda` and `-lnvidia-ml`, the embedded machine replaces NVIDIA's driver while the program is linked.
WARPLAB_NVCC=/path/to/nvcc names another nvcc, such as that of CUDA 11 or 12. That of CUDA 11 links its own runtime.
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
            return Err(Error::usage(
                "--cmake writes a file for CMake, and takes no other options: `warplab nvcc --cmake`",
            ));
        }
        find()?;
        harness::print(&cmake::write()?.display().to_string());
        return Ok(ExitCode::SUCCESS);
    }
    let code = compile(&options)?;
    Ok(ExitCode::from(code))
}

/// Runs nvcc with these options, plus those that the machine needs. Returns its exit status.
///
/// # Errors
/// [`Error::CannotRun`] without nvcc or a C++ compiler.
pub fn compile(options: &[&OsString]) -> Result<u8, Error> {
    let nvcc = find()?;
    let texts: Vec<String> = options.iter().map(|option| option.to_string_lossy().into_owned()).collect();
    let only_asks = texts.iter().any(|text| matches!(text.as_str(), "--version" | "-V" | "--help" | "-h"));
    let mut process = program::named(&nvcc);
    // The runtime of this project has the names of CUDA 12's and 13's.
    let is_shared = !is_of_cuda_11(&nvcc);
    if !only_asks {
        check_host_compiler(&texts)?;
        process.args(added(&texts).iter().filter(|_| is_shared));
    }
    let (passed, mut notes) = if is_shared { passed_on(options) } else { (copied(options), Vec::new()) };
    let (passed, of_old) = old_cuda::with_known_architectures(passed, &|| known_to(&nvcc));
    let compiler = Compiler { known: &|| known_to(&nvcc), has_gpu: &|| finds_gpu(&nvcc) };
    let (passed, of_architectures) = architectures::with_ptx(passed, &compiler);
    notes.extend(of_architectures);
    notes.dedup();
    for note in of_old.iter().map(String::as_str).chain(notes) {
        harness::print_error(note);
    }
    let is_plain = only_asks || texts.iter().any(|text| text == old_cuda::WITHOUT);
    if let Some(headers) = if is_plain { None } else { old_cuda::write_headers()? } {
        process.arg("-I").arg(headers);
    }
    process.args(passed);
    if linked::names(&texts).iter().any(|name| matches!(*name, "cuda" | "nvidia-ml")) {
        process.args(driver_folder()?);
    }
    // Without a cache folder, the loader refuses to start the program alone.
    if let (false, Ok(runtime)) = (only_asks, libraries::write_for_programs()) {
        process.args(runtime_path(&runtime)).arg("-include").arg(escaped(&start::write_header(&runtime)?));
    }
    let status = signals::status(&mut process).map_err(|error| {
        Error::CannotRun(format!("cannot start {}: {error}; `warplab setup --nvcc` installs it", nvcc.display()))
    })?;
    let code = status.code().map_or(1, |code| code as u8);
    if let Some(explained) = old_cuda::references(&texts).filter(|_| code != 0) {
        harness::print_error(&explained);
    }
    if let Some(library) = proprietary_libs::asked_for(&texts).filter(|_| code != 0) {
        harness::print_error(&format!(
            "{library} belongs to one of NVIDIA's libraries that contain or generate GPU machine code, or that call NVIDIA's own \
             driver: `warplab setup --nvcc` does not install it, and the embedded machine cannot run it; to compile this for a \
             GPU, install NVIDIA's CUDA toolkit"
        ));
    }
    Ok(code)
}

/// The user's options as passed to nvcc, with notes about replaced ones.
fn passed_on(options: &[&OsString]) -> (Vec<OsString>, Vec<&'static str>) {
    let (mut passed, mut notes) = (Vec::new(), Vec::new());
    let mut rest = options.iter().peekable();
    while let Some(option) = rest.next() {
        let text = option.to_string_lossy();
        let next = rest.peek().map(|next| next.to_string_lossy());
        let is_followed_by = |word: &str| next.as_deref() == Some(word);
        if matches!(&*text, "-cudart" | "--cudart") && is_followed_by("static") {
            rest.next();
            notes.push(STATIC);
        } else if matches!(&*text, "-l" | "--library") && is_followed_by("cudart_static") {
            rest.next();
            passed.push("-lcudart".into());
            notes.push(STATIC_LIBRARY);
        } else if matches!(&*text, "-lcudart_static" | "--library=cudart_static") || is_static_runtime(&text) {
            passed.push("-lcudart".into());
            notes.push(STATIC_LIBRARY);
        } else if matches!(&*text, "-cudart=static" | "--cudart=static") {
            notes.push(STATIC);
        } else if text == old_cuda::WITHOUT {
            // An option of this program's.
        } else if matches!(&*text, "-dlto" | "--dlink-time-opt") {
            notes.push(architectures::LATE);
        } else {
            passed.push((*option).clone());
        }
    }
    notes.dedup();
    (passed, notes)
}

/// The options for an nvcc that links its own runtime.
fn copied(options: &[&OsString]) -> Vec<OsString> {
    options.iter().filter(|option| **option != old_cuda::WITHOUT).map(|option| (*option).clone()).collect()
}

/// Whether an option is the file of the runtime that is linked in.
fn is_static_runtime(option: &str) -> bool {
    !option.starts_with('-') && Path::new(option).file_name().is_some_and(|name| name == "libcudart_static.a")
}

/// The architectures that nvcc compiles for; empty if it does not report them.
fn known_to(nvcc: &Path) -> Vec<String> {
    let said = program::named(nvcc).arg("--list-gpu-arch").stdin(Stdio::null()).output();
    let text = said.map(|output| String::from_utf8_lossy(&output.stdout).into_owned()).unwrap_or_default();
    let mut known: Vec<String> = text.split_whitespace().map(String::from).collect();
    known.sort_by_key(|name| name.trim_start_matches("compute_").parse::<u32>().unwrap_or(u32::MAX));
    known
}

/// Whether this is an nvcc of CUDA 11, which only a user can name.
fn is_of_cuda_11(nvcc: &Path) -> bool {
    if named().is_none() {
        return false;
    }
    let said = program::named(nvcc).arg("--version").stdin(Stdio::null()).output();
    said.is_ok_and(|output| String::from_utf8_lossy(&output.stdout).contains("release 11."))
}

/// Whether nvcc finds a GPU for `-arch=native`, according to its own helper program.
fn finds_gpu(nvcc: &Path) -> bool {
    let said = program::named(nvcc.with_file_name("__nvcc_device_query")).stdin(Stdio::null()).output();
    said.is_ok_and(|output| output.status.success() && !output.stdout.is_empty())
}

/// The option for the linker to find a driver's library. It comes last: a toolkit's own has precedence.
fn driver_folder() -> Result<[OsString; 2], Error> {
    let folder = kernels::cache_folder().ok_or_else(|| {
        Error::CannotRun("there is no home folder for the driver to link with; name a folder by WARPLAB_CACHE".into())
    })?;
    Ok(["-L".into(), libraries::write_for_linkers(&folder)?.into()])
}

/// The options with which a program that is started without `warplab exec` finds the runtime. `exec` has precedence:
/// a run path is searched after the library path.
fn runtime_path(folder: &Path) -> [String; 4] {
    ["-Xlinker".into(), "--enable-new-dtags".into(), "-Xlinker".into(), format!("-rpath={}", escaped(folder))]
}

/// A path in an option's value, which nvcc splits at commas.
fn escaped(path: &Path) -> String {
    path.to_string_lossy().replace(',', "\\,")
}

/// Options added to the user's.
fn added(options: &[String]) -> &'static [&'static str] {
    let runtimes = |option: &String| matches!(option.as_str(), "-cudart" | "--cudart");
    let split = options.windows(2).any(|pair| runtimes(&pair[0]) && pair[1] != "static");
    let joined = |option: &String| option.contains("-cudart=") && !option.ends_with("=static");
    if split || options.iter().any(joined) { &[] } else { &["-cudart", "shared"] }
}

/// Requires the host's C++ compiler: nvcc's own message about its absence names neither the compiler nor how to get it.
fn check_host_compiler(options: &[String]) -> Result<(), Error> {
    if options.iter().any(|option| option.starts_with("-ccbin") || option.starts_with("--compiler-bindir")) {
        return Ok(());
    }
    let named = env::var_os("NVCC_CCBIN").filter(|name| !name.is_empty());
    let compiler = named.unwrap_or_else(|| "g++".into());
    let mut process = program::named(&compiler);
    process.arg("--version").stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    process.status().map(drop).map_err(|error| {
        Error::CannotRun(format!(
            "nvcc needs a C++ compiler, and {} cannot be started: {error}. Install one (on Debian and Ubuntu: `apt install \
             g++`), or name another by -ccbin",
            compiler.display()
        ))
    })
}

/// The nvcc that the user has named.
fn named() -> Option<PathBuf> {
    env::var_os(VARIABLE).filter(|path| !path.is_empty()).map(PathBuf::from)
}

/// Finds nvcc: the one that the user has named, else the one installed by `warplab setup`, else by pip, else the one on
/// the path or in the usual folder.
///
/// # Errors
/// [`Error::CannotRun`] when there is none.
pub fn find() -> Result<PathBuf, Error> {
    if let Some(path) = named() {
        return if path.is_file() {
            Ok(path)
        } else {
            let path = path.display();
            Err(Error::CannotRun(format!("{VARIABLE} names {path}, and there is no such file; name nvcc itself")))
        };
    }
    let brought = brought()?.map(|folder| folder.join(BROUGHT));
    // The program itself may be on the path under this name.
    let own = env::current_exe().ok();
    let is_own = |path: &PathBuf| own.is_some() && path.canonicalize().ok() == own;
    let on_path = program::folders().into_iter().map(|folder| folder.join("nvcc")).filter(|path| !is_own(path));
    let usual = Path::new("/usr/local/cuda/bin/nvcc").to_path_buf();
    let found = brought.into_iter().chain(on_path).chain([usual]).find(|path| path.is_file());
    found.ok_or_else(|| {
        Error::CannotRun("there is no nvcc on this computer; `warplab setup --nvcc` installs it from PyPI".into())
    })
}

/// The folder filled by `warplab setup --nvcc`, else that of pip's packages.
fn brought() -> Result<Option<PathBuf>, Error> {
    let by_setup = toolbox::all().map(|toolbox| toolbox.join(toolbox::NVCC)).find(|f| f.join(BROUGHT).is_file());
    by_setup.map_or_else(pip_toolkit::find, |folder| Ok(Some(folder)))
}

/// The folder of NVIDIA's own runtime, if it was installed.
pub fn runtime_folder() -> Option<PathBuf> {
    Some(brought().ok()??.join("nvidia/cu13/lib"))
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
        assert_eq!(passed("-dlto x.cu -dlto"), ("x.cu".into(), vec![architectures::LATE]));
        let spellings = ["-lcudart_static", "-l cudart_static", "--library=cudart_static", "--library cudart_static"];
        for spelling in spellings.into_iter().chain(["/opt/cuda/lib64/libcudart_static.a"]) {
            assert_eq!(passed(&format!("x.cu {spelling} -ldl")), ("x.cu -lcudart -ldl".into(), vec![STATIC_LIBRARY]));
        }
        let plain = "x.cu -cudart shared -o static";
        assert_eq!(passed(plain), (plain.into(), vec![]));
    }
}
