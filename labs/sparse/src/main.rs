//! The sparse lab as a separate program.
fn main() -> std::process::ExitCode {
    harness::main(&sparse::LAB)
}
