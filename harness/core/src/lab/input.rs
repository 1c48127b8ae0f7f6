//! Inputs that are made, and copied to the device, when a row first asks for them, and kept for all rows.
use std::{
    cell::{Cell, OnceCell},
    fmt,
    sync::Arc,
};

use cudarc::driver::{CudaSlice, CudaStream, DeviceRepr};

use crate::error::Result;

type Make<'r, T> = Box<dyn FnOnce() -> Vec<T> + 'r>;

/// Data of type `T` in the host's memory and on the device, each made when it is first asked for.
pub struct Input<'r, T> {
    stream: Arc<CudaStream>,
    make: Cell<Option<Make<'r, T>>>,
    host: OnceCell<Vec<T>>,
    device: OnceCell<CudaSlice<T>>,
}

impl<'r, T: DeviceRepr + Clone + Default> Input<'r, T> {
    /// What `make` gives; see [`crate::Run::input`].
    pub(crate) fn new(stream: &Arc<CudaStream>, make: impl FnOnce() -> Vec<T> + 'r) -> Self {
        let make: Make<'r, T> = Box::new(make);
        Self { stream: stream.clone(), make: Cell::new(Some(make)), host: OnceCell::new(), device: OnceCell::new() }
    }

    /// The host's copy.
    pub fn host(&self) -> &[T] {
        self.host.get_or_init(|| self.make.take().map_or_else(Vec::new, |make| make()))
    }

    /// The device's copy. If the data are empty, it has one element that no kernel may read, since an empty buffer has
    /// no address.
    ///
    /// # Errors
    /// The driver's errors.
    pub fn device(&self) -> Result<&CudaSlice<T>> {
        if self.device.get().is_none() {
            let copy = match self.host() {
                [] => self.stream.clone_htod(&[T::default()])?,
                data => self.stream.clone_htod(data)?,
            };
            let _ = self.device.set(copy);
        }
        Ok(self.device.get().expect("it was just set"))
    }
}

impl<T> fmt::Debug for Input<'_, T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let made = (self.host.get().map(Vec::len), self.device.get().is_some());
        f.debug_tuple("Input").field(&made).finish()
    }
}
