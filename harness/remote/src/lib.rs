//! The CUDA driver API across two processes: the judge calls it, and a worker runs the kernels.
//!
//! A judged run makes the inputs, computes the references and compares in the process of the lab, the *judge*.
//! Untrusted kernels are loaded and run by a *worker*, which has no seed, no reference, no verdict and no file. Should
//! a kernel break out of the emulated machine, or read the memory of its process through a GPU that can
//! (`CU_DEVICE_ATTRIBUTE_PAGEABLE_MEMORY_ACCESS`), it finds only its own inputs there.
//!
//! The boundary is the driver API, as everywhere here: labs, harness and cudarc are the same with and without a worker.
//! The alternative would be two processes that run a lab in lockstep, one with the inputs and one with the references.
//! It would need a change in every lab, since a lab's function holds both.
//!
//! - [`mod@calls`] is the table of the calls, with the direction of each argument. The rest follows from it.
//! - [`client`] is the judge's side. It reads from the worker only as many bytes as it has requested, follows no
//!   address that comes from there, and takes the sizes of parameters from the PTX that it sends ([`parameters`]).
//! - [`serve`] is the worker's side.
//! - [`shared`] is host memory that both map at the same address, for pinned memory.
//!
//! A worker's report about its own work is trusted: the results, which are then compared; but also counters, findings
//! and times. A kernel that has broken out could falsify these.
#[cfg(target_os = "linux")]
pub mod calls;
#[cfg(target_os = "linux")]
pub mod client;
#[cfg(target_os = "linux")]
pub mod frame;
pub mod parameters;
#[cfg(target_os = "linux")]
pub mod serve;
#[cfg(target_os = "linux")]
pub mod shared;
