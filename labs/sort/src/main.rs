//! The sort lab as a program of its own.
fn main() -> std::process::ExitCode {
    harness::main(&sort::LAB)
}
