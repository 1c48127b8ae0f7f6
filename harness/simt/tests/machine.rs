//! Tests of the machine through its public interface, in a single test program, which is linked once.
//!
//! Separate programs are `ui`, whose kernels are in folders next to it, and those that have their own folder.
mod alloca;
mod alu_forms;
mod atomics;
mod attempts;
mod basic;
mod bulk;
mod checks;
mod clusters;
#[path = "common/committed.rs"]
mod committed;
mod common;
mod control;
mod costs;
mod extents;
mod forms;
mod heap;
mod hostile;
mod late_sums;
mod load_fuzz;
mod loaded;
mod mbarriers;
mod missing_barriers;
mod modifier_orders;
mod print;
mod progress;
mod recursion;
mod registers;
mod report;
mod rounding;
mod runtime_calls;
mod shared;
mod small_tiles;
mod steps;
mod symbols;
mod sync;
mod tensor_record;
mod tensors;
mod tile;
mod verdicts;
mod video;
mod waiting;
mod wgmma;
mod wide;
mod work_queue;
