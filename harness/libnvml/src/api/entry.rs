//! The common part of all entry points: the C name, and the code.
use crate::abi::{Error, Result};
use std::panic::{AssertUnwindSafe, catch_unwind};

/// Functions implemented here: each row is an exported function, and the function here that implements it.
macro_rules! calls {
    ($($name:ident($($arg:ident: $type:ty),* $(,)?) = $function:expr;)*) => { $(
        #[allow(non_snake_case, reason = "the C name")]
        #[unsafe(no_mangle)]
        unsafe extern "C" fn $name($($arg: $type),*) -> u32 {
            $crate::api::entry::guard(stringify!($name), &|| $function($($arg),*))
        }
    )* };
}
pub(crate) use calls;

/// Runs the work of an entry point. `WARPLAB_TRACE` writes each call and its result to standard error.
pub fn guard(name: &'static str, work: &dyn Fn() -> Result) -> u32 {
    let result = catch_unwind(AssertUnwindSafe(work)).unwrap_or(Err(Error::UNKNOWN));
    if std::env::var_os("WARPLAB_TRACE").is_some_and(|value| !value.is_empty()) {
        eprintln!("{name}: {result:?}");
    }
    result.map_or_else(|error| error.0, |()| 0)
}
