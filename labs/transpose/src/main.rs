//! The transpose lab as a separate program.
fn main() -> std::process::ExitCode {
    harness::main(&transpose::LAB)
}
