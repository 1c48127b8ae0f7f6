//! What several folders use: the rows of their tables of subcommands, options of output, a teacher's rubric, temporary
//! folders, and signals.
pub mod output_options;
pub mod rubric_file;
pub mod scratch;
pub mod signals;
pub mod subcommand;
