//! Programs with mistakes, for the tests that no program makes the machine crash or hang.

pub mod changed_words;
#[path = "../../../ptx/tests/characters.rs"]
pub mod characters;
#[path = "../common/committed.rs"]
mod committed;
pub mod launch;
pub mod targeted;
