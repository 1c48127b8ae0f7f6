//! Fat binaries: containers of PTX and machine code for several architectures, as `fatbinary` and `nvcc` write them.
//!
//! Their headers are not trusted: each size is checked against the bytes that are present.

use super::unpack;
use crate::abi::error::{Error, Refused};

/// The magic number at the start of a fat binary.
pub const MAGIC: u32 = 0xba55_ed50;
/// The minimum size of a fat binary's own header: magic number, version, the header's size, the size of the rest.
pub const HEADER: usize = 16;
/// The minimum size of an entry's header; one of at least [`ENTRY_WITH_SIZE`] bytes has all fields.
const ENTRY: usize = 32;
const ENTRY_WITH_SIZE: usize = 64;
/// The kinds of entries.
const PTX: u16 = 1;
const CODE: u16 = 2;
const LTO: u16 = 8;
/// The bits of an entry's flags that name the compression of its payload.
const LZ4: u64 = 0x2000;
const ZSTD: u64 = 0x8000;

/// What is said of machine code, in a fat binary or alone.
const CUBIN: &str = "this is machine code for a GPU (a cubin), which the emulated device cannot run; compile to PTX instead \
                     (nvcc -ptx, a program with `warplab nvcc`, or nvrtcGetPTX; `warplab exec` has nvrtcGetCUBIN give PTX)";
/// What is said of machine code in a process that has loaded nvJitLink.
const LINKED: &str = "this is machine code for a GPU (a cubin), as nvJitLink makes it, which this process has loaded; the \
                      emulated device runs PTX only, and `warplab exec` has nvJitLink give PTX unless one of its inputs is \
                      machine code";
/// What is said of code for link-time optimisation, in a fat binary or alone.
pub const LTO_IR: &str = "this is LTO-IR, of which only nvJitLink makes code; link it by nvJitLink under `warplab exec`, which \
                          then gives PTX, or compile to PTX instead (nvcc without -dlto and lto_NN, NVRTC without -dlto, \
                          numba with lto=False)";
/// What LTO-IR begins with.
pub const LTO_MAGIC: u32 = 0x7f4e_43ed;

/// The refusal of machine code.
pub fn machine_code() -> Refused {
    let is_linked = [c"libnvJitLink.so.13", c"libnvJitLink.so.12"].iter().any(|name| {
        // SAFETY: a name with its zero; nothing is loaded, and a library that is stays so.
        let library = unsafe { libc::dlopen(name.as_ptr(), libc::RTLD_LAZY | libc::RTLD_NOLOAD) };
        !library.is_null()
    });
    Refused::new(Error::NO_BINARY_FOR_GPU, if is_linked { LINKED } else { CUBIN })
}

type Parsed<T> = std::result::Result<T, Refused>;

fn damaged() -> Refused {
    Refused::new(Error::INVALID_IMAGE, "the fat binary is damaged or cut short; build it again")
}

/// Returns the bytes of a field.
fn field<const N: usize>(bytes: &[u8], at: usize) -> Parsed<[u8; N]> {
    bytes.get(at..).and_then(<[u8]>::first_chunk).copied().ok_or_else(damaged)
}

fn half(bytes: &[u8], at: usize) -> Parsed<u16> {
    field(bytes, at).map(u16::from_le_bytes)
}

fn word(bytes: &[u8], at: usize) -> Parsed<u32> {
    field(bytes, at).map(u32::from_le_bytes)
}

fn long(bytes: &[u8], at: usize) -> Parsed<u64> {
    field(bytes, at).map(u64::from_le_bytes)
}

/// Returns the `len` bytes from `at` on.
fn slice(bytes: &[u8], at: usize, len: usize) -> Parsed<&[u8]> {
    at.checked_add(len).and_then(|end| bytes.get(at..end)).ok_or_else(damaged)
}

/// Returns the offset of the entries of a fat binary, and their number of bytes.
fn body(header: &[u8]) -> Parsed<(usize, usize)> {
    let start = usize::from(half(header, 6)?);
    let len = usize::try_from(long(header, 8)?).map_err(|_| damaged())?;
    if start < HEADER || start.checked_add(len).is_none() { Err(damaged()) } else { Ok((start, len)) }
}

