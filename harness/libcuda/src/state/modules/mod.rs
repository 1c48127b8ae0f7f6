//! Modules and their functions: loading PTX, linking it, and launching kernels.

pub mod assembled;
pub mod children;
pub mod clusters;
pub mod device_runtime;
pub mod early_launch;
pub mod fat_binary;
pub mod function;
pub mod launch;
pub mod link_text;
pub mod module;
pub mod occupancy;
pub mod ptx;
pub mod refusal;
mod unpack;
mod zstd;
