//! The name of the library for programs that are linked with it.
//!
//! `build.rs` calls the library `libcuda.so`, so that the bindings of a lab find it in their process. The copy that
//! `warplab driver` writes for other programs must be called `libcuda.so.1`, because such programs look up the name of
//! the library with which they were linked. The name of this symbol puts those characters into the library's string
//! table, so that the reference to the library's name can be redirected to them.

#[cfg(target_os = "linux")]
#[used]
#[unsafe(export_name = "libcuda.so.1")]
static NAME: u8 = 0;
