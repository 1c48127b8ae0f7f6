//! The lab's cases, timed: `cargo bench -p divergence`, or shorter with `-- --quick`.
use std::process::ExitCode;

fn main() -> ExitCode {
    labtest::bench(&divergence::LAB, env!("CARGO_BIN_EXE_divergence"))
}
