//! The sections of a report, one file for each question. Each makes figures and tables from rows, independent of how
//! they are drawn.
pub mod certainty;
pub mod counters;
pub mod divergence;
pub mod facts;
pub mod findings;
pub mod heat;
pub mod lab_catalog;
pub mod ladder;
mod ladder_chart;
pub mod limit_comparison;
pub mod metric;
pub mod occupancy;
pub mod overview;
pub mod phases;
pub mod predicted;
pub mod roofline;
pub mod rows;
pub mod side_by_side;
pub mod story;
pub mod transfer;
