//! Fat binaries as nvcc embeds them in a program (`fatbinary_section.h`).
use std::ffi::c_void;

/// The wrapper around a fat binary.
#[repr(C)]
#[derive(Debug, Clone, Copy)]
struct Wrapper {
    magic: u32,
    version: u32,
    data: *const c_void,
    /// In a program linked by nvlink: the images of its parts, from which other images can be linked; terminated by
    /// null.
    parts: *const *const c_void,
}

const MAGIC: u32 = 0x4662_43b1;
/// The version of a wrapper with parts.
const LINKED: u32 = 2;

/// The image to load.
#[derive(Debug, Clone)]
pub struct FatBinary {
    /// The image.
    pub image: *const c_void,
    /// The parts from which it was linked, each of which is also a fat binary. Empty for a program of one part.
    pub parts: Vec<*const c_void>,
}

impl FatBinary {
    /// Reads a program's pointer: to the wrapper, or to an image without one.
    ///
    /// # Safety
    /// The pointer must be to a fat binary or its wrapper.
    pub unsafe fn new(pointer: *const c_void) -> Self {
        let plain = Self { image: pointer, parts: Vec::new() };
        // SAFETY: both begin with a magic number.
        if pointer.is_null() || unsafe { pointer.cast::<u32>().read_unaligned() } != MAGIC {
            return plain;
        }
        // SAFETY: the magic number identifies the wrapper.
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
