//! The lab's cases, timed: `cargo bench -p matmul`, or shorter with `-- --quick`.
use std::process::ExitCode;

fn main() -> ExitCode {
    labtest::bench(&matmul::LAB, env!("CARGO_BIN_EXE_matmul"))
}
