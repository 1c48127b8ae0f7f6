//! The name of the library for programs that are linked with it.
//!
//! `build.rs` calls the library `libcuda.so`, so that the bindings of a lab find it in their process. What `warplab
//! driver` writes for other programs must be called `libcuda.so.1`, as such programs ask for the name of the library
//! that they were linked with. The name of this symbol puts those letters into the library's table of strings, where
//! the reference to the library's name can be turned to them.

#[cfg(target_os = "linux")]
#[used]
#[unsafe(export_name = "libcuda.so.1")]
static NAME: u8 = 0;
