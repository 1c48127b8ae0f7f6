//! Runs labs: one after another, and of each lab one case after another.
pub(crate) mod cases;
mod child;
pub(crate) mod judge_rounds;
pub(crate) mod ladder;
pub(crate) mod precompile;
pub(crate) mod predict_process;
pub(crate) mod program;
mod verdict;
