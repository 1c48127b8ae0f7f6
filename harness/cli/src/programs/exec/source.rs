//! Compiles a program given as a source file, for the device that it runs on.
use std::{
    env,
    ffi::OsString,
    path::{Path, PathBuf},
    process::{Command as Process, Stdio},
};

use harness::{Device, DeviceInfo, Error};
use serde::Deserialize;
use wire::printable::is_hidden;

use crate::programs::nvcc;

/// The oldest compute capability that nvcc 13 compiles for.
const OLDEST: (u64, u64) = (7, 5);

/// The program to run, compiled if necessary.
pub enum Compiled {
    Program(OsString),
    /// nvcc failed with this exit status, and has printed why.
    Failed(u8),
}

/// Compiles a file of CUDA C++ into `folder` for `device`, with these options of nvcc; returns any other program
/// unchanged.
///
/// # Errors
/// [`Error::Usage`] when there is no such file, or options without one; those of [`nvcc::compile`].
pub fn compiled(named: &OsString, of_nvcc: &[&OsString], folder: &Path, device: &Device) -> Result<Compiled, Error> {
    let source = PathBuf::from(named);
    if source.extension().is_none_or(|extension| extension != "cu") {
        return match of_nvcc {
            [] => Ok(Compiled::Program(named.clone())),
            _ => Err(Error::usage(format!("--nvcc needs a source x.cu, not the program {}", source.display()))),
        };
    }
    if named.to_string_lossy().chars().any(is_hidden) {
        return Err(Error::usage(format!("nvcc does not take the name {}: rename the file", source.display())));
    }
    if !source.is_file() {
        return Err(Error::usage(format!("cannot run {}: there is no such file", source.display())));
    }
    let program = folder.join(source.file_stem().unwrap_or(named.as_os_str()));
    let mut options: Vec<OsString> = vec!["-lineinfo".into(), named.clone(), "-o".into(), program.clone().into()];
    let names_architecture = of_nvcc.iter().any(|option| is_architecture(&option.to_string_lossy()));
    if let Device::Emulated(profile) = device
        && !names_architecture
    {
        options.extend(capability(profile).and_then(architecture));
    }
    options.extend(of_nvcc.iter().map(|option| OsString::from(*option)));
    match nvcc::compile(&options.iter().collect::<Vec<_>>())? {
        0 => Ok(Compiled::Program(program.into())),
        code => Ok(Compiled::Failed(code)),
    }
}

/// Whether this option of nvcc names the architectures to compile for.
fn is_architecture(option: &str) -> bool {
    let name = option.split('=').next().unwrap_or_default();
    matches!(name, "-arch" | "--gpu-architecture" | "-gencode" | "--generate-code")
}

/// nvcc's option for this compute capability. Without one, nvcc compiles for the oldest that it supports.
fn architecture((major, minor): (u64, u64)) -> Option<OsString> {
    ((major, minor) >= OLDEST).then(|| format!("-arch=sm_{major}{minor}").into())
}

/// The compute capability of an emulated GPU, as reported by a separate `warplab device` process: opening the machine
/// here would fix its settings, which depend on the same variables as the program's machine.
pub fn capability(profile: &str) -> Option<(u64, u64)> {
    let mut process = Process::new(env::current_exe().ok()?);
    process.args(["device", "--json", "--device", &format!("emulated:{profile}")]);
    process.env_remove("WARPLAB_REPORT").stdin(Stdio::null());
    let Described { device } = serde_json::from_slice(&process.output().ok()?.stdout).ok()?;
    let (major, minor) = device.compute_capability;
    Some((major.try_into().ok()?, minor.try_into().ok()?))
}

/// What is read of the output of `warplab device --json`.
#[derive(Deserialize)]
struct Described {
    device: DeviceInfo,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_user_s_architecture_replaces_that_of_the_part() {
        assert!(["-arch", "-arch=sm_90", "-gencode=arch=compute_80,code=sm_80"].into_iter().all(is_architecture));
        assert!(!["-O3", "-archive", "x.cu"].into_iter().any(is_architecture));
    }

    #[test]
    fn options_of_nvcc_need_a_source() {
        let device = Device::Emulated("a100".into());
        let program = |of_nvcc: &[&OsString]| compiled(&"./a".into(), of_nvcc, Path::new("/nowhere"), &device);
        assert!(matches!(program(&[]), Ok(Compiled::Program(name)) if name == "./a"));
        let refused = program(&[&"-O3".into()]).err().map(|error| error.to_string()).unwrap_or_default();
        assert!(refused.contains("--nvcc needs a source x.cu"), "{refused}");
    }

    #[test]
    fn a_part_that_nvcc_knows_has_an_architecture() {
        assert_eq!(architecture((9, 0)), Some("-arch=sm_90".into()));
        assert_eq!(architecture((7, 5)), Some("-arch=sm_75".into()));
        assert_eq!(architecture((7, 0)), None);
    }
}
