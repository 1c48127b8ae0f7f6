//! nvcc's options for running what it has compiled: `-run` and `-run-args`. nvcc itself would run the program with
//! NVIDIA's runtime, which needs NVIDIA's driver; here the program runs by `warplab exec`.
use std::{
    ffi::OsString,
    path::{Path, PathBuf},
    process::ExitCode,
    time::SystemTime,
};

use clap::ArgMatches;
use harness::Error;

use crate::programs::{exec, nvcc};

pub fn run(matches: &ArgMatches) -> Result<ExitCode, Error> {
    let options: Vec<OsString> = matches.get_many("options").map(|all| all.cloned().collect()).unwrap_or_default();
    let build = Build::from_options(&options)?;
    if !build.is_run {
        let before = build.written();
        let code = nvcc::run(matches)?;
        // Not every command line writes a program: `-M` does not, and an older one may be there.
        if build.written() != before {
            build.check_output()?;
        }
        return Ok(code);
    }
    if build.is_compiled {
        let code = nvcc::compile(&build.others.iter().collect::<Vec<_>>())?;
        if code != 0 {
            return Ok(ExitCode::from(code));
        }
    }
    let words = ["exec".into(), build.program.into_os_string()].into_iter().chain(build.arguments);
    exec::run(&exec::command().get_matches_from(words))
}

/// A command line of nvcc's.
#[derive(Debug)]
struct Build {
    /// The options without those of the run.
    others: Vec<OsString>,
    program: PathBuf,
    /// Whether to run the program, and with which arguments.
    is_run: bool,
    arguments: Vec<OsString>,
    /// Whether there is something to compile. nvcc also runs a program that it is given.
    is_compiled: bool,
}

impl Build {
    fn from_options(options: &[OsString]) -> Result<Self, Error> {
        let (mut others, mut arguments, mut is_run) = (Vec::new(), Vec::new(), false);
        let mut output = PathBuf::from("a.out");
        let mut rest = options.iter();
        while let Some(option) = rest.next() {
            let text = option.to_string_lossy();
            let (name, joined) = text.split_once('=').map_or((&*text, None), |(name, value)| (name, Some(value)));
            match name {
                "-run" | "--run" => is_run = true,
                "-run-args" | "--run-args" => {
                    let next = || rest.next().map(|next| next.to_string_lossy().into_owned());
                    let value = joined.map(String::from).or_else(next);
                    let missing = || Error::usage(format!("{name} needs the program's arguments, with commas between"));
                    arguments.extend(value.ok_or_else(missing)?.split(',').map(OsString::from));
                }
                "-o" | "--output-file" => {
                    others.push(option.clone());
                    let value = joined
                        .map(OsString::from)
                        .or_else(|| rest.next().inspect(|v| others.push((*v).clone())).cloned());
                    output = value.unwrap_or_default().into();
                }
                _ => others.push(option.clone()),
            }
        }
        // `nvcc a.out -run`: a file that is neither a source nor an object.
        let given = match others.as_slice() {
            [only] if Path::new(only).extension().is_none_or(|end| end == "out") => Some(PathBuf::from(only)),
            _ => None,
        };
        let is_compiled = given.is_none();
        let program = given.unwrap_or(output);
        // A name without a folder would be looked for on PATH.
        let program = if program.components().count() == 1 { Path::new(".").join(program) } else { program };
        Ok(Self { others, program, is_run, arguments, is_compiled })
    }

    /// When the program was written; `None` if it is not there.
    fn written(&self) -> Option<SystemTime> {
        self.program.metadata().and_then(|data| data.modified()).ok()
    }

    /// Refuses a program that has NVIDIA's runtime linked in, by whichever option, and whose objects another nvcc has
    /// compiled: started alone without NVIDIA's driver, each of its calls fails, and its output looks like a result.
    ///
    /// # Errors
    /// [`Error::CannotRun`] for such a program.
    fn check_output(&self) -> Result<(), Error> {
        let makes_other = |option: &OsString| {
            let option = option.to_string_lossy();
            matches!(
                &*option,
                "-shared" | "--shared" | "-lib" | "--lib" | "-c" | "-dc" | "-dlink" | "--version" | "--cmake"
            )
        };
        if self.others.iter().any(makes_other) || !exec::needs_driver(&self.program) {
            return Ok(());
        }
        Err(Error::CannotRun(format!(
            "{} has CUDA's runtime linked in, which needs NVIDIA's driver: run directly without a GPU, it may print wrong \
             results. Link it with -lcudart, or run it with `warplab exec`",
            self.program.display()
        )))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn split(line: &str) -> Build {
        Build::from_options(&line.split(' ').map(OsString::from).collect::<Vec<_>>()).unwrap()
    }

    #[test]
    fn the_program_is_the_output_and_its_arguments_are_not_options_of_the_compiler() {
        assert!(!split("x.cu -o x").is_run);
        let build = split("-arch=sm_90 x.cu -run -run-args 1,2 --run-args=3");
        assert_eq!((build.others.len(), build.arguments), (2, vec!["1".into(), "2".into(), "3".into()]));
        assert!(build.is_run && build.is_compiled && build.program == Path::new("./a.out"));
        assert_eq!(split("x.cu -o b/x --run").program, Path::new("b/x"));
        assert_eq!(split("x.cu -o b/x --run").others.len(), 3);
        assert_eq!(split("--output-file=x x.cu -run").program, Path::new("./x"));
    }

    #[test]
    fn a_program_alone_is_only_run() {
        for name in ["a.out", "./hello", "hello"] {
            assert!(!split(&format!("{name} -run")).is_compiled, "{name}");
        }
        assert!(split("x.o -run").is_compiled);
    }
}
