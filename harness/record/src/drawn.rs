//! The labs' own columns that a report draws. A lab that has one names it from here, so that both mean the same.
use crate::column::{Column, column};

/// Occupancy, as it is calculated.
pub const THEORETICAL_PERCENT: Column =
    column("theoretical_percent", "resident warps as a percentage of a multiprocessor's limit, calculated");
/// Occupancy, as it was measured.
pub const ACHIEVED_PERCENT: Column =
    column("achieved_percent", "average resident warps of a busy multiprocessor, in per cent of the most, on a GPU");
/// The resource that limits the occupancy.
pub const LIMITER: Column = column("limiter", "what prevents one more block");
/// Bytes in flight.
pub const KIB_IN_FLIGHT: Column =
    column("kib_in_flight", "bytes that the threads of a multiprocessor can be loading at once, in KiB");
/// Paths through the code.
pub const WAYS: Column = column("ways", "ways through the code that each warp splits into");
/// Lanes with work.
pub const WORKING_LANES: Column = column("working_lanes", "lanes of each warp that have work");
/// Work on each path.
pub const ROUNDS: Column = column("rounds", "multiply-adds on each way");
/// The cost of a split.
pub const COST_OF_ONE_WAY: Column =
    column("cost_of_one_way", "time (emulated: instructions), as a multiple of that of one way");
/// The cost of idle lanes.
pub const COST_OF_ALL_LANES: Column =
    column("cost_of_all_lanes", "time (emulated: instructions), as a multiple of that of 32 working lanes");
/// The name of the column with the rows of a matrix; each lab says of which.
pub const ROWS: &str = "m";
/// The name of the column with the columns of the first factor of a product.
pub const INNER: &str = "k";
/// A rate of tensor cores.
pub const TFLOP_PER_S: Column = column("tflop_per_s", "10^12 operations a second, on a GPU");
/// A rate as a share of that of cuBLAS in the same run.
pub const PERCENT_OF_CUBLAS: Column = column(
    "percent_of_cublas",
    "tflop_per_s as a percentage of cuBLAS's in the same run: with the inputs and the accuracy of the row",
);
/// The first pass, with the allocation of memory.
pub const FIRST_END_TO_END_MS: Column = column("first_end_to_end_ms", "allocation and first pass together");

/// A pass over the data: the first one, or a later one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Pass {
    /// The first pass, with the allocation.
    First,
    /// A later pass.
    Warm,
}

impl Pass {
    /// Returns the name of the column with this step's time in the pass.
    pub fn column(self, step: &str) -> String {
        match self {
            Self::First => format!("first_{step}_ms"),
            Self::Warm => format!("warm_{step}_ms"),
        }
    }
}
