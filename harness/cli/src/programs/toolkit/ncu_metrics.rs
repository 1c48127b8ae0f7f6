//! The metrics of Nsight Compute that the machine counts, under their names there, and the sections that show them.
use wire::{Launch, counters::Totals};

/// Where a metric's value comes from, besides the launch.
pub struct Source<'a> {
    pub launch: &'a Launch,
    /// The predicted time in nanoseconds, for a part whose times can be predicted.
    pub predicted_ns: Option<f64>,
}

/// A metric.
pub struct Metric {
    pub name: &'static str,
    pub unit: &'static str,
    /// Its label in a section; empty if it is in none.
    pub label: &'static str,
    /// What distinguishes it from the hardware's, in a few words; empty if nothing does.
    pub note: &'static str,
    read: Read,
}

enum Read {
    Count(fn(&Totals) -> u64),
    Launch(fn(&Launch) -> f64),
    /// Not defined where the second count is 0.
    Ratio(fn(&Totals) -> [u64; 2], f64),
    Time,
}

impl Metric {
    /// The metric of this name. A name without its suffix is the sum.
    pub fn find(name: &str) -> Option<&'static Metric> {
        METRICS.iter().find(|metric| metric.name == name || metric.name.strip_suffix(".sum") == Some(name))
    }

    /// Its value; `None` if it has none for this launch.
    pub fn value(&self, source: &Source<'_>) -> Option<f64> {
        let totals = &source.launch.counters.totals;
        match &self.read {
            Read::Count(of) => Some(of(totals) as f64),
            Read::Launch(of) => Some(of(source.launch)),
            Read::Ratio(of, scale) => {
                let [part, whole] = of(totals);
                (whole > 0).then(|| scale * part as f64 / whole as f64)
            }
            Read::Time => source.predicted_ns,
        }
    }

    /// Whether it needs the costs that predictions are made from.
    pub fn is_predicted(&self) -> bool {
        matches!(self.read, Read::Time)
    }
}

const fn metric(name: &'static str, unit: &'static str, label: &'static str, note: &'static str, read: Read) -> Metric {
    Metric { name, unit, label, note, read }
}

/// The note on what is counted in PTX.
pub const OF_PTX: &str = "of PTX instructions: a GPU executes machine code";
const ESTIMATED: &str = "estimated from the PTX";
const EXACT: &str = "without passes that lost an arbitration";

use Read::{Count, Launch as OfLaunch, Ratio, Time};

