//! `malloc` and `free` in device code.

use super::call::Call;
use crate::engine::warp::program::Op;
use crate::engine::warp::{Flow, Warp};
use crate::finding::{Access, AccessKind, FindingKind};
use crate::instr::code::Inst;
use crate::instr::operands::operands;
use crate::lane::lanes;
use crate::memory::HeapError;

operands! {
    /// Operands of `malloc`.
    struct Allocation {
        /// The number of bytes.
        bytes: read(u64) in a,
        /// Their address; null if the heap is full.
        to: maybe_write(u64) in d,
    }
}

/// Lowers a call of `malloc`.
pub(super) fn malloc(call: &Call) -> Inst {
    let allocation = Allocation { bytes: call.arguments[0], to: call.result };
    allocation.pack(allocate)
}

/// Executes `malloc`.
unsafe fn allocate(warp: &mut Warp, op: &Op) -> Flow {
    let allocation = Allocation::unpack(op);
    // SAFETY: the registers were unpacked from this instruction.
    unsafe {
        let sizes = *allocation.bytes.lanes(warp);
        for lane in lanes(warp.mask()) {
            let mut address = 0;
            if let Some(heap) = warp.launch().heap {
                let who = warp.who(op, lane);
                let used_before;
                (address, used_before) = heap.allocate_for(sizes[lane], Some(who));
                if used_before && warp.checking {
                    warp.forget(address, sizes[lane]);
                }
            }
            if let Some(to) = allocation.to {
                (*to.lanes(warp))[lane] = address;
            }
        }
    }
    Flow::Next
}

operands! {
    /// Operands of `free`.
    struct Release {
        /// The address; null if there is nothing to free.
        address: read(u64) in a,
    }
}

/// Lowers a call of `free`.
pub(super) fn free(call: &Call) -> Inst {
    let address = call.arguments[0];
    Release { address }.pack(release)
}

/// Executes `free`.
unsafe fn release(warp: &mut Warp, op: &Op) -> Flow {
    // SAFETY: the register was unpacked from this instruction.
    let addresses = unsafe { *Release::unpack(op).address.lanes(warp) };
    for lane in lanes(warp.mask()) {
        let address = addresses[lane];
        let heap = warp.launch().heap;
        if address == 0 {
            continue;
        }
        // A program that never allocates has no heap.
        let freed = heap.map(|heap| heap.free_for(address, Some(warp.who(op, lane))));
        let kind = match freed {
            Some(Ok(())) => continue,
            Some(Err(HeapError::Freed)) => FindingKind::DoubleFree,
            Some(Err(HeapError::Unknown)) | None => FindingKind::InvalidFree,
        };
        let place = warp.program().place_of(op.site);
        let mut access = Access::at(AccessKind::Free, place);
        access.address = Some(address);
        let access = warp.located(access, lane);
        let heap = heap.filter(|heap| heap.contains(address));
        let block = heap.and_then(|heap| heap.nearest(address));
        return warp.heap_fault(kind, access, address, block);
    }
    Flow::Next
}
