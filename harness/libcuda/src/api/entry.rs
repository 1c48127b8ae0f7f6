//! The common part of all entry points: the C name, the guard around it, and its entry in the table for
//! `cuGetProcAddress`.

use crate::abi::error::{Error, Result};
use crate::state::device::observer::panic_text;
use crate::telemetry::{failures, report};
use std::ffi::c_void;
use std::sync::OnceLock;

/// Gives functions their C names, guards each against panics, and lists them for `cuGetProcAddress`.
macro_rules! entry_points {
    ($($(#[$doc:meta])* $name:ident($($arg:ident: $type:ty),* $(,)?) = $function:ident;)*) => {
        $(
            #[allow(non_snake_case, reason = "the C name")]
            $(#[$doc])*
            #[unsafe(no_mangle)]
            unsafe extern "C" fn $name($($arg: $type),*) -> i32 {
                $crate::api::entry::guard(stringify!($name), &|| self::$function($($arg),*))
            }
        )*
        pub(crate) const ENTRIES: &[(&str, $crate::api::entry::Symbol)] =
            &[$((stringify!($name), $crate::api::entry::Symbol($name as *const ::std::ffi::c_void))),*];
        /// The types of each entry point's arguments, for the fuzzer.
        #[cfg(test)]
        pub(crate) const ARGUMENTS: &[(&str, &[&str])] = &[$((stringify!($name), &[$(stringify!($type)),*])),*];
    };
}

/// An entry point's address.
#[derive(Clone, Copy)]
pub struct Symbol(pub *const c_void);
// SAFETY: the address of a function.
unsafe impl Send for Symbol {}
// SAFETY: as above.
unsafe impl Sync for Symbol {}

/// Returns whether each call and its result are written to standard error: `WARPLAB_TRACE` is set.
fn traced() -> bool {
    static TRACED: OnceLock<bool> = OnceLock::new();
    *TRACED.get_or_init(|| std::env::var_os("WARPLAB_TRACE").is_some_and(|value| !value.is_empty()))
}

/// Runs an entry point's body. A panic in it becomes `CUDA_ERROR_UNKNOWN` and a finding. A single function for all
/// entry points compiles a fifth less code than one for each.
pub fn guard(name: &'static str, body: &dyn Fn() -> Result) -> i32 {
    let result = match std::panic::catch_unwind(std::panic::AssertUnwindSafe(body)) {
        Ok(result) => result,
        Err(panic) => {
            report::internal(name, &panic_text(&*panic));
            Err(Error::UNKNOWN)
        }
    };
    if traced() {
        eprintln!("{name}: {result:?}");
    }
    if let Err(error) = result {
        failures::note(name, error);
    }
    result.map_or_else(|error| error.0, |()| 0)
}
