//! The progress of a judgement, for a user who waits at a terminal.
use std::io::{IsTerminal, Write};

/// Shows how many runs have ended; the last call clears the line.
pub fn runs(done: usize, all: usize) {
    let mut error = std::io::stderr();
    if error.is_terminal() {
        let _ =
            if done < all { write!(error, "\rjudging: {done} of {all} runs") } else { write!(error, "\r{:40}\r", "") };
    }
}
