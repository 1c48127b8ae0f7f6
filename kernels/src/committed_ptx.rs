//! PTX that is committed next to its source.
use std::{
    borrow::Cow,
    fs,
    io::{self, Read, Write},
    path::{Path, PathBuf},
};

use flate2::{Compression, bufread::GzDecoder, write::GzEncoder};

/// PTX that was made from a source earlier.
///
/// The file in a checkout and in a program is compressed with gzip, to an eighth of its size, since only a driver reads
/// it.
#[derive(Debug, Clone)]
pub enum CommittedPtx {
    /// The content of a file `NAME.ptx.gz`, which is empty if there is no PTX yet.
    Gzip(&'static [u8]),
    /// Text, which is empty if there is none.
    Text(Cow<'static, str>),
}

impl CommittedPtx {
    /// There is none.
    pub const NONE: Self = Self::Text(Cow::Borrowed(""));

    /// The text. It is empty if there is none, or if the compressed bytes are damaged.
    pub fn text(&self) -> Cow<'_, str> {
        match self {
            Self::Gzip(bytes) => decompress(bytes).unwrap_or_default().into(),
            Self::Text(text) => Cow::Borrowed(text),
        }
    }

    /// The length of the text in bytes.
    pub fn len(&self) -> usize {
        match self {
            // A gzip file ends with the length of its content (RFC 1952, section 2.3.1).
            Self::Gzip(bytes) => bytes.last_chunk().map_or(0, |length| u32::from_le_bytes(*length) as usize),
            Self::Text(text) => text.len(),
        }
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The file of the PTX that is committed next to a source: `NAME.ptx.gz`, or `NAME.ptx` if there is one, as for
    /// a file that `WARPLAB_TRUST_PTX` accepts.
    pub fn file(source: &Path) -> PathBuf {
        let text = source.with_extension("ptx");
        if text.is_file() { text } else { source.with_extension("ptx.gz") }
    }

    /// Reads the PTX that is committed next to a source. It is empty if the file is missing or damaged.
    pub fn read(source: &Path) -> Self {
        let file = Self::file(source);
        let text = fs::read(&file).and_then(|bytes| {
            if is_compressed(&file) { decompress(&bytes) } else { String::from_utf8(bytes).map_err(io::Error::other) }
        });
        text.unwrap_or_default().into()
    }

    /// The bytes of a file of this name that holds `text`: compressed if the name ends with `.gz`.
    pub fn file_content(file: &Path, text: &str) -> Vec<u8> {
        if !is_compressed(file) {
            return text.into();
        }
        let mut encoder = GzEncoder::new(Vec::new(), Compression::best());
        encoder.write_all(text.as_bytes()).and_then(|()| encoder.finish()).expect("a vector takes all bytes")
    }
}

impl From<String> for CommittedPtx {
    fn from(text: String) -> Self {
        Self::Text(text.into())
    }
}

fn is_compressed(file: &Path) -> bool {
    file.extension().is_some_and(|extension| extension == "gz")
}

fn decompress(bytes: &[u8]) -> io::Result<String> {
    let mut text = String::new();
    if !bytes.is_empty() {
        GzDecoder::new(bytes).read_to_string(&mut text)?;
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
        for name in ["a.ptx.gz", "b.ptx"] {
            let file = folder.path().join(name);
            fs::write(&file, CommittedPtx::file_content(&file, &text)).unwrap();
            let stem = name.split('.').next().unwrap();
            let read = CommittedPtx::read(&folder.path().join(stem).with_extension("cu"));
            assert_eq!((read.text().as_ref(), read.len()), (text.as_str(), text.len()), "{name}");
        }
        let compressed: &[u8] = fs::read(folder.path().join("a.ptx.gz")).unwrap().leak();
        assert!(compressed.len() < text.len() / 8);
        let embedded = CommittedPtx::Gzip(compressed);
        assert_eq!((embedded.text().as_ref(), embedded.len()), (text.as_str(), text.len()));
        // A truncated file counts as empty.
        assert_eq!(CommittedPtx::Gzip(&compressed[..compressed.len() / 2]).text(), "");
        assert!(CommittedPtx::Gzip(&[]).is_empty() && CommittedPtx::NONE.is_empty());
        assert!(CommittedPtx::read(&folder.path().join("c.cu")).is_empty());
    }
}
