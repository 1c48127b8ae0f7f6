//! The version of the JSON, and the one way to read it.

use serde::Deserialize;
use serde::de::{DeserializeOwned, Deserializer};

/// The version of the JSON: raised when a field changes its meaning or its name, or is removed.
pub const VERSION: u32 = 1;

/// Why a text cannot be read.
#[derive(Debug, thiserror::Error)]
pub enum ReadError {
    /// Its version is not the one that this program knows.
    #[error("it is of version {found}, and this program knows version {VERSION} only")]
    UnknownVersion {
        /// The version in the text.
        found: u64,
    },
    /// It is not the JSON that its version promises; the message says which field is missing or wrong, and where.
    #[error("it is not what version {VERSION} promises: {0}")]
    Malformed(#[from] serde_json::Error),
}

/// Reads a text with a `version`, which is checked first: nothing else is looked at if it is unknown.
pub(crate) fn read<T: DeserializeOwned>(text: &str) -> Result<T, ReadError> {
    #[derive(Deserialize)]
    struct Versioned {
        version: u64,
    }
    let Versioned { version } = serde_json::from_str(text)?;
    if version != u64::from(VERSION) {
        return Err(ReadError::UnknownVersion { found: version });
    }
    Ok(serde_json::from_str(text)?)
}

/// For `deserialize_with`: a field that may be null but must be present.
pub(crate) fn required<'de, T, D>(field: D) -> Result<Option<T>, D::Error>
where
    T: Deserialize<'de>,
    D: Deserializer<'de>,
{
    Option::deserialize(field)
}
