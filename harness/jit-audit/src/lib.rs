//! Gives programs PTX where they ask NVRTC or nvJitLink for machine code, because the embedded machine runs PTX only.
//!
//! It is an audit library (`LD_AUDIT`, see `man 7 rtld-audit`): the dynamic loader calls it for each library that a
//! process loads and for each function that is looked up in one. NVRTC and nvJitLink are the program's own, of any
//! version and from any folder. Only the functions that return machine code, and those of nvJitLink that know its
//! inputs, are replaced by functions of this library, which call the real ones.
//!
//! The modules, in the order in which they use each other:
//!
//! - [`audit`]: what the loader calls.
//! - [`nvrtc`], [`nvjitlink`]: the functions that replace theirs.
//! - [`driver`]: the embedded machine's linker, which joins the PTX of several parts.
//! - [`library`]: the libraries that were loaded, and their own functions.
//!
//! Other loaders than glibc's do not audit; there the library is empty.
#![allow(
    // Every function is unsafe in the same way: the loader's or the program's pointers must be valid.
    clippy::missing_safety_doc
)]

#[cfg(all(target_os = "linux", target_env = "gnu", target_pointer_width = "64"))]
mod audit;
#[cfg(all(target_os = "linux", target_env = "gnu", target_pointer_width = "64"))]
mod driver;
#[cfg(all(target_os = "linux", target_env = "gnu", target_pointer_width = "64"))]
mod library;
#[cfg(all(target_os = "linux", target_env = "gnu", target_pointer_width = "64"))]
mod nvjitlink;
#[cfg(all(target_os = "linux", target_env = "gnu", target_pointer_width = "64"))]
mod nvrtc;
