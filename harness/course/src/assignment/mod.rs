//! What an assignment asks for: its rubric, and the file that a student starts from.

pub mod drawn;
pub mod limit;
pub mod rubric;
pub mod starter;
