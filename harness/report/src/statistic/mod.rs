//! Statistics of noisy numbers, independent of runs, labs and rows.
pub mod difference;
pub mod holm;
pub mod robust;
pub mod shift;
