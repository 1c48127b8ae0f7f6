//! For teachers: what an assignment is worth, and the marks of a submission or of a whole class.
pub mod class;
pub mod grade;
pub mod rubric;
mod sandbox_warning;