/// The metrics.
pub const METRICS: &[Metric] = &[
    metric("gpu__time_duration.sum", "ns", "Duration", "predicted, not measured", Time),
    metric("launch__grid_size", "", "Grid Size", "", OfLaunch(|l| product(l.grid))),
    metric("launch__block_size", "", "Block Size", "", OfLaunch(|l| product(l.block))),
    metric("launch__thread_count", "thread", "Threads", "", OfLaunch(|l| product(l.grid) * product(l.block))),
    metric(
        "launch__registers_per_thread",
        "register/thread",
        "Registers Per Thread",
        ESTIMATED,
        OfLaunch(|l| f64::from(l.registers_estimated)),
    ),
    metric(
        "launch__shared_mem_per_block_static",
        "byte/block",
        "Static Shared Memory Per Block",
        "",
        OfLaunch(|l| f64::from(l.static_shared_bytes)),
    ),
    metric(
        "launch__shared_mem_per_block_dynamic",
        "byte/block",
        "Dynamic Shared Memory Per Block",
        "",
        OfLaunch(|l| f64::from(l.dynamic_shared_bytes)),
    ),
    metric(
        "sm__maximum_warps_per_active_cycle_pct",
        "%",
        "Theoretical Occupancy",
        "from the estimated registers",
        OfLaunch(|l| l.occupancy.percent),
    ),
    metric(
        "sm__maximum_warps_avg_per_active_cycle",
        "warp",
        "Theoretical Active Warps per SM",
        "from the estimated registers",
        OfLaunch(|l| f64::from(l.occupancy.warps_per_sm)),
    ),
    metric("smsp__inst_executed.sum", "inst", "Executed Instructions", OF_PTX, Count(|t| t.instructions)),
    metric("smsp__thread_inst_executed.sum", "inst", "Thread Instructions", OF_PTX, Count(|t| t.thread_instructions)),
    metric(
        "smsp__thread_inst_executed_per_inst_executed.ratio",
        "",
        "Avg. Active Threads Per Warp",
        OF_PTX,
        Ratio(|t| [t.thread_instructions, t.instructions], 1.0),
    ),
    metric(
        "smsp__sass_branch_targets_threads_divergent.sum",
        "",
        "Divergent Branches",
        OF_PTX,
        Count(|t| t.divergent_branches),
    ),
    metric(
        "smsp__sass_average_branch_targets_threads_uniform.pct",
        "%",
        "Branch Efficiency",
        OF_PTX,
        Ratio(|t| [t.branches - t.divergent_branches.min(t.branches), t.branches], 100.0),
    ),
    metric(
        "l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum",
        "",
        "Global Load Requests",
        "",
        Count(|t| t.global_loads.requests),
    ),
    metric(
        "l1tex__t_requests_pipe_lsu_mem_global_op_st.sum",
        "",
        "Global Store Requests",
        "",
        Count(|t| t.global_stores.requests),
    ),
    metric(
        "l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum",
        "sector",
        "Global Load Sectors",
        "",
        Count(|t| t.global_loads.sectors),
    ),
    metric(
        "l1tex__t_sectors_pipe_lsu_mem_global_op_st.sum",
        "sector",
        "Global Store Sectors",
        "",
        Count(|t| t.global_stores.sectors),
    ),
    metric(
        "l1tex__average_t_sectors_per_request_pipe_lsu_mem_global_op_ld.ratio",
        "sector",
        "Sectors Per Global Load",
        "",
        Ratio(|t| [t.global_loads.sectors, t.global_loads.requests], 1.0),
    ),
    metric(
        "l1tex__average_t_sectors_per_request_pipe_lsu_mem_global_op_st.ratio",
        "sector",
        "Sectors Per Global Store",
        "",
        Ratio(|t| [t.global_stores.sectors, t.global_stores.requests], 1.0),
    ),
    metric(
        "smsp__sass_average_data_bytes_per_sector_mem_global_op_ld.pct",
        "%",
        "Global Load Efficiency",
        "",
        Ratio(|t| [t.global_loads.bytes, 32 * t.global_loads.sectors], 100.0),
    ),
    metric(
        "smsp__sass_average_data_bytes_per_sector_mem_global_op_st.pct",
        "%",
        "Global Store Efficiency",
        "",
        Ratio(|t| [t.global_stores.bytes, 32 * t.global_stores.sectors], 100.0),
    ),
    metric(
        "l1tex__t_requests_pipe_lsu_mem_local_op_ld.sum",
        "",
        "Local Load Requests",
        "of PTX: ptxas also spills registers",
        Count(|t| t.local_loads.requests),
    ),
    metric(
        "l1tex__t_requests_pipe_lsu_mem_local_op_st.sum",
        "",
        "Local Store Requests",
        "of PTX: ptxas also spills registers",
        Count(|t| t.local_stores.requests),
    ),
    metric(
        "smsp__inst_executed_op_shared_ld.sum",
        "inst",
        "Shared Load Instructions",
        "",
        Count(|t| t.shared_loads.requests),
    ),
    metric(
        "smsp__inst_executed_op_shared_st.sum",
        "inst",
        "Shared Store Instructions",
        "",
        Count(|t| t.shared_stores.requests),
    ),
    metric(
        "smsp__inst_executed_op_shared_atom.sum",
        "inst",
        "Shared Atomic Instructions",
        "",
        Count(|t| t.shared_atomics.requests),
    ),
    metric(
        "smsp__sass_l1tex_data_pipe_lsu_wavefronts_mem_shared_op_ld.sum",
        "",
        "Shared Load Wavefronts",
        "",
        Count(|t| t.shared_loads.wavefronts),
    ),
    metric(
        "smsp__sass_l1tex_data_pipe_lsu_wavefronts_mem_shared_op_st.sum",
        "",
        "Shared Store Wavefronts",
        "with those of asynchronous copies",
        Count(|t| t.shared_stores.wavefronts),
    ),
    metric(
        "l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_ld.sum",
        "",
        "Shared Load Bank Conflicts",
        EXACT,
        Count(|t| t.shared_loads.conflicts),
    ),
    metric(
        "l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_st.sum",
        "",
        "Shared Store Bank Conflicts",
        EXACT,
        Count(|t| t.shared_stores.conflicts),
    ),
    metric(
        "l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_atom.sum",
        "",
        "Shared Atomic Bank Conflicts",
        EXACT,
        Count(|t| t.shared_atomics.bank_conflicts),
    ),
    metric("l1tex__t_requests_pipe_tex_mem_texture.sum", "", "", "", Count(|t| t.textures.requests)),
    metric("l1tex__t_sectors_pipe_tex_mem_texture.sum", "sector", "", "", Count(|t| t.textures.sectors)),
    metric("l1tex__t_requests_pipe_tex_mem_surface_op_ld.sum", "", "", "", Count(|t| t.surface_loads.requests)),
    metric("l1tex__t_sectors_pipe_tex_mem_surface_op_ld.sum", "sector", "", "", Count(|t| t.surface_loads.sectors)),
    metric("l1tex__t_requests_pipe_tex_mem_surface_op_st.sum", "", "", "", Count(|t| t.surface_stores.requests)),
    metric("l1tex__t_sectors_pipe_tex_mem_surface_op_st.sum", "sector", "", "", Count(|t| t.surface_stores.sectors)),
];

