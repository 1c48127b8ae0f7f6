//! A student's own folder.

pub mod folder;
mod handout;
pub mod start;
pub mod submit;
