//! Times the lab's cases: `cargo bench -p convolution`, or faster with `-- --quick`.
use std::process::ExitCode;

fn main() -> ExitCode {
    labtest::bench(&convolution::LAB, env!("CARGO_BIN_EXE_convolution"))
}
