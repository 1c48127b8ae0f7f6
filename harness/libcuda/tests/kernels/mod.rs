//! The machine's own cases (`harness/simt/tests/pass`), launched through the driver API by the driver that cudarc has
//! opened.
//!
//! Each case is a test of the same name, so that a case that cannot run here is ignored individually. They run one
//! after another: kernels print to the standard output of the process, and a kernel that fails makes its context
//! unusable.
#![allow(dead_code, reason = "a GPU is not looked for where the machine is opened")]

#[path = "../../../simt/tests/ui/case.rs"]
mod case;
mod launch;
mod output;
#[path = "../../../simt/tests/ui/values.rs"]
mod values;

use case::Case;
use cudarc::driver::sys::{self, CUdevice_attribute as Attribute, CUresult};
use libtest_mimic::{Arguments, Failed, Trial};
use std::path::{Path, PathBuf};

/// A driver that has a device.
pub struct Driver {
    device: sys::CUdevice,
    /// Compute capability, e.g. 90.
    capability: u32,
}

/// Returns the folder of the cases: of the checkout in which this was built, or of a copy that `CARGO_MANIFEST_DIR`
/// names at run time.
fn folder() -> PathBuf {
    let package = std::env::var("CARGO_MANIFEST_DIR");
    let package = package.unwrap_or_else(|_| env!("CARGO_MANIFEST_DIR").into());
    Path::new(&package).join("../simt/tests/pass")
}

/// Returns the cases, sorted by name.
fn cases() -> Vec<Case> {
    let folder = folder();
    let entries = std::fs::read_dir(&folder);
    let entries = entries.unwrap_or_else(|e| panic!("{}: {e}", folder.display()));
    let paths = entries.map(|entry| entry.expect("an entry").path());
    let mut paths: Vec<PathBuf> = paths.filter(|path| path.extension().is_some_and(|e| e == "cu")).collect();
    paths.sort();
    assert!(!paths.is_empty(), "{}: no cases", folder.display());
    paths.iter().map(|path| Case::read(path)).collect()
}

/// Returns NVIDIA's driver, or the reason why it cannot be tested.
pub fn nvidia() -> Result<Driver, String> {
    // SAFETY: cudarc opens the driver's library, which has no conditions.
    if !unsafe { sys::is_culib_present() } {
        return Err("no NVIDIA driver on this computer".into());
    }
    // SAFETY: the symbol is only looked up, not called.
    if unsafe { sys::culib().get::<*const ()>(b"simt_version").is_ok() } {
        return Err("the driver on the library path is the machine's".into());
    }
    opened()
}

/// Returns the opened driver, or the reason why it has no device.
pub fn opened() -> Result<Driver, String> {
    let mut driver = Driver { device: 0, capability: 0 };
    // SAFETY: out parameters are live variables.
    unsafe {
        match sys::cuInit(0) {
            CUresult::CUDA_SUCCESS => {}
            CUresult::CUDA_ERROR_NO_DEVICE => return Err("no GPU on this computer".into()),
            code => return Err(format!("the NVIDIA driver does not start: {code:?}")),
        }
        launch::ok("cuDeviceGet", sys::cuDeviceGet(&mut driver.device, 0))?;
    }
    let attribute = |which| {
        let mut value = 0;
        // SAFETY: as above.
        let code = unsafe { sys::cuDeviceGetAttribute(&mut value, which, driver.device) };
        launch::ok("cuDeviceGetAttribute", code).map(|()| value as u32)
    };
    let major = attribute(Attribute::CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR)?;
    let minor = attribute(Attribute::CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR)?;
    driver.capability = major * 10 + minor;
    Ok(driver)
}

/// Returns the requirement of the case that this GPU does not meet.
fn lacking(case: &Case, driver: &Driver) -> Option<String> {
    let target = case.ptx.lines().find_map(|l| l.strip_prefix(".target sm_"));
    let needed: u32 = target?.trim().parse().ok()?;
    (needed > driver.capability).then(|| format!("needs compute_{needed}, this is {}", driver.capability))
}

/// Compares the results of a case with its expected report.
fn check(case: &Case, driver: &Driver) -> Result<(), Failed> {
    let got = launch::play(case, driver.device)?;
    let expected = case.expected();
    let expected = expected.strip_suffix("no findings\n");
    let expected = expected.ok_or("the report of a right case ends with `no findings`")?;
    if launch::in_order(&got) == launch::in_order(expected) {
        Ok(())
    } else {
        Err(format!("expected\n{expected}\nbut got\n{got}").into())
    }
}

/// Runs all cases, or ignores all of them for the given reason.
pub fn main(driver: Result<&Driver, &str>) -> ! {
    let mut arguments = Arguments::from_args();
    arguments.test_threads = Some(1);
    let trials = cases().into_iter().map(|case| {
        let name = case.name();
        let reason = match driver {
            Ok(driver) => lacking(&case, driver),
            Err(reason) => Some(reason.to_owned()),
        };
        match (driver, reason) {
            (Ok(&Driver { device, capability }), None) => Trial::test(name, move || {
                let driver = Driver { device, capability };
                check(&case, &driver)
            }),
            (_, reason) => Trial::test(name, || Err("it cannot run here".into()))
                .with_kind(reason.unwrap_or_default())
                .with_ignored_flag(true),
        }
    });
    libtest_mimic::run(&arguments, trials.collect()).exit()
}
