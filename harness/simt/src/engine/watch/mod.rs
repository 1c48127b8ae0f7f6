//! Connects the engine with the checks, and turns what they find into findings.
//!
//! The checks themselves ([`crate::checks`]) know neither warps nor programs: they remember accesses and compare them.
//! This module turns a warp's accesses, barriers, fences and copies into events for them, and a conflict into a finding
//! with places and threads.

pub(crate) mod access;
mod blocks;
pub(crate) mod bounds;
mod copies;
pub(crate) mod costs;
mod forks;
mod mbarriers;
mod races;
pub(crate) mod recorded_ops;
mod remedy;
mod rows;
mod same;
mod steps;
mod sync;
mod undefined;
pub(crate) mod usual;
mod warpgroups;
mod written;
