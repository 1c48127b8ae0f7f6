//! The machine by its public interface, in one program of tests, which is linked once.
//!
//! Programs of their own are `ui`, whose kernels lie in folders beside it, and those that have a folder.
mod alu_forms;
mod atomics;
mod attempts;
mod basic;
mod bulk;
mod checks;
mod clusters;
mod common;
mod control;
mod costs;
mod extents;
mod heap;
mod late_sums;
mod load_fuzz;
mod mbarriers;
mod modifier_orders;
mod print;
mod progress;
mod ptx_fuzz;
mod ptx_golden;
mod ptx_rules;
mod recursion;
mod registers;
mod report;
mod rounding;
mod shared;
mod small_tiles;
mod sync;
mod tensor_record;
mod tensors;
mod tile;
mod verdicts;
mod waiting;
mod wgmma;
