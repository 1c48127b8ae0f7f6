//! Images that modules are loaded from: PTX text, or a container with PTX in it.

use crate::abi::error::{Error, Refused};
use crate::state::device::driver::driver;
use std::ffi::{CStr, c_char, c_void};
use std::io::Read;

fn refuse<T>(error: Error, log: &str) -> std::result::Result<T, Refused> {
    Err(Refused::new(error, log))
}

const CUBIN: &str = "this is machine code for a GPU (a cubin), which the emulated device cannot run; compile to PTX instead \
                     (nvcc -ptx, a program with `warplab nvcc`, or nvrtcGetPTX with --gpu-architecture=compute_NN)";

/// The magic number of `nvcc`'s wrapper around a fat binary.
const WRAPPER: u32 = 0x4662_43b1;
/// The magic number of a fat binary.
const CONTAINER: u32 = 0xba55_ed50;
/// The kinds of a fat binary's entries.
const PTX_ENTRY: u16 = 1;
const CODE_ENTRY: u16 = 2;
/// Bytes after the end of an image that was copied, so that headers can be read without looking at its length.
pub const PADDING: [u8; 64] = [0; 64];

/// The PTX of an image in memory: text, a fat binary, or `nvcc`'s wrapper around one.
pub fn from_memory(image: *const c_void) -> std::result::Result<String, Refused> {
    if image.is_null() {
        return refuse(Error::INVALID_VALUE, "no image is given");
    }
    // SAFETY: the caller promises an image: either text with a terminator, or something longer than four bytes. Bytes
    // are read one after another, up to the terminator of a short text.
    let mut magic = [0u8; 4];
    for (i, byte) in magic.iter_mut().enumerate() {
        *byte = unsafe { image.cast::<u8>().add(i).read() };
        if *byte == 0 {
            break;
        }
    }
    if magic == *b"\x7fELF" {
        return refuse(Error::NO_BINARY_FOR_GPU, CUBIN);
    }
    match u32::from_le_bytes(magic) {
        // SAFETY: the magic number promises the wrapper's layout: two words and a pointer.
        WRAPPER => from_memory(unsafe { image.cast::<*const c_void>().add(1).read_unaligned() }),
        // SAFETY: the magic number promises a container.
        CONTAINER => unsafe { from_container(image.cast()) },
        _ => {
            // SAFETY: anything else is text with a terminator, as the caller promises.
            let text = unsafe { CStr::from_ptr(image.cast::<c_char>()) };
            match text.to_str() {
                Ok(text) if text.contains(".version") => Ok(text.to_owned()),
                _ => refuse(Error::INVALID_IMAGE, "this is neither PTX (it has no .version) nor a fat binary"),
            }
        }
    }
}

/// The bits of an entry's flags that say how its payload is compressed.
const LZ4: u64 = 0x2000;
const ZSTD: u64 = 0x8000;

/// An entry of a fat binary.
#[derive(Clone, Copy)]
struct Entry<'a> {
    kind: u16,
    /// The architecture, as 10 times the major version of the compute capability plus the minor.
    architecture: u32,
    flags: u64,
    /// What follows the header, padded.
    payload: &'a [u8],
    /// Bytes of the payload less the padding, if it is compressed.
    packed: usize,
    /// Bytes after unpacking; zero for a payload that is not compressed.
    unpacked: usize,
}

impl Entry<'_> {
    /// The PTX.
    fn text(&self) -> std::result::Result<String, Refused> {
        let broken = || Refused::new(Error::INVALID_IMAGE, "the fat binary's compressed PTX is damaged");
        let packed = self.payload.get(..self.packed).ok_or_else(broken)?;
        let text = if self.unpacked == 0 {
            self.payload.to_vec()
        } else if self.flags & LZ4 != 0 {
            let mut text = vec![0; self.unpacked];
            let written = lz4_flex::block::decompress_into(packed, &mut text).map_err(|_| broken())?;
            text.truncate(written);
            text
        } else if self.flags & ZSTD != 0 {
            let mut text = Vec::with_capacity(self.unpacked);
            let decoder = ruzstd::decoding::StreamingDecoder::new(packed).map_err(|_| broken())?;
            decoder.take(self.unpacked as u64).read_to_end(&mut text).map_err(|_| broken())?;
            text
        } else {
            return refuse(
                Error::NO_BINARY_FOR_GPU,
                "the fat binary's PTX is compressed in a way that is not known; build with nvcc --no-compress",
            );
        };
        let end = text.iter().position(|byte| *byte == 0).unwrap_or(text.len());
        Ok(String::from_utf8_lossy(&text[..end]).into_owned())
    }
}

