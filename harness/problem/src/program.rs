//! A reference program: it reads the inputs of a case in a folder, and writes the expected outputs there.
use std::{fs, path::Path, process::Command};

use harness::{
    Error, Result,
    process_limits::{self, Limits},
};
use serde_json::json;

use crate::{
    Problem,
    answers::{Answers, file},
    expression::{Label, Values},
    spec::Role,
};

/// The file that describes a case.
const DESCRIPTION: &str = "case.json";

/// Runs the program of `problem` for one case.
///
/// # Errors
/// [`Error::Usage`] when the program cannot be started, fails, or does not write an output as it should be.
pub fn answer(problem: &Problem, answers: &Answers, sizes: &Values, seed: u64, limits: &Limits) -> Result<()> {
    let folder = answers.case(seed, sizes)?;
    let buffers = describe(problem, &folder, sizes, seed)?;
    let program = &problem.spec.reference.program;
    let at = |why: String| {
        let file = problem.path.display();
        Error::usage(format!("{file}: reference: program `{}` at {}: {why}", program.join(" "), Label(sizes)))
    };
    let mut command = Command::new(&program[0]);
    command.args(&program[1..]).arg(&folder).current_dir(&problem.folder);
    let ended =
        process_limits::run(&mut command, limits).map_err(|error| at(format!("it cannot be started: {error}")))?;
    if let Some(stopped) = ended.stopped {
        return Err(at(format!("it was {stopped}")));
    }
    if !ended.status.success() {
        return Err(at(format!("it ended with {}:\n{}", ended.status, ended.error.trim_end())));
    }
    for (buffer, length) in buffers.into_iter().filter(|(at, _)| problem.spec.buffers[*at].role == Role::Output) {
        let buffer = &problem.spec.buffers[buffer];
        let path = file(&folder, &buffer.name);
        let bytes = fs::read(&path).map_err(|error| at(format!("it has not written {}.bin: {error}", buffer.name)))?;
        let expected = length * buffer.element.bytes();
        if bytes.len() != expected {
            let (name, wrote) = (&buffer.name, bytes.len());
            return Err(at(format!("it has written {wrote} bytes to {name}.bin, and the output has {expected}")));
        }
        if let Some(index) = buffer.element.first_nan(&bytes) {
            return Err(at(format!("{}[{index}] is NaN, which no submission can match", buffer.name)));
        }
    }
    Ok(())
}

/// Writes the inputs of a case and its description, and returns the buffers with their lengths.
fn describe(problem: &Problem, folder: &Path, sizes: &Values, seed: u64) -> Result<Vec<(usize, usize)>> {
    let write = |path: std::path::PathBuf, bytes: &[u8]| {
        fs::write(&path, bytes).map_err(|source| Error::Io { action: "write", path, source })
    };
    let (mut lengths, mut described) = (Vec::new(), Vec::new());
    for (at, buffer) in problem.spec.buffers.iter().enumerate().filter(|(_, buffer)| buffer.role != Role::Scratch) {
        let length = buffer.length(sizes).map_err(Error::usage)?;
        if buffer.role == Role::Input {
            write(file(folder, &buffer.name), &buffer.draw(length, seed))?;
        }
        let (name, role) = (&buffer.name, buffer.role.word());
        let path = format!("{name}.bin");
        described.push(json!({ "name": name, "role": role, "type": buffer.element, "length": length, "file": path }));
        lengths.push((at, length));
    }
    let description = json!({ "problem": problem.spec.name, "sizes": sizes, "buffers": described });
    write(folder.join(DESCRIPTION), description.to_string().as_bytes())?;
    Ok(lengths)
}
