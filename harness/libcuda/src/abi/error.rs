//! The driver's error codes, and refusals, which explain one.

pub use cuda_abi::driver::Error;

/// The result of an entry point, before it becomes a `CUresult`.
pub type Result<T = ()> = std::result::Result<T, Error>;

/// An error, with an explanation for the log.
pub struct Refused {
    /// The driver's code.
    pub error: Error,
    /// The explanation; empty if the code needs none.
    pub log: String,
}

impl Refused {
    /// Creates a refusal with its explanation.
    pub fn new(error: Error, log: impl Into<String>) -> Self {
        let log = log.into();
        Refused { error, log }
    }
}

/// Keeps only the code of a refusal.
impl From<Refused> for Error {
    fn from(refused: Refused) -> Self {
        refused.error
    }
}
