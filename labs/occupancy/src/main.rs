//! The occupancy lab as a separate program.
fn main() -> std::process::ExitCode {
    harness::main(&occupancy::LAB)
}
