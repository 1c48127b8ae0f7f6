//! The lab and the kernel file to look for in a submission.

/// The file to look for in a submission.
#[derive(Debug, Clone, Copy)]
pub struct Wanted<'a> {
    /// The lab of the assignment.
    pub lab: &'a str,
    /// The kernel file, such as `histogram.cu`.
    pub kernel: &'a str,
}
