//! How the records of a run are shown: one file for each format, behind one interface ([`exporter::Exporter`]).
pub(crate) mod chart;
pub(crate) mod counters;
pub(crate) mod csv;
pub(crate) mod details;
pub(crate) mod exporter;
pub(crate) mod hot;
pub(crate) mod json;
pub(crate) mod layout;
pub(crate) mod markdown;
pub(crate) mod progress;
pub(crate) mod report;
pub(crate) mod shared_table;
pub(crate) mod style;
pub(crate) mod summary;
pub(crate) mod table;
pub(crate) mod terminal;
pub(crate) mod warnings;
