//! For people with CUDA programs of their own: programs are compiled, run and profiled here, on a GPU or on the
//! embedded machine, with commands of this program and with those of a CUDA toolkit.
mod debug;
mod exec;
mod libraries;
pub mod nvcc;
mod record;
mod sass;
mod show;
pub mod toolkit;

use crate::shared::subcommand::Subcommand::{self, Plain};

/// The subcommands, in the order of the help. Those of a CUDA toolkit are in [`toolkit::SUBCOMMANDS`].
pub const SUBCOMMANDS: &[Subcommand] = &[
    Plain(exec::command, exec::run),
    Plain(nvcc::command, toolkit::nvcc::run),
    Plain(sass::command, sass::run),
    Plain(exec::driver::command, exec::driver::run),
    Plain(record::command, record::run),
    Plain(show::command, show::run),
    Plain(debug::command, debug::run),
    Plain(toolkit::shell::command, toolkit::shell::run),
    Plain(toolkit::environment::command, toolkit::environment::run),
];
