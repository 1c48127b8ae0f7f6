//! The lab's cases, timed: `cargo bench -p sort`, or shorter with `-- --quick`.
use std::process::ExitCode;

fn main() -> ExitCode {
    labtest::bench(&sort::LAB, env!("CARGO_BIN_EXE_sort"))
}
