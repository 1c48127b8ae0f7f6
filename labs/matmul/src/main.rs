//! The matmul lab as a program of its own.
fn main() -> std::process::ExitCode {
    harness::main(&matmul::LAB)
}
