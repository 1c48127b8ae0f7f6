//! What a command will run, decided before anything runs: the command line of labs, the labs and variants that it
//! chooses, and what its options mean for them.
pub(crate) mod command;
mod dry_run;
pub(crate) mod predicting;
pub(crate) mod repro_command;
pub(crate) mod run_plan;
pub(crate) mod unused_options;
