//! Gets wheels from PyPI, by the computer's own pip, or from a folder; each is checked before anything reads it.
use std::{
    fs::{self, File},
    io::Read,
    path::{Path, PathBuf},
    process::Stdio,
};

use harness::Error;
use kernels::program::{self, PYTHON};
use sha2::{Digest, Sha256};

use super::{half, pins::Wheel};
use crate::shared::signals;

/// Checks the checksum of the wheel in `folder`, and returns its path.
///
/// # Errors
/// [`Error::CannotRun`] when it does not exist, or has another content; [`Error::Io`].
pub fn checked(folder: &Path, wheel: &Wheel) -> Result<PathBuf, Error> {
    let path = folder.join(&wheel.file);
    if !path.is_file() {
        return Err(Error::CannotRun(format!(
            "{} has no {}; `warplab setup --download FOLDER` fetches it on a computer that reaches PyPI",
            folder.display(),
            wheel.file
        )));
    }
    let found = sha256(&path).map_err(|source| Error::Io { action: "read", path: path.clone(), source })?;
    if found != wheel.sha256 {
        return Err(Error::CannotRun(format!(
            "{} is not what it should be, and is not used: its SHA-256 is {found}, and should be {}; delete it and fetch it \
             again",
            path.display(),
            wheel.sha256
        )));
    }
    Ok(path)
}

/// Downloads those of `wheels` that are not in `folder` yet, and reports for each what was done. Only complete and
/// checked wheels appear in the folder.
///
/// # Errors
/// [`Error::CannotRun`] when there is no Python or no pip, or pip fails; those of [`checked`].
pub fn download(wheels: &[Wheel], folder: &Path) -> Result<Vec<String>, Error> {
    let half = half::folder_in(folder)?;
    let mut done = Vec::new();
    for wheel in wheels {
        let name = format!("{} {}", wheel.package, wheel.version);
        if checked(folder, wheel).is_ok() {
            done.push(format!("{name}: there already"));
            continue;
        }
        pip(wheel, half.path())?;
        half::not_interrupted()?;
        let (from, to) = (checked(half.path(), wheel)?, folder.join(&wheel.file));
        fs::rename(from, &to).map_err(|source| Error::Io { action: "write", path: to, source })?;
        done.push(format!("{name}: fetched from PyPI, its checksum is right"));
    }
    Ok(done)
}

/// Runs pip as `-m pip` does, including one in the user's own site-packages, which `-I` leaves out.
const PIP: &str = "import runpy, site, sys; sys.path.append(site.getusersitepackages()); sys.argv[0] = 'pip'; \
                   runpy.run_module('pip', run_name='__main__', alter_sys=True)";

/// Downloads one wheel with pip.
fn pip(wheel: &Wheel, folder: &Path) -> Result<(), Error> {
    let offline = "Where PyPI cannot be reached, `warplab setup --download FOLDER` on another computer fetches what \
                   `warplab setup --from FOLDER` takes";
    // Isolated: a `pip.py` in the current folder must not be run.
    let mut pip = program::named(PYTHON);
    pip.args(["-I", "-c", PIP, "download", "--quiet", "--disable-pip-version-check", "--no-input", "--no-cache-dir"])
        .args(["--no-deps", "--only-binary=:all:", "--dest"])
        .arg(folder)
        .arg(format!("{}=={}", wheel.package, wheel.version))
        .stdin(Stdio::null());
    let output = signals::output(&mut pip).map_err(|error| {
        Error::CannotRun(format!(
            "cannot start {PYTHON}, whose pip fetches the files: {error}. Install Python 3 (on Debian and Ubuntu: `apt \
                 install python3 python3-pip`). {offline}"
        ))
    })?;
    if output.status.success() {
        return Ok(());
    }
    half::not_interrupted()?;
    let said = String::from_utf8_lossy(&output.stderr);
    if said.contains("No module named pip") {
        return Err(Error::CannotRun(format!(
            "{PYTHON} has no pip, which fetches the files: install it by `{PYTHON} -m ensurepip --user`, or on Debian and \
             Ubuntu by `apt install python3-pip`. {offline}"
        )));
    }
    let last: Vec<&str> = said.trim().lines().rev().take(3).collect();
    let last: Vec<&str> = last.into_iter().rev().collect();
    Err(Error::CannotRun(format!(
        "pip cannot fetch {}=={}:\n{}\n{offline}",
        wheel.package,
        wheel.version,
        last.join("\n")
    )))
}

/// The SHA-256 of a file, in lower-case hexadecimal.
fn sha256(path: &Path) -> std::io::Result<String> {
    let (mut file, mut hasher, mut buffer) = (File::open(path)?, Sha256::new(), vec![0; 1 << 16]);
    loop {
        match file.read(&mut buffer)? {
            0 => break,
            bytes => hasher.update(&buffer[..bytes]),
        }
    }
    Ok(kernels::hex(&hasher.finalize()))
}
