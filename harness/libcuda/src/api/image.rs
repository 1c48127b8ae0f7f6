//! Images that modules are loaded from: PTX text, or a container with PTX in it.

use crate::abi::error::{Error, Refused};
use std::ffi::{CStr, c_char, c_void};

fn refuse<T>(error: Error, log: &str) -> std::result::Result<T, Refused> {
    Err(Refused::new(error, log))
}

const CUBIN: &str = "this is machine code for a GPU (a cubin), which the emulated device cannot run; compile to PTX instead \
                     (nvcc -ptx, or nvrtcGetPTX with --gpu-architecture=compute_NN)";

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

/// A fat binary: a header (magic, version, its own size, the size of what follows), then entries, each with a header
/// (kind, version, its own size, the payload's padded size, ...). The PTX for the newest architecture is used.
unsafe fn from_container(start: *const u8) -> std::result::Result<String, Refused> {
    // SAFETY: the caller promises a whole container; every offset below stays within the sizes that it names.
    unsafe {
        let word = |at: usize| start.add(at).cast::<u32>().read_unaligned();
        let half = |at: usize| start.add(at).cast::<u16>().read_unaligned();
        let header = usize::from(half(6));
        let size = start.add(8).cast::<u64>().read_unaligned() as usize;
        let mut at = header;
        let mut best: Option<(u32, String)> = None;
        let mut compressed = false;
        let mut code = false;
        while at + 64 <= header + size {
            let (kind, entry_header, padded) = (half(at), word(at + 4) as usize, word(at + 8) as usize);
            if entry_header < 32 || at + entry_header + padded > header + size {
                break;
            }
            let architecture = word(at + 28);
            let unpacked = start.add(at + 56).cast::<u64>().read_unaligned();
            code |= kind == CODE_ENTRY;
            if kind == PTX_ENTRY && unpacked != 0 {
                compressed = true;
            } else if kind == PTX_ENTRY {
                let payload = std::slice::from_raw_parts(start.add(at + entry_header), padded);
                let end = payload.iter().position(|byte| *byte == 0).unwrap_or(padded);
                if best.as_ref().is_none_or(|(known, _)| architecture > *known) {
                    best = Some((architecture, String::from_utf8_lossy(&payload[..end]).into_owned()));
                }
            }
            at += entry_header + padded;
        }
        match best {
            Some((_, text)) => Ok(text),
            None if compressed => refuse(
                Error::NO_BINARY_FOR_GPU,
                "the fat binary's PTX is compressed, which is not supported; build with nvcc --no-compress",
            ),
            None if code => refuse(Error::NO_BINARY_FOR_GPU, CUBIN),
            None => refuse(Error::INVALID_IMAGE, "the fat binary is empty"),
        }
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

    fn container(entries: &[(u16, u64, &[u8])]) -> Vec<u8> {
        let mut body = Vec::new();
        for (kind, unpacked, payload) in entries {
            let padded = payload.len().next_multiple_of(8);
            let mut header = [0u8; 64];
            header[0..2].copy_from_slice(&kind.to_le_bytes());
            header[4..8].copy_from_slice(&64u32.to_le_bytes());
            header[8..12].copy_from_slice(&(padded as u32).to_le_bytes());
            header[28..32].copy_from_slice(&80u32.to_le_bytes());
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
        assert_eq!(load(&container(&[(2, 0, code), (1, 0, PTX.as_bytes())])).as_deref(), Ok(PTX));
        assert_eq!(load(&container(&[(2, 0, code)])), Err(Error::NO_BINARY_FOR_GPU));
        assert_eq!(load(&container(&[(1, 99, b"packed")])), Err(Error::NO_BINARY_FOR_GPU));
        assert_eq!(load(&container(&[])), Err(Error::INVALID_IMAGE));
        assert_eq!(load(code), Err(Error::NO_BINARY_FOR_GPU));
        for garbage in [b"".as_slice(), b"x", b"hello, world", b"\xff\xfe\xfd\xfc\xfb"] {
            assert_eq!(load(garbage), Err(Error::INVALID_IMAGE));
        }
    }
}
