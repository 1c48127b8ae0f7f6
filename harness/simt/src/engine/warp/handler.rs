//! Handlers: the functions that execute decoded instructions, each compiled for every vector width of the host.

use super::program::Op;
use super::{Flow, Warp};
use crate::lane::HostVectors;

pub use super::program::Handler;

/// The two variants of an instruction's handler: for all lanes, or for those of the warp's mask.
#[derive(Clone, Copy)]
pub struct Handlers {
    /// All 32 lanes.
    pub full: Handler,
    /// The lanes of `Warp::mask`.
    pub part: Handler,
}

/// An instruction that is compiled for every vector width of the host.
pub(crate) trait Exec {
    /// Executes it. `W` is the vector width: see [`crate::lane::Lane`].
    ///
    /// # Safety
    /// As [`Handler`]; the processor supports what `W` requires.
    unsafe fn exec<const W: u8>(warp: &mut Warp, op: &Op) -> Flow;
}

#[inline(never)]
unsafe fn base<X: Exec>(warp: &mut Warp, op: &Op) -> Flow {
    // SAFETY: the caller's contract.
    unsafe { X::exec::<0>(warp, op) }
}
#[cfg(target_arch = "x86_64")]
#[inline(never)]
#[target_feature(enable = "avx2,fma,bmi1,bmi2,lzcnt,popcnt")]
unsafe fn v3<X: Exec>(warp: &mut Warp, op: &Op) -> Flow {
    // SAFETY: the caller's contract.
    unsafe { X::exec::<3>(warp, op) }
}
#[cfg(target_arch = "x86_64")]
#[inline(never)]
#[target_feature(enable = "avx2,fma,bmi1,bmi2,lzcnt,popcnt,avx512f,avx512bw,avx512cd,avx512dq,avx512vl")]
unsafe fn v4<X: Exec>(warp: &mut Warp, op: &Op) -> Flow {
    // SAFETY: the caller's contract.
    unsafe { X::exec::<4>(warp, op) }
}

/// Returns the handler of an instruction for a processor.
pub(crate) fn handler<X: Exec>(vectors: HostVectors) -> Handler {
    match vectors {
        #[cfg(target_arch = "x86_64")]
        HostVectors::V3 => v3::<X>,
        #[cfg(target_arch = "x86_64")]
        HostVectors::V4 => v4::<X>,
        _ => base::<X>,
    }
}

/// Executes an instruction by another handler, compiled for the same width, as a separate call. This way, a rare path
/// takes no registers from the usual one.
///
/// # Safety
/// As [`Handler`]; the processor supports what `W` requires.
#[inline(always)]
pub(crate) unsafe fn apart<X: Exec, const W: u8>(warp: &mut Warp<'_>, op: &Op) -> Flow {
    // SAFETY: the caller's contract.
    unsafe {
        match W {
            #[cfg(target_arch = "x86_64")]
            3 => v3::<X>(warp, op),
            #[cfg(target_arch = "x86_64")]
            4 => v4::<X>(warp, op),
            _ => base::<X>(warp, op),
        }
    }
}
