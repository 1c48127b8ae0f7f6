//! For everyone who runs labs: the run itself, the device, and what runs have written.
pub mod compare;
pub mod device;
pub mod history;
pub mod lab_run;
pub mod list;
pub mod report;
