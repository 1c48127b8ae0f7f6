//! Finds the SIMT machine's driver library, which cargo has built as this package's build-dependency,
//! and copies it to `OUT_DIR` for `include_bytes!`.
use std::{env, fs, path::PathBuf, time::SystemTime};

fn main() {
    let out = PathBuf::from(env::var("OUT_DIR").expect("cargo sets OUT_DIR"));
    // OUT_DIR is target/<profile>/build/<package>-<hash>/out; the library lies in target/<profile>/deps.
    let deps = out.ancestors().nth(3).expect("OUT_DIR lies three folders deep").join("deps");
    let newest = fs::read_dir(&deps)
        .unwrap_or_else(|e| panic!("cannot read {}: {e}", deps.display()))
        .filter_map(Result::ok)
        .map(|e| e.path())
        .filter(|p| {
            let name = p.file_name().and_then(|n| n.to_str()).unwrap_or("");
            name.starts_with(&format!("{}simt_libcuda", env::consts::DLL_PREFIX))
                && name.ends_with(env::consts::DLL_SUFFIX)
        })
        .max_by_key(|p| fs::metadata(p).and_then(|m| m.modified()).unwrap_or(SystemTime::UNIX_EPOCH))
        .unwrap_or_else(|| panic!("cargo built no simt_libcuda library in {}", deps.display()));
    println!("cargo::rerun-if-changed={}", newest.display());
    println!("cargo::rerun-if-changed=build.rs");
    fs::copy(&newest, out.join("machine.bin")).expect("OUT_DIR is writable");
}
