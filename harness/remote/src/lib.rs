//! The CUDA driver API between two processes: the one that judges calls it, another one runs the kernels.
//!
//! A judged run makes the inputs, computes the references and compares in the process of the lab, the *judge*. The
//! kernels of a stranger are loaded and run by a *worker*, which has no seed, no reference, no verdict and no file.
//! Should a kernel break out of the emulated machine, or read the memory of its process through a GPU that can
//! (`CU_DEVICE_ATTRIBUTE_PAGEABLE_MEMORY_ACCESS`), it finds its own inputs there.
//!
//! The seam is the driver API, as everywhere here: labs, harness and cudarc are the same in both cases. The other way
//! would be two processes that run a lab in lockstep, one with the inputs and one with the references. It would need a
//! change in every lab, since a lab's function holds both.
//!
//! - [`mod@calls`] is the table of the calls, with the direction of each argument. The rest follows from it.
//! - [`client`] is the judge's side. It reads from the worker only as many bytes as it has asked for, follows no
//!   address that comes from there, and takes the sizes of parameters from the PTX that it sends ([`parameters`]).
//! - [`serve`] is the worker's side.
//! - [`shared`] is host memory that both have at the same address, as pinned memory needs it.
//!
//! What a worker says of its own work is believed: the results, which are then compared; but also counters, findings
//! and times. A kernel that has broken out could belie these.
#![cfg(target_os = "linux")]

pub mod calls;
pub mod client;
pub mod frame;
pub mod parameters;
pub mod serve;
pub mod shared;
