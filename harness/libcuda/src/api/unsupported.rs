//! Entry points that are not modelled. They exist so that clients that look for them can load, and return
//! `CUDA_ERROR_NOT_SUPPORTED`. They do not read their arguments, so none are declared.

use crate::abi::error::{Error, Result};
use crate::state::device::driver::driver;

fn no() -> Result {
    driver()?;
    Err(Error::NOT_SUPPORTED)
}

macro_rules! lacking {
    ($($name:ident)*) => {
        entry_points! { $($name() = no;)* }
    };
}

// The functions of the headers that no other file of this folder has, found by build.rs.
include!(concat!(env!("OUT_DIR"), "/absent.rs"));