/// The entries of a fat binary: a header (magic, version, its own size, the size of what follows), then entries, each
/// with a header (kind, version, its own size, the payload's padded size, ...).
unsafe fn entries<'a>(start: *const u8) -> Vec<Entry<'a>> {
    let mut all = Vec::new();
    // SAFETY: the caller promises a whole container; every offset below stays within the sizes that it names.
    unsafe {
        let half = |at: usize| start.add(at).cast::<u16>().read_unaligned();
        let word = |at: usize| start.add(at).cast::<u32>().read_unaligned();
        let long = |at: usize| start.add(at).cast::<u64>().read_unaligned();
        let mut at = usize::from(half(6));
        let end = at + long(8) as usize;
        while at + 64 <= end {
            let (header, padded) = (word(at + 4) as usize, word(at + 8) as usize);
            if header < 32 || at + header + padded > end {
                break;
            }
            let unpacked = if header < 64 { 0 } else { long(at + 56) as usize };
            all.push(Entry {
                kind: half(at),
                architecture: word(at + 28),
                flags: long(at + 40),
                payload: std::slice::from_raw_parts(start.add(at + header), padded),
                packed: if unpacked == 0 { padded } else { word(at + 16) as usize },
                unpacked,
            });
            at += header + padded;
        }
    }
    all
}

/// The entry with PTX for the newest architecture that a device of architecture `here` takes. Where all are newer, the
/// oldest of them, so that the refusal names the least that is needed.
fn choose<'e, 'a>(entries: &'e [Entry<'a>], here: u32) -> Option<&'e Entry<'a>> {
    let ptx = || entries.iter().filter(|entry| entry.kind == PTX_ENTRY);
    let fitting = ptx().filter(|entry| entry.architecture <= here).max_by_key(|entry| entry.architecture);
    fitting.or_else(|| ptx().min_by_key(|entry| entry.architecture))
}

/// The PTX of a fat binary.
unsafe fn from_container(start: *const u8) -> std::result::Result<String, Refused> {
    // SAFETY: the caller's promise.
    let entries = unsafe { entries(start) };
    let here = driver().map_or(u32::MAX, |driver| {
        let (major, minor) = driver.profile.compute_capability;
        major * 10 + minor
    });
    match choose(&entries, here) {
        Some(entry) => entry.text(),
        None if entries.iter().any(|entry| entry.kind == CODE_ENTRY) => refuse(Error::NO_BINARY_FOR_GPU, CUBIN),
        None => refuse(Error::INVALID_IMAGE, "the fat binary is empty"),
    }
}

