//! The names and the words of error codes.

use crate::abi::error::{Error, Result};
use crate::abi::pointers::put;
use cuda_abi::texts::of_driver;
use std::ffi::c_char;

fn name(error: i32, out: *mut *const c_char) -> Result {
    let words = of_driver(error);
    put(out, words.map_or(std::ptr::null(), |(name, _)| name.as_ptr()))?;
    words.map(drop).ok_or(Error::INVALID_VALUE)
}

fn string(error: i32, out: *mut *const c_char) -> Result {
    let words = of_driver(error);
    put(out, words.map_or(std::ptr::null(), |(_, words)| words.as_ptr()))?;
    words.map(drop).ok_or(Error::INVALID_VALUE)
}

entry_points! {
    cuGetErrorName(error: i32, out: *mut *const c_char) = name;
    cuGetErrorString(error: i32, out: *mut *const c_char) = string;
}

#[cfg(test)]
mod tests {
    use super::*;
    use cuda_abi::driver::ERROR_NAMES;
    use std::ffi::CStr;

    #[test]
    fn every_code_has_a_name_and_words() {
        let known = ERROR_NAMES.iter().map(|(code, _)| *code).filter(|code| of_driver(*code).is_some());
        for code in known.skip(1) {
            let (mut a, mut b) = (std::ptr::null(), std::ptr::null());
            assert_eq!((name(code, &raw mut a), string(code, &raw mut b)), (Ok(()), Ok(())));
            let (a, b) = unsafe { (CStr::from_ptr(a), CStr::from_ptr(b)) };
            assert!(a.to_bytes().starts_with(b"CUDA_ERROR_") && !b.is_empty(), "{code}");
        }
        let mut out = c"".as_ptr();
        assert_eq!(name(12345, &raw mut out), Err(Error::INVALID_VALUE));
        assert!(out.is_null());
        assert_eq!(format!("{:?}", Error::ILLEGAL_ADDRESS), "CUDA_ERROR_ILLEGAL_ADDRESS");
    }
}
