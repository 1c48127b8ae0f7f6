//! The lab's cases, timed: `cargo bench -p stencil`, or shorter with `-- --quick`.
use std::process::ExitCode;

fn main() -> ExitCode {
    labtest::bench(&stencil::LAB, env!("CARGO_BIN_EXE_stencil"))
}