/// The PTX of a file.
pub fn from_file(name: &str) -> std::result::Result<String, Refused> {
    match std::fs::read(name) {
        Ok(mut bytes) => {
            bytes.extend(PADDING);
            from_memory(bytes.as_ptr().cast())
        }
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => {
            refuse(Error::FILE_NOT_FOUND, &format!("{name}: {error}"))
        }
        Err(error) => refuse(Error::INVALID_SOURCE, &format!("{name}: {error}")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const PTX: &str = ".version 7.8\n.target sm_80\n.address_size 64\n";

    fn load(bytes: &[u8]) -> std::result::Result<String, Error> {
        let mut bytes = bytes.to_vec();
        bytes.extend([0; 64]);
        from_memory(bytes.as_ptr().cast()).map_err(Error::from)
    }

    /// A container of entries: kind, architecture, flags, bytes after unpacking, payload.
    fn container(entries: &[(u16, u32, u64, u64, &[u8])]) -> Vec<u8> {
        let mut body = Vec::new();
        for (kind, architecture, flags, unpacked, payload) in entries {
            let padded = payload.len().next_multiple_of(8);
            let mut header = [0u8; 64];
            header[0..2].copy_from_slice(&kind.to_le_bytes());
            header[4..8].copy_from_slice(&64u32.to_le_bytes());
            header[8..12].copy_from_slice(&(padded as u32).to_le_bytes());
            header[16..20].copy_from_slice(&(payload.len() as u32).to_le_bytes());
            header[28..32].copy_from_slice(&architecture.to_le_bytes());
            header[40..48].copy_from_slice(&flags.to_le_bytes());
            header[56..64].copy_from_slice(&unpacked.to_le_bytes());
            body.extend(header);
            body.extend(*payload);
            body.resize(body.len() + padded - payload.len(), 0);
        }
        let mut all = CONTAINER.to_le_bytes().to_vec();
        all.extend(1u16.to_le_bytes());
        all.extend(16u16.to_le_bytes());
        all.extend((body.len() as u64).to_le_bytes());
        all.extend(body);
        all
    }

    #[test]
    fn text_and_fat_binaries_are_read_and_machine_code_is_refused() {
        assert_eq!(load(PTX.as_bytes()).as_deref(), Ok(PTX));
        let code = b"\x7fELF and more".as_slice();
        assert_eq!(load(&container(&[(2, 80, 0, 0, code), (1, 80, 0, 0, PTX.as_bytes())])).as_deref(), Ok(PTX));
        assert_eq!(load(&container(&[(2, 80, 0, 0, code)])), Err(Error::NO_BINARY_FOR_GPU));
        assert_eq!(load(&container(&[(1, 80, 0, 99, b"packed")])), Err(Error::NO_BINARY_FOR_GPU));
        assert_eq!(load(&container(&[])), Err(Error::INVALID_IMAGE));
        assert_eq!(load(code), Err(Error::NO_BINARY_FOR_GPU));
        for garbage in [b"".as_slice(), b"x", b"hello, world", b"\xff\xfe\xfd\xfc\xfb"] {
            assert_eq!(load(garbage), Err(Error::INVALID_IMAGE));
        }
    }

    #[test]
    fn compressed_ptx_is_unpacked_and_damage_is_refused() {
        let long = PTX.repeat(20);
        // As the tools `lz4` (a block without a frame) and `zstd` write it.
        let packed = [(LZ4, lz4_flex::block::compress(long.as_bytes())), (ZSTD, zstd(long.as_bytes()))];
        for (flags, packed) in packed {
            let whole = container(&[(1, 80, flags, long.len() as u64, &packed)]);
            assert_eq!(load(&whole).as_deref(), Ok(long.as_str()));
            let half = container(&[(1, 80, flags, long.len() as u64, &packed[..packed.len() / 2])]);
            assert_eq!(load(&half), Err(Error::INVALID_IMAGE));
        }
    }

    fn zstd(text: &[u8]) -> Vec<u8> {
        ruzstd::encoding::compress_to_vec(text, ruzstd::encoding::CompressionLevel::Fastest)
    }

    #[test]
    fn the_newest_ptx_that_the_device_takes_is_chosen() {
        let entry = |architecture: u32| (1, architecture, 0, 0, PTX.as_bytes());
        let bytes = container(&[entry(90), entry(80), (2, 75, 0, 0, PTX.as_bytes()), entry(50), entry(75)]);
        // SAFETY: a whole container.
        let all = unsafe { entries(bytes.as_ptr()) };
        let chosen = |here: u32| choose(&all, here).map(|entry| entry.architecture);
        assert_eq!([90, 89, 80, 75, 60, 50, 35].map(chosen), [90, 80, 80, 75, 50, 50, 50].map(Some));
    }
}
