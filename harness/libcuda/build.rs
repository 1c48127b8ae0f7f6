//! Gives the library the name that CUDA programs look up, so that a program's `dlopen("libcuda.so")` returns it once it
//! is open; its file keeps its own name. Lists the functions of the headers that it lacks.
fn main() -> std::io::Result<()> {
    if std::env::var("CARGO_CFG_TARGET_OS").as_deref() == Ok("linux") {
        println!("cargo::rustc-cdylib-link-arg=-Wl,-soname,libcuda.so");
        // A stream's thread may outlive a client's dlclose.
        println!("cargo::rustc-cdylib-link-arg=-Wl,-z,nodelete");
    }
    println!("cargo::rerun-if-changed=build.rs");
    cuda_abi::absent::write_stubs(cuda_abi::driver::FUNCTIONS, "src/api")
}
