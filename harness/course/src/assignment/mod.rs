//! What an assignment asks for: its rubric, and the file that a student starts from.

pub mod drawn;
mod hints;
pub mod limit;
mod options;
pub mod rubric;
pub mod starter;
