//! A gate that blocks streams.

use super::common::ok;
use cudarc::driver::sys;
use std::ffi::c_void;
use std::sync::{Condvar, Mutex};

/// Blocks a stream until it is opened.
#[derive(Default)]
pub struct Gate(Mutex<bool>, Condvar);

impl Gate {
    /// Submits the gate to a stream.
    pub fn hold(&self, stream: sys::CUstream) {
        unsafe extern "C" fn wait(gate: *mut c_void) {
            let gate = unsafe { &*gate.cast::<Gate>() };
            let mut open = gate.0.lock().unwrap();
            while !*open {
                open = gate.1.wait(open).unwrap();
            }
        }
        ok(unsafe { sys::cuLaunchHostFunc(stream, Some(wait), std::ptr::from_ref(self).cast_mut().cast()) });
    }
    /// Releases all streams that the gate blocks.
    pub fn open(&self) {
        *self.0.lock().unwrap() = true;
        self.1.notify_all();
    }
}
