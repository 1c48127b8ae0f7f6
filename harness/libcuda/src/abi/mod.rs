//! The C ABI: types, constants, error codes, versions, and the conversion of values. This module does not depend on the
//! driver.

pub mod error;
pub mod integrity;
pub mod pointers;
pub mod types;
pub mod versions;

pub use cuda_abi::driver::constants;
