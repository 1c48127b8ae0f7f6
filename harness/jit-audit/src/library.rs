//! The libraries of interest that the process has loaded, each with a number, and their own functions.

use std::cell::Cell;
use std::ffi::{CStr, CString, c_char, c_void};
use std::ptr;
use std::sync::atomic::{AtomicPtr, Ordering};

/// How many libraries of a family are served at the same time; further ones stay as they are.
pub const MOST: usize = 4;

/// What a library is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Family {
    Nvrtc,
    NvJitLink,
    Driver,
}

const FAMILIES: [Family; 3] = [Family::Nvrtc, Family::NvJitLink, Family::Driver];

impl Family {
    /// The family of a file of this path. Packages give NVRTC other names, such as `libnvrtc-672ee683.so.12`.
    pub fn from_path(path: &CStr) -> Option<Self> {
        let path = path.to_string_lossy();
        let name = path.rsplit('/').next().unwrap_or_default();
        let is = |start: &str| name.starts_with(start) && name.contains(".so");
        match () {
            () if is("libnvrtc-builtins") => None,
            () if is("libnvrtc") => Some(Self::Nvrtc),
            () if is("libnvJitLink") => Some(Self::NvJitLink),
            () if is("libcuda.so") => Some(Self::Driver),
            () => None,
        }
    }
}

/// The number of a library in its family.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Library {
    pub family: Family,
    pub slot: usize,
}

/// The beginning of the loader's record of a library (`struct link_map`).
#[repr(C)]
pub struct LinkMap {
    address: usize,
    pub path: *const c_char,
}

/// The loader's records of the libraries; null for a number that is free.
static LOADED: [[AtomicPtr<LinkMap>; MOST]; FAMILIES.len()] =
    [const { [const { AtomicPtr::new(ptr::null_mut()) }; MOST] }; FAMILIES.len()];

thread_local! {
    /// Whether this thread looks up a real function.
    static LOOKS_UP: Cell<bool> = const { Cell::new(false) };
}

impl Library {
    /// Gives a number to a library that the loader has opened; `None` if all are taken.
    pub fn add(family: Family, record: *mut LinkMap) -> Option<Self> {
        let is_free = |place: &AtomicPtr<LinkMap>| {
            place.compare_exchange(ptr::null_mut(), record, Ordering::AcqRel, Ordering::Relaxed).is_ok()
        };
        LOADED[family as usize].iter().position(is_free).map(|slot| Self { family, slot })
    }

    /// Frees the number of a library that the loader closes.
    pub fn remove(self) {
        LOADED[self.family as usize][self.slot].store(ptr::null_mut(), Ordering::Release);
    }

    /// The library as a number that is not zero, and smaller than any address.
    pub fn cookie(self) -> usize {
        1 + self.family as usize * MOST + self.slot
    }

    /// The library of a number of [`Library::cookie`].
    pub fn from_cookie(cookie: usize) -> Option<Self> {
        let number = cookie.checked_sub(1)?;
        FAMILIES.get(number / MOST).map(|&family| Self { family, slot: number % MOST })
    }

    /// The address of the library's own function; `None` if it has none of this name.
    pub fn function(self, name: &str) -> Option<*mut c_void> {
        let record = LOADED[self.family as usize][self.slot].load(Ordering::Acquire);
        let name = CString::new(name).ok()?;
        if record.is_null() {
            return None;
        }
        // SAFETY: the loader's record of a library that is loaded.
        let path = unsafe { (*record).path };
        LOOKS_UP.set(true);
        // The record is a handle only after the library was opened, which one with which the program is linked was not.
        // It then stays loaded.
        // SAFETY: the path of that library, in the namespace of the program.
        let found = unsafe {
            let opened = libc::dlmopen(libc::LM_ID_BASE, path, libc::RTLD_LAZY | libc::RTLD_NOLOAD);
            if opened.is_null() { ptr::null_mut() } else { libc::dlsym(opened, name.as_ptr()) }
        };
        LOOKS_UP.set(false);
        (!found.is_null()).then_some(found)
    }
}

/// Whether this thread looks up a real function at the moment, which must not be replaced.
pub fn looks_up() -> bool {
    LOOKS_UP.get()
}

/// The library's own function with this name, as a function of this type; the result of the whole function is `$absent`
/// if there is no such function.
macro_rules! real {
    ($library:expr, $name:literal, fn($($argument:ty),*) -> c_int, $absent:expr) => {
        match $library.function($name) {
            // SAFETY: the function of this name has this type in every version of the library.
            Some(address) => unsafe {
                std::mem::transmute::<*mut c_void, unsafe extern "C" fn($($argument),*) -> c_int>(address)
            },
            None => return $absent,
        }
    };
}
pub(crate) use real;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn libraries_are_known_by_their_files() {
        for (path, family) in [
            (c"/a/libnvrtc.so.12", Some(Family::Nvrtc)),
            (c"/a/libnvrtc.so.13.0.88", Some(Family::Nvrtc)),
            (c"libnvrtc-672ee683.so.11.2", Some(Family::Nvrtc)),
            (c"/a/libnvrtc-builtins.so.12.9", None),
            (c"/a/libnvJitLink.so.13", Some(Family::NvJitLink)),
            (c"/libnvrtc.so/libm.so.6", None),
            (c"libcuda.so.1", Some(Family::Driver)),
            (c"libcudart.so.13", None),
            (c"", None),
        ] {
            assert_eq!(Family::from_path(path), family, "{path:?}");
        }
    }

    #[test]
    fn a_number_is_free_again_when_its_library_is_closed() {
        let handle = ptr::without_provenance_mut(64);
        let all: Vec<Library> = (0..MOST).filter_map(|_| Library::add(Family::NvJitLink, handle)).collect();
        assert_eq!((all.len(), Library::add(Family::NvJitLink, handle)), (MOST, None));
        for library in &all {
            assert_eq!(Library::from_cookie(library.cookie()), Some(*library));
        }
        all[2].remove();
        assert_eq!(Library::add(Family::NvJitLink, handle), Some(all[2]));
        for library in all {
            library.remove();
        }
        assert_eq!((Library::from_cookie(0), Library::from_cookie(handle.addr())), (None, None));
    }
}
