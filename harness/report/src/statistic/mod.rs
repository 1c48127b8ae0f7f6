//! What noisy numbers allow to be said. It knows nothing of runs, labs or rows.
pub mod difference;
pub mod holm;
pub mod robust;
pub mod shift;
