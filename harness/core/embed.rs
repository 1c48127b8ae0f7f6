//! Copies libraries that cargo has built as build-dependencies, for `include_bytes!`. Build scripts share it.

use std::{
    env, fs,
    path::{Path, PathBuf},
    time::SystemTime,
};

/// Copies the newest library of this name to a file of `OUT_DIR`.
pub fn embed(library: &str, copy: &str) {
    let out = PathBuf::from(env::var("OUT_DIR").expect("cargo sets OUT_DIR"));
    // OUT_DIR is target/<profile>/build/<package>-<hash>/out; the library is in target/<profile>/deps.
    let deps = out.ancestors().nth(3).expect("OUT_DIR lies three folders deep").join("deps");
    let built = fs::read_dir(&deps).unwrap_or_else(|e| panic!("cannot read {}: {e}", deps.display()));
    let is_library = |path: &PathBuf| {
        let name = path.file_name().and_then(|name| name.to_str()).unwrap_or_default();
        name.starts_with(&format!("{}{library}", env::consts::DLL_PREFIX)) && name.ends_with(env::consts::DLL_SUFFIX)
    };
    let newest = built
        .filter_map(Result::ok)
        .map(|entry| entry.path())
        .filter(is_library)
        .max_by_key(|path| fs::metadata(path).and_then(|m| m.modified()).unwrap_or(SystemTime::UNIX_EPOCH))
        .unwrap_or_else(|| panic!("{}", missing(library, &deps)));
    println!("cargo::rerun-if-changed={}", newest.display());
    fs::copy(&newest, out.join(copy)).expect("OUT_DIR is writable");
}

/// Says how to get a library. Cargo builds build-dependencies for this computer, and a build for another target embeds
/// the libraries that were built for that target before.
fn missing(library: &str, deps: &Path) -> String {
    let folder = deps.display();
    format!("there is no {library} library in {folder}; for another target, build it first, as .ci/wheel does")
}
