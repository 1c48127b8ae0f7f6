//! Finds the driver libraries, which cargo has built as this package's build-dependencies: the SIMT machine, and the
//! client that forwards calls to a worker. Copies them to `OUT_DIR` for `include_bytes!`.
use std::{
    env, fs,
    path::{Path, PathBuf},
    time::SystemTime,
};

fn main() {
    let out = PathBuf::from(env::var("OUT_DIR").expect("cargo sets OUT_DIR"));
    // OUT_DIR is target/<profile>/build/<package>-<hash>/out; the library is in target/<profile>/deps.
    let deps = out.ancestors().nth(3).expect("OUT_DIR lies three folders deep").join("deps");
    copy(&deps, "simt_libcuda", &out.join("machine.bin"));
    copy(&deps, "remote_libcuda", &out.join("client.bin"));
    println!("cargo::rerun-if-changed=build.rs");
}

/// Copies the newest library of this name.
fn copy(deps: &Path, library: &str, to: &Path) {
    let newest = fs::read_dir(deps)
        .unwrap_or_else(|e| panic!("cannot read {}: {e}", deps.display()))
        .filter_map(Result::ok)
        .map(|e| e.path())
        .filter(|p| {
            let name = p.file_name().and_then(|n| n.to_str()).unwrap_or("");
            name.starts_with(&format!("{}{library}", env::consts::DLL_PREFIX))
                && name.ends_with(env::consts::DLL_SUFFIX)
        })
        .max_by_key(|p| fs::metadata(p).and_then(|m| m.modified()).unwrap_or(SystemTime::UNIX_EPOCH))
        .unwrap_or_else(|| panic!("{}", missing(library, deps)));
    println!("cargo::rerun-if-changed={}", newest.display());
    fs::copy(&newest, to).expect("OUT_DIR is writable");
}

/// Says how to get a library. Cargo builds build-dependencies for this computer, and a build for another target embeds
/// the libraries that were built for that target before.
fn missing(library: &str, deps: &Path) -> String {
    let folder = deps.display();
    format!("there is no {library} library in {folder}; for another target, build it first, as .ci/wheel does")
}
