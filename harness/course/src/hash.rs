//! A hash of the inputs that a result depends on.
use sha2::{Digest, Sha256};

/// A hash of texts; two different sequences of texts have different hashes.
#[derive(Debug, Default)]
pub struct Hash(Sha256);

impl Hash {
    /// An empty hash.
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds one text.
    pub fn add(&mut self, bytes: &(impl AsRef<[u8]> + ?Sized)) {
        self.0.update((bytes.as_ref().len() as u64).to_le_bytes());
        self.0.update(bytes.as_ref());
    }

    /// The hash, in hexadecimal digits.
    pub fn end(self) -> String {
        kernels::hex(&self.0.finalize())
    }
}
