//! Sources and command lines of CUDA 11 and 12, for the nvcc of CUDA 13: architectures that it does not compile for are
//! replaced, and headers add what it took away.
use std::{
    collections::BTreeSet,
    ffi::OsString,
    fs,
    path::{Path, PathBuf},
};

use harness::Error;

use crate::shared::output_options::update;

/// The option that leaves the headers out.
pub const WITHOUT: &str = "--no-compatibility";

/// The headers, by their names in the folder.
const HEADERS: [(&str, &str); 5] = [
    ("cuda.h", include_str!("../../../templates/compatibility/cuda.h")),
    ("cuda_runtime.h", include_str!("../../../templates/compatibility/cuda_runtime.h")),
    ("cuda_runtime_api.h", include_str!("../../../templates/compatibility/cuda_runtime_api.h")),
    ("thrust/functional.h", include_str!("../../../templates/compatibility/thrust/functional.h")),
    ("warplab_runtime.h", include_str!("../../../templates/compatibility/warplab_runtime.h")),
];

/// Writes the headers to a folder in the user's cache, and returns it; `None` without a cache.
///
/// # Errors
/// [`Error::Io`] when they cannot be written.
pub fn write_headers() -> Result<Option<PathBuf>, Error> {
    let Some(cache) = kernels::cache_folder() else { return Ok(None) };
    let folder = std::path::absolute(&cache).unwrap_or(cache).join("compatibility");
    let io = |source| Error::Io { action: "write headers to", path: folder.clone(), source };
    fs::create_dir_all(folder.join("thrust")).map_err(io)?;
    for (name, text) in HEADERS {
        update(&folder.join(name), text.as_bytes())?;
    }
    Ok(Some(folder))
}

/// Replaces the architectures in nvcc's options that are older than all that it knows, as `nvcc --list-gpu-arch` names
/// them. Returns the options, and a note about what was replaced.
pub fn with_known_architectures(
    options: Vec<OsString>,
    known: &dyn Fn() -> Vec<String>,
) -> (Vec<OsString>, Option<String>) {
    let mut oldest: Option<u32> = None;
    let mut replaced = BTreeSet::new();
    let mut raise = |text: &str| {
        let parts: Vec<String> = split(text)
            .map(|part| {
                let Some((kind, number)) = part.split_once('_').filter(|(kind, _)| matches!(*kind, "sm" | "compute"))
                else {
                    return part.to_owned();
                };
                let Ok(number) = number.parse::<u32>() else { return part.to_owned() };
                let first = *oldest.get_or_insert_with(|| {
                    known().iter().filter_map(|name| name.strip_prefix("compute_")?.parse().ok()).min().unwrap_or(0)
                });
                if number >= first {
                    return part.to_owned();
                }
                replaced.insert(number);
                format!("{kind}_{first}")
            })
            .collect();
        parts.concat()
    };
    let mut kept: Vec<OsString> = Vec::new();
    let mut seen = BTreeSet::new();
    let mut rest = options.into_iter();
    while let Some(option) = rest.next() {
        let text = option.to_string_lossy().into_owned();
        let (name, joined) = text.split_once('=').map_or((&*text, None), |(name, value)| (name, Some(value)));
        let is_pair = matches!(name, "-gencode" | "--generate-code");
        if !is_pair && !matches!(name, "-arch" | "--gpu-architecture" | "-code" | "--gpu-code") {
            kept.push(option);
            continue;
        }
        let next = || rest.next().map(|value| value.to_string_lossy().into_owned());
        let Some(value) = joined.map(String::from).or_else(next) else {
            kept.push(option);
            continue;
        };
        let raised = raise(&value);
        // Several old architectures have become the same one.
        if !is_pair || seen.insert(raised.clone()) {
            kept.push(format!("{name}={raised}").into());
        }
    }
    let note = oldest.filter(|_| !replaced.is_empty()).map(|first| {
        let numbers = |number: u32| format!("{}.{}", number / 10, number % 10);
        let list: Vec<String> = replaced.iter().map(|number| numbers(*number)).collect();
        format!(
            "note: nvcc no longer compiles for compute capability {}: compiling for {}, the oldest that it has",
            list.join(", "),
            numbers(first)
        )
    });
    (kept, note)
}

/// Splits a text before and after each word, so that the parts are the whole text.
fn split(text: &str) -> impl Iterator<Item = &str> {
    let is_word = |c: char| c.is_ascii_alphanumeric() || c == '_';
    let mut rest = text;
    std::iter::from_fn(move || {
        let first = rest.chars().next()?;
        let end = rest.find(|c| is_word(c) != is_word(first)).unwrap_or(rest.len());
        let (part, after) = rest.split_at(end);
        rest = after;
        Some(part)
    })
}

/// Explains why nvcc refused a source that uses texture or surface references, which CUDA 12 removed and no header can
/// replace.
pub fn references(options: &[String]) -> Option<String> {
    let uses = |text: &str| {
        let code = text.lines().map(str::trim_start).filter(|line| !line.starts_with("//"));
        code.into_iter().any(|line| {
            line.starts_with("texture<") || line.starts_with("surface<") || line.contains("cudaBindTexture")
        })
    };
    let file = options.iter().find(|name| {
        Path::new(name).extension().is_some_and(|end| end == "cu")
            && fs::read_to_string(name).is_ok_and(|text| uses(&text))
    })?;
    Some(format!(
        "{file} uses texture or surface references (texture<...>, cudaBindTexture), which CUDA 12 removed: use texture objects \
         (cudaCreateTextureObject, tex2D<float>(object, x, y)) instead"
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn raised(options: &str) -> (String, Option<String>) {
        let words = options.split(' ').map(OsString::from).collect();
        let known = || ["compute_75", "compute_80", "compute_90"].map(String::from).to_vec();
        let (kept, note) = with_known_architectures(words, &known);
        (kept.join(" ".as_ref()).into_string().unwrap(), note)
    }

    #[test]
    fn old_architectures_become_the_oldest_known_one_and_are_named() {
        let (kept, note) = raised("-arch=sm_35 x.cu");
        assert_eq!(kept, "-arch=sm_75 x.cu");
        let note = note.unwrap();
        assert!(note.contains("compute capability 3.5: compiling for 7.5, the oldest"), "{note}");
        assert_eq!(raised("-arch compute_60 -code sm_60,sm_70,sm_80").0, "-arch=compute_75 -code=sm_75,sm_75,sm_80");
        let several = "-gencode arch=compute_50,code=sm_50 -gencode=arch=compute_61,code=[sm_61,compute_61] \
                       --generate-code=arch=compute_70,code=sm_70 -gencode arch=compute_90,code=sm_90";
        let (kept, note) = raised(several);
        assert_eq!(
            kept,
            "-gencode=arch=compute_75,code=sm_75 -gencode=arch=compute_75,code=[sm_75,compute_75] \
             -gencode=arch=compute_90,code=sm_90"
        );
        assert!(note.unwrap().contains("5.0, 6.1, 7.0"));
    }

    #[test]
    fn other_options_stay_as_they_are() {
        for plain in ["-arch=sm_75 x.cu -o sm_35", "-arch=native sm_35.cu", "-arch=sm_90a -DX=sm_20", "-arch"] {
            assert_eq!(raised(plain), (plain.into(), None));
        }
    }
}
