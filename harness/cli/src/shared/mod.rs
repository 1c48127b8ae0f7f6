//! What the subcommands of several folders use: options of output, temporary folders, and signals.
pub mod output_options;
pub mod scratch;
pub mod signals;
