//! What a lab declares, and the program that runs it.
pub(crate) mod app;
pub mod arguments;
pub(crate) mod asked;
pub(crate) mod case;
pub(crate) mod child;
pub(crate) mod declaration;
pub(crate) mod input;
pub(crate) mod launch;
pub(crate) mod of;
pub(crate) mod options;
pub(crate) mod published;
pub(crate) mod question;
pub(crate) mod repeat;
pub(crate) mod row;
pub(crate) mod run;
pub(crate) mod trial;
