//! The runtime's own state.
pub mod call_times;
pub mod context;
pub mod fat_binary;
pub mod function;
pub mod image;
pub mod last_error;
pub mod variable;
