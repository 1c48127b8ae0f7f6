//! The hello lab on its own: `cargo run --release -p hello -- 2 5`.
fn main() -> std::process::ExitCode {
    harness::main(&hello::LAB)
}
