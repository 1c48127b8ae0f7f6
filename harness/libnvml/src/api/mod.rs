//! NVML's calls, one file per family.
mod entry;

mod identity;
mod missing;
mod part;
mod system;
mod usage;
