//! The source revision from which this program was built.
use std::{path::Path, sync::OnceLock};

static BUILT: OnceLock<&'static str> = OnceLock::new();

/// Sets the revision that the build script found: a git revision, with `-modified` if files differed from it; empty if
/// the sources were not in a checkout.
pub fn built_from(revision: &'static str) {
    let _ = BUILT.set(revision);
}

/// Returns the revision of this program: `WARPLAB_GIT_REVISION`, else the revision it was built from, else that of the
/// checkout in which it runs (a lab's own binary, run by cargo).
pub(crate) fn of_this_program() -> Option<String> {
    let told = std::env::var("WARPLAB_GIT_REVISION").ok();
    let built = BUILT.get().map(|b| (*b).to_string());
    told.or(built).filter(|r| !r.is_empty()).or_else(of_the_checkout)
}

/// Returns the branch of the checkout in which the command runs: according to the CI system (GitHub's `GITHUB_HEAD_REF`
/// of a pull request, else `GITHUB_REF_NAME`), else git. `None` outside of a checkout, or if no branch is checked out.
pub(crate) fn branch_here() -> Option<String> {
    let asked = || git(&["rev-parse", "--abbrev-ref", "HEAD"]).filter(|branch| branch != "HEAD");
    said("GITHUB_HEAD_REF").or_else(|| said("GITHUB_REF_NAME")).or_else(asked)
}

/// Returns the commit of that checkout: `GITHUB_SHA`, else git's.
pub(crate) fn commit_here() -> Option<String> {
    said("GITHUB_SHA").or_else(|| git(&["rev-parse", "HEAD"]))
}

fn said(variable: &str) -> Option<String> {
    std::env::var(variable).ok().filter(|value| !value.is_empty())
}

/// Returns git's output in the current folder.
fn git(args: &[&str]) -> Option<String> {
    // The settings of an untrusted checkout may name programs.
    let plain = ["-c", "core.fsmonitor=false", "-c", "core.hooksPath=/dev/null"];
    let output =
        kernels::program::named("git").args(plain).args(args).stderr(std::process::Stdio::null()).output().ok()?;
    let text = String::from_utf8_lossy(&output.stdout).trim().to_string();
    output.status.success().then_some(text)
}

fn of_the_checkout() -> Option<String> {
    let root = git(&["rev-parse", "--show-toplevel"])?;
    if !Path::new(&root).join("harness/core/Cargo.toml").exists() {
        return None;
    }
    let revision = git(&["rev-parse", "HEAD"])?;
    let changes = git(&["status", "--porcelain", "--untracked-files=no"])?;
    Some(if changes.is_empty() { revision } else { revision + "-modified" })
}