/// Returns the number of bytes of the fat binary with this header, as the header specifies.
///
/// # Errors
/// `CUDA_ERROR_INVALID_IMAGE`.
pub fn length(header: &[u8; HEADER]) -> Parsed<usize> {
    body(header).map(|(start, len)| start + len)
}

/// An entry of a fat binary.
#[derive(Clone, Copy)]
struct Entry<'a> {
    kind: u16,
    /// The architecture, as 10 times the major version of the compute capability plus the minor.
    architecture: u32,
    flags: u64,
    /// The bytes after the header; padded, unless they are compressed.
    payload: &'a [u8],
    /// The size after unpacking; zero for a payload that is not compressed.
    unpacked: u64,
}

/// The entries that have not been read yet.
struct Entries<'a>(&'a [u8]);

impl<'a> Entries<'a> {
    fn new(binary: &'a [u8]) -> Parsed<Self> {
        let (start, len) = body(binary)?;
        Ok(Entries(slice(binary, start, len)?))
    }

    fn read(&mut self) -> Parsed<Entry<'a>> {
        let rest = self.0;
        let (header, padded) = (word(rest, 4)? as usize, word(rest, 8)? as usize);
        if header < ENTRY {
            return Err(damaged());
        }
        let (header, payload) = (slice(rest, 0, header)?, slice(rest, header, padded)?);
        self.0 = &rest[header.len() + padded..];
        let has_size = header.len() >= ENTRY_WITH_SIZE;
        let (flags, unpacked) = if has_size { (long(header, 40)?, long(header, 56)?) } else { (0, 0) };
        let payload = if unpacked == 0 { payload } else { slice(payload, 0, word(header, 16)? as usize)? };
        Ok(Entry { kind: half(header, 0)?, architecture: word(header, 28)?, flags, payload, unpacked })
    }
}

impl<'a> Iterator for Entries<'a> {
    type Item = Parsed<Entry<'a>>;

    fn next(&mut self) -> Option<Self::Item> {
        // A remainder shorter than a header is padding, and so is a header of zeros.
        let header = self.0.get(..ENTRY_WITH_SIZE)?;
        let entry = header.iter().any(|byte| *byte != 0).then(|| self.read());
        if !matches!(entry, Some(Ok(_))) {
            self.0 = &[];
        }
        entry
    }
}

impl Entry<'_> {
    /// Returns the PTX.
    fn text(&self) -> Parsed<String> {
        let unpacked;
        let text = if self.unpacked == 0 {
            self.payload
        } else {
            let unpack = match self.flags {
                flags if flags & LZ4 != 0 => unpack::lz4,
                flags if flags & ZSTD != 0 => unpack::zstd,
                _ => {
                    let log = "the fat binary's PTX uses an unknown compression; build with nvcc --no-compress";
                    return Err(Refused::new(Error::NO_BINARY_FOR_GPU, log));
                }
            };
            unpacked = unpack(self.payload, self.unpacked).ok_or_else(damaged)?;
            &unpacked
        };
        let end = text.iter().position(|byte| *byte == 0).unwrap_or(text.len());
        Ok(String::from_utf8_lossy(&text[..end]).into_owned())
    }
}

/// PTX, as an image contains it.
#[derive(Debug)]
pub struct ImagePtx {
    pub text: String,
    /// Whether the image also has machine code for this device. Such a program runs on that GPU, so its PTX is taken
    /// even if it is for a newer one: libraries keep PTX only for the newest.
    pub has_code: bool,
}

impl From<String> for ImagePtx {
    fn from(text: String) -> Self {
        ImagePtx { text, has_code: false }
    }
}

/// Returns whether a GPU of architecture `here` runs machine code for `built`: that of its own major version, up to its
/// own minor version.
fn runs(built: u32, here: u32) -> bool {
    built / 10 == here / 10 && built <= here
}

