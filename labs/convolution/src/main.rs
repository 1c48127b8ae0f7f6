//! The convolution lab as a program of its own.
fn main() -> std::process::ExitCode {
    harness::main(&convolution::LAB)
}
