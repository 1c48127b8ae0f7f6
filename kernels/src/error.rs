//! What can go wrong between a `.cu` file and PTX.

/// An error on the way from a `.cu` file to PTX; each message says what to do about it.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// The committed PTX was made from another source, and there is no compiler to make it anew.
    #[error("{file}: the committed PTX is not from this source, and NVRTC was not found")]
    Stale {
        /// The kernel file as the user knows it.
        file: String,
    },
}
