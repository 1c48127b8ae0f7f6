//! Images from which modules are loaded: PTX text, or a fat binary that contains PTX.
//!
//! For a file, all bytes are known. An image in memory comes without a length, so it is read as far as its headers
//! specify, and only where this process has readable memory.

use crate::abi::error::{Error, Refused};
use crate::state::device::driver::driver;
use crate::state::modules::fat_binary::{self, HEADER, ImagePtx, LTO_IR, LTO_MAGIC, MAGIC};
use crate::state::modules::{device_runtime, link_text};
use simt::memory::is_readable;
use std::ffi::c_void;
use std::fs::File;
use std::io::{ErrorKind, Read};

type Image<T> = std::result::Result<T, Refused>;

fn refuse<T>(error: Error, log: &str) -> Image<T> {
    Err(Refused::new(error, log))
}

fn cut_short<T>() -> Image<T> {
    refuse(Error::INVALID_IMAGE, "the image is damaged or cut short; build it again")
}

/// The maximum size of an image, in bytes. A larger size is a mistake of the caller.
pub const LARGEST: usize = 1 << 30;
/// The magic number of `nvcc`'s wrapper around a fat binary, and the number of its bytes: two words and two pointers.
const WRAPPER: u32 = 0x4662_43b1;
const WRAPPER_BYTES: u64 = 24;
/// The version of a wrapper whose second pointer is a list of the fat binaries from which the first one was linked.
const WITH_PARTS: u32 = 2;
/// The maximum number of these parts: one for each source file.
const MOST_PARTS: usize = 1 << 16;
/// The granularity in which memory is readable or not.
const PAGE: usize = 4096;

/// Returns the number at the start of the bytes.
fn magic(bytes: &[u8]) -> Option<u32> {
    bytes.first_chunk().map(|magic| u32::from_le_bytes(*magic))
}

/// Returns the PTX of an image in memory: text, a fat binary, or `nvcc`'s wrapper around one of them.
pub fn from_memory(image: *const c_void) -> Image<ImagePtx> {
    if image.is_null() {
        return refuse(Error::INVALID_VALUE, "no image is given");
    }
    // SAFETY: the caller promises an image.
    let Some(wrapper) = (unsafe { wrapper(image) }) else { return from_start(image) };
    match from_start(wrapper.image) {
        // nvcc's linker writes machine code only; the parts that it has linked still have PTX.
        Err(refused) if refused.error == Error::NO_BINARY_FOR_GPU && wrapper.version == WITH_PARTS => {
            from_parts(wrapper.parts).unwrap_or(Err(refused))
        }
        read => read,
    }
}

/// Returns the PTX of an image that is not wrapped.
fn from_start(image: *const c_void) -> Image<ImagePtx> {
    // SAFETY: the caller promises an image.
    from_bytes(unsafe { whole(image) }?)
}

/// Returns the PTX of a list of fat binaries, which ends with null, linked. `None` if there is no such list, or a part
/// of it has no PTX.
fn from_parts(list: *const *const c_void) -> Option<Image<ImagePtx>> {
    let mut parts = Vec::new();
    while parts.len() < MOST_PARTS {
        let at = list.wrapping_add(parts.len());
        if !is_readable(at as u64, size_of::<*const c_void>() as u64) {
            return None;
        }
        // SAFETY: these bytes can be read.
        let part = unsafe { at.read_unaligned() };
        if part.is_null() {
            break;
        }
        parts.push(from_start(part).ok()?.text);
    }
    (!parts.is_empty()).then(|| linked(&parts))
}

/// Links PTX texts. NVIDIA's own device runtime, which nvcc links too, is left out.
pub fn linked(parts: &[String]) -> Image<ImagePtx> {
    let parts = parts.iter().filter(|part| !part.is_empty() && !device_runtime::is_nvidias(part));
    link_text::link(&parts.cloned().collect::<Vec<_>>())
        .map(ImagePtx::from)
        .map_err(|name| Refused::new(Error::INVALID_PTX, format!("multiple definition of `{name}`")))
}

/// `nvcc`'s wrapper.
struct Wrapper {
    version: u32,
    image: *const c_void,
    parts: *const *const c_void,
}

/// Reads `nvcc`'s wrapper, if this is one. A wrapper in a wrapper is not an image.
unsafe fn wrapper(image: *const c_void) -> Option<Wrapper> {
    if !is_readable(image as u64, WRAPPER_BYTES) {
        return None;
    }
    // SAFETY: these bytes can be read.
    unsafe {
        (image.cast::<u32>().read_unaligned() == WRAPPER).then(|| Wrapper {
            version: image.byte_add(4).cast::<u32>().read_unaligned(),
            image: image.byte_add(8).cast::<*const c_void>().read_unaligned(),
            parts: image.byte_add(16).cast::<*const *const c_void>().read_unaligned(),
        })
    }
}

