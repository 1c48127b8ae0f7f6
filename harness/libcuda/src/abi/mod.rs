//! The C ABI: types, constants, error codes, versions, and the conversion of values. This module does not depend on the
//! driver.

pub mod constants;
pub mod device_attributes;
pub mod error;
pub mod integrity;
pub mod pointers;
pub mod texture;
pub mod types;
pub mod versions;
