//! Errors: the last error of the thread, names and texts.
use crate::driver::error_asked;
use crate::state::last_error;
use cuda_abi::texts::of_runtime;
use std::ffi::{CStr, c_char, c_int};

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

/// Returns the name and the text of a code.
fn words_of(code: c_int) -> Option<(&'static CStr, &'static CStr)> {
    of_runtime(asked(code))
}

const UNKNOWN: &CStr = c"unrecognized error code";

#[unsafe(no_mangle)]
extern "C" fn cudaGetErrorName(code: c_int) -> *const c_char {
    words_of(code).map_or(UNKNOWN.as_ptr(), |(name, _)| name.as_ptr())
}

#[unsafe(no_mangle)]
extern "C" fn cudaGetErrorString(code: c_int) -> *const c_char {
    words_of(code).map_or(UNKNOWN.as_ptr(), |(_, words)| words.as_ptr())
}

#[cfg(test)]
mod tests {
    use cuda_abi::{runtime::ERROR_NAMES, texts::of_runtime};

    #[test]
    fn kernels_and_programs_have_the_same_words() {
        let header = include_str!("../../../libcuda/src/state/modules/device_runtime/errors.h");
        let rows = header.lines().filter(|line| line.starts_with("    {"));
        let known = ERROR_NAMES.iter().filter_map(|(code, _)| Some((code, of_runtime(*code)?)));
        let expected = known.map(|(code, (name, text))| {
            format!("    {{{code}, \"{}\", \"{}\"}},", name.to_str().unwrap(), text.to_str().unwrap())
        });
        assert!(rows.eq(expected));
    }
}
