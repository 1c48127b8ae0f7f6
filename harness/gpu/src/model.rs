//! What predictions know of a GPU beyond its limits: constants, each with its measurement or source.

use std::borrow::Cow;

use serde::Deserialize;

/// A constant and its source.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Constant {
    /// Its value, in the unit at the end of its name.
    pub value: f64,
    /// `measured by` a benchmark, `fitted to` rows, or `from` a data sheet or a paper.
    pub source: Cow<'static, str>,
}

/// Calls a macro with the names of the constants. This list is the only one: [`Model`] and the functions by which
/// predictions read the constants follow from it.
#[macro_export]
macro_rules! for_constants {
    ($call:ident) => {
        $call! {
            issue_per_clock,
            single_per_clock,
            integer_per_clock,
            integer_percent,
            double_per_clock,
            special_per_clock,
            tensor_per_clock,
            warpgroup_per_clock,
            exchange_per_clock,
            shared_passes_per_clock,
            shared_atomic_steps_per_clock,
            l1_bytes,
            l1_bytes_per_clock,
            l1_fill_bytes_per_clock,
            store_request_cycles,
            store_sector_cycles,
            apart_sector_cycles,
            l2_gb_per_s,
            partial_stores_per_ns,
            dram_read_gb_per_s,
            dram_write_gb_per_s,
            dram_turn_percent,
            arithmetic_cycles,
            double_cycles,
            special_cycles,
            tensor_cycles,
            shared_cycles,
            exchange_cycles,
            l1_cycles,
            l2_cycles,
            dram_cycles,
            atomic_cycles,
            branch_cycles,
            barrier_cycles,
            barrier_warp_cycles,
            barrier_sm_cycles,
            fence_cycles,
            first_access_cycles,
            block_start_cycles,
            atomic_trip_cycles,
            flag_ns,
            atomic_step_ns,
            atomic_float_step_ns,
            atomic_steps_per_ns,
            block_ns,
            launch_us,
            next_launch_us,
            launch_turn_us,
            fill_us,
            profiler_us,
            sharpness,
            overlap_warps,
            one_round_percent,
            // The link between host and device.
            copy_us,
            pinned_h2d_gb_per_s,
            pinned_d2h_gb_per_s,
            pageable_h2d_gb_per_s,
            pageable_d2h_gb_per_s,
            both_ways_percent,
            managed_h2d_gb_per_s,
            managed_d2h_gb_per_s,
            managed_us,
            prefetch_us,
            prefetch_h2d_gb_per_s,
            prefetch_d2h_gb_per_s,
        }
    };
}

/// Declares [`Model`], and a function that lists its constants by their names.
macro_rules! constants {
    ($($name:ident,)*) => {
        /// The constants of a GPU that predictions need; the unit is at the end of a name.
        #[derive(Clone, Debug, PartialEq, Deserialize)]
        #[serde(deny_unknown_fields)]
        pub struct Model {
            $(#[doc = concat!("`", stringify!($name), "`: its source in a part's file describes it.")]
            pub $name: Constant,)*
        }

        impl Model {
            /// Returns the constants with their names.
            pub fn constants(&self) -> impl Iterator<Item = (&'static str, &Constant)> {
                [$((stringify!($name), &self.$name),)*].into_iter()
            }
        }
    };
}

for_constants!(constants);
