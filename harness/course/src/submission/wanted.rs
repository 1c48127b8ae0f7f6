//! What is looked for in a submission.

/// What is looked for in what is handed in.
#[derive(Debug, Clone, Copy)]
pub struct Wanted<'a> {
    /// The lab of the assignment.
    pub lab: &'a str,
    /// The kernel file, such as `histogram.cu`.
    pub kernel: &'a str,
}
