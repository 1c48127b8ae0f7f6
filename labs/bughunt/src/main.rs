//! The bughunt lab as a separate program.
fn main() -> std::process::ExitCode {
    harness::main(&bughunt::LAB)
}