/// Returns all bytes of an image in memory, as far as they are known: up to the terminator of a text, or as many as a
/// fat binary's header specifies.
unsafe fn whole<'a>(image: *const c_void) -> Image<&'a [u8]> {
    let start = image as u64;
    if is_readable(start, HEADER as u64) {
        // SAFETY: these bytes can be read, and the caller does not change an image during the call.
        let header: &[u8; HEADER] = unsafe { &*image.cast() };
        if magic(header) == Some(MAGIC) {
            let len = fat_binary::length(header)?;
            if len > LARGEST || !is_readable(start, len as u64) {
                return cut_short();
            }
            // SAFETY: as above.
            return Ok(unsafe { std::slice::from_raw_parts(image.cast(), len) });
        }
        if header.starts_with(ELF) || magic(header) == Some(LTO_MAGIC) {
            return Ok(header);
        }
    }
    // SAFETY: the caller's contract.
    unsafe { text(image.cast()) }
}

/// Returns the bytes of a text in memory, up to its terminator.
unsafe fn text<'a>(start: *const u8) -> Image<&'a [u8]> {
    let mut len = 0;
    while len <= LARGEST {
        let at = start.wrapping_add(len);
        let rest = PAGE - at.addr() % PAGE;
        if !is_readable(at as u64, rest as u64) {
            break;
        }
        // SAFETY: these bytes can be read, and the caller does not change an image during the call.
        let page = unsafe { std::slice::from_raw_parts(at, rest) };
        if let Some(end) = page.iter().position(|byte| *byte == 0) {
            // SAFETY: all pages up to here can be read.
            return Ok(unsafe { std::slice::from_raw_parts(start, len + end) });
        }
        len += rest;
    }
    cut_short()
}

/// The magic bytes of machine code.
const ELF: &[u8] = b"\x7fELF";

/// Returns the PTX of an image, which may be followed by other bytes. A text ends at the last byte or at a terminator.
pub fn from_bytes(image: &[u8]) -> Image<ImagePtx> {
    if image.starts_with(ELF) {
        return Err(fat_binary::machine_code());
    }
    if magic(image) == Some(LTO_MAGIC) {
        return refuse(Error::NO_BINARY_FOR_GPU, LTO_IR);
    }
    if magic(image) == Some(MAGIC) {
        let here = driver().map_or(u32::MAX, |driver| {
            let (major, minor) = driver.profile.compute_capability;
            major * 10 + minor
        });
        return fat_binary::ptx(image, here);
    }
    let end = image.iter().position(|byte| *byte == 0).unwrap_or(image.len());
    match std::str::from_utf8(&image[..end]) {
        Ok(text) if text.contains(".version") => Ok(text.to_owned().into()),
        _ => refuse(Error::INVALID_IMAGE, "this is neither PTX (it has no .version) nor a fat binary"),
    }
}

/// An archive, and what NVIDIA's archive of its device runtime (`libcudadevrt.a`) contains.
const ARCHIVE: &[u8] = b"!<arch>\n";
const DEVICE_RUNTIME: &[u8] = b"cuda_device_runtime";

/// Whether these bytes are NVIDIA's device runtime as an archive of machine code. The machine has its own.
fn is_device_runtime(bytes: &[u8]) -> bool {
    bytes.starts_with(ARCHIVE) && bytes.windows(DEVICE_RUNTIME.len()).any(|word| word == DEVICE_RUNTIME)
}

/// Returns the PTX of a part of a program, in memory of a known size. NVIDIA's device runtime is an empty text.
pub fn from_part(image: *const c_void, bytes: usize) -> Image<ImagePtx> {
    if !is_readable(image as u64, bytes as u64) {
        return cut_short();
    }
    // SAFETY: these bytes can be read, and the caller does not change an image during the call.
    let all = unsafe { std::slice::from_raw_parts(image.cast::<u8>(), bytes) };
    if magic(all) == Some(WRAPPER) { from_memory(image) } else { part(all) }
}

/// Returns the PTX of a part in a file, as [`from_part`] does.
pub fn part_from_file(name: &str) -> Image<ImagePtx> {
    part(&read(name)?)
}

fn part(bytes: &[u8]) -> Image<ImagePtx> {
    if is_device_runtime(bytes) { Ok(String::new().into()) } else { from_bytes(bytes) }
}

/// Returns the PTX of a file.
pub fn from_file(name: &str) -> Image<ImagePtx> {
    from_bytes(&read(name)?)
}

