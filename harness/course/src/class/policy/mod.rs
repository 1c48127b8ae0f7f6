//! What a teacher decides besides the rubric: marks that are set by hand, and the cost of lateness.

pub mod late;
pub mod overrides;

use std::path::Path;

use harness::{Error, Result};
use serde::de::DeserializeOwned;

use super::settings;

/// Reads the file `name` of the class in `out`; its default value if there is no such file.
fn read<T: DeserializeOwned + Default>(out: &Path, name: &str) -> Result<T> {
    let path = out.join(name);
    match settings::read(&path)? {
        None => Ok(T::default()),
        Some(text) => toml::from_str(&text).map_err(|error| wrong(&path, &in_words(&error))),
    }
}

/// The parser's message, with an example of a time when one is malformed.
fn in_words(error: &toml::de::Error) -> String {
    let text = error.to_string();
    if error.message().contains("datetime") {
        return format!("{}\nwrite a time without quotes, such as 2026-05-01T23:59:00+02:00", text.trim_end());
    }
    text
}

fn wrong(path: &Path, what: &str) -> Error {
    Error::usage(format!("{}: {}", path.display(), what.trim_end()))
}
