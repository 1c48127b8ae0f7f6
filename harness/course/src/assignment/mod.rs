//! What an assignment asks for: its rubric, and the file that a student starts from.

mod hints;
pub mod limit;
pub mod options;
pub mod random_options;
pub mod rubric;
pub mod starter;
