//! Gives the library the name that programs of nvcc ask for, and every symbol the version of that name.
use std::{
    env,
    process::{Command, Stdio},
};

/// As in `src/edition.rs`, which says how the library becomes that of CUDA 12.
const NAME: &str = "libcudart.so.13";

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    if env::var("CARGO_CFG_TARGET_OS").as_deref() != Ok("linux") {
        return;
    }
    println!("cargo::rustc-cdylib-link-arg=-Wl,-soname,{NAME}");
    // What is registered at exit is called after a client's dlclose.
    println!("cargo::rustc-cdylib-link-arg=-Wl,-z,nodelete");
    // Only GNU's linker makes a version of the library's own name. Without one, programs run, and the loader warns.
    if has_gnu_linker() {
        println!("cargo::rustc-cdylib-link-arg=-fuse-ld=bfd");
        println!("cargo::rustc-cdylib-link-arg=-Wl,--default-symver");
    }
}

fn has_gnu_linker() -> bool {
    let linker = env::var("RUSTC_LINKER").unwrap_or_else(|_| "cc".into());
    let answer = Command::new(linker).args(["-fuse-ld=bfd", "-Wl,--version"]).stderr(Stdio::null()).output();
    answer.is_ok_and(|output| String::from_utf8_lossy(&output.stdout).contains("GNU ld"))
}
