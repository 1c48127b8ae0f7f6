//! The vecadd lab as a separate program.
fn main() -> std::process::ExitCode {
    harness::main(&vecadd::LAB)
}
