//! An input on the device that is used in one place of a lab.
use std::{ops::Deref, rc::Rc};

use cudarc::driver::CudaSlice;

use crate::measure::input_guard::GuardedMemory;

/// A copy of an input on the device, which kernels may only read; see [`crate::Run::upload`].
#[derive(Debug)]
pub struct Uploaded<T> {
    /// Dropped before the memory is freed. `None` in runs that are not judged.
    _held: Option<Rc<GuardedMemory>>,
    slice: CudaSlice<T>,
}

impl<T> Uploaded<T> {
    pub(crate) fn new(held: Option<Rc<GuardedMemory>>, slice: CudaSlice<T>) -> Self {
        Self { _held: held, slice }
    }
}

impl<T> Deref for Uploaded<T> {
    type Target = CudaSlice<T>;

    fn deref(&self) -> &CudaSlice<T> {
        &self.slice
    }
}
