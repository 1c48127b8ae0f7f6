//! The histogram lab as a separate program.
fn main() -> std::process::ExitCode {
    harness::main(&histogram::LAB)
}
