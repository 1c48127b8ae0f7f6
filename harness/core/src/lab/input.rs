//! Inputs that are created, and copied to the device, when a row first uses them, and kept for all rows.
use std::{
    cell::{Cell, OnceCell},
    fmt,
    rc::Rc,
    sync::Arc,
};

use cudarc::driver::{CudaSlice, DevicePtr, DeviceRepr};

use crate::{
    device::{machine::charged_to_no_row, session::Session},
    error::Result,
    lab::uploaded::Uploaded,
    measure::input_guard::InputGuard,
};

type Make<'r, T> = Box<dyn FnOnce() -> Vec<T> + 'r>;

/// Data of type `T` in the host's memory and on the device, each created on first use. Kernels may only read them.
pub struct Input<'r, T> {
    name: &'static str,
    session: Arc<Session>,
    /// Watches the device's copy in a judged run.
    unchanged: Option<Rc<InputGuard>>,
    make: Cell<Option<Make<'r, T>>>,
    host: OnceCell<Rc<Vec<T>>>,
    device: OnceCell<Uploaded<T>>,
}

impl<'r, T: DeviceRepr + Clone + Default + 'static> Input<'r, T> {
    /// Returns an input with the data of `make`; see [`crate::Run::input`].
    pub(crate) fn new(
        name: &'static str,
        session: &Arc<Session>,
        unchanged: Option<Rc<InputGuard>>,
        make: impl FnOnce() -> Vec<T> + 'r,
    ) -> Self {
        let make: Make<'r, T> = Box::new(make);
        let (make, session) = (Cell::new(Some(make)), session.clone());
        Self { name, session, unchanged, make, host: OnceCell::new(), device: OnceCell::new() }
    }

    /// Returns the host's copy.
    pub fn host(&self) -> &[T] {
        self.shared()
    }

    fn shared(&self) -> &Rc<Vec<T>> {
        self.host.get_or_init(|| Rc::new(self.make.take().map_or_else(Vec::new, |make| make())))
    }

    /// Returns the device's copy. If the data are empty, it has one element that no kernel may read, since an empty
    /// buffer has no address.
    ///
    /// # Errors
    /// The driver's errors.
    pub fn device(&self) -> Result<&CudaSlice<T>> {
        if self.device.get().is_none() {
            let data = self.shared();
            let copy = charged_to_no_row(&self.session.stream, || match &data[..] {
                [] => self.session.copy_of(&[T::default()]),
                data => self.session.copy_of(data),
            })?;
            let address = copy.device_ptr(&self.session.stream).0;
            let held = self.unchanged.as_ref().map(|inputs| inputs.hold(self.name, data.clone(), address));
            let _ = self.device.set(Uploaded::new(held, copy));
        }
        Ok(self.device.get().expect("it was just set"))
    }
}

impl<T> fmt::Debug for Input<'_, T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let made = (self.host.get().map(|data| data.len()), self.device.get().is_some());
        f.debug_tuple("Input").field(&self.name).field(&made).finish()
    }
}
