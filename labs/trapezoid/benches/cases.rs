//! The lab's cases, timed: `cargo bench -p trapezoid`, or shorter with `-- --quick`.
use std::process::ExitCode;

fn main() -> ExitCode {
    labtest::bench(&trapezoid::LAB, env!("CARGO_BIN_EXE_trapezoid"))
}
