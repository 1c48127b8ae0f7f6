//! The library for CUDA labs: device choice, kernels, launch checks, timing, answer checks, records and CSV.
//!
//! A lab declares itself as a [`Lab`] and provides a function over a [`Run`]; everything else is a plain cudarc
//! program. The device is a GPU, or the embedded SIMT machine in the role of the CUDA driver, which the lab cannot
//! distinguish, except by [`Run::is_emulated`].
//!
//! # The folders
//!
//! A folder uses only the folders below it:
//!
//! - `runner`: runs labs one after another, and of each lab one case after another.
//! - `plan`: what a command will run: the command line of labs, and the labs and variants that it chooses.
//! - `lab`: what a lab declares, and what its function sees: its variants, the run, the cases.
//! - `process`: this process: the whole command or a piece of it.
//! - `options`: the options that all labs share.
//! - `export`: the events of a run, and its listeners, with one file for each: terminal, CSV, JSON, session.
//! - `measure`: the measurement of a case: inputs, samples, checks, the recorder that makes its record.
//! - `device`: the current device and its properties: the driver, NVML, ceilings, the emulated machine's report.
//! - `atomic_write`, `crossover`, `error`, `exit`, `oom`, `pages`, `revision`, `shell`, `stdout`, `suggest`: used by
//!   all of them.
//!
//! What is stored of a run is defined in the crate `record`.
//!
//! `export` and `measure` do not depend on each other. Inside the crate, an item is imported from the file that defines
//! it, not through the exports of this file, which are for labs.

mod atomic_write;
pub mod crossover;
mod device;
mod error;
mod exit;
mod export;
mod lab;
mod measure;
mod oom;
mod options;
mod pages;
mod plan;
mod process;
mod revision;
mod runner;
mod shell;
mod stdout;
pub mod suggest;

pub use ::record::{
    Bar, COMMON, Ceiling, Ceilings, Column, Columns, Counter, Counters, Details, DeviceInfo, Expectation, FindingText,
    Holds, HotLine, KERNEL, LabRows, MachineReport, PREDICTED, Peak, Predicted, ProcessRun, ProgramRun, Record,
    Resources, SCHEMA, Snapshot, Source, StorySummary, Times, Value, Verdict, column, drawn, hot_lines,
    predicted_launches, read_sessions, same_value_lines, times,
};
pub use ::sandbox::{self, process_limits};
pub use device::{
    choice::{DEFAULT_PROFILE, DeviceChoice, JUDGE_PROFILE, check_launch},
    driver::{Device, Opened, check_profile, choose, machine_library},
    kernels::Kernels,
    launch::{at_once, launch_1d},
    registers::PTXAS,
    session::Session,
    visible::HostVisible,
};
pub use error::{Error, Result, SkipReason, describe};
pub use exit::Exit;
pub use export::{
    chart::{Chart, Series},
    crossovers::{Crossover, CrossoverTable, Crossovers, crossovers_text},
    ending::WritePage,
    hot::hot_table,
    layout::{paragraphs, significant, table, wrapped},
    markdown::markdown,
    program::{PROGRAM, ProgramSettings, keep_program},
    story::story_text,
    terminal::{print, print_data, print_error, print_json},
    warnings::warnings,
};
pub use lab::{
    arguments,
    assignment::{Assignment, Example, Picture},
    case::Case,
    case_context::CaseContext,
    declaration::{Lab, Sweep},
    input::Input,
    launch::Launch,
    published::{Figure, Published, figure},
    question::{Answer, Question},
    row::{Expect, Row, Variant, VariantTable, row},
    run::{Run, Sizes},
    story::{Claim, Measure, Rung, Scaled, Size, Story, rung},
    uploaded::Uploaded,
    variant_filter::{Ignored, VariantFilter},
};
pub use measure::{
    capture,
    check::{Check, Number, Tolerance, two_norm},
    inputs::Inputs,
    parallel::{CORES, parallel, parallel_chunks, parallel_vec},
    poison::poison,
    recorder::Recorder,
    timer::{Samples, Timed, timed_by},
};
pub use options::{
    common::{Options, parse_checks, parse_time},
    number::{NumberError, parse_bytes, parse_count, parse_lines, parse_schedules, parse_seconds, parse_u32},
};
pub use plan::{
    command::{command, replacement, variants_help, with_options},
    predicting::{predicted_device, predicted_part},
    unused_options::Labs,
};
pub use process::{
    records::records,
    role::{PIECE, Process, Request, Role, process},
};
pub use revision::built_from;
pub use runner::command::{complain, ended, main, run_labs};
pub use shell::quoted;

pub use atomic_write::write_whole;
pub use pages::ordinary_pages;

/// The command-line parser, for a lab's own options.
pub use clap;
pub use predict::transfer::{Moved, Way};
