//! The command line of one lab.
use std::process::ExitCode;

use crate::Lab;

/// Runs `lab` as its own program: parses the command line, opens the device, runs, reports.
pub fn main(lab: &'static Lab) -> ExitCode {
    let _ = lab;
    crate::interrupt::listen();
    ExitCode::from(4)
}
