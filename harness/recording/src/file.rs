//! The file of a recording.

use crate::decode;
use crate::encode::Encoded;
use crate::header::Header;
use crate::step::Step;

/// The first bytes of every recording.
pub const MAGIC: [u8; 8] = *b"WLRECORD";

/// The version of the format. A reader takes only its own version.
pub const VERSION: u32 = 3;

/// Bytes before the contents: [`MAGIC`], the version, the sizes of the contents unpacked and packed, their checksum.
const PREFIX: usize = 8 + 4 + 8 + 8 + 8;
/// The most bytes that a byte of packed contents may become.
const MOST_EXPANSION: u64 = 256;

/// Why a file cannot be read as a recording.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ReadError {
    /// It is another kind of file.
    #[error("it is not a recording; `warplab record` writes recordings")]
    NotARecording,
    /// It has another version.
    #[error("it has version {0} of the format, and this program reads version {VERSION}; record the launch again")]
    OtherVersion(u32),
    /// It ends too early.
    #[error("it is incomplete: {actual} of {expected} bytes are there; copy it or record the launch again")]
    Truncated {
        /// The bytes that it should have.
        expected: u64,
        /// The bytes that it has.
        actual: u64,
    },
    /// Its contents are damaged.
    #[error("it is damaged ({0}); copy it or record the launch again")]
    Corrupt(&'static str),
}

/// A recorded launch.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Recording {
    /// What is known once for the launch.
    pub header: Header,
    /// The steps, in the order in which the machine executed them.
    pub steps: Vec<Step>,
}

impl Recording {
    /// Returns the file of a recording with these steps.
    pub fn write(header: &Header, steps: &Encoded) -> Vec<u8> {
        // Strings and numbers: serialization cannot fail.
        let header = serde_json::to_vec(header).expect("a header is plain data");
        let mut contents = (header.len() as u64).to_le_bytes().to_vec();
        contents.extend_from_slice(&header);
        contents.extend_from_slice(&steps.bytes);
        let packed = lz4_flex::block::compress(&contents);
        let sizes = [contents.len() as u64, packed.len() as u64];
        let mut file = MAGIC.to_vec();
        file.extend_from_slice(&VERSION.to_le_bytes());
        file.extend_from_slice(sizes.map(u64::to_le_bytes).as_flattened());
        file.extend_from_slice(&checksum(sizes, &packed).to_le_bytes());
        file.extend_from_slice(&packed);
        file
    }

    /// Reads the file of a recording.
    ///
    /// # Errors
    /// When the file is of another kind or version, incomplete, or damaged.
    pub fn read(file: &[u8]) -> Result<Recording, ReadError> {
        let contents = contents(file)?;
        let damaged = || ReadError::Corrupt("its header");
        let (length, rest) = contents.split_first_chunk().ok_or_else(damaged)?;
        let length = usize::try_from(u64::from_le_bytes(*length)).map_err(|_| damaged())?;
        let (header, steps) = rest.split_at_checked(length).ok_or_else(damaged)?;
        let header: Header = serde_json::from_slice(header).map_err(|_| damaged())?;
        if !header.is_possible() {
            return Err(damaged());
        }
        let steps = decode::steps(steps, &header).ok_or(ReadError::Corrupt("its steps"))?;
        Ok(Recording { header, steps })
    }
}

/// Returns the unpacked contents of a file.
fn contents(file: &[u8]) -> Result<Vec<u8>, ReadError> {
    let magic = file.get(..MAGIC.len().min(file.len())).unwrap_or_default();
    if magic.is_empty() || !MAGIC.starts_with(magic) {
        return Err(ReadError::NotARecording);
    }
    let truncated = |expected: u64| ReadError::Truncated { expected, actual: file.len() as u64 };
    let version = file.get(8..12).ok_or_else(|| truncated(PREFIX as u64))?;
    let version = u32::from_le_bytes(version.try_into().expect("four bytes"));
    if version != VERSION {
        return Err(ReadError::OtherVersion(version));
    }
    let number = |at: usize| -> Result<u64, ReadError> {
        let bytes = file.get(at..at + 8).ok_or_else(|| truncated(PREFIX as u64))?;
        Ok(u64::from_le_bytes(bytes.try_into().expect("eight bytes")))
    };
    let (unpacked, packed, sum) = (number(12)?, number(20)?, number(28)?);
    let bytes = &file[PREFIX..];
    if (bytes.len() as u64) < packed {
        return Err(truncated(packed.saturating_add(PREFIX as u64)));
    }
    if bytes.len() as u64 != packed || checksum([unpacked, packed], bytes) != sum {
        return Err(ReadError::Corrupt("its checksum"));
    }
    if unpacked > packed.saturating_mul(MOST_EXPANSION) {
        return Err(ReadError::Corrupt("its size"));
    }
    lz4_flex::block::decompress(bytes, unpacked as usize).map_err(|_| ReadError::Corrupt("its contents"))
}

/// Returns the checksum of the sizes and the packed contents: FNV-1a in 64 bits.
fn checksum(sizes: [u64; 2], packed: &[u8]) -> u64 {
    let add = |sum: u64, byte: &u8| (sum ^ u64::from(*byte)).wrapping_mul(0x0000_0100_0000_01b3);
    let sum = sizes.map(u64::to_le_bytes).as_flattened().iter().fold(0xcbf2_9ce4_8422_2325, add);
    packed.iter().fold(sum, add)
}
