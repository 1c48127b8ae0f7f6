//! The C ABI: types, constants, error codes, versions, and the conversion of values. Nothing here knows the driver.

pub mod constants;
pub mod device_attributes;
pub mod error;
pub mod pointers;
pub mod texture;
pub mod types;
pub mod versions;
