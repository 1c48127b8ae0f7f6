//! Gives the library the name that NVML clients look up; its file keeps its own name. Lists the functions of nvml.h
//! that it lacks.
fn main() -> std::io::Result<()> {
    if std::env::var("CARGO_CFG_TARGET_OS").as_deref() == Ok("linux") {
        println!("cargo::rustc-cdylib-link-arg=-Wl,-soname,libnvidia-ml.so.1");
    }
    println!("cargo::rerun-if-changed=build.rs");
    cuda_abi::absent::write_stubs(cuda_abi::nvml::FUNCTIONS, "src/api")
}
