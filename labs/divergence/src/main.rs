//! The divergence lab on its own: `cargo run --release -p divergence -- --help`.
fn main() -> std::process::ExitCode {
    harness::main(&divergence::LAB)
}
