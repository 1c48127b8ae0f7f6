//! The terminal front: reads commands with cuda-gdb's names, and prints what gdb would.

mod command;
mod focus_command;
mod info;
mod interpreter;
mod listing;

use std::io::{self, BufRead, Write};

pub(crate) use info::written_registers;
pub use interpreter::{Interpreter, Reply};
pub(crate) use listing::{Frame, frames};

use crate::session::Session;

/// What precedes a command.
const PROMPT: &str = "(warplab) ";

/// Executes the commands of `input` until it ends or one of them quits. With `echoes`, commands are printed too, so
/// that the output of a script reads like that of a session.
///
/// # Errors
/// When the input cannot be read or the output cannot be written.
pub fn run(session: &mut Session, input: impl BufRead, mut output: impl Write, echoes: bool) -> io::Result<()> {
    let mut interpreter = Interpreter::default();
    writeln!(output, "{}", info::opened(session))?;
    write!(output, "{PROMPT}")?;
    output.flush()?;
    for line in input.split(b'\n') {
        let line = String::from_utf8_lossy(&line?).trim().to_owned();
        if echoes {
            writeln!(output, "{line}")?;
        }
        match interpreter.execute(session, &line) {
            Ok(reply) if reply.quits => return Ok(()),
            Ok(reply) if reply.text.is_empty() => {}
            Ok(reply) => writeln!(output, "{}", reply.text)?,
            Err(error) => writeln!(output, "{error}")?,
        }
        write!(output, "{PROMPT}")?;
        output.flush()?;
    }
    writeln!(output)
}
