//! The sort lab as a separate program.
fn main() -> std::process::ExitCode {
    harness::main(&sort::LAB)
}
