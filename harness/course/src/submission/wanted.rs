//! What is looked for in a submission.

/// How the names of headers end that are handed in. Any other file that a kernel file names is not.
pub const HEADERS: [&str; 6] = ["cuh", "h", "hpp", "cu", "inc", "inl"];

/// What is looked for in what is handed in.
#[derive(Debug, Clone, Copy)]
pub struct Wanted<'a> {
    /// The lab of the assignment.
    pub lab: &'a str,
    /// The kernel file, such as `histogram.cu`.
    pub kernel: &'a str,
}
