//! `cuInit`, and the version of the driver.

use crate::abi::error::{Error, Result};
use crate::abi::pointers::put;
use crate::abi::versions::DRIVER_VERSION;
use crate::api::process;
use crate::state::device::driver;
use crate::telemetry::recorder::Recorder;
use crate::telemetry::stderr::complain;
use std::ffi::c_int;

fn init(flags: u32) -> Result {
    if flags != 0 {
        return Err(Error::INVALID_VALUE);
    }
    driver::init(&Recorder, process::register).map_err(|refused| {
        if !refused.log.is_empty() {
            complain(&refused.log);
        }
        refused.error
    })
}

fn version(out: *mut c_int) -> Result {
    put(out, DRIVER_VERSION)
}

entry_points! {
    cuInit(flags: u32) = init;
    cuDriverGetVersion(version: *mut c_int) = version;
}
