//! Programs and libraries that are found by name alone, never in the current folder, which may contain untrusted files
//! (a submission, a checkout).
//!
//! A relative folder in PATH or LD_LIBRARY_PATH (`.`, an empty entry, `lib`) depends on where a command is run, and is
//! left out.
use std::{
    env,
    ffi::{OsStr, OsString},
    path::PathBuf,
    process::Command,
};

/// The command that starts Python.
pub const PYTHON: &str = if cfg!(windows) { "python" } else { "python3" };

/// Returns a command that starts the program `name`, found in PATH.
pub fn named(name: impl AsRef<OsStr>) -> Command {
    guarded(Command::new(name))
}

/// Restricts the command to the absolute folders of PATH.
pub fn guarded(mut command: Command) -> Command {
    if let Some(path) = env::var_os("PATH") {
        // The program also starts others by name. An empty PATH would mean the current folder again.
        let path = from_root(&path).unwrap_or_default();
        command.env("PATH", if path.is_empty() { "/nonexistent".into() } else { path });
    }
    command
}

/// Returns the absolute folders of PATH.
pub fn folders() -> Vec<PathBuf> {
    let path = env::var_os("PATH").unwrap_or_default();
    env::split_paths(&path).filter(|folder| folder.is_absolute()).collect()
}

/// Returns `path` without its relative folders; `None` if it cannot be joined again.
fn from_root(path: &OsStr) -> Option<OsString> {
    env::join_paths(env::split_paths(path).filter(|folder| folder.is_absolute())).ok()
}

/// Restarts this program if the loader would search libraries in the current folder, which an empty entry of
/// LD_LIBRARY_PATH means: the loader reads the variable only once.
#[cfg(unix)]
pub fn look_for_libraries_from_the_root() {
    use std::os::unix::process::CommandExt;
    const VARIABLE: &str = "LD_LIBRARY_PATH";
    let Some(path) = env::var_os(VARIABLE).filter(|path| !path.is_empty()) else { return };
    if env::split_paths(&path).all(|folder| folder.is_absolute()) {
        return;
    }
    let (Ok(program), Some(safe)) = (env::current_exe(), from_root(&path)) else { return };
    let mut arguments = env::args_os();
    let mut command = Command::new(program);
    command.arg0(arguments.next().unwrap_or_default()).args(arguments).env(VARIABLE, safe);
    // `exec` returns only if the program cannot be started; then this process continues.
    let _ = command.exec();
}

/// Does nothing on this system.
#[cfg(not(unix))]
pub fn look_for_libraries_from_the_root() {}

#[cfg(all(test, unix))]
mod tests {
    use super::*;

    #[test]
    fn only_folders_that_are_named_from_the_root_are_searched() {
        for (path, left) in
            [("/a:/b", "/a:/b"), (":/a", "/a"), ("/a:", "/a"), (".:/a:lib:./b:/c", "/a:/c"), (".", ""), ("", "")]
        {
            assert_eq!(from_root(path.as_ref()), Some(left.into()), "{path}");
        }
    }

    #[test]
    fn a_program_of_the_current_folder_is_not_started() {
        use std::os::unix::fs::PermissionsExt;
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("warplab-test-tool");
        std::fs::write(&file, "#!/bin/sh\n").unwrap();
        std::fs::set_permissions(&file, PermissionsExt::from_mode(0o755)).unwrap();
        let start = |path: OsString| {
            let mut command = Command::new("warplab-test-tool");
            command.env("PATH", path).current_dir(folder.path()).status()
        };
        assert!(start(".".into()).is_ok(), "the current folder's, where PATH is as it is");
        let safe = from_root(".:/usr/bin:/bin".as_ref()).unwrap();
        assert_eq!(start(safe).unwrap_err().kind(), std::io::ErrorKind::NotFound);
    }
}
