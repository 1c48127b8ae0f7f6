//! The lab's cases, timed: `cargo bench -p newlab`, or shorter with `-- --quick`.
use std::process::ExitCode;

fn main() -> ExitCode {
    labtest::bench(&newlab::LAB, env!("CARGO_BIN_EXE_newlab"))
}