/// Returns the entry for a device of architecture `here`: the PTX for the newest architecture whose features it has. If
/// all are newer, returns the oldest of them: it names the minimum requirement, or stands for machine code for `here`,
/// which the second value reports.
fn choose(entries: Entries<'_>, here: u32) -> Parsed<(Entry<'_>, bool)> {
    let (mut fitting, mut newer): (Option<Entry<'_>>, Option<Entry<'_>>) = (None, None);
    let (mut has_code, mut has_lto, mut has_own) = (false, false, false);
    for entry in entries {
        let entry = entry?;
        has_code |= entry.kind == CODE;
        has_own |= entry.kind == CODE && runs(entry.architecture, here);
        has_lto |= entry.kind == LTO;
        if entry.kind != PTX {
            continue;
        }
        if entry.architecture > here {
            newer = newer.filter(|newer| newer.architecture <= entry.architecture).or(Some(entry));
        } else {
            fitting = fitting.filter(|fitting| fitting.architecture > entry.architecture).or(Some(entry));
        }
    }
    fitting.or(newer).map(|entry| (entry, has_own)).ok_or_else(|| match (has_code, has_lto) {
        (true, _) => machine_code(),
        (false, true) => Refused::new(Error::NO_BINARY_FOR_GPU, LTO_IR),
        (false, false) => Refused::new(Error::INVALID_IMAGE, "the fat binary is empty"),
    })
}

/// Returns the PTX of a fat binary for a device of architecture `here`. Bytes after the end that its header specifies
/// are ignored.
///
/// # Errors
/// `CUDA_ERROR_INVALID_IMAGE` if it is damaged or empty, `CUDA_ERROR_NO_BINARY_FOR_GPU` if it has no readable PTX.
pub fn ptx(binary: &[u8], here: u32) -> Parsed<ImagePtx> {
    let (entry, has_code) = choose(Entries::new(binary)?, here)?;
    Ok(ImagePtx { text: entry.text()?, has_code })
}

/// Fat binaries for tests.
#[cfg(test)]
pub mod samples {
    use super::{LZ4, MAGIC, ZSTD};

    /// The compression of an entry's payload.
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    pub enum Packing {
        Plain,
        Lz4,
        Zstd,
        /// An invalid compression.
        Unknown,
    }

    /// An entry: kind, architecture, compression, payload.
    pub type Sample<'a> = (u16, u32, Packing, &'a [u8]);

    fn packed(packing: Packing, payload: &[u8]) -> (u64, Vec<u8>) {
        match packing {
            Packing::Plain => (0, payload.to_vec()),
            Packing::Lz4 => (LZ4, lz4_flex::block::compress(payload)),
            Packing::Zstd => {
                let level = ruzstd::encoding::CompressionLevel::Fastest;
                (ZSTD, ruzstd::encoding::compress_to_vec(payload, level))
            }
            Packing::Unknown => (1 << 40, payload.to_vec()),
        }
    }

    /// Returns a fat binary of these entries.
    pub fn container(entries: &[Sample<'_>]) -> Vec<u8> {
        let mut body = Vec::new();
        for (kind, architecture, packing, payload) in entries {
            let (flags, packed) = packed(*packing, payload);
            let unpacked = if *packing == Packing::Plain { 0 } else { payload.len() as u64 };
            let padded = packed.len().next_multiple_of(8);
            let mut header = [0u8; 64];
            header[0..2].copy_from_slice(&kind.to_le_bytes());
            header[4..8].copy_from_slice(&64u32.to_le_bytes());
            header[8..12].copy_from_slice(&(padded as u32).to_le_bytes());
            header[16..20].copy_from_slice(&(packed.len() as u32).to_le_bytes());
            header[28..32].copy_from_slice(&architecture.to_le_bytes());
            header[40..48].copy_from_slice(&flags.to_le_bytes());
            header[56..64].copy_from_slice(&unpacked.to_le_bytes());
            body.extend(header);
            body.extend(&packed);
            body.resize(body.len() + padded - packed.len(), 0);
        }
        let mut all = MAGIC.to_le_bytes().to_vec();
        all.extend(1u16.to_le_bytes());
        all.extend(16u16.to_le_bytes());
        all.extend((body.len() as u64).to_le_bytes());
        all.extend(body);
        all
    }
}

#[cfg(test)]
mod tests {
    use super::samples::{Packing, container};
    use super::*;

    const TEXT: &str = ".version 7.8\n.target sm_80\n.address_size 64\n";

    fn read(bytes: &[u8]) -> std::result::Result<String, Error> {
        ptx(bytes, 90).map(|ptx| ptx.text).map_err(Error::from)
    }