/// Reads a file.
fn read(name: &str) -> Image<Vec<u8>> {
    let mut bytes = Vec::new();
    let read = File::open(name).and_then(|file| file.take(LARGEST as u64 + 1).read_to_end(&mut bytes));
    match read {
        Ok(len) if len <= LARGEST => Ok(bytes),
        Ok(_) => refuse(Error::INVALID_IMAGE, &format!("{name} is not an image: it is longer than {LARGEST} bytes")),
        Err(error) if error.kind() == ErrorKind::NotFound => refuse(Error::FILE_NOT_FOUND, &format!("{name}: {error}")),
        Err(error) => refuse(Error::INVALID_SOURCE, &format!("{name}: {error}")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::state::modules::fat_binary::samples::{Packing, container};
    use std::ffi::CString;

    const PTX: &str = ".version 7.8\n.target sm_80\n.address_size 64\n";

    fn memory(image: &[u8]) -> std::result::Result<String, Error> {
        from_memory(image.as_ptr().cast()).map(|ptx| ptx.text).map_err(Error::from)
    }

    fn file(bytes: &[u8]) -> std::result::Result<String, Error> {
        from_bytes(bytes).map(|ptx| ptx.text).map_err(Error::from)
    }

    #[test]
    fn machine_code_linked_from_parts_is_linked_again_from_their_ptx() {
        let part =
            |name: &str| container(&[(1, 80, Packing::Plain, format!("{PTX}.global .u32 {name};\n").as_bytes())]);
        let (code, a, b) = (container(&[(2, 80, Packing::Plain, b"\x7fELF")]), part("a"), part("b"));
        let read = |version: u32, parts: &[*const u8]| {
            let wrapper = [u64::from(WRAPPER) | u64::from(version) << 32, code.as_ptr() as u64, parts.as_ptr() as u64];
            from_memory(wrapper.as_ptr().cast()).map(|ptx| ptx.text).map_err(Error::from)
        };
        let end = std::ptr::null();
        let both = read(2, &[a.as_ptr(), b.as_ptr(), end]).unwrap_or_default();
        assert!(both.contains(".u32 a;") && both.contains(".u32 b;"), "{both}");
        // A list of another version, an empty one, one with machine code, and one that leads nowhere.
        assert_eq!(read(1, &[a.as_ptr(), end]), Err(Error::NO_BINARY_FOR_GPU));
        assert_eq!(read(2, &[end]), Err(Error::NO_BINARY_FOR_GPU));
        assert_eq!(read(2, &[a.as_ptr(), code.as_ptr(), end]), Err(Error::NO_BINARY_FOR_GPU));
        assert_eq!(read(2, &[a.as_ptr(), std::ptr::without_provenance(64)]), Err(Error::NO_BINARY_FOR_GPU));
    }

    #[test]
    fn text_fat_binaries_and_wrappers_are_read_and_all_else_is_refused() {
        let text = CString::new(PTX).unwrap();
        let binary = container(&[(1, 80, Packing::Plain, PTX.as_bytes())]);
        assert_eq!((memory(text.as_bytes_with_nul()).as_deref(), file(PTX.as_bytes()).as_deref()), (Ok(PTX), Ok(PTX)));
        assert_eq!((memory(&binary).as_deref(), file(&binary).as_deref()), (Ok(PTX), Ok(PTX)));
        let wrapper = |of: *const u8| [u64::from(WRAPPER) | 1 << 32, of as u64, 0];
        let read = |wrapper: [u64; 3]| from_memory(wrapper.as_ptr().cast()).map(|ptx| ptx.text).map_err(Error::from);
        assert_eq!(read(wrapper(binary.as_ptr())).as_deref(), Ok(PTX));
        // A pointer to an empty image, and a wrapper around itself.
        assert_eq!(read(wrapper(std::ptr::null())), Err(Error::INVALID_IMAGE));
        assert_eq!(read(wrapper(std::ptr::without_provenance(1 << 20))), Err(Error::INVALID_IMAGE));
        let mut itself = wrapper(std::ptr::null());
        itself[1] = itself.as_ptr() as u64;
        assert_eq!(
            from_memory(itself.as_ptr().cast()).map(|ptx| ptx.text).map_err(Error::from),
            Err(Error::INVALID_IMAGE)
        );
        // A file contains nothing to which a pointer could point.
        assert_eq!(file(&wrapper(binary.as_ptr()).map(u64::to_le_bytes).concat()), Err(Error::INVALID_IMAGE));
        let code = b"\x7fELF and more, as much as a header";
        assert_eq!((memory(code), file(code)), (Err(Error::NO_BINARY_FOR_GPU), Err(Error::NO_BINARY_FOR_GPU)));
        let lto = [LTO_MAGIC.to_le_bytes().as_slice(), b"and more, as much as a header"].concat();
        for refused in [from_memory(lto.as_ptr().cast()), from_bytes(&lto)].map(|read| read.expect_err("LTO-IR")) {
            assert_eq!(refused.error, Error::NO_BINARY_FOR_GPU);
            assert!(refused.log.contains("nvJitLink") && refused.log.contains("-dlto"), "{}", refused.log);
        }
        for garbage in [b"\0".as_slice(), b"x\0", b"hello, world\0", b"\xff\xfe\xfd\xfc\xfb\0", b"!<arch>\n\0"] {
            assert_eq!((memory(garbage), file(garbage)), (Err(Error::INVALID_IMAGE), Err(Error::INVALID_IMAGE)));
        }
        assert_eq!(file(b""), Err(Error::INVALID_IMAGE));
        assert_eq!(from_file("/dev/zero").map(|ptx| ptx.text).map_err(Error::from), Err(Error::INVALID_IMAGE));
    }
}
