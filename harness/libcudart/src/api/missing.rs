//! Unsupported functions of the runtime. A program that refers to them can be linked and started; a call reports its
//! function.
use crate::abi::error::Error;
use crate::driver::stderr;
use crate::state::last_error;

fn lacking(name: &str) -> i32 {
    stderr::once(&format!("{name} is not supported; it returns cudaErrorNotSupported"));
    last_error::keep(Err(Error::NOT_SUPPORTED))
}

macro_rules! lacking {
    ($($name:ident)*) => { $(
        #[allow(non_snake_case, reason = "the C name")]
        #[unsafe(no_mangle)]
        extern "C" fn $name() -> i32 {
            lacking(stringify!($name))
        }
    )* };
}

// The functions of the headers that no other file of this folder has, found by build.rs.
include!(concat!(env!("OUT_DIR"), "/absent.rs"));

// A function that no header declares.
lacking! { __cudaGetProcAddress }
