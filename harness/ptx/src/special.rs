//! The names of the special registers, without the percent sign.

use crate::ast::Special;
use std::fmt::{self, Display, Formatter};

/// Makes the register of a dimension.
type OfDimension = fn(u8) -> Special;

/// Those with the components `.x`, `.y` and `.z`.
const VECTORS: &[(&str, OfDimension)] = &[
    ("tid", Special::Tid),
    ("ntid", Special::Ntid),
    ("ctaid", Special::Ctaid),
    ("nctaid", Special::Nctaid),
    ("clusterid", Special::ClusterId),
    ("nclusterid", Special::NclusterId),
    ("cluster_ctaid", Special::ClusterCtaid),
    ("cluster_nctaid", Special::ClusterNctaid),
];

const SCALARS: &[(&str, Special)] = &[
    ("laneid", Special::LaneId),
    ("warpid", Special::WarpId),
    ("nwarpid", Special::NwarpId),
    ("smid", Special::SmId),
    ("nsmid", Special::NsmId),
    ("gridid", Special::GridId),
    ("lanemask_eq", Special::LanemaskEq),
    ("lanemask_le", Special::LanemaskLe),
    ("lanemask_lt", Special::LanemaskLt),
    ("lanemask_ge", Special::LanemaskGe),
    ("lanemask_gt", Special::LanemaskGt),
    ("clock", Special::Clock),
    ("clock_hi", Special::ClockHi),
    ("clock64", Special::Clock64),
    ("globaltimer", Special::GlobalTimer),
    ("globaltimer_lo", Special::GlobalTimerLo),
    ("globaltimer_hi", Special::GlobalTimerHi),
    ("total_smem_size", Special::TotalSmemSize),
    ("dynamic_smem_size", Special::DynamicSmemSize),
    ("aggr_smem_size", Special::AggrSmemSize),
    ("cluster_ctarank", Special::ClusterCtaRank),
    ("cluster_nctarank", Special::ClusterNctaRank),
    ("is_explicit_cluster", Special::IsExplicitCluster),
    ("reserved_smem_offset_begin", Special::ReservedSmem(0)),
    ("reserved_smem_offset_end", Special::ReservedSmem(1)),
    ("reserved_smem_offset_cap", Special::ReservedSmem(2)),
    ("reserved_smem_offset_0", Special::ReservedSmem(3)),
    ("reserved_smem_offset_1", Special::ReservedSmem(4)),
];

const AXES: [&str; 3] = ["x", "y", "z"];

impl Special {
    /// Returns a special register by its name, and the requested component.
    pub(crate) fn named(name: &str, component: Option<&str>) -> Option<Special> {
        if let Some((_, make)) = VECTORS.iter().find(|(known, _)| *known == name) {
            let axis = AXES.iter().position(|axis| Some(*axis) == component)?;
            return Some(make(axis as u8));
        }
        if component.is_some() {
            return None;
        }
        if let Some(number) = name.strip_prefix("envreg") {
            return number.parse().ok().filter(|n| *n < 32).map(Special::EnvReg);
        }
        SCALARS.iter().find(|(known, _)| *known == name).map(|(_, special)| *special)
    }
}

impl Display for Special {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match self {
            Special::WarpSize => return f.write_str("WARP_SZ"),
            Special::EnvReg(number) => return write!(f, "%envreg{number}"),
            _ => {}
        }
        if let Some((name, _)) = SCALARS.iter().find(|(_, special)| special == self) {
            return write!(f, "%{name}");
        }
        for (name, make) in VECTORS {
            if let Some(axis) = (0..).zip(AXES).find_map(|(at, axis)| (make(at) == *self).then_some(axis)) {
                return write!(f, "%{name}.{axis}");
            }
        }
        Ok(())
    }
}
