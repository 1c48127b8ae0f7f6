//! The lab's cases, timed: `cargo bench -p transpose`, or shorter with `-- --quick`.
use std::process::ExitCode;

fn main() -> ExitCode {
    labtest::bench(&transpose::LAB, env!("CARGO_BIN_EXE_transpose"))
}
