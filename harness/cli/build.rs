//! Stores the git revision of the sources in `WARPLAB_REVISION`: the value of `WARPLAB_GIT_REVISION` if set, empty if
//! the sources are not a checkout (an unpacked archive). Also copies the libraries of the CUDA runtime and of NVML, and
//! the loader's audit library, which cargo has built as this package's build-dependencies, to `OUT_DIR` for
//! `include_bytes!`.
use std::{
    env, fs,
    path::{Path, PathBuf},
    process::{Command, Stdio},
    time::SystemTime,
};

fn main() {
    embed("simt_cudart", "cudart.bin");
    embed("simt_nvml", "nvml.bin");
    embed("jit_audit", "jit_audit.bin");
    println!("cargo::rerun-if-changed=build.rs");
    println!("cargo::rerun-if-env-changed=WARPLAB_GIT_REVISION");
    let told = std::env::var("WARPLAB_GIT_REVISION").ok();
    let revision = told.or_else(revision).unwrap_or_default();
    println!("cargo::rustc-env=WARPLAB_REVISION={revision}");
}

/// Copies the newest library of this name that cargo has built.
fn embed(library: &str, copy: &str) {
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

/// The checkout's revision, with a mark if files differ from it.
fn revision() -> Option<String> {
    let root = PathBuf::from(git(&["rev-parse", "--show-toplevel"])?);
    // An archive that was unpacked within another checkout does not belong to it.
    let here = std::env::current_dir().ok()?;
    if here != root.join("harness/cli") {
        return None;
    }
    // The sources decide about the mark; the files that git writes when a commit or a branch changes decide about the
    // revision. A file that does not exist would make cargo run this script every time.
    let branch = git(&["symbolic-ref", "--quiet", "HEAD"]).unwrap_or_default();
    let of_git = ["HEAD", branch.as_str(), "packed-refs"]
        .into_iter()
        .filter(|name| !name.is_empty())
        .filter_map(|name| git(&["rev-parse", "--git-path", name]))
        .map(PathBuf::from);
    let sources = ["harness", "kernels", "labs", "Cargo.toml", "Cargo.lock"].map(|n| root.join(n));
    for path in of_git.chain(sources).filter(|p| Path::exists(p)) {
        println!("cargo::rerun-if-changed={}", path.display());
    }
    let revision = git(&["rev-parse", "HEAD"])?;
    let changes = git(&["status", "--porcelain", "--untracked-files=no"])?;
    Some(if changes.is_empty() { revision } else { revision + "-modified" })
}

/// The output of git; `None` when it fails or is not installed.
fn git(args: &[&str]) -> Option<String> {
    let output = Command::new("git").args(args).stderr(Stdio::null()).output().ok()?;
    let text = String::from_utf8_lossy(&output.stdout).trim().to_string();
    output.status.success().then_some(text)
}
