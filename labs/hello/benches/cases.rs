//! The lab's cases, timed: `cargo bench -p hello`, or shorter with `-- --quick`.
use std::process::ExitCode;

fn main() -> ExitCode {
    labtest::bench(&hello::LAB, env!("CARGO_BIN_EXE_hello"))
}
