//! The lab's cases, timed: `cargo bench -p bughunt`, or shorter with `-- --quick`.
use std::process::ExitCode;

fn main() -> ExitCode {
    labtest::bench(&bughunt::LAB, env!("CARGO_BIN_EXE_bughunt"))
}
