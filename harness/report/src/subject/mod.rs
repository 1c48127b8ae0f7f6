//! What is shown of a run: a file a question. Each makes figures and tables from rows; none knows how they are drawn.
pub mod certainty;
pub mod counters;
pub mod crossover;
pub mod divergence;
pub mod facts;
pub mod findings;
pub mod heat;
pub mod known;
pub mod ladder;
pub mod metric;
pub mod occupancy;
pub mod overview;
pub mod phases;
pub mod roofline;
pub mod rows;
pub mod side_by_side;
pub mod transfer;
