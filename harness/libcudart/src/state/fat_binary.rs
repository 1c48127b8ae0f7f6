//! Fat binaries as nvcc leaves them in a program (`fatbinary_section.h`).
use std::ffi::c_void;

/// The wrapper around a fat binary.
#[repr(C)]
#[derive(Debug, Clone, Copy)]
struct Wrapper {
    magic: u32,
    version: u32,
    data: *const c_void,
    /// In a program that nvlink has linked: the images of its parts, from which others can be linked; null at the end.
    parts: *const *const c_void,
}

const MAGIC: u32 = 0x4662_43b1;
/// The version of a wrapper with parts.
const LINKED: u32 = 2;

/// What is to be loaded.
#[derive(Debug, Clone)]
pub struct FatBinary {
    /// The image.
    pub image: *const c_void,
    /// The parts that it was linked from, each a fat binary too. Empty for a program of one part.
    pub parts: Vec<*const c_void>,
}

impl FatBinary {
    /// What a program hands over: the wrapper, or an image without one.
    ///
    /// # Safety
    /// The pointer is that of a fat binary or its wrapper.
    pub unsafe fn new(pointer: *const c_void) -> Self {
        let plain = Self { image: pointer, parts: Vec::new() };
        // SAFETY: both begin with a magic number.
        if pointer.is_null() || unsafe { pointer.cast::<u32>().read_unaligned() } != MAGIC {
            return plain;
        }
        // SAFETY: the magic number promises the wrapper.
        let wrapper = unsafe { pointer.cast::<Wrapper>().read_unaligned() };
        let mut parts = Vec::new();
        if wrapper.version == LINKED && !wrapper.parts.is_null() {
            // SAFETY: the list ends with null.
            unsafe {
                let mut at = wrapper.parts;
                while !at.read_unaligned().is_null() {
                    parts.push(at.read_unaligned());
                    at = at.add(1);
                }
            }
        }
        Self { image: wrapper.data, parts }
    }
}
