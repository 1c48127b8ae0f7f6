//! The common part of all entry points: the C name, and the last error.
use crate::abi::error::{Error, Result};
use crate::driver::{call_failed, stderr};
use crate::state::{call_times, last_error};
use cuda_abi::texts::of_runtime;
use std::ffi::CString;
use std::panic::{AssertUnwindSafe, catch_unwind};

/// Functions implemented here: each row is an exported function, and the function here that implements it.
macro_rules! calls {
    ($($name:ident($($arg:ident: $type:ty),* $(,)?) = $function:expr;)*) => { $(
        #[allow(non_snake_case, reason = "the C name")]
        #[unsafe(no_mangle)]
        unsafe extern "C" fn $name($($arg: $type),*) -> ::std::ffi::c_int {
            $crate::api::entry::guard(stringify!($name), &|| $function($($arg),*))
        }
    )* };
}

/// Like `calls`, for functions that exist twice: the second is used by programs compiled for a default stream per
/// thread, in which a null stream in the argument in brackets means that stream.
macro_rules! stream_calls {
    ($($name:ident $second:ident [$stream:ident] ($($arg:ident: $type:ty),* $(,)?) = $function:expr;)*) => { $(
        $crate::api::entry::calls! { $name($($arg: $type),*) = $function; }
        #[allow(non_snake_case, reason = "the C name")]
        #[unsafe(no_mangle)]
        unsafe extern "C" fn $second($($arg: $type),*) -> ::std::ffi::c_int {
            let $stream = $crate::abi::types::per_thread($stream);
            $crate::api::entry::guard(stringify!($name), &|| $function($($arg),*))
        }
    )* };
}

/// Functions that the driver has under another name: each row is an exported function, and the driver's function with
/// the same arguments. The thread gets a context first.
macro_rules! forwards {
    ($($name:ident($($arg:ident: $type:ty),* $(,)?) => $driver:ident;)*) => { $(
        $crate::api::entry::calls! { $name($($arg: $type),*) = (|$($arg: $type),*| -> $crate::abi::error::Result {
            $crate::state::context::ensure()?;
            $crate::driver::driver_call!($driver($($arg: $type),*))
        }); }
    )* };
}

/// Like `forwards`, for functions that exist twice, as in `stream_calls`.
macro_rules! stream_forwards {
    ($($name:ident $second:ident [$stream:ident] ($($arg:ident: $type:ty),* $(,)?) => $driver:ident;)*) => { $(
        $crate::api::entry::stream_calls! { $name $second [$stream] ($($arg: $type),*)
            = (|$($arg: $type),*| -> $crate::abi::error::Result {
                $crate::state::context::ensure()?;
                $crate::driver::driver_call!($driver($($arg: $type),*))
            });
        }
    )* };
}
pub(crate) use {calls, forwards, stream_calls, stream_forwards};

/// Runs the work of an entry point, and keeps its error. `WARPLAB_TRACE` writes each call and its result to standard
/// error. A single function for all entry points compiles a fifth less code than one for each.
pub fn guard(name: &'static str, work: &dyn Fn() -> Result) -> i32 {
    let began = call_times::begin();
    let result = catch_unwind(AssertUnwindSafe(work)).unwrap_or(Err(Error::UNKNOWN));
    call_times::end(name, began);
    if stderr::is_traced() {
        eprintln!("{name}: {result:?}");
    }
    if let Err(error) = result {
        tell_failure(name, error);
    }
    last_error::keep(result)
}

/// Notifies the driver that a call of the program has failed.
fn tell_failure(name: &str, error: Error) {
    let what = of_runtime(error.0).map_or_else(
        || error.0.to_string(),
        |(short, text)| format!("{}, \"{}\"", short.to_string_lossy(), text.to_string_lossy()),
    );
    // What a launch is compiled to, `__cudaLaunchKernel`, is not what the program says.
    let name = name.trim_start_matches('_');
    if let Ok(words) = CString::new(format!("{name} failed: {what}")) {
        call_failed(Some(&words), error.0);
    }
}
