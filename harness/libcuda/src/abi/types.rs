//! The types and structures that cross the C ABI.

pub use cuda_abi::driver::types::*;
use std::ffi::{c_int, c_void};

/// A device's ordinal, which is also its handle.
pub type Device = c_int;
/// An address that the device can access.
pub type DevicePtr = u64;
/// A handle: a number that is looked up in one of the driver's tables.
pub type Handle = usize;
/// `CUhostFn`: a function of the caller, for a stream or a user object to call.
pub type HostFn = Option<unsafe extern "C" fn(*mut c_void)>;
