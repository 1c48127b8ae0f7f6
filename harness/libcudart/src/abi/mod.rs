//! Types of the headers, error codes, and the edition of CUDA that the library implements.
pub mod edition;
pub mod error;
pub mod native;
pub mod pointers;
pub mod types;
