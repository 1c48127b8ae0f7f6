//! `malloc` and `free` in device code.

use super::control::lanes;
use super::{Flow, Warp};
use crate::finding::{Access, Kind, What};
use crate::lane::LANES;
use crate::machine::Fault;
use crate::memory::HeapError;
use crate::program::Op;

/// `malloc`: bytes in `a`, the address to `d` unless that is `u32::MAX`; null when the heap is full.
pub(crate) unsafe fn allocate(warp: &mut Warp, op: &Op) -> Flow {
    // SAFETY: `a` and `d` are 64-bit registers.
    unsafe {
        let sizes = *warp.reg::<[u64; LANES]>(op.a);
        for lane in lanes(warp.mask()) {
            let heap = warp.worker().launch().heap;
            let address = heap.map_or(0, |heap| heap.allocate(sizes[lane]));
            if op.d != u32::MAX {
                (*warp.reg::<[u64; LANES]>(op.d))[lane] = address;
            }
        }
    }
    Flow::Next
}

/// `free`: address in `a`; null is nothing to free.
pub(crate) unsafe fn free(warp: &mut Warp, op: &Op) -> Flow {
    // SAFETY: `a` is a 64-bit register.
    let addresses = unsafe { *warp.reg::<[u64; LANES]>(op.a) };
    for lane in lanes(warp.mask()) {
        let heap = warp.worker().launch().heap;
        let (Some(heap), true) = (heap, addresses[lane] != 0) else {
            continue;
        };
        let kind = match heap.free(addresses[lane]) {
            Ok(()) => continue,
            Err(HeapError::Freed) => Kind::DoubleFree,
            Err(HeapError::Unknown) => Kind::InvalidFree,
        };
        let place = warp.program().place_of(op.site);
        let access = warp.located(Access::at(What::Execute, place), lane);
        return warp.fault(Fault::IllegalAddress, kind, vec![access], None);
    }
    Flow::Next
}
