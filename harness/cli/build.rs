//! Leaves the git revision of the sources in `WARPLAB_REVISION`: empty when they are no checkout (an unpacked
//! archive), what `WARPLAB_GIT_REVISION` says when it is set.
use std::{
    path::{Path, PathBuf},
    process::{Command, Stdio},
};

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    println!("cargo::rerun-if-env-changed=WARPLAB_GIT_REVISION");
    let told = std::env::var("WARPLAB_GIT_REVISION").ok();
    let revision = told.or_else(revision).unwrap_or_default();
    println!("cargo::rustc-env=WARPLAB_REVISION={revision}");
}

/// The checkout's revision, marked when files differ from it.
fn revision() -> Option<String> {
    let root = PathBuf::from(git(&["rev-parse", "--show-toplevel"])?);
    // An archive that was unpacked within some other checkout is not that checkout's.
    let here = std::env::current_dir().ok()?;
    if here != root.join("harness/cli") {
        return None;
    }
    // The sources decide whether it is marked; what git writes when a commit or a branch changes, which it is. A file
    // that is not there would make cargo run this every time.
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

/// What git answers; none when it fails or is not there.
fn git(args: &[&str]) -> Option<String> {
    let output = Command::new("git").args(args).stderr(Stdio::null()).output().ok()?;
    let text = String::from_utf8_lossy(&output.stdout).trim().to_string();
    output.status.success().then_some(text)
}
