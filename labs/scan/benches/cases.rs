//! The lab's cases, timed: `cargo bench -p scan`, or shorter with `-- --quick`.
use std::process::ExitCode;

fn main() -> ExitCode {
    labtest::bench(&scan::LAB, env!("CARGO_BIN_EXE_scan"))
}
