//! What a lab declares, and what its function sees: the lab with its table of variants, the run with its cases.
pub mod arguments;
pub(crate) mod assignment;
pub(crate) mod case;
pub(crate) mod case_context;
pub(crate) mod declaration;
pub(crate) mod input;
pub(crate) mod launch;
pub(crate) mod memory_check;
pub(crate) mod published;
pub(crate) mod question;
pub(crate) mod row;
pub(crate) mod run;
pub(crate) mod story;
pub(crate) mod uploaded;
pub(crate) mod variant_filter;
