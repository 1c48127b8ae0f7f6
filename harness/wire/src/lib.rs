//! The types in which the machine reports to programs that run kernels on it.
//!
//! The driver fills these types and writes them as versioned JSON; readers parse that JSON into the same types. A field
//! that is renamed or missing is therefore an error for the reader, never a silent 0. Rendered text accompanies the
//! data and is only meant to be printed.
//!
//! [`Report`] contains everything: [`Launch`]es with their [`counters`] and [`costs`], findings ([`RenderedFinding`],
//! [`finding`]), [`Copies`], [`Managed`] memory, [`Memory`], [`Settings`]. [`Leaks`] is the memory that is still
//! allocated at the end, and [`Device`] the device itself. [`SettingsPatch`] goes the other way: it contains the
//! settings that a client requests from the machine.
//!
//! [`printable`] sanitizes text that a kernel or a file contains, before it is displayed.
//!
//! To change a field, change it here, and raise [`VERSION`] if its meaning or its name changes, or if it is removed.

mod checks;
pub mod costs;
pub mod counters;
mod device;
pub mod finding;
mod launch;
mod name;
pub mod printable;
mod record_request;
mod report;
mod settings;
mod transfer;
mod version;

pub use checks::{Check, Checks, UnknownCheck};
pub use device::Device;
pub use launch::{Fault, Launch, Limiter, Occupancy};
pub use name::{demangle, function_name, shortened};
pub use record_request::{RECORD, RECORD_LIMIT, RecordRequest};
pub use report::{Leak, Leaks, RenderedFinding, Report};
pub use settings::{Settings, SettingsPatch, module_digest};
pub use transfer::{Copied, Copies, Filled, Managed, Memory};
pub use version::{ReadError, VERSION};

/// The environment variable that a program sets for a child process to announce that it reads the driver's report, and
/// that it reports missing features to the user.
pub const REPORT_READER: &str = "WARPLAB_REPORT_READER";

/// The value of [`REPORT_READER`] if the reader shows the findings, so that the driver need not write them.
pub const SHOWING_READER: &str = "shows";

/// Serializes a value as JSON on one line.
fn json<T: serde::Serialize>(value: &T) -> String {
    // Strings, numbers and maps with string keys: serialization cannot fail.
    serde_json::to_string(value).expect("a report is plain data")
}
