//! Tests of `warplab` as its users run it, in a single test program, which is linked only once.
//!
//! Separate programs are `apart`, which inspects processes and ends them, `cheats`, whose campaign is started by hand,
//! `new_lab`, which runs cargo, and `parallel` and `surroundings`, which load the computer or limit its resources.
mod assignments;
mod bad_input;
mod check;
mod class;
mod common;
mod compare;
mod coverage;
mod debug;
mod driver;
mod dry_run;
mod emulated;
mod exported;
mod failures;
#[cfg(target_os = "linux")]
mod gpu_records;
mod grade;
mod in_vain;
mod judge;
mod kernel_file;
#[allow(dead_code, reason = "the list is wanted, not the rest")]
#[path = "../src/labs.rs"]
mod labs;
mod machine_code;
mod marks;
mod nvml;
mod programs;
mod rank;
mod record;
mod report_page;
mod rubric;
mod runtime;
mod sass;
mod serial;
mod setup;
mod start;
mod stories;
mod submit;
mod terminal;
mod toolkit;
