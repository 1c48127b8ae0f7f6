//! Pages about a class: for each student, for the class, and for the teacher alone.
//!
//! All text on them may come from a submission, and is escaped where it is written.

mod class;
mod layout;
mod mistakes;
mod similar;
mod student;

pub use class::class;
pub use similar::similar;
pub use student::{feedback, student};