fn product(size: [u32; 3]) -> f64 {
    size.iter().map(|n| f64::from(*n)).product()
}

/// A section: its name on the command line, its title, and its metrics' labels.
pub struct Section {
    pub name: &'static str,
    pub title: &'static str,
    pub labels: &'static [&'static str],
}

/// The sections, under Nsight Compute's names, with what the machine counts.
pub const SECTIONS: &[Section] = &[
    Section {
        name: "LaunchStats",
        title: "Launch Statistics",
        labels: &[
            "Block Size",
            "Grid Size",
            "Registers Per Thread",
            "Static Shared Memory Per Block",
            "Dynamic Shared Memory Per Block",
            "Threads",
        ],
    },
    Section {
        name: "Occupancy",
        title: "Occupancy",
        labels: &["Theoretical Active Warps per SM", "Theoretical Occupancy"],
    },
    Section {
        name: "InstructionStats",
        title: "Instruction Statistics",
        labels: &["Executed Instructions", "Thread Instructions", "Avg. Active Threads Per Warp"],
    },
    Section { name: "SourceCounters", title: "Source Counters", labels: &["Divergent Branches", "Branch Efficiency"] },
    Section {
        name: "MemoryWorkloadAnalysis",
        title: "Memory Workload Analysis",
        labels: &[
            "Global Load Requests",
            "Global Load Sectors",
            "Sectors Per Global Load",
            "Global Load Efficiency",
            "Global Store Requests",
            "Global Store Sectors",
            "Sectors Per Global Store",
            "Global Store Efficiency",
            "Local Load Requests",
            "Local Store Requests",
            "Shared Load Instructions",
            "Shared Load Wavefronts",
            "Shared Load Bank Conflicts",
            "Shared Store Instructions",
            "Shared Store Wavefronts",
            "Shared Store Bank Conflicts",
            "Shared Atomic Instructions",
            "Shared Atomic Bank Conflicts",
        ],
    },
];

/// The sections of Nsight Compute whose metrics are not counted: they depend on the time.
pub const NOT_COUNTED: &[&str] = &[
    "ComputeWorkloadAnalysis",
    "C2CLink",
    "Nvlink",
    "Nvlink_Tables",
    "Nvlink_Topology",
    "NumaAffinity",
    "MemoryWorkloadAnalysis_Chart",
    "MemoryWorkloadAnalysis_Tables",
    "PmSampling",
    "PmSampling_WarpStates",
    "SchedulerStats",
    "SpeedOfLight",
    "SpeedOfLight_HierarchicalDoubleRooflineChart",
    "SpeedOfLight_HierarchicalHalfRooflineChart",
    "SpeedOfLight_HierarchicalSingleRooflineChart",
    "SpeedOfLight_HierarchicalTensorRooflineChart",
    "SpeedOfLight_RooflineChart",
    "WarpStateStats",
    "WorkloadDistribution",
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_label_is_that_of_one_metric() {
        for section in SECTIONS {
            for label in section.labels {
                assert_eq!(METRICS.iter().filter(|metric| metric.label == *label).count(), 1, "{label}");
            }
        }
    }

    #[test]
    fn a_name_without_suffix_is_the_sum_and_no_other_suffix_is_known() {
        let name = "l1tex__t_sectors_pipe_lsu_mem_global_op_ld";
        assert_eq!(Metric::find(name).map(|metric| metric.name), Metric::find(&format!("{name}.sum")).map(|m| m.name));
        assert!(Metric::find(name).is_some() && Metric::find(&format!("{name}.avg")).is_none());
    }
}
