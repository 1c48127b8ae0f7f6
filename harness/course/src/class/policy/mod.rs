//! What a teacher decides beside the rubric: marks that are set by hand, and what lateness costs.

pub mod late;
pub mod overrides;

use std::path::Path;

use harness::{Error, Result};
use serde::de::DeserializeOwned;

use super::settings;

/// The file `name` of the class in `out`; what it means without a file if it is not there.
fn of<T: DeserializeOwned + Default>(out: &Path, name: &str) -> Result<T> {
    let path = out.join(name);
    match settings::read(&path)? {
        None => Ok(T::default()),
        Some(text) => toml::from_str(&text).map_err(|error| wrong(&path, &in_words(&error))),
    }
}

/// The parser's message, with what a time looks like where one is written otherwise.
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
