//! A student's folder.

pub mod check;
pub mod folder;
mod handout;
pub mod start;
pub mod submit;
mod to_do;
pub mod watch;
