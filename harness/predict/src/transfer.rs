//! The time of copies between host and device, by the kind of host memory.
//!
//! A copy takes a start-up time and its bytes at the link's rate. Pageable memory is staged through the driver's own
//! page-locked buffer, at that buffer's rate. Simultaneous copies in both directions share the link's two directions,
//! each of which keeps most of its rate. Managed memory migrates on page faults, at a much lower rate, or is
//! prefetched, which takes long to start.

use serde::{Deserialize, Serialize};

use crate::{
    gpu_model::GpuModel,
    interval::LaunchKind,
    prediction::{Bound, Prediction, Term},
};

/// The kind of host memory, and how its data are moved.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Way {
    /// Pageable memory, from `malloc`.
    Pageable,
    /// Page-locked memory.
    Pinned,
    /// Page-locked memory, in chunks, with both directions and the kernel at the same time.
    Overlapped,
    /// Page-locked memory that the kernel itself reads and writes over the link.
    Mapped,
    /// Managed memory that migrates on access.
    Managed,
    /// Managed memory that is prefetched.
    Prefetched,
    /// Managed memory whose inputs are prefetched; the kernel stores its results over the link.
    PrefetchedIn,
}

/// The amount of moved data.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Moved {
    /// The number of copies, one after another.
    pub copies: f64,
    /// Bytes to the device.
    pub to_device: f64,
    /// Bytes to the host.
    pub to_host: f64,
}

/// The data moved in a sample, and how.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Transfer {
    /// How the data are moved.
    pub way: Way,
    /// The amount of data.
    pub moved: Moved,
}

/// Predicts the time of launches including the transfers before and after them: one after the other, or simultaneously
/// if the kernel and the link work at the same time.
///
/// ```
/// use predict::{GpuModel, LaunchProfile, predict, transfer::{Moved, Transfer, Way, with}};
/// let part = GpuModel::find("h200").unwrap();
/// let add = LaunchProfile { blocks: 65536.0, threads: 256.0, resident: 8.0, ..LaunchProfile::default() };
/// let kernel = predict(&add, &part).unwrap();
/// let moved = Moved { copies: 3.0, to_device: 134e6, to_host: 67e6 };
/// let times = |way| with(&kernel, Transfer { way, moved }, &part).ms;
/// assert!(times(Way::Pinned) > kernel.ms && times(Way::Mapped) < times(Way::Pinned));
/// ```
pub fn with(launches: &Prediction, transfer: Transfer, part: &GpuModel) -> Prediction {
    let link = ms(transfer.moved, transfer.way, part);
    let at_once = matches!(transfer.way, Way::Overlapped | Way::Mapped);
    // Nothing is transferred before the launch.
    let launch: f64 = launches.terms.iter().filter(|term| term.bound == Bound::Launch).map(|term| term.ms).sum();
    let all = if at_once { launch + (launches.ms - launch).max(link) } else { launches.ms + link };
    let mut terms = launches.terms.clone();
    terms.push(Term { bound: Bound::Link, ms: link });
    Prediction::new(all, terms, LaunchKind::Transfers, 0.0)
}

/// Returns the milliseconds that these copies take on this part's link.
///
/// ```
/// use predict::{GpuModel, transfer::{Moved, Way, ms}};
/// let part = GpuModel::find("h200").unwrap();
/// let moved = Moved { copies: 3.0, to_device: 134e6, to_host: 67e6 };
/// assert!(ms(moved, Way::Overlapped, &part) < ms(moved, Way::Pinned, &part));
/// assert!(ms(moved, Way::Pinned, &part) < ms(moved, Way::Pageable, &part));
/// ```
pub fn ms(moved: Moved, way: Way, part: &GpuModel) -> f64 {
    let time = |bytes: f64, gb_per_s: f64| bytes / gb_per_s / 1e6;
    let start = moved.copies * part.copy_us() * 1e-3;
    let pinned = (time(moved.to_device, part.pinned_h2d_gb_per_s()), time(moved.to_host, part.pinned_d2h_gb_per_s()));
    let prefetched =
        (time(moved.to_device, part.prefetch_h2d_gb_per_s()), time(moved.to_host, part.prefetch_d2h_gb_per_s()));
    match way {
        Way::Pageable => {
            let there = time(moved.to_device, part.pageable_h2d_gb_per_s());
            start + there + time(moved.to_host, part.pageable_d2h_gb_per_s())
        }
        Way::Pinned => start + pinned.0 + pinned.1,
        Way::Overlapped | Way::Mapped => {
            let (there, back) = pinned;
            // While both directions are busy, each keeps this share of its rate.
            start + there.max(back) + there.min(back) * (100.0 / part.both_ways_percent() - 1.0)
        }
        Way::Managed => {
            let there = time(moved.to_device, part.managed_h2d_gb_per_s());
            there + time(moved.to_host, part.managed_d2h_gb_per_s()) + part.managed_us() * 1e-3
        }
        Way::Prefetched => {
            // The pages of the results are prefetched to the device as well.
            let results = time(moved.to_host, part.prefetch_h2d_gb_per_s());
            prefetched.0 + results + prefetched.1 + part.prefetch_us() * 1e-3
        }
        Way::PrefetchedIn => prefetched.0 + pinned.1 + part.prefetch_us() * 1e-3,
    }
}
