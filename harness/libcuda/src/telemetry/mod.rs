//! Reporting: the report itself, leaks, the log of launches, and the output at exit. The telemetry observes the state
//! and queries it; the state does not depend on the telemetry.

pub mod command;
mod debug_info;
pub mod error_queries;
pub mod exit;
pub mod failures;
pub mod launch_log;
pub mod launches;
pub mod leak;
pub mod misuse;
pub mod recorder;
mod recording_file;
pub mod report;
pub mod slow;
pub mod sources;
pub mod stderr;
