//! NVML's calls, one file for each family.
mod entry;

mod identity;
mod missing;
mod part;
mod system;
mod usage;
