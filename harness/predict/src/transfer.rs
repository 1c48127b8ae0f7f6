//! How long copies between host and device take, by the kind of the host's memory.
//!
//! A copy takes a start and its bytes at the link's rate. Pageable memory goes through the driver's own page-locked
//! buffer, at the rate of that. Copies in both directions at once share the link's two directions, each of which keeps
//! most of its rate. Managed memory moves in faults, whose rate is much lower, or is sent ahead, which takes long to
//! start.

use serde::{Deserialize, Serialize};

use crate::{
    part::Part,
    prediction::{Bound, Prediction, Term},
};

/// The constants of the link.
pub(crate) const NEEDED: [&str; 12] = [
    "copy_us",
    "pinned_h2d_gb_per_s",
    "pinned_d2h_gb_per_s",
    "pageable_h2d_gb_per_s",
    "pageable_d2h_gb_per_s",
    "both_ways_percent",
    "managed_h2d_gb_per_s",
    "managed_d2h_gb_per_s",
    "managed_us",
    "prefetch_us",
    "prefetch_h2d_gb_per_s",
    "prefetch_d2h_gb_per_s",
];

/// The kind of the host's memory, and how it is moved.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Way {
    /// Memory as `malloc` gives it.
    Pageable,
    /// Page-locked memory.
    Pinned,
    /// Page-locked memory, in pieces, with both directions and the kernel at the same time.
    Overlapped,
    /// Page-locked memory that the kernel itself reads and writes over the link.
    Mapped,
    /// Managed memory that moves when it is touched.
    Managed,
    /// Managed memory that is sent ahead.
    Prefetched,
    /// Managed memory whose inputs are sent ahead; the kernel stores its results over the link.
    PrefetchedIn,
}

/// What is moved.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Moved {
    /// Copies that wait for each other.
    pub copies: f64,
    /// Bytes to the device.
    pub to_device: f64,
    /// Bytes to the host.
    pub to_host: f64,
}

/// What is moved in a sample, and how.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Transfer {
    /// How.
    pub way: Way,
    /// What.
    pub moved: Moved,
}

/// What launches take with the transfers before and after them: one after the other, or both at once where the kernel
/// and the link work at the same time.
///
/// ```
/// use predict::{Part, Subject, predict, transfer::{Moved, Transfer, Way, with}};
/// let part = Part::find("h200").unwrap();
/// let add = Subject { blocks: 65536.0, threads: 256.0, resident: 8.0, ..Subject::default() };
/// let kernel = predict(&add, &part).unwrap();
/// let moved = Moved { copies: 3.0, to_device: 134e6, to_host: 67e6 };
/// let times = |way| with(&kernel, Transfer { way, moved }, &part).ms;
/// assert!(times(Way::Pinned) > kernel.ms && times(Way::Mapped) < times(Way::Pinned));
/// ```
pub fn with(launches: &Prediction, transfer: Transfer, part: &Part) -> Prediction {
    let link = ms(transfer.moved, transfer.way, part);
    let at_once = matches!(transfer.way, Way::Overlapped | Way::Mapped);
    // Nothing is under way before the launch.
    let launch: f64 = launches.terms.iter().filter(|term| term.bound == Bound::Launch).map(|term| term.ms).sum();
    let all = if at_once { launch + (launches.ms - launch).max(link) } else { launches.ms + link };
    let mut terms = launches.terms.clone();
    terms.push(Term { bound: Bound::Link, ms: link });
    Prediction::new(all, terms, part)
}

/// Milliseconds that these copies take on this part's link.
///
/// ```
/// use predict::{Part, transfer::{Moved, Way, ms}};
/// let part = Part::find("h200").unwrap();
/// let moved = Moved { copies: 3.0, to_device: 134e6, to_host: 67e6 };
/// assert!(ms(moved, Way::Overlapped, &part) < ms(moved, Way::Pinned, &part));
/// assert!(ms(moved, Way::Pinned, &part) < ms(moved, Way::Pageable, &part));
/// ```
pub fn ms(moved: Moved, way: Way, part: &Part) -> f64 {
    let time = |bytes: f64, rate: &str| bytes / part.value(rate) / 1e6;
    let start = moved.copies * part.value("copy_us") * 1e-3;
    let both = |kind: &str| {
        let name = |direction| format!("{kind}_{direction}_gb_per_s");
        (time(moved.to_device, &name("h2d")), time(moved.to_host, &name("d2h")))
    };
    match way {
        Way::Pageable => {
            let (there, back) = both("pageable");
            start + there + back
        }
        Way::Pinned => {
            let (there, back) = both("pinned");
            start + there + back
        }
        Way::Overlapped | Way::Mapped => {
            let (there, back) = both("pinned");
            // While both directions are busy each keeps this part of its rate.
            start + there.max(back) + there.min(back) * (100.0 / part.value("both_ways_percent") - 1.0)
        }
        Way::Managed => {
            let (there, back) = both("managed");
            there + back + part.value("managed_us") * 1e-3
        }
        Way::Prefetched => {
            let (there, back) = both("prefetch");
            // The pages of the results are sent there as well.
            let results = time(moved.to_host, "prefetch_h2d_gb_per_s");
            there + results + back + part.value("prefetch_us") * 1e-3
        }
        Way::PrefetchedIn => {
            let (there, back) = (both("prefetch").0, both("pinned").1);
            there + back + part.value("prefetch_us") * 1e-3
        }
    }
}
