//! Gives the library the name that CUDA programs load, like `simt-libcuda`.
fn main() {
    if std::env::var("CARGO_CFG_TARGET_OS").as_deref() == Ok("linux") {
        println!("cargo::rustc-cdylib-link-arg=-Wl,-soname,libcuda.so");
    }
    println!("cargo::rerun-if-changed=build.rs");
}
