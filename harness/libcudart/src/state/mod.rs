//! What the runtime itself knows.
pub mod context;
pub mod fat_binary;
pub mod function;
pub mod image;
pub mod last_error;
pub mod variable;
