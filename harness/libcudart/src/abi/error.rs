//! Error codes (`cudaError_t`). Most are the same as the driver's.
use super::edition::is_twelve;
pub use cuda_abi::runtime::Error;
use std::ffi::c_int;

/// The result of a call.
pub type Result<T = ()> = std::result::Result<T, Error>;

/// Whether an image has no code that the device can run: it is of the wrong kind, damaged, or for other devices, or
/// lacks the kernel.
pub fn is_of_image(error: Error) -> bool {
    matches!(
        error,
        Error::INVALID_DEVICE_FUNCTION
            | Error::INVALID_KERNEL_IMAGE
            | Error::NO_KERNEL_IMAGE_FOR_DEVICE
            | Error::INVALID_PTX
            | Error::UNSUPPORTED_PTX_VERSION
    )
}

/// The error for a handle or pointer that is not a function; CUDA 13 calls it an invalid handle.
pub fn no_function() -> Error {
    if is_twelve() { Error::INVALID_DEVICE_FUNCTION } else { Error::INVALID_RESOURCE_HANDLE }
}

/// Returns `other` if the error is `code`, and else the error.
pub fn instead(error: Error, code: Error, other: Error) -> Error {
    if error == code { other } else { error }
}

/// Converts the driver's code to a result.
pub fn result(code: c_int) -> Result {
    if code == 0 { Ok(()) } else { Err(Error(code)) }
}
