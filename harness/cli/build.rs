//! Stores the git revision of the sources in `WARPLAB_REVISION`: the value of `WARPLAB_GIT_REVISION` if set, empty if
//! the sources are not a checkout (an unpacked archive). Also copies the libraries of the CUDA runtime and of NVML, and
//! the loader's audit library, which cargo has built as this package's build-dependencies, to `OUT_DIR` for
//! `include_bytes!`.
use std::{
    path::{Path, PathBuf},
    process::{Command, Stdio},
};

#[path = "../core/embed.rs"]
mod embed;

fn main() {
    embed::embed("simt_cudart", "cudart.bin");
    embed::embed("simt_nvml", "nvml.bin");
    embed::embed("jit_audit", "jit_audit.bin");
    println!("cargo::rerun-if-changed=build.rs");
    println!("cargo::rerun-if-changed=../core/embed.rs");
    println!("cargo::rerun-if-env-changed=WARPLAB_GIT_REVISION");
    let told = std::env::var("WARPLAB_GIT_REVISION").ok();
    let revision = told.or_else(revision).unwrap_or_default();
    println!("cargo::rustc-env=WARPLAB_REVISION={revision}");
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
