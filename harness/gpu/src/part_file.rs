//! The file of a part: its figures, and the constants that predictions need if they are known.

use serde::Deserialize;

use crate::model::{Constant, Model};

/// A figure and its source.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Figure<T> {
    /// Its value, in the unit at the end of its name.
    pub value: T,
    /// The program that printed it, or the document that has it.
    pub source: String,
}

/// A part as its file describes it.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PartFile {
    /// Its name on the command line.
    pub name: String,
    /// Its name in the driver.
    pub full_name: String,
    /// Compute capability: (major, minor).
    pub compute_capability: (u32, u32),
    /// What the part has, where parts of one compute capability differ.
    pub figures: Figures,
    /// The constants for predictions; without them, no time is predicted.
    pub constants: Option<Model>,
}

/// Declares [`Figures`], and functions that list the values and the sources by their names.
macro_rules! figures {
    ($($(#[$doc:meta])* $name:ident: $type:ty,)*) => {
        /// The figures of a part.
        #[derive(Clone, Debug, PartialEq, Deserialize)]
        #[serde(deny_unknown_fields)]
        pub struct Figures {
            $($(#[$doc])* pub $name: Figure<$type>,)*
        }

        impl Figures {
            /// Returns the names of the figures with their values as Rust literals.
            pub fn numbers(&self) -> impl Iterator<Item = (&'static str, String)> {
                [$((stringify!($name), self.$name.value.to_string()),)*].into_iter()
            }

            /// Returns the names of the figures with their sources.
            pub fn sources(&self) -> impl Iterator<Item = (&'static str, &str)> {
                [$((stringify!($name), &*self.$name.source),)*].into_iter()
            }
        }
    };
}

figures! {
    /// Streaming multiprocessors.
    sms: u32,
    /// Device memory that the driver reports, in bytes.
    total_memory: u64,
    /// The L2 cache in bytes.
    l2_bytes: u32,
    /// The part of the L2 cache that can be set aside for persisting accesses; 0 if unsupported or unknown.
    l2_persisting_bytes: u32,
    /// The SMs' boost clock.
    clock_khz: u32,
    /// The memory clock.
    mem_clock_khz: u32,
    /// Width of the memory bus in bits.
    bus_bits: u32,
    /// Engines that can copy while kernels run.
    copy_engines: u32,
    /// Whether the memory has ECC.
    ecc: bool,
    /// Whether host and device share one memory.
    integrated: bool,
}

impl PartFile {
    /// Parses a part's file.
    ///
    /// # Errors
    /// A message that names the figure or constant that is missing, unknown, without a source, or not above 0.
    pub fn read(text: &str) -> Result<PartFile, String> {
        let part: PartFile = toml::from_str(text).map_err(|error| error.to_string())?;
        if let Some((name, _)) = part.figures.sources().find(|(_, source)| source.trim().is_empty()) {
            return Err(format!("`{name}` needs a source"));
        }
        let is_unknown = |c: &Constant| !(c.value > 0.0 && c.value.is_finite()) || c.source.trim().is_empty();
        let unknown = part.constants.iter().flat_map(Model::constants).find(|(_, constant)| is_unknown(constant));
        match unknown {
            Some((name, _)) => Err(format!("`{name}` needs a value above 0 and a source")),
            None => Ok(part),
        }
    }
}
