//! The returning lab on its own: `cargo run --release -p returning -- --help`.
fn main() -> std::process::ExitCode {
    harness::main(&returning::LAB)
}
