//! What a lab declares, and the program that runs it.
pub(crate) mod app;
pub mod arguments;
pub(crate) mod case;
pub(crate) mod child;
pub(crate) mod declaration;
pub(crate) mod input;
pub(crate) mod launch;
pub(crate) mod number;
pub(crate) mod options;
pub(crate) mod published;
pub(crate) mod question;
pub(crate) mod room;
pub(crate) mod row;
pub(crate) mod run;
pub(crate) mod trial;
