//! The types in which the machine reports to the programs that run kernels on it.
//!
//! The driver fills these types and writes them as JSON with a version; readers read that JSON into the same types. A
//! field that is renamed or missing is therefore an error where it is read, never a silent 0. Rendered text comes
//! beside the data, only to be printed.
//!
//! [`Report`] holds everything: [`Launch`]es with their [`counters`] and [`costs`], [`Told`] findings ([`finding`]),
//! [`Copies`], [`Managed`] memory, [`Memory`], [`Settings`]. [`Leaks`] is the memory that is still allocated at the
//! end, and [`Device`] the device itself. [`Wishes`] goes the other way: it says what a client asks of the machine.
//!
//! [`printable`] quotes what a kernel or a file has chosen, for those who show it.
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
mod report;
mod settings;
mod transfer;
mod version;

pub use checks::{Check, Checks, UnknownCheck};
pub use device::Device;
pub use launch::{Fault, Launch, Limiter, Occupancy};
pub use name::shortened;
pub use report::{Leak, Leaks, Report, Told};
pub use settings::{Settings, Wishes};
pub use transfer::{Copied, Copies, Filled, Managed, Memory};
pub use version::{ReadError, VERSION};

/// The environment variable by which a program that runs another one says that it reads the driver's report, and tells
/// the user what it lacks.
pub const REPORT_READER: &str = "WARPLAB_REPORT_READER";

/// The end of the help for an endless loop: what to do if it is none. Who sets the budget for a user leaves it out.
pub const RAISE_BUDGET: &str = "; if the kernel is only long, raise the instruction budget (WARPLAB_BUDGET)";

/// A value as JSON on one line.
fn json<T: serde::Serialize>(value: &T) -> String {
    // Strings, numbers and maps with string keys: nothing here can fail to be written.
    serde_json::to_string(value).expect("what is told is plain data")
}
