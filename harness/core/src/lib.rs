//! What a CUDA lab calls: device choice, kernels, launch checks, timing, answer checks, records and CSV.
//!
//! A lab declares itself as a [`Lab`] and gives a function over a [`Run`]; everything else is a plain
//! cudarc program. The device is a GPU, or the embedded SIMT machine standing in for the CUDA driver:
//! the lab cannot tell, except by [`Run::is_emulated`].

mod app;
pub mod capture;
mod case;
mod ceilings;
mod chart;
mod check;
mod child;
mod counters;
mod device;
mod driver;
mod error;
mod fault;
mod flush;
mod folder;
mod hot;
mod inputs;
mod interrupt;
mod lab;
mod machine;
mod module;
mod nvml;
mod options;
mod pace;
mod parallel;
mod record;
mod recorder;
mod report;
mod revision;
mod run;
mod session;
mod session_file;
mod stats;
pub mod suggest;
mod table;
mod terminal;

pub use app::{command, complain, main, replacement, run_labs, variants_help, with_options};
pub use case::{Case, launch_1d};
pub use ceilings::{Ceiling, Ceilings};
pub use chart::{Chart, Series};
pub use check::{Check, Number, Tolerance, two_norm};
pub use counters::COUNTERS;
pub use device::{DEFAULT_PROFILE, DeviceChoice, DeviceInfo};
pub use driver::{check_profile, machine_library};
pub use error::{Error, Result, describe};
pub use hot::HotLine;
pub use inputs::Inputs;
pub use lab::{Expect, Lab, Variant, no_args};
pub use machine::{Finding, LaunchReport, MachineReport};
pub use nvml::Snapshot;
pub use options::{Options, parse_checks, parse_count, parse_u32};
pub use parallel::{parallel, parallel_chunks};
pub use record::{COLUMNS, Record, SCHEMA, Times, Value, Verdict};
pub use recorder::{Recorder, poison};
pub use revision::built_from;
pub use run::{Coverage, Run, Sizes};
pub use session::Session;
pub use table::{paragraphs, significant, table};
pub use terminal::{print, print_error};

/// The command-line parser, for a lab's own options.
pub use clap;
