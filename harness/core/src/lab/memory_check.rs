//! Checks that there is enough memory for a lab's data, on the device and on this computer.
use clap::parser::ValueSource;

use crate::{
    device::host,
    error::{Error, Result},
    lab::run::Run,
};

impl Run {
    /// Rejects data that do not fit in memory, before the host creates them: `bytes` on the device (`None`: too many to
    /// count) for `what`, whose size the option `flag` sets. The host keeps [`crate::Lab::host_copies`] of them, and
    /// the memory of an emulated device is on the host too.
    ///
    /// # Errors
    /// [`Error::Usage`] when the device has too little memory, [`Error::CannotRun`] when this computer has. If the user
    /// has not chosen the size, [`Error::Skip`] instead of the latter. The driver's errors.
    pub fn needs(&self, bytes: Option<usize>, what: &str, flag: &str) -> Result<()> {
        let free = self.session().free_bytes()?;
        let name = &self.session().device.name;
        let Some(bytes) = bytes.filter(|bytes| *bytes <= free) else {
            let size = bytes.map_or_else(|| "more bytes than can be counted".into(), |bytes| format!("{bytes} bytes"));
            return Err(Error::usage(format!(
                "{what} need {size}, but {name} has {free} free; choose a smaller {flag}"
            )));
        };
        let copies = self.lab().host_copies + u64::from(self.is_emulated());
        let need = (bytes as u64).saturating_mul(copies);
        match host::room() {
            Some(room) if need > room.bytes => {
                let here = if self.is_emulated() { ", the emulated device's included" } else { "" };
                let need = host::size(need);
                let reason = format!(
                    "{what} need about {need} of this computer's memory{here}, but {room}; choose a smaller {flag}"
                );
                Err(if self.has_chosen_sizes() { Error::CannotRun(reason) } else { Error::skip(reason) })
            }
            _ => Ok(()),
        }
    }

    /// Whether the command line chooses a size: by `--n`, or by one of the lab's own options.
    fn has_chosen_sizes(&self) -> bool {
        let is_given = |arg: &clap::Arg| {
            let id = arg.get_id().as_str();
            let known = self.args().try_contains_id(id).unwrap_or(false);
            known && self.args().value_source(id) == Some(ValueSource::CommandLine)
        };
        self.options().n.is_some() || (self.lab().options)().iter().any(is_given)
    }
}
