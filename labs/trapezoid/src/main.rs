//! The trapezoid lab on its own: `cargo run --release -p trapezoid -- --help`.
fn main() -> std::process::ExitCode {
    harness::main(&trapezoid::LAB)
}
