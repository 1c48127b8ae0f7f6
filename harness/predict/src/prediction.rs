//! The prediction: a time, the time that each resource alone would need, or the reason why there is no prediction.

use std::fmt;

use serde::{Deserialize, Serialize};

use crate::interval::LaunchKind;

/// The resource that bounds a launch.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Bound {
    /// Bytes from and to device memory.
    Dram,
    /// Bytes from and to the L2 cache.
    L2,
    /// Requests and bytes through the SMs' L1 caches.
    L1,
    /// Passes over the banks of shared memory.
    SharedMemory,
    /// The schedulers' issue slots.
    Issue,
    /// Single precision.
    SinglePipe,
    /// Integers.
    IntegerPipe,
    /// Double precision.
    DoublePipe,
    /// Special functions and conversions.
    SpecialPipe,
    /// Tensor cores.
    TensorPipe,
    /// Exchanges between lanes.
    ExchangePipe,
    /// Dependent instructions, with too few warps to hide their latencies.
    Latency,
    /// Atomics that wait for each other.
    Atomics,
    /// The rate at which blocks are started.
    Blocks,
    /// The launch overhead.
    Launch,
    /// Transfers between host and device.
    Link,
}

impl Bound {
    /// All of them.
    const ALL: [Self; 16] = [
        Self::Dram,
        Self::L2,
        Self::L1,
        Self::SharedMemory,
        Self::Issue,
        Self::SinglePipe,
        Self::IntegerPipe,
        Self::DoublePipe,
        Self::SpecialPipe,
        Self::TensorPipe,
        Self::ExchangePipe,
        Self::Latency,
        Self::Atomics,
        Self::Blocks,
        Self::Launch,
        Self::Link,
    ];

    /// Returns the bound that is displayed as `words`.
    pub fn named(words: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|bound| bound.to_string() == words)
    }
}

impl fmt::Display for Bound {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Bound::Dram => "device memory",
            Bound::L2 => "L2 cache",
            Bound::L1 => "L1 cache",
            Bound::SharedMemory => "shared memory",
            Bound::Issue => "issue slots",
            Bound::SinglePipe => "single precision",
            Bound::IntegerPipe => "integers",
            Bound::DoublePipe => "double precision",
            Bound::SpecialPipe => "special functions",
            Bound::TensorPipe => "tensor cores",
            Bound::ExchangePipe => "exchanges",
            Bound::Latency => "latency",
            Bound::Atomics => "atomics",
            Bound::Blocks => "starting blocks",
            Bound::Launch => "launch",
            Bound::Link => "transfers",
        })
    }
}

/// The time that one resource alone would need.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Term {
    /// The resource.
    pub bound: Bound,
    /// Milliseconds.
    pub ms: f64,
}

/// The predicted time of a launch, or of several one after another.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Prediction {
    /// Milliseconds, as events around the launches measure them.
    pub ms: f64,
    /// The lower end of the interval: of labs to which it was not fitted, it contains about eight of ten measured
    /// times, by events or by a profiler, and fewer of kernels that are unlike them (the README has both shares).
    pub low_ms: f64,
    /// The upper end of that interval.
    pub high_ms: f64,
    /// The kind of launch, which decides how wide the interval is.
    #[serde(default)]
    pub kind: LaunchKind,
    /// The time that each resource alone would need, the longest first.
    pub terms: Vec<Term>,
}

impl Prediction {
    /// Returns the bottleneck.
    pub fn bound(&self) -> Bound {
        self.terms.first().map_or(Bound::Launch, |term| term.bound)
    }

    /// How many times longer the bottleneck takes than the next resource alone.
    pub fn ahead(&self) -> f64 {
        match self.terms.as_slice() {
            [first, next, ..] if next.ms > 0.0 => first.ms / next.ms,
            _ => f64::INFINITY,
        }
    }

    /// Creates a prediction with the interval of its kind. A profiler does not see `unseen` milliseconds of the time.
    pub(crate) fn new(ms: f64, mut terms: Vec<Term>, kind: LaunchKind, unseen: f64) -> Prediction {
        terms.sort_by(|a, b| b.ms.total_cmp(&a.ms));
        let (low_ms, high_ms) = kind.interval(ms, unseen);
        Prediction { ms, low_ms, high_ms, kind, terms }
    }
}

/// Why no time is predicted.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum NotPredicted {
    /// There is no launch.
    #[error("not predicted: there is no launch")]
    NoLaunch,
    /// The time of a kernel depends on the order of its threads, which the machine does not simulate.
    #[error("not predicted: {why}, so measure this one")]
    Measure {
        /// The kernel.
        kernel: String,
        /// What depends on the order.
        why: ByOrder,
    },
}

/// What a kernel does that takes a time which depends on the order of its threads.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ByOrder {
    /// Its threads wait for a lock, for longer the more of them arrive together: a prediction would be too short by up
    /// to 200 times.
    Lock,
    /// Its blocks fetch pieces of work by a counter until none is left: one may get many and another none.
    Fetches,
}

impl fmt::Display for ByOrder {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Lock => "takes a lock",
            Self::Fetches => "fetches its work by a counter",
        })
    }
}
