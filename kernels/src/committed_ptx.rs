//! PTX that is committed next to its source.
use std::{
    borrow::Cow,
    fs,
    io::{self, Read, Write},
    path::{Path, PathBuf},
};

use lzma_rust2::{DICT_SIZE_MIN, LzmaOptions, LzmaReader, LzmaWriter};

/// PTX that was made from a source earlier.
///
/// The file in a checkout and in a program is compressed with LZMA, to a tenth of its size or less, since only a driver
/// reads it: `xz --decompress --stdout FILE` prints it.
#[derive(Debug, Clone)]
pub enum CommittedPtx {
    /// The content of a file `NAME.ptx.lzma`, which is empty if there is no PTX yet.
    Lzma(&'static [u8]),
    /// Text, which is empty if there is none.
    Text(Cow<'static, str>),
}

impl CommittedPtx {
    /// There is none.
    pub const NONE: Self = Self::Text(Cow::Borrowed(""));

    /// The text. It is empty if there is none, or if the compressed bytes are truncated or otherwise unreadable. LZMA
    /// has no checksum: `warplab ptx --check` compares the text with its source.
    pub fn text(&self) -> Cow<'_, str> {
        match self {
            Self::Lzma(bytes) => decompress(bytes).unwrap_or_default().into(),
            Self::Text(text) => Cow::Borrowed(text),
        }
    }

    /// The length of the text in bytes.
    pub fn len(&self) -> usize {
        match self {
            // The header has a byte of properties, four of the dictionary's size, and eight of the content's.
            Self::Lzma(bytes) => bytes
                .get(5..)
                .and_then(|rest| rest.first_chunk())
                .map_or(0, |length| usize::try_from(u64::from_le_bytes(*length)).unwrap_or(0)),
            Self::Text(text) => text.len(),
        }
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The file of the PTX that is committed next to a source: `NAME.ptx.lzma`, or `NAME.ptx` if there is one, as for
    /// a file that `WARPLAB_TRUST_PTX` accepts.
    pub fn file(source: &Path) -> PathBuf {
        let text = source.with_extension("ptx");
        if text.is_file() { text } else { source.with_extension("ptx.lzma") }
    }

    /// Reads the PTX that is committed next to a source. It is empty if the file is missing or unreadable.
    pub fn read(source: &Path) -> Self {
        let file = Self::file(source);
        let text = fs::read(&file).and_then(|bytes| {
            if is_compressed(&file) { decompress(&bytes) } else { String::from_utf8(bytes).map_err(io::Error::other) }
        });
        text.unwrap_or_default().into()
    }

    /// The bytes of a file of this name that holds `text`: compressed if the name ends with `.lzma`.
    pub fn file_content(file: &Path, text: &str) -> Vec<u8> {
        if is_compressed(file) { compress(text).expect("a vector takes all bytes") } else { text.into() }
    }
}

impl From<String> for CommittedPtx {
    fn from(text: String) -> Self {
        Self::Text(text.into())
    }
}

/// The most memory that a reader may take, in KiB.
const MOST_MEMORY: u32 = 128 << 10;

fn is_compressed(file: &Path) -> bool {
    file.extension().is_some_and(|extension| extension == "lzma")
}

fn compress(text: &str) -> io::Result<Vec<u8>> {
    // A reader takes as much memory as the dictionary has, whose size xz accepts as a power of two.
    let mut options = LzmaOptions::with_preset(9);
    options.dict_size = (text.len() as u32).next_power_of_two().clamp(DICT_SIZE_MIN, options.dict_size);
    let mut encoder = LzmaWriter::new_use_header(Vec::new(), &options, Some(text.len() as u64))?;
    encoder.write_all(text.as_bytes())?;
    encoder.finish()
}

fn decompress(bytes: &[u8]) -> io::Result<String> {
    let mut text = String::new();
    if !bytes.is_empty() {
        LzmaReader::new_mem_limit(bytes, MOST_MEMORY, None)?.read_to_string(&mut text)?;
    }
    Ok(text)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_comes_back_from_a_compressed_file_and_from_a_plain_one() {
        let folder = tempfile::tempdir().unwrap();
        let text = ".version 7.4\n".repeat(1000);
        for name in ["a.ptx.lzma", "b.ptx"] {
            let file = folder.path().join(name);
            fs::write(&file, CommittedPtx::file_content(&file, &text)).unwrap();
            let stem = name.split('.').next().unwrap();
            let read = CommittedPtx::read(&folder.path().join(stem).with_extension("cu"));
            assert_eq!((read.text().as_ref(), read.len()), (text.as_str(), text.len()), "{name}");
        }
        let compressed: &[u8] = fs::read(folder.path().join("a.ptx.lzma")).unwrap().leak();
        assert!(compressed.len() < text.len() / 8);
        let embedded = CommittedPtx::Lzma(compressed);
        assert_eq!((embedded.text().as_ref(), embedded.len()), (text.as_str(), text.len()));
        // A truncated file counts as empty.
        assert_eq!(CommittedPtx::Lzma(&compressed[..compressed.len() / 2]).text(), "");
        assert!(CommittedPtx::Lzma(&[]).is_empty() && CommittedPtx::NONE.is_empty());
        assert!(CommittedPtx::read(&folder.path().join("c.cu")).is_empty());
    }
}
