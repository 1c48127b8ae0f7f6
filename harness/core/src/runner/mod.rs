//! Runs a plan: one lab after another, and of each lab one case after another.
mod cases;
mod child;
pub(crate) mod command;
mod judge_rounds;
mod lab;
mod labs;
mod ladder;
mod precompile;
mod predict_process;
mod target;
mod verdict;
