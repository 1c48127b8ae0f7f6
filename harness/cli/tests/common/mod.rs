//! Runs the `warplab` that cargo has just built.
#![allow(dead_code, reason = "each test file uses its part")]

use std::{
    path::{Path, PathBuf},
    process::Command,
};

/// A file system of 64 KiB, which exists until this is dropped.
#[cfg(target_os = "linux")]
pub struct SmallDisk(tempfile::TempDir);

#[cfg(target_os = "linux")]
impl SmallDisk {
    /// `None` when this user may not mount one.
    pub fn mount() -> Option<Self> {
        let folder = tempfile::tempdir().unwrap();
        let mounted = Command::new("mount")
            .args(["-t", "tmpfs", "-o", "size=64k", "tmpfs"])
            .arg(folder.path())
            .output()
            .is_ok_and(|o| o.status.success());
        mounted.then(|| Self(folder))
    }

    /// Its path.
    pub fn path(&self) -> &Path {
        self.0.path()
    }

    /// Fills it.
    pub fn fill(&self) {
        // The write ends with an error when the disk is full.
        let _ = std::fs::write(self.path().join("taken"), vec![1; 1 << 20]);
    }
}

#[cfg(target_os = "linux")]
impl Drop for SmallDisk {
    fn drop(&mut self) {
        let _ = Command::new("umount").arg(self.path()).status();
    }
}

/// A terminal with `columns` columns: our end, and the program's.
#[cfg(unix)]
pub fn terminal(columns: u16) -> (std::fs::File, std::os::fd::OwnedFd) {
    use std::{os::fd::FromRawFd, ptr::null_mut};
    let size = libc::winsize { ws_row: 24, ws_col: columns, ws_xpixel: 0, ws_ypixel: 0 };
    let (mut ours, mut theirs) = (0, 0);
    // SAFETY: the descriptors are filled in, and owned from here on.
    unsafe {
        assert_eq!(libc::openpty(&raw mut ours, &raw mut theirs, null_mut(), null_mut(), &raw const size), 0);
        (std::fs::File::from_raw_fd(ours), std::os::fd::OwnedFd::from_raw_fd(theirs))
    }
}

/// The folder of NVIDIA's toolkit with the nvcc that `warplab nvcc` runs.
pub fn toolkit() -> PathBuf {
    let folder = tempfile::tempdir().unwrap();
    let shown = warplab_in(folder.path(), &["nvcc", "--dryrun", "x.o"], &[]);
    let top = shown.stderr.lines().find_map(|line| line.strip_prefix("#$ TOP="));
    top.unwrap_or_else(|| panic!("{shown:?}")).trim().into()
}

/// The result of a run of the program.
#[derive(Debug)]
pub struct Run {
    pub code: i32,
    pub stdout: String,
    pub stderr: String,
}

impl Run {
    /// The result of a program that has ended.
    pub fn from_output(output: &std::process::Output) -> Self {
        Self {
            code: output.status.code().unwrap_or(-1),
            stdout: String::from_utf8_lossy(&output.stdout).into_owned(),
            stderr: String::from_utf8_lossy(&output.stderr).into_owned(),
        }
    }
}

/// The environment variable that shares one search for NVRTC among the processes of all tests.
pub fn compiler() -> Option<(&'static str, std::ffi::OsString)> {
    // If the library that the user names cannot be loaded, the process reports that itself.
    let _ = kernels::nvrtc();
    kernels::for_children()
}

/// Runs `warplab` with these arguments, in a separate folder.
pub fn warplab(args: &[&str]) -> Run {
    warplab_with(args, &[])
}

/// Like [`warplab`], with more environment variables.
pub fn warplab_with(args: &[&str], variables: &[(&str, &str)]) -> Run {
    let folder = tempfile::tempdir().unwrap();
    warplab_in(folder.path(), args, variables)
}

/// Like [`warplab`], in this folder.
pub fn warplab_in(folder: &Path, args: &[&str], variables: &[(&str, &str)]) -> Run {
    let output = Command::new(env!("CARGO_BIN_EXE_warplab"))
        .args(args)
        // The tests write the PTX next to their kernel files, so that they need no NVRTC.
        .env("WARPLAB_TRUST_PTX", "1")
        // Registers do not depend on what is installed here.
        .env("WARPLAB_PTXAS", "off")
        .envs(compiler())
        .envs(variables.iter().copied())
        .current_dir(folder)
        .output()
        .unwrap();
    Run::from_output(&output)
}

/// A file of a lab.
pub fn lab_file(lab: &str, path: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../labs").join(lab).join(path)
}

/// A lab's own kernel file with each text replaced, in the source and in the PTX next to it.
pub fn edited(folder: &Path, lab: &str, stem: &str, changes: &[(&str, &str)]) -> PathBuf {
    let file = folder.join(format!("{stem}.cu"));
    let own = lab_file(lab, &format!("kernels/{stem}.cu"));
    let changed = |text: String| changes.iter().fold(text, |text, (old, new)| text.replace(old, new));
    std::fs::write(&file, changed(std::fs::read_to_string(&own).unwrap())).unwrap();
    std::fs::write(file.with_extension("ptx"), changed(ptx_for(&own, &file))).unwrap();
    file
}

/// The PTX that is committed next to a lab's source `own`, as that of the source `file`, whose hash it names.
pub fn ptx_for(own: &Path, file: &Path) -> String {
    let hash = |file: &Path| kernels::KernelSource::read(file, "x.cu").unwrap().hash();
    let ptx = kernels::CommittedPtx::read(own);
    assert!(!ptx.is_empty(), "{}", own.display());
    ptx.text().replace(&hash(own), &hash(file))
}

/// The run must end with `code` and say all of `words` on standard error.
pub fn fails(args: &[&str], code: i32, words: &[&str]) {
    let run = warplab(args);
    assert_eq!(run.code, code, "{args:?}: {run:?}");
    for words in words {
        assert!(run.stderr.contains(words), "{args:?}: `{words}` is not in {}", run.stderr);
    }
    assert!(!run.stderr.contains("panicked"), "{run:?}");
}

/// The rows of a lab's CSV and what was counted in each, each cell by its column's name.
pub fn rows(csv: &Path) -> Vec<std::collections::HashMap<String, String>> {
    labtest::csv_rows(csv)
}

/// A folder with the libraries that `warplab driver` writes.
pub fn libraries() -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    assert_eq!(warplab_in(folder.path(), &["driver", "--out", "."], &[]).code, 0);
    folder
}

/// Joins the lines of a text, as it was before it was wrapped at the reader's width: where a line ends depends on the
/// numbers and the paths in it.
pub fn one_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}
