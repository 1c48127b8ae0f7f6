//! Programs with mistakes in them, for the tests that nothing makes the machine crash or hang.

pub mod characters;
pub mod launch;
pub mod targeted;
pub mod words;
