//! `malloc` and `free` in device code, and what is wrong with an access to what they gave.

use super::access::{Request, Wrong};
use super::control::lanes;
use super::{Flow, Reason, Warp};
use crate::finding::{Access, Allocation, Blame, Finding, Kind, Relation, Space, What};
use crate::lane::LANES;
use crate::machine::Fault;
use crate::memory::{Heap, HeapBlock, HeapError, Who};
use crate::program::Op;
use std::sync::Arc;

/// What findings call a block of the heap.
pub(crate) const BLOCK: &str = "malloc";

/// `malloc`: bytes in `a`, the address to `d` unless that is `u32::MAX`; null when the heap is full.
pub(crate) unsafe fn allocate(warp: &mut Warp, op: &Op) -> Flow {
    // SAFETY: `a` and `d` are 64-bit registers.
    unsafe {
        let sizes = *warp.reg::<[u64; LANES]>(op.a);
        for lane in lanes(warp.mask()) {
            let mut address = 0;
            if let Some(heap) = warp.worker().launch().heap {
                let who = warp.who(op, lane);
                let used_before;
                (address, used_before) = heap.allocate_for(sizes[lane], Some(who));
                if used_before && warp.checking {
                    warp.forget(address, sizes[lane]);
                }
            }
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
        let address = addresses[lane];
        let heap = warp.worker().launch().heap;
        if address == 0 {
            continue;
        }
        // A program that never allocates has no heap.
        let freed = heap.map(|heap| heap.free_for(address, Some(warp.who(op, lane))));
        let kind = match freed {
            Some(Ok(())) => continue,
            Some(Err(HeapError::Freed)) => Kind::DoubleFree,
            Some(Err(HeapError::Unknown)) | None => Kind::InvalidFree,
        };
        let place = warp.program().place_of(op.site);
        let mut access = Access::at(What::Free, place);
        access.address = Some(address);
        let access = warp.located(access, lane);
        let heap = heap.filter(|heap| heap.contains(address));
        let block = heap.and_then(|heap| heap.nearest(address));
        return warp.heap_fault(kind, access, address, block);
    }
    Flow::Next
}

fn told(block: &HeapBlock, address: u64) -> Allocation {
    Allocation {
        address: block.start,
        size: block.bytes,
        name: BLOCK.into(),
        freed: !block.live,
        relation: Relation::of(address, block.start, block.bytes),
    }
}

impl Warp {
    fn who(&self, op: &Op, lane: usize) -> Who {
        let Access { block, thread, .. } = self.located(
            Access::at(What::Execute, crate::finding::Place::default()),
            lane,
        );
        Who {
            program: Arc::clone(self.worker().launch().kernel_program),
            pc: op.site,
            block,
            thread,
        }
    }

    /// Memory is used again: what the checks remember of it was another block's.
    #[cold]
    fn forget(&self, address: u64, bytes: u64) {
        let launch = self.worker().launch();
        let Some((at, written)) = launch.view.locate(address) else {
            return;
        };
        let start = launch.view.ranges()[at].start;
        if let Some(written) = written {
            written.clear(address - start, bytes);
        }
        if let Some(races) = &launch.races {
            races.forget(at, address, bytes);
        }
    }

    /// The heap, if an address lies in it and its blocks are looked at.
    fn checked_heap(&self, address: u64) -> Option<&Heap> {
        let launch = self.worker().launch();
        launch
            .heap
            .filter(|heap| launch.memory_check && heap.contains(address))
    }

    /// What is wrong with an access to the heap, if anything is.
    #[cold]
    pub(super) fn heap_wrong(&self, address: u64, size: u64) -> Option<Kind> {
        let heap = self.checked_heap(address)?;
        if heap.holds(address, size) {
            return None;
        }
        let block = heap.nearest(address);
        let freed =
            block.is_some_and(|b| !b.live && address >= b.start && address - b.start < b.bytes);
        let space = Space::Global;
        Some(if freed {
            Kind::UseAfterFree
        } else {
            Kind::OutOfBounds { space }
        })
    }

    /// The block of the heap at or near an address.
    pub(super) fn heap_block(&self, address: u64) -> Option<Allocation> {
        let block = self.checked_heap(address)?.nearest(address)?;
        Some(told(&block, address))
    }

    /// Records what is wrong with an access to the heap; none if it is elsewhere.
    #[cold]
    pub(super) fn heap_access_fault(
        &mut self,
        op: &Op,
        lane: usize,
        request: Request,
        wrong: &Wrong,
    ) -> Option<Flow> {
        let address = wrong.address;
        let bad = matches!(wrong.kind, Kind::OutOfBounds { .. } | Kind::UseAfterFree);
        if !bad || wrong.space != Space::Global {
            return None;
        }
        let block = self.checked_heap(address)?.nearest(address);
        let Request { what, size, .. } = request;
        let place = self.program().place_of(op.site);
        let access = Access::memory(what, Space::Global, size, address, place);
        let access = self.located(access, lane);
        Some(self.heap_fault(wrong.kind.clone(), access, address, block))
    }

    fn heap_fault(
        &mut self,
        kind: Kind,
        access: Access,
        address: u64,
        block: Option<HeapBlock>,
    ) -> Flow {
        let mut finding = Finding::new(kind, self.program().name.clone()).with(access);
        finding.blame = Some(Blame::Kernel);
        finding.allocation = self.nearest_global(address, 1);
        if let Some(block) = block {
            finding.allocation = Some(told(&block, address));
            for (who, what) in std::iter::zip(block.by, [What::Allocate, What::Free]) {
                finding.accesses.extend(who.map(|who| who.access(what)));
            }
        }
        finding.remedy = Some(
            match finding.kind {
                Kind::UseAfterFree => {
                    "free the block after its last use: where other threads use it, put a barrier before the free"
                }
                Kind::DoubleFree => {
                    "free each block once: where several threads have the pointer, let one of them free it"
                }
                Kind::InvalidFree => {
                    "free the pointer that malloc (or new) returned, not one inside the block, and nothing that the host allocated"
                }
                _ => "check the index against the number of bytes that malloc was asked for: it counts bytes, not elements",
            }
            .into(),
        );
        self.worker().fail(Fault::IllegalAddress, finding);
        self.reason = Reason::Fault;
        Flow::Stop
    }
}
