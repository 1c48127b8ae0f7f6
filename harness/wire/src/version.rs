//! The version of the JSON, and its only parser.

use serde::Deserialize;
use serde::de::{DeserializeOwned, Deserializer};

/// The version of the JSON: incremented when a field changes its meaning or its name, or is removed.
pub const VERSION: u32 = 1;

/// Why a text cannot be parsed.
#[derive(Debug, thiserror::Error)]
pub enum ReadError {
    /// The version is not the one that this program supports.
    #[error("it is of version {found}, and this program knows version {VERSION} only")]
    UnknownVersion {
        /// The version in the text.
        found: u64,
    },
    /// The JSON does not match its version; the message names the missing or wrong field and its position.
    #[error("it is not what version {VERSION} promises: {0}")]
    Malformed(#[from] serde_json::Error),
}

/// Parses a text with a `version`, which is checked first; if it is unknown, the rest is ignored.
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
