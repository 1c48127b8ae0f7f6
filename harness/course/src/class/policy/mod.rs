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
        Some(text) => toml::from_str(&text).map_err(|error| wrong(&path, &error.to_string())),
    }
}

fn wrong(path: &Path, what: &str) -> Error {
    Error::usage(format!("{}: {}", path.display(), what.trim_end()))
}
