//! The device: the driver, its settings, tables of handles, and the observer of events.

pub mod activity;
pub mod attributes;
pub mod call_site;
pub mod driver;
pub mod ending;
pub mod exported;
pub mod handles;
pub mod interrupt;
pub mod issue;
pub mod leftover;
pub mod observer;
pub mod ordering;
pub mod output;
pub mod record;
pub mod segfault;
pub mod settings;
pub mod sync;
pub mod ticket;
