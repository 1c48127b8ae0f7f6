//! Times the lab's cases: `cargo bench -p newlab`, or faster with `-- --quick`.
use std::process::ExitCode;

fn main() -> ExitCode {
    labtest::bench(&newlab::LAB, env!("CARGO_BIN_EXE_newlab"))
}
