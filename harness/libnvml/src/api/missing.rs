//! NVML calls that the embedded device does not support: sensors, links, virtual GPUs, instances, events, and every
//! setting. They exist so that clients which look them up can load. They do not read their arguments, so no arguments
//! are declared.
use crate::abi::{Error, Result};
use crate::machine;

fn no() -> Result {
    machine::started()?;
    Err(Error::NOT_SUPPORTED)
}

macro_rules! lacking {
    ($($name:ident)*) => { $( $crate::api::entry::calls! { $name() = no; } )* };
}

// The functions of nvml.h that no other file of this folder has, found by build.rs.
include!(concat!(env!("OUT_DIR"), "/absent.rs"));
