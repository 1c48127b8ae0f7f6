//! `warplab debug`: a debugger of a recorded launch, which goes forwards and back.
use std::{
    env,
    ffi::OsString,
    fs::File,
    io::{self, IsTerminal, Read},
    path::Path,
    process::{Command as Process, ExitCode, Stdio},
};

use clap::{Arg, ArgAction, ArgMatches, Command, value_parser};
use debugger::{
    Session,
    dap::{self, LaunchTarget, Launched},
    terminal,
};
use harness::Error;
use recording::{MAGIC, Recording};

use super::record;
use crate::shared::{recording_file, scratch};

const MORE: &str = "\
A program or lab is recorded first, as `warplab record` does it; the debugger then steps through the recording. Commands \
have cuda-gdb's names: break, run, next, step, continue, watch, print, backtrace, info cuda threads, cuda block 1 thread 33, \
and back: reverse-next, reverse-step, reverse-continue. `help` lists them. Commands can also come from a pipe.

\
With --dap, an editor is the front: standard input and output speak the Debug Adapter Protocol, and what is debugged is \
the launch request's `program`, unless it is named here.

Examples:
  warplab debug reduction --variant shuffle -n 1024
  warplab debug --kernel sum --launch 3 ./sum 1000
  warplab debug run.wlr
  warplab debug --dap                               as an editor starts it";

/// The prefix of the folder that holds a recording while it is debugged.
const SCRATCH: &str = ".warplab-debug-";

pub fn command() -> Command {
    Command::new("debug")
        .about("Debug a launch, forwards and back: breakpoints, watchpoints, lanes, registers, memory")
        .args(record::selection())
        .arg(
            Arg::new("dap")
                .long("dap")
                .action(ArgAction::SetTrue)
                .help("Speak the Debug Adapter Protocol on standard input and output"),
        )
        .arg(
            Arg::new("program")
                .value_name("RECORDING|LAB|PROGRAM")
                .num_args(1..)
                .required_unless_present("dap")
                .trailing_var_arg(true)
                .allow_hyphen_values(true)
                .value_parser(value_parser!(OsString))
                .help("The file of `warplab record`; or what to record: a lab or program, and its arguments"),
        )
        .after_help(MORE)
}

pub fn run(matches: &ArgMatches) -> Result<ExitCode, Error> {
    let words: Vec<OsString> = matches.get_many("program").unwrap_or_default().cloned().collect();
    if matches.get_flag("dap") {
        return serve(&options(matches), &words);
    }
    let recording = if let [file] = words.as_slice()
        && is_recording(Path::new(file))
    {
        open(Path::new(file))?
    } else {
        match record(&options(matches), &words, |process| Ok(process.status()?.code()))? {
            Recorded::Launch(recording) => *recording,
            Recorded::Nothing(code) => return Ok(ExitCode::from(code)),
        }
    };
    let mut session = Session::new(recording).map_err(|error| Error::usage(error.to_string()))?;
    let (input, echoes) = (io::stdin().lock(), !io::stdin().is_terminal());
    match terminal::run(&mut session, input, io::stdout().lock(), echoes) {
        // The reader of the output wants no more of it.
        Err(error) if error.kind() != io::ErrorKind::BrokenPipe => {
            Err(Error::Io { action: "read commands from", path: "standard input".into(), source: error })
        }
        _ => Ok(ExitCode::SUCCESS),
    }
}

/// Returns the options that say what to record, as `warplab record` has them.
fn options(matches: &ArgMatches) -> Vec<OsString> {
    let mut options = Vec::new();
    for option in record::selection() {
        let name = option.get_long().expect("an option with a long name");
        for value in matches.get_raw(option.get_id().as_str()).into_iter().flatten() {
            options.extend([format!("--{name}").into(), value.to_owned()]);
        }
    }
    options
}

