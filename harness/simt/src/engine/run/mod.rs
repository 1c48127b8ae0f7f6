//! Launches: the workers, the blocks they run, the turns of the warps, and the counters.

mod clusters;
mod constants;
pub(crate) mod launch;
mod schedule;
mod tally;
mod turn;
mod worker;
