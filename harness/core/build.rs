//! Finds the driver libraries, which cargo has built as this package's build-dependencies: the SIMT machine, and the
//! client that forwards calls to a worker. Copies them to `OUT_DIR` for `include_bytes!`.

mod embed;

fn main() {
    embed::embed("simt_libcuda", "machine.bin");
    embed::embed("remote_libcuda", "client.bin");
    println!("cargo::rerun-if-changed=build.rs");
    println!("cargo::rerun-if-changed=embed.rs");
}
