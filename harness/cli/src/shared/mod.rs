//! What several folders use: the rows of their tables of subcommands, options that several subcommands have, options
//! of output, a teacher's rubric, the file of a recording, the warning of an incomplete sandbox, the progress of a
//! judgement, temporary folders, and signals.
pub mod options;
pub mod output_options;
pub mod progress;
pub mod recording_file;
pub mod rubric_file;
pub mod sandbox_warning;
pub mod scratch;
pub mod signals;
pub mod subcommand;
