//! The bughunt lab as a program of its own.
fn main() -> std::process::ExitCode {
    harness::main(&bughunt::LAB)
}
