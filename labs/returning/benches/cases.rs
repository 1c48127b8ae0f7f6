//! The lab's cases, timed: `cargo bench -p returning`, or shorter with `-- --quick`.
use std::process::ExitCode;

fn main() -> ExitCode {
    labtest::bench(&returning::LAB, env!("CARGO_BIN_EXE_returning"))
}
