//! What a launch costs on the hardware besides its traffic: the footprint of its blocks in the caches, serialized
//! atomics, and the chains of its warps.
//!
//! Nothing that makes the machine right depends on this. The engine reports events to a [`observer::CostObserver`],
//! which does nothing unless the launch's costs are counted. Memory instructions are observed by probes, which replace
//! their handlers in such a launch only (`engine::watch::costs`), so that other launches do not even ask.

pub(crate) mod chains;
pub(crate) mod footprint;
pub(crate) mod hash;
pub(crate) mod l1_request;
pub(crate) mod observer;
#[cfg(test)]
pub(crate) mod random;
pub(crate) mod recorder;
pub(crate) mod scattered;
pub(crate) mod serial;
pub mod tables;
