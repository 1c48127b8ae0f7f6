//! Error codes (`cudaError_t`). Most are the same as the driver's.
use super::edition::is_twelve;
use std::ffi::c_int;

/// A `cudaError_t` other than `cudaSuccess`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Error(pub c_int);

/// The result of a call.
pub type Result<T = ()> = std::result::Result<T, Error>;

impl Error {
    pub const INVALID_VALUE: Self = Self(1);
    pub const INVALID_CONFIGURATION: Self = Self(9);
    pub const INVALID_PITCH: Self = Self(12);
    pub const INVALID_SYMBOL: Self = Self(13);
    pub const INVALID_CHANNEL_DESCRIPTOR: Self = Self(20);
    pub const INVALID_COPY_DIRECTION: Self = Self(21);
    pub const INVALID_FILTER_SETTING: Self = Self(26);
    pub const INVALID_NORM_SETTING: Self = Self(27);
    pub const INSUFFICIENT_DRIVER: Self = Self(35);
    pub const MISSING_CONFIGURATION: Self = Self(52);
    pub const INVALID_DEVICE_FUNCTION: Self = Self(98);
    pub const INVALID_DEVICE: Self = Self(101);
    pub const NO_KERNEL_IMAGE: Self = Self(209);
    pub const PEER_ACCESS_UNSUPPORTED: Self = Self(217);
    pub const INVALID_HANDLE: Self = Self(400);
    pub const NOT_FOUND: Self = Self(500);
    pub const NOT_SUPPORTED: Self = Self(801);

    /// Whether an image has no code that the device can run: it is of the wrong kind, damaged, or for other devices, or
    /// lacks the kernel.
    pub fn is_of_image(self) -> bool {
        matches!(self.0, 98 | 200 | 209 | 218 | 222)
    }

    /// The error for a handle or pointer that is not a function; CUDA 13 calls it an invalid handle.
    pub fn no_function() -> Self {
        if is_twelve() { Self::INVALID_DEVICE_FUNCTION } else { Self::INVALID_HANDLE }
    }

    /// Returns this error, or `other` if this error is `code`.
    pub fn instead(self, code: Self, other: Self) -> Self {
        if self == code { other } else { self }
    }
}

/// Converts the driver's code to a result.
pub fn result(code: c_int) -> Result {
    if code == 0 { Ok(()) } else { Err(Error(code)) }
}