/// Serves an editor. What is debugged is named by `words`, or by its launch request.
fn serve(options: &[OsString], words: &[OsString]) -> Result<ExitCode, Error> {
    let open = |target: &LaunchTarget| launch(target, options.to_vec(), words).map_err(|error| error.to_string());
    match dap::serve(io::stdin().lock(), io::stdout().lock(), open) {
        Err(error) if error.kind() == io::ErrorKind::InvalidData => Err(Error::usage(error.to_string())),
        Err(error) if error.kind() != io::ErrorKind::BrokenPipe => {
            Err(Error::Io { action: "serve the client on", path: "standard input".into(), source: error })
        }
        _ => Ok(ExitCode::SUCCESS),
    }
}

/// Opens or records what a launch request names.
fn launch(target: &LaunchTarget, mut options: Vec<OsString>, words: &[OsString]) -> Result<Launched, Error> {
    for (name, value) in &target.options {
        options.extend([format!("--{name}").into(), value.into()]);
    }
    let mut words = words.to_vec();
    if words.is_empty() {
        let missing = || Error::usage("the launch request has no `program`: name a recording, a lab or a program");
        words.push(target.program.as_ref().ok_or_else(missing)?.into());
    }
    words.extend(target.args.iter().map(OsString::from));
    let folder = target.cwd.as_ref().map_or_else(|| Path::new("").to_owned(), |folder| Path::new(folder).to_owned());
    if let [file] = words.as_slice()
        && is_recording(&folder.join(file))
    {
        return Ok(Launched { recording: open(&folder.join(file))?, output: String::new() });
    }
    let mut output = String::new();
    let recorded = record(&options, &words, |process| {
        if target.cwd.is_some() {
            process.current_dir(&folder);
        }
        // Standard output is the client's.
        let ended = process.output()?;
        output = String::from_utf8_lossy(&ended.stdout).into_owned() + &String::from_utf8_lossy(&ended.stderr);
        Ok(ended.status.code())
    })?;
    match recorded {
        Recorded::Launch(recording) => Ok(Launched { recording: *recording, output }),
        Recorded::Nothing(_) => Err(Error::usage(output.trim().to_owned())),
    }
}

/// Whether a file is a recording by its name or its first bytes.
fn is_recording(file: &Path) -> bool {
    let mut first = [0; MAGIC.len()];
    file.extension().is_some_and(|extension| extension == "wlr")
        || File::open(file).is_ok_and(|mut file| file.read_exact(&mut first).is_ok() && first == MAGIC)
}

fn open(file: &Path) -> Result<Recording, Error> {
    recording_file::read("debug", file).map(|(recording, _)| recording)
}

/// What came of recording a program.
enum Recorded {
    /// A launch.
    Launch(Box<Recording>),
    /// Nothing, which the recording process has explained; its exit code.
    Nothing(u8),
}

/// Records a program in a process of its own, which `run` runs; it returns the exit code.
fn record(
    options: &[OsString],
    words: &[OsString],
    run: impl FnOnce(&mut Process) -> io::Result<Option<i32>>,
) -> Result<Recorded, Error> {
    let program = env::current_exe().map_err(|source| Error::Io { action: "find", path: "warplab".into(), source })?;
    let folder = scratch::Folder::new_in(&env::temp_dir(), SCRATCH);
    let folder = folder.map_err(|source| Error::Io { action: "create a folder in", path: env::temp_dir(), source })?;
    let file = folder.path().join("run.wlr");
    let mut process = Process::new(&program);
    // Commands on standard input are for the debugger.
    let temporary = format!("--{}", record::TEMPORARY);
    process.arg("record").arg(temporary).args(options).arg("-o").arg(&file).args(words).stdin(Stdio::null());
    let code = run(&mut process).map_err(|source| Error::Io { action: "start", path: program, source })?;
    if file.exists() {
        return Ok(Recorded::Launch(Box::new(open(&file)?)));
    }
    Ok(Recorded::Nothing(code.map_or(1, |code| code as u8)))
}
