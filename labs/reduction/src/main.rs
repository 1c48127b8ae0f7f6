//! The reduction lab as a separate program.
fn main() -> std::process::ExitCode {
    harness::main(&reduction::LAB)
}
