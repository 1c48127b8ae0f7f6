//! The lab's cases, timed: `cargo bench -p vecadd`, or shorter with `-- --quick`.
use std::process::ExitCode;

fn main() -> ExitCode {
    labtest::bench(&vecadd::LAB, env!("CARGO_BIN_EXE_vecadd"))
}
