//! The lab as a program of its own.
fn main() -> std::process::ExitCode {
    harness::main(&newlab::LAB)
}
