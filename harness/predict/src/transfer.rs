//! How long copies between host and device take, by the kind of the host's memory.
//!
//! A copy takes a start and its bytes at the link's rate. Pageable memory goes through the driver's own page-locked
//! buffer, at the rate of that. Copies in both directions at once share the link's two directions, each of which keeps
//! most of its rate. Managed memory moves in faults, whose rate is much lower.

use crate::part::Part;

/// The constants of the link.
pub(crate) const NEEDED: [&str; 8] = [
    "copy_us",
    "pinned_h2d_gb_per_s",
    "pinned_d2h_gb_per_s",
    "pageable_h2d_gb_per_s",
    "pageable_d2h_gb_per_s",
    "both_ways_percent",
    "managed_h2d_gb_per_s",
    "managed_d2h_gb_per_s",
];

/// The kind of the host's memory, and how it is moved.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Way {
    /// Memory as `malloc` gives it.
    Pageable,
    /// Page-locked memory.
    Pinned,
    /// Page-locked memory, in pieces, with both directions and the kernel at the same time.
    Overlapped,
    /// Managed memory that moves when it is touched.
    Managed,
}

/// What is moved.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Moved {
    /// Copies that are made.
    pub copies: f64,
    /// Bytes to the device.
    pub to_device: f64,
    /// Bytes to the host.
    pub to_host: f64,
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
        Way::Overlapped => {
            let (there, back) = both("pinned");
            // While both directions are busy each keeps this part of its rate.
            start + there.max(back) + there.min(back) * (100.0 / part.value("both_ways_percent") - 1.0)
        }
        Way::Managed => {
            let (there, back) = both("managed");
            there + back
        }
    }
}
