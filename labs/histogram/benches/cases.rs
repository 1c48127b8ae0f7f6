//! The lab's cases, timed: `cargo bench -p histogram`, or shorter with `-- --quick`.
use std::process::ExitCode;

fn main() -> ExitCode {
    labtest::bench(&histogram::LAB, env!("CARGO_BIN_EXE_histogram"))
}
