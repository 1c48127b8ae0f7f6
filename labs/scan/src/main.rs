//! The scan lab as a separate program.
fn main() -> std::process::ExitCode {
    harness::main(&scan::LAB)
}
