//! The lab's cases, timed: `cargo bench -p reduction`, or shorter with `-- --quick`.
use std::process::ExitCode;

fn main() -> ExitCode {
    labtest::bench(&reduction::LAB, env!("CARGO_BIN_EXE_reduction"))
}
