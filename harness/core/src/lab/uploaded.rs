//! An input on the device that belongs to one place of a lab.
use std::{ops::Deref, rc::Rc};

use cudarc::driver::CudaSlice;

use crate::measure::unchanged::Held;

/// A copy of an input on the device, which kernels may only read; see [`crate::Run::upload`].
#[derive(Debug)]
pub struct Uploaded<T> {
    /// Dropped before the memory is freed. In runs that are not judged, nothing is held.
    _held: Option<Rc<Held>>,
    slice: CudaSlice<T>,
}

impl<T> Uploaded<T> {
    pub(crate) fn new(held: Option<Rc<Held>>, slice: CudaSlice<T>) -> Self {
        Self { _held: held, slice }
    }
}

impl<T> Deref for Uploaded<T> {
    type Target = CudaSlice<T>;

    fn deref(&self) -> &CudaSlice<T> {
        &self.slice
    }
}
