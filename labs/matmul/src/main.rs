//! The matmul lab as a separate program.
fn main() -> std::process::ExitCode {
    harness::main(&matmul::LAB)
}
