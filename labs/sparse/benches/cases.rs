//! The lab's cases, timed: `cargo bench -p sparse`, or shorter with `-- --quick`.
use std::process::ExitCode;

fn main() -> ExitCode {
    labtest::bench(&sparse::LAB, env!("CARGO_BIN_EXE_sparse"))
}
