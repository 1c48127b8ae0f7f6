//! Gives the library the name that programs compiled by nvcc look up, and gives every symbol the version of that name.
//! Lists the functions of the headers that it lacks.
use std::{
    env,
    process::{Command, Stdio},
};

/// The same name as in `src/abi/edition.rs`, which describes how the library becomes that of CUDA 12.
const NAME: &str = "libcudart.so.13";

fn main() -> std::io::Result<()> {
    println!("cargo::rerun-if-changed=build.rs");
    cuda_abi::absent::write_stubs(cuda_abi::runtime::FUNCTIONS, "src/api")?;
    if env::var("CARGO_CFG_TARGET_OS").as_deref() != Ok("linux") {
        return Ok(());
    }
    println!("cargo::rustc-cdylib-link-arg=-Wl,-soname,{NAME}");
    // Functions registered at exit are called after a client's dlclose.
    println!("cargo::rustc-cdylib-link-arg=-Wl,-z,nodelete");
    // Only the GNU linker generates a version from the library's own name. Without one, programs run, but the loader
    // warns.
    if has_gnu_linker() {
        println!("cargo::rustc-cdylib-link-arg=-fuse-ld=bfd");
        println!("cargo::rustc-cdylib-link-arg=-Wl,--default-symver");
    }
    Ok(())
}

fn has_gnu_linker() -> bool {
    let linker = env::var("RUSTC_LINKER").unwrap_or_else(|_| "cc".into());
    let answer = Command::new(linker).args(["-fuse-ld=bfd", "-Wl,--version"]).stderr(Stdio::null()).output();
    answer.is_ok_and(|output| String::from_utf8_lossy(&output.stdout).contains("GNU ld"))
}
