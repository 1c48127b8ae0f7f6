//! The images that a program has registered, each loaded when something in it is first used.
use crate::abi::{
    error::{Error, Result, is_of_image},
    types::Handle,
};
use crate::driver::calls;
use crate::state::fat_binary::FatBinary;
use cuda_abi::driver::constants::{capture_mode, jit_input, jit_option};
use std::{
    ffi::{CString, c_void},
    ptr::{null, null_mut},
    sync::{Mutex, PoisonError},
};

const LOG: [i32; 2] = [jit_option::ERROR_LOG_BUFFER, jit_option::ERROR_LOG_BUFFER_SIZE_BYTES];

/// An image. It is never freed: a program may unregister it while its threads still run.
pub struct Image {
    binary: FatBinary,
    /// The driver's library, as a number, or the reason why it can never be loaded.
    library: Mutex<Option<Result<usize>>>,
    /// Managed variables: their names, and the locations where the program keeps their addresses.
    managed: Mutex<Vec<(CString, usize)>>,
}

// SAFETY: the pointers are to constants of the program.
unsafe impl Send for Image {}
// SAFETY: as above.
unsafe impl Sync for Image {}

static IMAGES: Mutex<Vec<&'static Image>> = Mutex::new(Vec::new());

/// Registers an image of the program.
///
/// # Safety
/// As [`FatBinary::new`]; the image must stay until it is unregistered.
pub unsafe fn register(pointer: *const c_void) -> &'static Image {
    // SAFETY: the caller's contract.
    let binary = unsafe { FatBinary::new(pointer) };
    let image: &'static Image =
        Box::leak(Box::new(Image { binary, library: Mutex::new(None), managed: Mutex::new(Vec::new()) }));
    all().push(image);
    image
}

fn all() -> std::sync::MutexGuard<'static, Vec<&'static Image>> {
    IMAGES.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Unloads every image, because the context that holds them is about to end. They are loaded again on their next use.
pub fn unload_all() {
    for image in all().iter() {
        image.unload();
    }
}

impl Image {
    /// Returns the driver's library, which is loaded if necessary.
    ///
    /// # Errors
    /// The driver's errors.
    pub fn library(&self) -> Result<Handle> {
        let mut library = self.library.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(known) = *library {
            return known.map(std::ptr::with_exposed_provenance_mut);
        }
        let loaded = uncaptured(|| self.load());
        *library = match loaded {
            Ok(loaded) => Some(Ok(loaded.expose_provenance())),
            Err(error) => (is_of_image(error) || error == Error::NOT_SUPPORTED).then_some(Err(error)),
        };
        let loaded = loaded?;
        for (name, place) in self.managed.lock().unwrap_or_else(PoisonError::into_inner).iter() {
            let (mut address, mut bytes) = (0, 0);
            calls::cuLibraryGetManaged(&raw mut address, &raw mut bytes, loaded, name.as_ptr())?;
            // SAFETY: the program registered this location for the variable's address.
            unsafe { std::ptr::with_exposed_provenance_mut::<u64>(*place).write(address) };
        }
        Ok(loaded)
    }

    fn load(&self) -> Result<Handle> {
        if self.binary.parts.is_empty() {
            return load(self.binary.image);
        }
        // The output of nvlink is code for certain GPUs; the parts contain PTX, which can be linked for any GPU.
        let linked = load_silently(self.binary.image);
        // A driver may inspect the code only when the library's module is requested.
        let usable = linked.and_then(|library| {
            let mut module = null_mut();
            calls::cuLibraryGetModule(&raw mut module, library).map(|()| library)
        });
        if usable != Err(Error::NO_KERNEL_IMAGE_FOR_DEVICE) {
            return usable;
        }
        if let Ok(library) = linked {
            calls::cuLibraryUnload(library)?;
        }
        self.link()
    }

    fn link(&self) -> Result<Handle> {
        let mut link = null_mut();
        calls::cuLinkCreate_v2(0, null_mut(), null_mut(), &raw mut link)?;
        let linked = self.binary.parts.iter().try_for_each(|part| {
            // SAFETY: a part is a fat binary too.
            let part = unsafe { FatBinary::new(*part) };
            let (image, bytes) = (part.image.cast_mut(), size(part.image));
            calls::cuLinkAddData_v2(link, jit_input::FATBINARY, image, bytes, null(), 0, null_mut(), null_mut())
        });
        let (mut image, mut bytes) = (null_mut(), 0);
        let linked = linked.and_then(|()| calls::cuLinkComplete(link, &raw mut image, &raw mut bytes));
        let loaded = linked.and_then(|()| load(image));
        calls::cuLinkDestroy(link)?;
        loaded
    }

    /// Unloads the image.
    pub fn unload(&self) {
        let library = self.library.lock().unwrap_or_else(PoisonError::into_inner).take();
        if let Some(Ok(library)) = library {
            // The driver may already be unloaded when a program ends.
            let _ = calls::cuLibraryUnload(std::ptr::with_exposed_provenance_mut(library));
        }
    }

    /// Records where the program keeps the address of a managed variable.
    pub fn add_managed(&self, name: CString, place: usize) {
        self.managed.lock().unwrap_or_else(PoisonError::into_inner).push((name, place));
    }
}

fn load(image: *const c_void) -> Result<Handle> {
    let mut library = null_mut();
    calls::cuLibraryLoadData(&raw mut library, image, null_mut(), null_mut(), 0, null_mut(), null_mut(), 0)?;
    Ok(library)
}

/// Like [`load`], with the driver's log in a buffer: another image may be tried.
fn load_silently(image: *const c_void) -> Result<Handle> {
    let mut library = null_mut();
    let (mut kinds, mut log) = (LOG, [0u8; 512]);
    let mut values = [log.as_mut_ptr().cast::<c_void>(), std::ptr::without_provenance_mut(log.len())];
    let (kinds, values, none) = (kinds.as_mut_ptr(), values.as_mut_ptr(), null_mut());
    calls::cuLibraryLoadData(&raw mut library, image, kinds, values, 2, none, null_mut(), 0)?;
    Ok(library)
}

/// Returns the bytes of a fat binary: those of its header, and those that the header specifies.
fn size(image: *const c_void) -> usize {
    // SAFETY: the header of a fat binary: magic number, version, its own bytes, the bytes that follow.
    unsafe {
        let header = image.byte_add(6).cast::<u16>().read_unaligned();
        let body = image.byte_add(8).cast::<u64>().read_unaligned();
        usize::from(header).saturating_add(usize::try_from(body).unwrap_or(usize::MAX))
    }
}

/// Runs work that a capture of the calling thread does not forbid.
fn uncaptured<T>(work: impl FnOnce() -> Result<T>) -> Result<T> {
    let mut mode = capture_mode::RELAXED;
    calls::cuThreadExchangeStreamCaptureMode(&raw mut mode)?;
    let done = work();
    calls::cuThreadExchangeStreamCaptureMode(&raw mut mode)?;
    done
}
