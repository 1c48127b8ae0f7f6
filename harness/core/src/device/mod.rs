//! The current device and its properties.
pub(crate) mod bandwidth;
pub(crate) mod blocking_kernel;
pub(crate) mod ceilings;
pub(crate) mod choice;
pub(crate) mod driver;
pub(crate) mod fault;
pub(crate) mod host;
pub(crate) mod kernels;
pub(crate) mod launch;
pub(crate) mod machine;
pub(crate) mod memory;
pub(crate) mod module;
pub(crate) mod nvml;
pub(crate) mod sandboxed_driver;
pub(crate) mod session;
pub(crate) mod staging;
pub(crate) mod visible;
