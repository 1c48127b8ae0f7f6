//! The lab's cases, timed: `cargo bench -p occupancy`, or shorter with `-- --quick`.
use std::process::ExitCode;

fn main() -> ExitCode {
    labtest::bench(&occupancy::LAB, env!("CARGO_BIN_EXE_occupancy"))
}
