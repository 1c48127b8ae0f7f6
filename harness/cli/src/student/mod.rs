//! For students: the folder of an assignment, from its beginning to the archive that is handed in.
pub mod check;
pub mod start;
pub mod submit;
