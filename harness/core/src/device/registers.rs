//! Registers of kernels for the embedded machine: as NVIDIA's ptxas reports them where it is installed, and else as
//! the machine estimates them.
use std::{collections::BTreeMap, env, io::Write as _, sync::OnceLock};

use assembler::{Error, Ptxas};
use record::RegisterSource;
use wire::{SettingsPatch, module_digest, printable};

use crate::device::{driver, machine, sandboxed_driver};

/// The variable that turns ptxas off, with the value `off`: the machine then estimates registers.
pub const PTXAS: &str = "WARPLAB_PTXAS";

/// Gives the machine the registers of the kernels of `ptx`, before it loads them. Returns who decides about registers
/// on this device.
///
/// The PTX of a sandboxed run is not trusted, and ptxas would read it outside the sandbox. A judge turns it off for all
/// its runs, so that marks do not depend on whether it is installed.
pub(crate) fn hand_over(file: &str, ptx: &str, capability: (i32, i32)) -> RegisterSource {
    if !driver::is_emulated() {
        return RegisterSource::Driver;
    }
    match registers(ptx, capability) {
        Ok(None) => RegisterSource::Estimated,
        Ok(Some(registers)) => {
            let registers = Some([(module_digest(ptx), registers)].into());
            machine::configure(&SettingsPatch { registers, ..SettingsPatch::default() });
            RegisterSource::Ptxas
        }
        // NVIDIA's tools have dropped this part, so the file is not at fault.
        Err(Error::UnknownArchitecture { .. }) => RegisterSource::Estimated,
        Err(error) => {
            let text = format!("warning: {file}: {error}\nThe registers of its kernels are estimated");
            // Nothing can be done about a closed standard error.
            let _ = writeln!(std::io::stderr(), "{}", printable::shown(&text));
            RegisterSource::Estimated
        }
    }
}

/// Assembles `ptx` ahead of [`hand_over`], which then finds the result in the cache.
pub(crate) fn prepare(ptx: &str, capability: (i32, i32)) {
    if driver::is_emulated() {
        // An error occurs again where the module is loaded.
        let _ = registers(ptx, capability);
    }
}

/// Returns the registers of the kernels of `ptx` by their names; `None` without ptxas, or where it must not be used.
fn registers(ptx: &str, capability: (i32, i32)) -> Result<Option<BTreeMap<String, u32>>, Error> {
    let Some(ptxas) = ptxas().filter(|_| !sandboxed_driver::is_wanted()) else { return Ok(None) };
    let cache = kernels::cache_folder();
    let kernels = ptxas.resources(ptx, assembler::arch(ptx, capability), cache.as_deref())?;
    Ok(Some(kernels.into_iter().map(|kernel| (kernel.symbol, kernel.registers)).collect()))
}

/// The assembler of this computer, searched once.
fn ptxas() -> Option<&'static Ptxas> {
    static FOUND: OnceLock<Option<Ptxas>> = OnceLock::new();
    let is_off = || env::var_os(PTXAS).is_some_and(|value| value == "off");
    FOUND.get_or_init(|| if is_off() { None } else { Ptxas::find().ok() }).as_ref()
}
