//! Errors: the last error of the thread, names and texts.
use crate::abi::error_table::ERRORS;
use crate::driver::error_asked;
use crate::state::last_error;
use std::{
    collections::HashMap,
    ffi::{CString, c_char, c_int},
    sync::LazyLock,
};

#[unsafe(no_mangle)]
extern "C" fn cudaGetLastError() -> c_int {
    asked(last_error::take())
}

#[unsafe(no_mangle)]
extern "C" fn cudaPeekAtLastError() -> c_int {
    asked(last_error::peek())
}

/// Returns `code`, and notifies the driver that the program has asked for an error.
fn asked(code: c_int) -> c_int {
    if code != 0 {
        error_asked(true);
    }
    code
}

/// Names and texts as C strings.
static TEXTS: LazyLock<HashMap<i32, (CString, CString)>> = LazyLock::new(|| {
    let text = |words: &str| CString::new(words).unwrap_or_default();
    ERRORS.iter().map(|(code, name, words)| (*code, (text(name), text(words)))).collect()
});

/// Returns the name and the text of a code.
fn words_of(code: c_int) -> Option<&'static (CString, CString)> {
    TEXTS.get(&asked(code))
}

const UNKNOWN: &std::ffi::CStr = c"unrecognized error code";

#[unsafe(no_mangle)]
extern "C" fn cudaGetErrorName(code: c_int) -> *const c_char {
    words_of(code).map_or(UNKNOWN.as_ptr(), |(name, _)| name.as_ptr())
}

#[unsafe(no_mangle)]
extern "C" fn cudaGetErrorString(code: c_int) -> *const c_char {
    words_of(code).map_or(UNKNOWN.as_ptr(), |(_, words)| words.as_ptr())
}
