//! The front for editors: speaks the Debug Adapter Protocol.
//!
//! Messages are JSON without types of their own: the readers of all of the protocol's fields would make the program
//! larger. Tests compare what is sent with the crate `dap-types`, which is generated from the protocol's schema.
//! The warps of the recorded blocks are the protocol's threads; each has a lane that its registers are shown of.

mod adapter;
mod breakpoints;
mod framing;
mod launch;
mod sources;
mod variables;

use std::io::{self, BufRead, Write};

use recording::Recording;

pub use launch::LaunchTarget;

/// What a launch request led to.
pub struct Launched {
    /// The recording.
    pub recording: Recording,
    /// What the recorded program printed.
    pub output: String,
}

/// Serves one client until it disconnects. `open` records or opens what a launch request names.
///
/// # Errors
/// When the connection fails, or what the client sends is not a message of the protocol.
pub fn serve(
    mut input: impl BufRead,
    mut output: impl Write,
    open: impl FnMut(&LaunchTarget) -> Result<Launched, String>,
) -> io::Result<()> {
    let mut adapter = adapter::Adapter::new(open);
    while let Some(message) = framing::read(&mut input)? {
        let (messages, is_last) = adapter.answer(&message);
        for message in messages {
            framing::write(&mut output, &message)?;
        }
        output.flush()?;
        if is_last {
            break;
        }
    }
    Ok(())
}