    #[test]
    fn newer_ptx_stands_for_machine_code_of_this_device() {
        let (code, text) = (b"\x7fELF and more".as_slice(), TEXT.as_bytes());
        let has_code = |built, here| {
            let image = container(&[(2, built, Packing::Plain, code), (1, 120, Packing::Plain, text)]);
            ptx(&image, here).is_ok_and(|ptx| ptx.has_code)
        };
        assert!(has_code(90, 90) && has_code(80, 86));
        assert!(!has_code(100, 90) && !has_code(75, 80) && !has_code(86, 80));
    }

    #[test]
    fn ptx_is_read_and_machine_code_is_refused() {
        let code = b"\x7fELF and more".as_slice();
        let (plain, text) = (Packing::Plain, TEXT.as_bytes());
        assert_eq!(read(&container(&[(2, 80, plain, code), (1, 80, plain, text)])).as_deref(), Ok(TEXT));
        assert_eq!(read(&container(&[(2, 80, plain, code)])), Err(Error::NO_BINARY_FOR_GPU));
        assert_eq!(read(&container(&[(1, 80, Packing::Unknown, b"packed")])), Err(Error::NO_BINARY_FOR_GPU));
        let link_time = ptx(&container(&[(8, 80, plain, b"LTO-IR")]), 90).expect_err("no PTX");
        assert_eq!((link_time.error, link_time.log.as_str()), (Error::NO_BINARY_FOR_GPU, LTO_IR));
        assert_eq!(read(&container(&[(8, 80, plain, b"LTO-IR"), (1, 80, plain, text)])).as_deref(), Ok(TEXT));
        assert_eq!(read(&container(&[])), Err(Error::INVALID_IMAGE));
    }

    #[test]
    fn compressed_ptx_is_unpacked_and_what_is_cut_short_is_refused() {
        let long = TEXT.repeat(20);
        for packing in [Packing::Plain, Packing::Lz4, Packing::Zstd] {
            let whole = container(&[(1, 80, packing, long.as_bytes())]);
            assert_eq!(read(&whole).as_deref(), Ok(long.as_str()));
            for len in 0..whole.len() {
                assert_eq!(read(&whole[..len]), Err(Error::INVALID_IMAGE), "{packing:?}, {len} bytes");
            }
        }
    }

    #[test]
    fn sizes_that_do_not_fit_are_refused() {
        let whole = container(&[(1, 80, Packing::Lz4, TEXT.as_bytes())]);
        let with = |at: usize, value: &[u8]| {
            let mut changed = whole.clone();
            changed[at..at + value.len()].copy_from_slice(value);
            read(&changed)
        };
        // The sizes of the header and the body; an entry's header, its padded and its packed size, and its unpacked
        // size.
        for (at, bytes) in [(6, 2), (8, 8), (20, 4), (24, 4), (32, 4)] {
            for value in [u64::MAX, 1 << 40, 1 << 31, 1 << 30, 1 << 15] {
                let value = if bytes == 2 { 0xffff_u64.min(value) } else { value };
                let is_changed = value & (u64::MAX >> (64 - 8 * bytes)) != 0;
                let read = with(at, &value.to_le_bytes()[..bytes]);
                assert!(!is_changed || read == Err(Error::INVALID_IMAGE), "{value:#x} at {at}: {read:?}");
            }
        }
        for value in [u64::MAX, 1 << 62, 1 << 36] {
            assert_eq!(with(72, &value.to_le_bytes()), Err(Error::INVALID_IMAGE), "{value:#x} bytes unpacked");
        }
    }

    #[test]
    fn the_newest_ptx_that_the_device_takes_is_chosen() {
        let entry = |architecture: u32| (1, architecture, Packing::Plain, TEXT.as_bytes());
        let bytes = container(&[entry(90), entry(80), (2, 75, Packing::Plain, TEXT.as_bytes()), entry(50), entry(75)]);
        let chosen = |here: u32| choose(Entries::new(&bytes).ok()?, here).ok().map(|(entry, _)| entry.architecture);
        assert_eq!([90, 89, 80, 75, 60, 50, 35].map(chosen), [90, 80, 80, 75, 50, 50, 50].map(Some));
    }
}
